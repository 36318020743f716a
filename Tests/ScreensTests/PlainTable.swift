import Model

@testable import Screens

/// What a list's filter, order and sums are, said in the plainest way: what the packed rows are held against.
struct PlainTable {
  let columns: [Column]
  let rows: [Row]
  let world: World

  private func value(_ row: Row, _ column: Int) -> Value { column < row.values.count ? row.values[column] : .null }

  // MARK: Filter

  func matches(_ text: String) -> [Int] {
    let query = FilterQuery(text, columns: columns, world)
    let exact = rows.indices.filter { meets(rows[$0], query, isNear: false) }
    guard exact.isEmpty, query.words.contains(where: { $0.unicodeScalars.count >= 4 }) else { return exact }
    return rows.indices.filter { meets(rows[$0], query, isNear: true) }
  }

  private func meets(_ row: Row, _ query: FilterQuery, isNear: Bool) -> Bool {
    query.terms.allSatisfy { term in
      let places = term.column.map { [$0] } ?? Array(columns.indices)
      return places.contains { meets(term.test, row, $0, isNear: isNear) } != term.isNegated
    }
  }

  private func meets(_ test: FilterTerm.Test, _ row: Row, _ column: Int, isNear: Bool) -> Bool {
    guard column < row.values.count else { return false }
    let value = row.values[column]
    let shown = CellForm(value, in: columns[column], world).text.lowercased()
    switch test {
    case .contains(let word):
      switch value {
      case .null: return false
      case .text(let text), .date(let text), .decimal(let text):
        return text.lowercased().contains(word) || (isNear && nearlyContains(text, word))
      default: return value.exactText.lowercased().contains(word) || shown.contains(word)
      }
    case .equals(let text): return value.exactText.lowercased() == text || shown == text
    case .within(let bounds): return bounds.number(of: value, world.zone).map(bounds.contains) ?? false
    }
  }

  /// Sellers' algorithm.
  private func nearlyContains(_ text: String, _ word: String) -> Bool {
    let wanted = Array(word.unicodeScalars)
    guard wanted.count >= 4 else { return false }
    var distances = Array(0...wanted.count)
    for scalar in text.lowercased().unicodeScalars.prefix(300) {
      var diagonal = distances[0]
      for index in wanted.indices {
        let above = distances[index + 1]
        distances[index + 1] = min(diagonal + (wanted[index] == scalar ? 0 : 1), above + 1, distances[index] + 1)
        diagonal = above
      }
      if distances[wanted.count] <= wanted.count / 4 { return true }
    }
    return false
  }

  // MARK: Order

  func order(_ column: Int, isDescending: Bool) -> [Int] {
    let silent = rows.indices.filter { value(rows[$0], column).isNull }
    let said = rows.indices.filter { !value(rows[$0], column).isNull }
    let isBefore = comparison(said.map { value(rows[$0], column) })
    let sorted = said.sorted { a, b in
      let (left, right) = (value(rows[a], column), value(rows[b], column))
      if isBefore(left, right) { return !isDescending }
      if isBefore(right, left) { return isDescending }
      return a < b
    }
    return sorted + silent
  }

  private func comparison(_ values: [Value]) -> (Value, Value) -> Bool {
    func isOnly(_ test: (Value) -> Bool) -> Bool { values.allSatisfy(test) }
    func folded(_ value: Value) -> [UInt8] { Array(value.exactText.lowercased().utf8) }
    func whole(_ value: Value) -> Int64? {
      switch value {
      case .integer(let number), .size(let number): number
      default: nil
      }
    }
    if isOnly({ whole($0) != nil }) { return { (whole($0) ?? 0) < (whole($1) ?? 0) } }
    if isOnly({ if case .time = $0 { true } else { false } }) {
      return { a, b in
        guard case .time(let left) = a, case .time(let right) = b else { return false }
        return left < right
      }
    }
    if isOnly({ if case .money = $0 { true } else { false } }) { return isLess }
    if isOnly({ if case .decimal = $0 { true } else { whole($0) != nil } }) {
      return { a, b in
        let (left, right) = (Double(a.exactText) ?? 0, Double(b.exactText) ?? 0)
        return left != right ? left < right : folded(a).lexicographicallyPrecedes(folded(b))
      }
    }
    return { folded($0).lexicographicallyPrecedes(folded($1)) }
  }

  private func isLess(_ a: Value, _ b: Value) -> Bool {
    guard case .money(let left) = a, case .money(let right) = b else { return false }
    if left.currency != right.currency { return left.currency < right.currency }
    return left.scaledUnits(to: 18) < right.scaledUnits(to: 18)
  }

  // MARK: Sums

  func totals(_ rows: [Int]) -> CurrencyTotals {
    var totals = CurrencyTotals()
    guard let amount = LeadingColumn.index(of: [.amount], in: columns) else { return totals }
    for row in rows { totals.add(value(self.rows[row], amount)) }
    return totals
  }
}

/// Rows with all that servers have been seen to send, and some that they have not.
struct RowMaker {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  static let columns = [
    Column("id", "Id", rank: 6), Column("when", "When", .time), Column("name", "Name", rank: 0),
    Column("amount", "Amount", .amount, rank: 0), Column("count", "Count", .integer), Column("rate", "Rate", .decimal),
    Column("size", "Size", .size), Column("day", "Day", .date), Column("open", "Open", .flag), Column("more", "More"),
  ]

  private mutating func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func pick<T>(_ choices: [T]) -> T { choices[random(choices.count)] }

  private mutating func text() -> String {
    let words = [
      "rail", "Rail", "RAILWAY", "ticket", "Müller", "MÜLLER", "Straße", "家賃", "Ünïque", "café", "cafe\u{301}", "a", "",
      "corner shop", "12", "1,2", "–", "x\u{1B}[31m", "😀 smile", "today", "[bracket", "@at", "`tick", "zebra",
      "a rather long text that begins alike and goes on ",
    ]
    return (0...random(3)).map { _ in pick(words) }.joined(separator: " ") + (random(3) == 0 ? "\(random(500))" : "")
  }

  private mutating func money() -> Value {
    let units = pick([0, 1, -1, 1250, -99_999, 123_456_789, Int64.max, Int64.min + 1, Int64(random(1_000_000))])
    let (currency, decimals) = pick([("EUR", 2), ("EUR", 2), ("EUR", 4), ("JPY", 0), ("KWD", 3), ("", 2)])
    return .money(Money(units: units, decimals: decimals, currency: currency))
  }

  private mutating func location(_ number: Int) -> Location {
    switch random(12) {
    case 0: Location(connection: "bank", path: ["", "a", ""])
    case 1: Location(connection: "bank", path: ["b//c", "\(number)"], query: [("q", "a/b"), ("x", "")])
    case 2: Location(connection: "not a name", path: ["x", "\(number)"])
    case 3: Location(connection: "bank").facet("versions").appending("@\(number)")
    default: Location(connection: "bank", path: ["banks", "rbs", "accounts", pick(["a", "b"]), "row\(number)"])
    }
  }

  mutating func row(_ number: Int) -> Row {
    let second = Int64(random(40_000_000)) + 1_760_000_000
    var values: [Value] = [
      .text("row\(number)"), .time(Timestamp(milliseconds: second * 1000 + pick([0, 0, 7, 120]))), .text(text()),
      money(),
      .integer(pick([0, 12, -5, 1_234_567, .max, Int64(random(2000))])),
      pick([.decimal("1.5"), .decimal("-0.25"), .decimal("1e3"), .decimal("odd"), .integer(3), .decimal("1204.50")]),
      .size(pick([0, 999, 12_999_999, Int64(random(100_000))])),
      .date(pick(["2026-01-15", "2025-12-31", "someday", "2026-02-28"])), .flag(random(2) == 0),
      pick([.text("More"), .list([.text("a"), .integer(12)]), .integer(7), .flag(true), .text("Ö")]),
    ]
    for column in values.indices where random(12) == 0 { values[column] = .null }
    if random(10) == 0 { values.removeLast(random(values.count)) }
    return Row(
      location(number), values, opening: pick([.listing, .item, .nothing]), hasContent: random(2) == 0)
  }

  mutating func rows(_ count: Int) -> [Row] { (0..<count).map { row($0) } }
}
