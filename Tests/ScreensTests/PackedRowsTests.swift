import Model
import Testing

@testable import Screens

/// Packed rows are held against the plainest way of doing the same, on rows with all that can go wrong.
@Suite struct PackedRowsTests {
  /// Changes its clocks at a moment that lies among the rows.
  static let zone = LocalTime { $0.milliseconds < 1_774_746_000_000 ? 60 : 120 }
  static let world = World(now: Timestamp(seconds: 1_780_000_000), zone: zone)

  static func table(_ rows: [Row], page: Int = 50) -> TableModel {
    var table = TableModel()
    table.replace(columns: RowMaker.columns, rows: Array(rows.prefix(page)), world, page: 20)
    for start in stride(from: page, to: rows.count, by: page) {
      table.append(Array(rows[start..<min(rows.count, start + page)]), world)
    }
    return table
  }

  static func shown(_ table: TableModel) -> [Int] { (0..<table.count).map { table.rowIndex(at: $0) } }

  static func finish(_ table: inout TableModel) {
    while table.isFiltering { table.advanceFilter(world) }
  }

  @Test(arguments: [1, 2, 3]) func `rows come out as they went in`(_ seed: UInt64) {
    var maker = RowMaker(seed: seed)
    let rows = maker.rows(400)
    let packed = PackedRows(rows)
    #expect(Array(packed) == rows)
    for (index, row) in rows.enumerated() {
      #expect(packed.firstIndex(of: row.location) == rows.firstIndex { $0.location == row.location })
      #expect(packed.location(index) == row.location)
    }
    #expect(packed.firstIndex(of: Location(connection: "bank", path: ["nowhere"])) == nil)
  }

  @Test func `a wider row later on leaves those before it as they are`() {
    let narrow = Row(Location(connection: "c", path: ["a"]), [.text("x")])
    let wide = Row(Location(connection: "c", path: ["b"]), [.null, .integer(2), .flag(false)])
    #expect(Array(PackedRows([narrow, wide, narrow])) == [narrow, wide, narrow])
  }

  static let filters = [
    "rail", "RAIL", "rai", "r", "müller", "strasse", "straße", "café", "家賃", "ïq", "corner shop", "\"corner shop\"",
    "-rail", "rail -ticket", "name:rail", "12", "1,2", "1,234", "1204.5", "-99", "999.99", "2026", "2026-01", "-01-",
    "t1", "09:", "today", "mar", " jan", "jan", ":30:", "z", "yes", "no", "true", "tru", "kb", "13 mb", "1.", ",", ".",
    "=12", "=rail", "!=rail", "=more", "=–", "=yes", "=true", "=someday", "more=12", "count=12", "count:12", ">100",
    "<=-1", ">=12.50", "12.5..1300", "amount>0", "amount<-0.001", "amount:1k..", "rate>1", "rate<=1.5", "size>1mb",
    "size:..999", "2026-02..2026-04", "when>2026-03-28", "when<=2026-03-29", "when:today", "day<2026", "day:2026-02",
    "open:no", "more:a", "raul", "mülller", "tikcet", "zzzz", "[brack", "@at", "`tick", "\u{1B}[31m", "smile", "😀",
    "rail 12 >0", "-12x", "amount>99999999999999999999", "amount<1.23456789", "count>=9223372036854775807",
  ]

  @Test(arguments: filters) func `a filter finds what the plain way finds, and sums it alike`(_ text: String) {
    var maker = RowMaker(seed: 11)
    let rows = maker.rows(300)
    var table = Self.table(rows)
    table.setFilter(text, Self.world, page: 20)
    Self.finish(&table)
    let plain = PlainTable(columns: RowMaker.columns, rows: rows, world: Self.world)
    let expected = plain.matches(text)
    #expect(Self.shown(table) == expected)
    if table.filter != nil { #expect(table.shownTotals == plain.totals(expected)) }
    table.toggleAllMarks()
    #expect(table.markTotals == plain.totals(expected))
  }

  @Test func `numbers are found as the person's locale writes them`() {
    var maker = RowMaker(seed: 5)
    let rows = maker.rows(200)
    let months = ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."]
    let forms = [
      LocalForm(decimal: ",", group: "."), LocalForm(decimal: ",", group: "\u{202F}", months: months),
      LocalForm(decimal: ".", group: "’"),
    ]
    for form in forms {
      LocalForm.$current.withValue(form) {
        let plain = PlainTable(columns: RowMaker.columns, rows: rows, world: Self.world)
        for text in ["1.2", "1,2", "12,5", "1.234", "1’234", "1\u{202F}234", "mars", "fév", "aoû", "9.999", "1,3 mb"] {
          var table = Self.table(rows)
          table.setFilter(text, Self.world, page: 20)
          Self.finish(&table)
          #expect(Self.shown(table) == plain.matches(text), "\(text) with \(form)")
        }
      }
    }
  }

  @Test(arguments: RowMaker.columns.map(\.id), [false, true])
  func `an order is the plain one, also with a filter and when pages come later`(_ column: String, _ down: Bool) throws
  {
    var maker = RowMaker(seed: 23)
    let rows = maker.rows(300)
    let plain = PlainTable(columns: RowMaker.columns, rows: rows, world: Self.world)
    let index = try #require(RowMaker.columns.firstIndex { $0.id == column })
    let expected = plain.order(index, isDescending: down)
    var table = Self.table(Array(rows.prefix(170)))
    let selected = table.row(at: table.scroller.selected)?.location
    table.setSort(Sort(column: column, isDescending: down), page: 20)
    #expect(table.row(at: table.scroller.selected)?.location == selected)
    table.setFilter("rail", Self.world, page: 20)
    table.append(Array(rows[170..<250]), Self.world)
    table.append(Array(rows[250...]), Self.world)
    Self.finish(&table)
    let found = Set(plain.matches("rail"))
    #expect(Self.shown(table) == expected.filter(found.contains))
    table.setFilter("", Self.world, page: 20)
    #expect(Self.shown(table) == expected)
  }

  @Test func `many rows that begin alike are in order`() {
    let rows = (0..<6000).map { index in
      Row(
        Location(connection: "c", path: ["\(index)"]),
        [.text("Standing order for the flat no. \(index * 7919 % 6000)" + (index % 9 == 0 ? " Ä" : ""))])
    }
    let columns = [Column("name", "Name")]
    let plain = PlainTable(columns: columns, rows: rows, world: Self.world)
    for down in [false, true] {
      let sorting = RowSorting(
        rows: PackedRows(rows), column: 0, sort: Sort(column: "name", isDescending: down), generation: 0)
      #expect(sorting.run().order.map(Int.init) == plain.order(0, isDescending: down))
    }
  }

  @Test func `rows of several blocks are found, narrowed, marked and summed as one`() {
    let count = RowBlock.capacity + 600
    let rows = (0..<count).map { index -> Row in
      let name = index % 1000 == 7 ? "Item \(index) Rail" : "Item \(index)"
      let amount = Money(units: Int64(index), decimals: 2, currency: index % 2 == 0 ? "EUR" : "JPY")
      return Row(Location(connection: "c", path: ["list", "\(index)"]), [.text(name), .money(amount)])
    }
    let columns = [Column("name", "Name", rank: 0), Column("amount", "Amount", .amount)]
    let plain = PlainTable(columns: columns, rows: rows, world: Self.world)
    var table = TableModel()
    table.replace(columns: columns, rows: Array(rows.prefix(count - 500)), Self.world, page: 20)
    table.setFilter("rai", Self.world, page: 20)
    table.append(Array(rows.suffix(500)), Self.world)
    Self.finish(&table)
    #expect(Self.shown(table) == rows.indices.filter { $0 % 1000 == 7 })
    table.setFilter("rail !1600", Self.world, page: 20)
    Self.finish(&table)
    let expected = rows.indices.filter { $0 % 1000 == 7 && $0 != 16_007 }
    #expect(Self.shown(table) == expected)
    #expect(table.shownTotals == plain.totals(expected))
    table.toggleAllMarks()
    #expect(table.targets.map(\.location) == expected.map { rows[$0].location })
    // What is marked and selected stays so when the list comes anew, with a row before all others.
    table.scroller.select(3, count: table.count, page: 20)
    let selected = table.row(at: 3)?.location
    let new = Row(Location(connection: "c", path: ["list", "new"]), [.text("New rail"), .null])
    table.replace(columns: columns, rows: [new] + rows, Self.world, page: 20)
    Self.finish(&table)
    #expect(table.targets.map(\.location) == expected.map { rows[$0].location })
    #expect(table.markTotals == plain.totals(expected))
    #expect(table.row(at: table.scroller.selected)?.location == selected)
  }

  @Test(
    arguments: [
      (">=1.005", 2, 101...Int64.max), ("<1.005", 2, Int64.min...100), ("1..2", 0, 1...2), ("<1", 0, Int64.min...0),
      ("=-1.5", 1, -15...(-15)), ("<-1.55", 1, Int64.min...(-16)), (">-1.55", 1, -15...Int64.max),
      (">99999999999999999999999", 2, nil), ("=1.005", 2, nil),
    ] as [(String, Int, ClosedRange<Int64>?)])
  func `bounds are exact in units of any decimals`(_ text: String, _ decimals: Int, _ range: ClosedRange<Int64>?) {
    let query = FilterQuery(text, columns: RowMaker.columns, Self.world)
    guard case .within(let bounds)? = query.terms.first?.test else { return #expect(range == nil) }
    #expect(bounds.range(decimals: decimals) == range)
  }
}
