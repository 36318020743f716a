import Model

/// Which kept rows are wanted, and in which order.
package struct OfflineQuery: Sendable {
  /// What the cells of a property stand for.
  package enum Reading: Sendable {
    case text
    case number
    /// A moment; the function reads the server's way of writing it.
    case moment(@Sendable (String) -> Timestamp?)
  }

  package struct Sort: Sendable {
    package var name: String
    package var reading: Reading
    package var isDescending: Bool
    package init(_ name: String, _ reading: Reading, isDescending: Bool) {
      self.name = name
      self.reading = reading
      self.isDescending = isDescending
    }
  }

  /// Rows whose property contains a text, any case.
  package struct Filter: Sendable {
    package var name: String
    package var reading: Reading
    package var text: String
    package init(_ name: String, _ reading: Reading, contains text: String) {
      self.name = name
      self.reading = reading
      self.text = text
    }
  }

  package var sort: Sort?
  package var filters: [Filter]
  package var offset: Int
  package var limit: Int

  package init(sort: Sort? = nil, filters: [Filter] = [], offset: Int = 0, limit: Int = .max) {
    self.sort = sort
    self.filters = filters
    self.offset = offset
    self.limit = limit
  }
}

/// A page of kept rows, and how many there are in all.
package struct OfflinePage: Sendable {
  package let rows: [OfflineRow]
  package let total: Int
}

/// Where a row stands in an order, small enough to sort a hundred thousand in a few milliseconds.
struct OfflineSortKey: Sendable {
  /// Number in a form that orders like it, or the first 16 bytes of the text in small letters.
  var high: UInt64
  var low: UInt64
  /// Index of the whole text where 16 bytes are not all of it; -1 else.
  var tail: Int32
  private(set) var row: Int32

  /// The same behind so many rows and whole texts.
  func moved(rows: Int32, texts: Int32) -> OfflineSortKey {
    var key = self
    key.row += rows
    if tail >= 0 { key.tail += texts }
    return key
  }

  /// Nil for a cell without a value.
  init?(_ cell: OfflineCell, _ reading: OfflineQuery.Reading, row: Int32, tails: inout [[UInt8]]) {
    self.row = row
    (high, low, tail) = (0, 0, -1)
    switch (cell, reading) {
    case (.absent, _), (.null, _): return nil
    case (.flag(let flag), _): high = flag ? 1 : 0
    case (.integer(let number), _): set(number: Double(number), exact: number)
    case (.number(let bytes), _), (.text(let bytes), .number):
      let text = String(decoding: bytes, as: UTF8.self)
      if let number = Int64(text) {
        set(number: Double(number), exact: number)
      } else if let number = Double(text) {
        set(number: number, exact: 0)
      } else {
        set(text: bytes, &tails)
      }
    case (.text(let bytes), .moment(let read)):
      if let moment = read(String(decoding: bytes, as: UTF8.self)) {
        set(number: Double(moment.milliseconds), exact: moment.milliseconds)
      } else {
        set(text: bytes, &tails)
      }
    case (.text(let bytes), .text), (.nested(let bytes), _): set(text: bytes, &tails)
    }
  }

  private mutating func set(number: Double, exact: Int64) {
    let bits = number.bitPattern
    high = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    low = UInt64(bitPattern: exact) ^ 1 << 63
  }

  private mutating func set(text bytes: UnsafeRawBufferPointer, _ tails: inout [[UInt8]]) {
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      let small = Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8)
      small.withUnsafeBytes { pack($0) }
      return keep(small.count > 16 ? small : nil, &tails)
    }
    pack(bytes)
    keep(bytes.count > 16 ? bytes.map(OfflineText.small) : nil, &tails)
  }

  private mutating func keep(_ whole: [UInt8]?, _ tails: inout [[UInt8]]) {
    guard let whole else { return }
    tail = Int32(tails.count)
    tails.append(whole)
  }

  private mutating func pack(_ bytes: UnsafeRawBufferPointer) {
    for index in 0..<8 { high = high << 8 | UInt64(index < bytes.count ? OfflineText.small(bytes[index]) : 0) }
    for index in 8..<16 { low = low << 8 | UInt64(index < bytes.count ? OfflineText.small(bytes[index]) : 0) }
  }

  /// Ascending; equal ones in the order they came.
  static func precedes(_ a: OfflineSortKey, _ b: OfflineSortKey, _ tails: [[UInt8]]) -> Bool? {
    if a.high != b.high { return a.high < b.high }
    if a.low != b.low { return a.low < b.low }
    guard a.tail >= 0 || b.tail >= 0 else { return nil }
    guard a.tail >= 0 else { return true }
    guard b.tail >= 0 else { return false }
    let (left, right) = (tails[Int(a.tail)], tails[Int(b.tail)])
    if left == right { return nil }
    return left.lexicographicallyPrecedes(right)
  }
}

/// Text of cells compared without regard to case.
struct OfflineText: Sendable {
  static func small(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

  private let small: String
  private let bytes: [UInt8]
  private let isPlain: Bool
  /// Part of the text that stands in every cell that holds the text, in ASCII: most cells are passed over by it.
  private let anchor: [UInt8]

  init(_ text: String) {
    small = text.lowercased()
    bytes = Array(small.utf8)
    isPlain = bytes.allSatisfy { $0 < 0x80 }
    anchor = OfflineText.anchor(of: bytes)
  }

  /// The longest run of ASCII letters and signs that no other spelling has. A character before one outside ASCII may be
  /// one with it elsewhere (é is one character or two), and k and i are small forms of others (K of Kelvin, İ), too.
  private static func anchor(of bytes: [UInt8]) -> [UInt8] {
    let kept = bytes.indices.map { index in
      let isBare = index + 1 == bytes.count || bytes[index + 1] < 0x80
      return bytes[index] < 0x80 && isBare && bytes[index] != UInt8(ascii: "k") && bytes[index] != UInt8(ascii: "i")
    }
    let runs = bytes.indices.split { !kept[$0] }
    return runs.max { $0.count < $1.count }.map { Array(bytes[$0.startIndex..<$0.endIndex]) } ?? []
  }

  /// Whether a cell, as people see it, contains the text.
  func isIn(_ cell: OfflineCell, _ reading: OfflineQuery.Reading) -> Bool {
    if bytes.isEmpty { return true }
    switch (cell, reading) {
    case (.absent, _), (.null, _): return false
    case (.flag(let flag), _): return isIn(flag ? "true" : "false")
    case (.integer(let number), _): return isIn(String(number))
    case (.text(let text), .moment(let read)):
      let words = String(decoding: text, as: UTF8.self)
      return isIn(read(words)?.rfc3339 ?? words)
    case (.number(let text), _), (.text(let text), _), (.nested(let text), _): return isIn(text)
    }
  }

  private func isIn(_ text: String) -> Bool { text.lowercased().contains(small) }

  private func isIn(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.allSatisfy({ $0 < 0x80 }) else {
      return OfflineText.holds(text, anchor) && isIn(String(decoding: text, as: UTF8.self))
    }
    // Whatever is written in ASCII holds nothing else in any case.
    return isPlain && OfflineText.holds(text, bytes)
  }

  /// Whether ASCII bytes stand in a text, in any case.
  private static func holds(_ text: UnsafeRawBufferPointer, _ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    guard text.count >= bytes.count else { return false }
    for start in 0...(text.count - bytes.count) where small(text[start]) == first {
      var length = 1
      while length < bytes.count, small(text[start + length]) == bytes[length] { length += 1 }
      if length == bytes.count { return true }
    }
    return false
  }
}
