import Model

/// What a packed cell holds; for amounts the currency, too.
enum CellTag {
  /// The row is shorter than others.
  static let missing: UInt8 = 0
  static let null: UInt8 = 1
  static let text: UInt8 = 2
  static let decimal: UInt8 = 3
  static let date: UInt8 = 4
  static let integer: UInt8 = 5
  static let size: UInt8 = 6
  static let time: UInt8 = 7
  static let flag: UInt8 = 8
  /// Whatever has no form of its own here.
  static let other: UInt8 = 9
  /// The first of the amounts: `money + n` is an amount of unit `n`.
  static let money: UInt8 = 16
  static let mostUnits = 240

  /// Whether the word is a text's number.
  @inline(__always)
  static func isText(_ tag: UInt8) -> Bool { tag >= text && tag <= date }
}

/// What amounts are counted in.
struct MoneyUnit: Sendable, Hashable {
  let currency: String
  let decimals: Int
}

/// Some thousand rows in a few arrays: per cell a byte for its kind and a word for its value, texts in a pool.
struct RowBlock: Sendable {
  struct Cells: Sendable {
    var tags: [UInt8] = []
    /// The number, the moment, the units of an amount, or where the text or another value is.
    var words: [Int64] = []
  }

  private(set) var count = 0
  private(set) var columns: [Cells] = []
  private(set) var texts = TextPool()
  private(set) var others: [Value] = []
  private var traits: [UInt8] = []
  /// A location up to its last slash, and behind it, as texts: those of a list begin alike, and many end in the
  /// row's id.
  private var heads: [UInt32] = []
  private var tails: [UInt32] = []
  /// Heads whose locations cannot be read from their text again; such are kept as they are.
  private var oddHeads: Set<UInt32> = []
  private var oddLocations: [Int: Location] = [:]

  /// Rows of a full block: 2^14, so that what a search touches of one stays in the second cache.
  static let capacity = 1 << 14

  private static let content: UInt8 = 4

  // MARK: Taking in

  mutating func append(_ row: Row, _ units: inout [MoneyUnit]) {
    for (index, value) in row.values.enumerated() {
      if index == columns.count {
        columns.append(
          Cells(tags: Array(repeating: CellTag.missing, count: count), words: Array(repeating: 0, count: count)))
      }
      let (tag, word) = packed(value, &units)
      columns[index].tags.append(tag)
      columns[index].words.append(word)
    }
    for index in row.values.count..<max(row.values.count, columns.count) {
      columns[index].tags.append(CellTag.missing)
      columns[index].words.append(0)
    }
    let opening: UInt8 = row.opening == .listing ? 0 : row.opening == .item ? 1 : 2
    traits.append(opening | (row.hasContent ? RowBlock.content : 0))
    append(row.location)
    count += 1
  }

  private mutating func packed(_ value: Value, _ units: inout [MoneyUnit]) -> (UInt8, Int64) {
    switch value {
    case .null: return (CellTag.null, 0)
    case .text(let text): return (CellTag.text, Int64(texts.id(text).id))
    case .decimal(let text): return (CellTag.decimal, Int64(texts.id(text).id))
    case .date(let text): return (CellTag.date, Int64(texts.id(text).id))
    case .integer(let number): return (CellTag.integer, number)
    case .size(let number): return (CellTag.size, number)
    case .time(let time): return (CellTag.time, time.milliseconds)
    case .flag(let flag): return (CellTag.flag, flag ? 1 : 0)
    case .money(let money):
      let known = units.firstIndex { $0.decimals == money.decimals && $0.currency == money.currency }
      if known == nil, units.count < CellTag.mostUnits {
        units.append(MoneyUnit(currency: money.currency, decimals: money.decimals))
      }
      guard let unit = known ?? (units.count < CellTag.mostUnits ? units.count - 1 : nil) else { break }
      return (CellTag.money + UInt8(unit), money.units)
    case .list: break
    }
    others.append(value)
    return (CellTag.other, Int64(others.count - 1))
  }

  private mutating func append(_ location: Location) {
    var text = location.text
    let (head, tail) = text.withUTF8 { bytes in
      let split = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
      let head = texts.id(UnsafeBufferPointer(rebasing: bytes[..<split]))
      return (head, texts.id(UnsafeBufferPointer(rebasing: bytes[split...])).id)
    }
    // What follows the last slash says nothing about whether the text can be read; an empty end may.
    let isKnown = !head.isNew && !texts.range(tail).isEmpty
    if !isKnown, (try? Location(parsing: text)) != location { oddHeads.insert(UInt32(head.id)) }
    if oddHeads.contains(UInt32(head.id)) { oddLocations[count] = location }
    heads.append(UInt32(head.id))
    tails.append(UInt32(tail))
  }

  /// Nothing more comes: gives back what was kept for it.
  mutating func seal() {
    texts.seal()
    for index in columns.indices {
      columns[index].tags = columns[index].tags.withUnsafeBufferPointer { Array($0) }
      columns[index].words = columns[index].words.withUnsafeBufferPointer { Array($0) }
    }
    traits = traits.withUnsafeBufferPointer { Array($0) }
    heads = heads.withUnsafeBufferPointer { Array($0) }
    tails = tails.withUnsafeBufferPointer { Array($0) }
  }

  // MARK: Giving out

  /// Nil where the row is shorter.
  func value(_ row: Int, _ column: Int, _ units: [MoneyUnit]) -> Value? {
    guard column < columns.count else { return nil }
    let word = columns[column].words[row]
    let tag = columns[column].tags[row]
    switch tag {
    case CellTag.missing: return nil
    case CellTag.null: return .null
    case CellTag.text: return .text(texts[Int(word)])
    case CellTag.decimal: return .decimal(texts[Int(word)])
    case CellTag.date: return .date(texts[Int(word)])
    case CellTag.integer: return .integer(word)
    case CellTag.size: return .size(word)
    case CellTag.time: return .time(Timestamp(milliseconds: word))
    case CellTag.flag: return .flag(word != 0)
    case CellTag.other: return others[Int(word)]
    default:
      let unit = units[Int(tag - CellTag.money)]
      return .money(Money(units: word, decimals: unit.decimals, currency: unit.currency))
    }
  }

  func location(_ row: Int) -> Location {
    if let odd = oddLocations[row] { return odd }
    let text = texts[Int(heads[row])] + texts[Int(tails[row])]
    // Read once before, when the head was new; what cannot be read is among the odd ones.
    return (try? Location(parsing: text)) ?? Location(connection: text)
  }

  func isAt(_ row: Int, head: UnsafeBufferPointer<UInt8>, tail: UnsafeBufferPointer<UInt8>) -> Bool {
    texts.equals(Int(tails[row]), tail) && texts.equals(Int(heads[row]), head)
  }

  func hasContent(_ row: Int) -> Bool { traits[row] & RowBlock.content != 0 }

  func row(_ row: Int, _ units: [MoneyUnit]) -> Row {
    let values = columns.indices.compactMap { value(row, $0, units) }
    let opening: Row.Opening = [.listing, .item, .nothing][Int(traits[row] & 3)]
    return Row(location(row), values, opening: opening, hasContent: hasContent(row))
  }
}
