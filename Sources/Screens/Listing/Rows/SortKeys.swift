import Model

/// What a column's values are compared by when a list is sorted: eight bytes at a time, as numbers whose order is that
/// of the values.
///
/// Numbers, moments and amounts are decided by their first key nearly always; of texts it holds the first eight bytes,
/// in lower case, and the next ones decide among those that begin alike.
struct SortKeys: Sendable {
  enum Kind: Sendable, Hashable {
    /// Whole numbers, sizes, moments, flags.
    case word
    /// By currency, since a comparison across would mean nothing, and then exactly.
    case money
    /// Where some numbers have decimals: by their nearest double, then by their text.
    case decimal
    case text
    /// Values of several kinds: by their exact text.
    case mixed
  }

  let kind: Kind
  private let rows: PackedRows
  private let column: Int
  /// By tag, of amounts: the currency's place in the alphabet, and what makes the finest unit of it.
  private let units: [(rank: UInt64, factor: Int128)]
  /// In lower case, texts that have more than ASCII, by block and number.
  private let folded: [[Int: [UInt8]]]

  /// - Parameter foldsAhead: Whether all rows will be asked for, so that what has more than ASCII is put in lower case
  ///   once.
  init(_ rows: PackedRows, column: Int, foldsAhead: Bool) {
    self.rows = rows
    self.column = column
    kind = SortKeys.kind(rows, column)
    let currencies = Array(Set(rows.units.map(\.currency))).sorted()
    units = rows.units.map { unit in
      let finest = rows.units.filter { $0.currency == unit.currency }.map(\.decimals).max() ?? 0
      let factor = (unit.decimals..<max(unit.decimals, finest)).reduce(Int128(1)) { product, _ in product * 10 }
      return (UInt64(currencies.firstIndex(of: unit.currency) ?? 0), factor)
    }
    folded =
      kind != .text || !foldsAhead
      ? []
      : rows.blocks.map { block in
        var texts: [Int: [UInt8]] = [:]
        guard column < block.columns.count else { return texts }
        block.texts.wide.forEach { texts[$0] = Array(block.texts[$0].lowercased().utf8) }
        return texts
      }
  }

  private static func kind(_ rows: PackedRows, _ column: Int) -> Kind {
    var tags = RowSet(capacity: 256)
    for block in rows.blocks where column < block.columns.count {
      for tag in block.columns[column].tags { tags.insert(Int(min(tag, CellTag.money))) }
    }
    func isOnly(_ kinds: UInt8...) -> Bool {
      tags.numbers.allSatisfy { kinds.contains(UInt8($0)) || $0 <= CellTag.null }
    }
    if isOnly(CellTag.integer, CellTag.size) || isOnly(CellTag.time) || isOnly(CellTag.flag) { return .word }
    if isOnly(CellTag.money) { return .money }
    if isOnly(CellTag.integer, CellTag.size, CellTag.decimal) { return .decimal }
    return isOnly(CellTag.text, CellTag.date) ? .text : .mixed
  }

  /// Whether a server says nothing here; such rows come last, whatever the direction.
  @inline(__always)
  func isNull(_ row: Int) -> Bool {
    let block = rows.blocks[row / RowBlock.capacity]
    return column >= block.columns.count || block.columns[column].tags[row % RowBlock.capacity] <= CellTag.null
  }

  // MARK: Keys

  /// The key of a row; `depth` counts the keys before it that decided nothing.
  @inline(__always)
  func key(_ row: Int, _ depth: Int) -> UInt64 {
    let number = row / RowBlock.capacity
    let index = row % RowBlock.capacity
    switch kind {
    case .word: return SortKeys.ordered(rows.blocks[number].columns[column].words[index])
    case .text: return text(Int(rows.blocks[number].columns[column].words[index]), number, depth)
    case .money: return money(number, index, depth)
    case .decimal: return decimal(row, depth)
    case .mixed: return SortKeys.chunk(of: exactText(row), depth)
    }
  }

  /// Whether rows of the same key are equal, so that nothing more needs to be looked at.
  @inline(__always)
  func isDecided(_ key: UInt64, _ depth: Int) -> Bool {
    switch kind {
    case .word: true
    // A text that has ended is filled up with zeros.
    case .text, .mixed: key & 0xFF == 0
    case .money: depth == 2 || (depth == 0 && !SortKeys.isAtEdge(key))
    case .decimal: depth > 0 && key & 0xFF == 0
    }
  }

  /// Whether a row comes before another, apart from the direction and from those that say nothing.
  func isBefore(_ a: Int, _ b: Int) -> Bool? {
    var depth = 0
    while true {
      let (left, right) = (key(a, depth), key(b, depth))
      if left != right { return left < right }
      if isDecided(left, depth) { return nil }
      depth += 1
    }
  }

  private static func ordered(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }

  /// Sixteen bits of currency and 48 of the amount, as far as it fits; then all of it.
  private func money(_ number: Int, _ index: Int, _ depth: Int) -> UInt64 {
    let cells = rows.blocks[number].columns[column]
    let unit = units[Int(cells.tags[index] - CellTag.money)]
    let amount = Int128(cells.words[index]) * unit.factor
    switch depth {
    case 0: return unit.rank << 48 | UInt64(min(max(amount, -SortKeys.edge), SortKeys.edge - 1) + SortKeys.edge)
    case 1: return SortKeys.ordered(Int64(truncatingIfNeeded: amount >> 64))
    default: return UInt64(truncatingIfNeeded: amount)
    }
  }

  private static let edge: Int128 = 1 << 47
  private static func isAtEdge(_ key: UInt64) -> Bool {
    let amount = key & 0xFFFF_FFFF_FFFF
    return amount == 0 || amount == 0xFFFF_FFFF_FFFF
  }

  private func decimal(_ row: Int, _ depth: Int) -> UInt64 {
    let text = exactText(row)
    guard depth == 0 else { return SortKeys.chunk(of: text, depth - 1) }
    let number = Double(text) ?? 0
    // Without a sign on zero, and with a place for what is no number.
    let bits = number.isNaN || number == 0 ? 0 : number.bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  private func exactText(_ row: Int) -> String { (rows.value(row, column) ?? .null).exactText.lowercased() }

  private static func chunk(of text: String, _ depth: Int) -> UInt64 {
    var text = text
    return text.withUTF8 { chunk(UnsafeRawBufferPointer($0), depth * 8, $0.count) }
  }

  private func text(_ id: Int, _ number: Int, _ depth: Int) -> UInt64 {
    let pool = rows.blocks[number].texts
    if pool.wide.contains(id) {
      guard !folded.isEmpty, let text = folded[number][id] else {
        return SortKeys.chunk(of: pool[id].lowercased(), depth)
      }
      return text.withUnsafeBytes { SortKeys.chunk($0, depth * 8, $0.count) }
    }
    let range = pool.range(id)
    return pool.bytes.withUnsafeBytes {
      SortKeys.lower(SortKeys.chunk($0, range.lowerBound + depth * 8, range.upperBound))
    }
  }

  /// Eight bytes of a text, the first in the highest place; zeros behind its end.
  @inline(__always)
  private static func chunk(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt64 {
    guard start < end else { return 0 }
    if start + 8 <= bytes.count {
      let key = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      let rest = end - start
      return rest >= 8 ? key : key & ~(UInt64.max >> UInt64(rest * 8))
    }
    var key: UInt64 = 0
    for place in start..<start + 8 { key = key << 8 | (place < end ? UInt64(bytes[place]) : 0) }
    return key
  }

  /// Lower case for all ASCII letters of eight bytes.
  @inline(__always)
  private static func lower(_ key: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = key & (ones &* 0x7F)
    let isUpper = (low &+ ones &* (0x80 - 0x41)) & ~(low &+ ones &* (0x80 - 0x5B)) & ~key & (ones &* 0x80)
    return key | isUpper >> 2
  }
}
