import JSON

/// A row of a set as it is kept: key, version tag and properties as the server sent them.
package struct OfflineRow: Sendable, Equatable {
  /// As a location writes it.
  package var key: String
  /// What the server sent for `If-Match`; nil when it sent none.
  package var tag: String?
  package var properties: [JSONNode.Member]

  package init(key: String, tag: String?, properties: [JSONNode.Member]) {
    self.key = key
    self.tag = tag
    self.properties = properties
  }

  package subscript(_ name: String) -> JSONNode? { properties.first { $0.key == name }?.value }
}

/// One property of a kept row, looked at where it lies.
enum OfflineCell {
  case absent, null
  case flag(Bool)
  case integer(Int64)
  /// A number that is not whole, or larger: its exact text.
  case number(UnsafeRawBufferPointer)
  case text(UnsafeRawBufferPointer)
  /// An array or object, as JSON.
  case nested(UnsafeRawBufferPointer)
}

/// The layout of a kept row before it is sealed: key and tag, then a cell for each name of the set, in the set's order.
/// Names only ever join the end of that order, so that older rows stay readable.
///
/// ```
/// length of the key (4), key
/// 0, or 1 and length of the tag (4), tag
/// cells (2), each: kind (1) and, by kind, nothing, 8 bytes, or a length (4) and as many bytes
/// ```
enum OfflineLayout {
  private enum Kind: UInt8 { case absent = 0, null, off, on, integer, number, text, nested }

  /// - Parameter names: The set's names; grows by those that this row is the first to have.
  static func bytes(of row: OfflineRow, names: inout [String]) -> [UInt8] {
    var cells = [JSONNode?](repeating: nil, count: names.count)
    for (index, member) in row.properties.enumerated() {
      // Rows of one set nearly always have the same names in the same order.
      let known = index < names.count && names[index] == member.key ? index : names.firstIndex(of: member.key)
      if let known {
        cells[known] = member.value
      } else {
        names.append(member.key)
        cells.append(member.value)
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64 + cells.count * 16)
    append(row.key, to: &bytes)
    if let tag = row.tag {
      bytes.append(1)
      append(tag, to: &bytes)
    } else {
      bytes.append(0)
    }
    bytes += UInt16(clamping: cells.count).bytes
    for cell in cells { append(cell, to: &bytes) }
    return bytes
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes += UInt32(text.utf8.count).bytes
    bytes += text.utf8
  }

  private static func append(_ cell: JSONNode?, to bytes: inout [UInt8]) {
    func text(_ kind: Kind, _ text: String) {
      bytes.append(kind.rawValue)
      append(text, to: &bytes)
    }
    switch cell {
    case nil: bytes.append(Kind.absent.rawValue)
    case .null?: bytes.append(Kind.null.rawValue)
    case .bool(let flag)?: bytes.append((flag ? Kind.on : Kind.off).rawValue)
    case .integer(let number)?:
      bytes.append(Kind.integer.rawValue)
      bytes += UInt64(bitPattern: number).bytes
    case .number(let number)?: text(.number, number)
    case .string(let string)?: text(.text, string)
    case .array?, .object?: text(.nested, String(decoding: (cell ?? .null).encoded(), as: UTF8.self))
    }
  }

  /// Reads a row while its bytes stand still; nil when they are none.
  struct Reader {
    private let bytes: UnsafeRawBufferPointer
    let key: UnsafeRawBufferPointer
    let tag: UnsafeRawBufferPointer?
    private let count: Int
    private let start: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
      var position = 0
      guard let key = Reader.block(bytes, &position), position < bytes.count else { return nil }
      self.key = key
      let hasTag = bytes[position] == 1
      position += 1
      if hasTag {
        guard let tag = Reader.block(bytes, &position) else { return nil }
        self.tag = tag
      } else {
        tag = nil
      }
      guard position + 2 <= bytes.count else { return nil }
      count = Int(bytes[position]) << 8 | Int(bytes[position + 1])
      start = position + 2
    }

    private static func block(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UnsafeRawBufferPointer? {
      guard position + 4 <= bytes.count else { return nil }
      let count = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      let begin = position + 4
      guard begin + count <= bytes.count else { return nil }
      position = begin + count
      return UnsafeRawBufferPointer(rebasing: bytes[begin..<position])
    }

    private func cell(_ position: inout Int) -> OfflineCell {
      guard position < bytes.count, let kind = Kind(rawValue: bytes[position]) else { return .absent }
      position += 1
      switch kind {
      case .absent: return .absent
      case .null: return .null
      case .off: return .flag(false)
      case .on: return .flag(true)
      case .integer:
        guard position + 8 <= bytes.count else { return .absent }
        defer { position += 8 }
        return .integer(Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Int64.self)))
      case .number: return Reader.block(bytes, &position).map { .number($0) } ?? .absent
      case .text: return Reader.block(bytes, &position).map { .text($0) } ?? .absent
      case .nested: return Reader.block(bytes, &position).map { .nested($0) } ?? .absent
      }
    }

    /// Cells at these places, which ascend.
    func cells(_ places: [Int], _ body: (Int, OfflineCell) -> Bool) -> Bool {
      var position = start
      var next = 0
      for index in 0..<count where next < places.count {
        let cell = cell(&position)
        guard index == places[next] else { continue }
        guard body(index, cell) else { return false }
        next += 1
      }
      while next < places.count {
        guard body(places[next], .absent) else { return false }
        next += 1
      }
      return true
    }

    func row(_ names: [String]) -> OfflineRow {
      var row = OfflineRow(
        key: String(decoding: key, as: UTF8.self), tag: tag.map { String(decoding: $0, as: UTF8.self) },
        properties: [])
      var position = start
      for index in 0..<min(count, names.count) {
        let value: JSONNode?
        switch cell(&position) {
        case .absent: value = nil
        case .null: value = .null
        case .flag(let flag): value = .bool(flag)
        case .integer(let number): value = .integer(number)
        case .number(let text): value = .number(String(decoding: text, as: UTF8.self))
        case .text(let text): value = .string(String(decoding: text, as: UTF8.self))
        case .nested(let text): value = (try? JSONDocument(Array(text)))?.root.node()
        }
        if let value { row.properties.append(JSONNode.Member(key: names[index], value: value)) }
      }
      return row
    }
  }
}
