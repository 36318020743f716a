import Model
import TestKit
import Testing

@testable import Screens

@Suite struct FilterTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let text: String
    let rows: [Int]
    var testDescription: String { text }
    init(_ text: String, _ rows: [Int]) {
      self.text = text
      self.rows = rows
    }
  }

  static let columns = [
    Column("id", "Id", rank: 6), Column("completed", "Completed", .time, rank: 1),
    Column("description", "Text", rank: 0),
    Column("amount", "Amount", .amount, rank: 0), Column("currency", "Currency", .currency, rank: 1),
    Column("balance", "Balance after", .amount, rank: 3), Column("day", "Day", .date, rank: 4),
    Column("settled", "Settled", .flag, rank: 5),
  ]

  static func row(
    _ id: String, _ time: String, _ text: Value, _ units: Int64, _ decimals: Int = 2, _ currency: String = "EUR",
    balance: Int64 = 1_000_000, day: String = "2026-01-01", settled: Bool = true
  ) -> Row {
    Row(
      Location(connection: "bank", path: [id]),
      [
        .text(id), .time(Timestamp(rfc3339: time) ?? Timestamp(seconds: 0)), text,
        .money(Money(units: units, decimals: decimals, currency: currency)), .text(currency),
        .money(Money(units: balance, decimals: decimals, currency: currency)), .date(day), .flag(settled),
      ])
  }

  static let rows = [
    row("a", "2026-01-01T00:00:00Z", .text("Rail ticket"), -1_250),
    row("b", "2026-01-31T23:59:59Z", .text("Groceries: corner"), 10_000, day: "2026-02-14"),
    row("c", "2026-02-01T00:00:00Z", .text("Salary \"bonus\""), 250_000, settled: false),
    row("d", "2026-03-15T12:30:00Z", .null, 12_500, 0, "JPY"),
    row("e", "2025-12-31T23:00:00Z", .text("Coffee at 12:30"), 1_234_567, 3, "KWD", day: "2027-01-01"),
  ]

  private func matches(_ text: String, zone: LocalTime = .utc, near: Bool = true) -> [Int] {
    let world = World(now: Timestamp(rfc3339: "2026-03-15T18:00:00Z") ?? Timestamp(seconds: 0), zone: zone)
    var table = TableModel()
    table.replace(columns: Self.columns, rows: Self.rows, world, page: 10)
    table.setFilter(text, world, page: 10)
    if near { while table.isFiltering { table.advanceFilter(world) } }
    return (0..<table.count).map { table.rowIndex(at: $0) }
  }

  @Test(arguments: [
    Case("rail", [0]), Case("-rail", [1, 2, 3, 4]), Case("!rail", [1, 2, 3, 4]), Case("text:rail", [0]),
    Case("description:rail", [0]), Case("desc:RAIL", [0]), Case("currency:eur -groc", [0, 2]),
    Case(">100", [2, 3, 4]), Case(">=100", [1, 2, 3, 4]), Case("<0", [0]), Case("<=100", [0, 1]), Case("=100", [1]),
    Case("=100.00", [1]), Case("=-12.5", [0]), Case("=12500", [3]), Case("=1,234.567", [4]), Case("=1234.56", []),
    Case("!=100", [0, 2, 3, 4]), Case("100..2500", [1, 2, 4]), Case("..100", [0, 1]), Case("2500..", [2, 3]),
    Case("-20..0", [0]), Case("!10..2000", [0, 2, 3]), Case("amount>1k", [2, 3, 4]), Case("balance:>10000", [3]),
    Case("2026-01", [0, 1, 2, 3]), Case("2026-01..2026-02", [0, 1, 2]), Case("2026-02..", [2, 3]),
    Case("..2025", [0, 1, 4]),
    Case("completed:..2025", [4]), Case("completed:2026-01-31", [1]), Case("completed>2026-01", [2, 3]),
    Case("completed>=2026-01", [0, 1, 2, 3]), Case("completed<2026", [4]), Case("completed<=2026-01", [0, 1, 4]),
    Case("completed=2026-02", [2]), Case("completed:today..", [3]), Case("completed:<yesterday", [0, 1, 2, 4]),
    Case("day>2026-12", [4]), Case("day:2026-02", [1]), Case("settled:no", [2]), Case("settled=true -rail", [1, 3, 4]),
    Case("\"rail ticket\"", [0]), Case("\"groceries:\"", [1]), Case("12:30", [3, 4]), Case("https://x", []),
    Case("text:", [0, 1, 2, 3, 4]), Case(">", [0, 1, 2, 3, 4]), Case("-", [0, 1, 2, 3, 4]),
    Case("currency!=eur", [3, 4]),
    Case("grocreies", [1]), Case("raul", [0]), Case("tickets", [0]), Case("zzzz", []),
  ])
  func `a filter finds what it says`(_ c: Case) { #expect(matches(c.text) == c.rows) }

  @Test func `days are those of the person's own clock`() {
    let east = LocalTime { _ in 60 }
    #expect(matches("completed:2026-01-01", zone: east) == [0, 4])
    #expect(matches("completed:2026-02-01", zone: east) == [1, 2])
  }

  @Test(arguments: [
    ("ammount:>5", "there is no column “ammount”; did you mean “amount”?"),
    ("zzz:5", "there is no column “zzz”: c shows them; quotes make it a word"),
    ("amount:>abc", "“amount:>abc”: compare with a number, a size or a date"),
    ("text>5", "“text>5”: compare with a number, a size or a date; “description” holds text"),
  ])
  func `a wrong filter says why and the rest of it holds`(_ text: String, _ problem: String) {
    let query = FilterQuery(text + " rail", columns: Self.columns, World())
    #expect(query.problems == [problem])
    #expect(query.terms.count == 1)
    #expect(matches(text + " rail") == [0])
  }

  @Test(arguments: [">1", "<1", "-r", "=1", "2026-0", "amount:<1", "1..2", "text:r", "!ra"])
  func `a filter typed on finds the same as one typed at once`(_ start: String) {
    let world = World(now: Timestamp(rfc3339: "2026-03-15T18:00:00Z") ?? Timestamp(seconds: 0))
    for more in ["0", "00", "ail", "1", "1..2026-03", "50000", " coffee"] {
      var table = TableModel()
      table.replace(columns: Self.columns, rows: Self.rows, world, page: 10)
      table.setFilter(start, world, page: 10)
      table.setFilter(start + more, world, page: 10)
      while table.isFiltering { table.advanceFilter(world) }
      #expect((0..<table.count).map { table.rowIndex(at: $0) } == matches(start + more), "\(start + more)")
    }
  }

  @Test func `sums are exact, by currency, of the marked rows, else of those shown`() {
    let world = World()
    var table = TableModel()
    table.replace(columns: Self.columns, rows: Self.rows, world, page: 10)
    #expect(table.shownTotals.texts == ["2,587.50 EUR", "12,500 JPY", "1,234.567 KWD"])
    table.setFilter("currency:eur <1000", world, page: 10)
    #expect(table.shownTotals.texts == ["87.50 EUR"])
    table.toggleMark()
    #expect(table.shownTotals.texts == ["-12.50 EUR"])
    table.toggleMark()
    #expect(table.shownTotals.texts == ["87.50 EUR"])
    #expect(table.shownTotals.text(columns: 5) == nil)
    table.toggleAllMarks()
    #expect(table.markTotals.texts == ["87.50 EUR"])
    #expect(CurrencyTotals().text(columns: 80) == nil)
  }

  @Test func `what does not fit of the sums is counted`() {
    let world = World()
    var table = TableModel()
    table.replace(columns: Self.columns, rows: Self.rows, world, page: 10)
    #expect(table.shownTotals.text(columns: 20) == "Σ 2,587.50 EUR +2")
  }
}
