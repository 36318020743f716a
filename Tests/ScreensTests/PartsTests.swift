import Model
import Testing

@testable import Screens

@Suite struct PartsTests {
  @Test(arguments: [
    ("0.05", "0.05"), ("1204.50", "1,204.50"), ("-12345678.90", "-12,345,678.90"), ("999", "999"), ("1000", "1,000"),
    ("1e5", "1e5"), ("", ""),
  ])
  func `amounts are grouped by thousands`(_ decimal: String, _ shown: String) {
    #expect(Format.grouped(decimal) == shown)
  }

  @Test(arguments: [
    (0, "0  B"), (999, "999  B"), (1000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"), (999_499, "999 kB"),
    (999_500, "1.0 MB"), (1_234_567, "1.2 MB"), (Int64.max, "9223 PB"),
  ])
  func `sizes have three digits at most`(_ bytes: Int64, _ shown: String) {
    #expect(Format.size(bytes) == shown)
  }

  @Test(arguments: [
    ("2026-11-30T09:05:00Z", "today  09:05"), ("2026-11-14T09:12:00Z", "14 Nov 09:12"),
    ("2026-01-02T03:04:05Z", " 2 Jan 03:04"), ("2024-02-29T12:00:00Z", "29 Feb  2024"),
  ])
  func `times take twelve columns`(_ text: String, _ shown: String) throws {
    let time = try #require(Timestamp(rfc3339: text))
    #expect(LocalTime.utc.short(time, now: Samples.now) == shown)
    #expect(shown.count == 12)
  }

  @Test func `times are the person's own`() throws {
    let zone = LocalTime { _ in 90 }
    let time = try #require(Timestamp(rfc3339: "2026-11-30T23:00:00Z"))
    #expect(zone.long(time) == "1 Dec 2026 00:30:00 +01:30")
  }

  @Test func `decimal points stand below one another whatever the currency`() {
    var table = TableModel()
    let world = Samples.world()
    table.replace(columns: Samples.accountColumns, rows: Samples.accountRows, world, page: 20)
    var buffer = CellBuffer(size: Size(columns: 60, rows: 12))
    TableRendering(table: table, world: world).render(into: &buffer, area: buffer.area)
    let points = Set(
      buffer.lines.compactMap { line -> Int? in
        guard let match = line.lastIndex(where: { $0 == "." }) else { return nil }
        return TextWidth.columns(of: line[..<match])
      })
    #expect(points.count == 1)
  }

  @Test(arguments: [30, 40, 60, 80, 120, 200])
  func `columns never overlap and never leave the table`(_ width: Int) {
    var metrics = Array(repeating: ColumnMetrics(), count: Samples.accountColumns.count)
    for row in Samples.accountRows {
      for (index, value) in row.values.enumerated() {
        metrics[index].add(CellForm(value, in: Samples.accountColumns[index], Samples.world()), isContent: true)
      }
    }
    let slots = ColumnLayout(Samples.accountColumns, metrics, width: width).slots
    #expect(!slots.isEmpty)
    for (left, right) in zip(slots, slots.dropFirst()) {
      #expect(left.start + left.columns + ColumnLayout.gap == right.start)
    }
    #expect((slots.last.map { $0.start + $0.columns } ?? 0) <= width)
    #expect(slots.contains { Samples.accountColumns[$0.index].id == "label" })
  }

  @Test func `a line is edited at its cursor`() {
    var field = TextField("Hello wörld")
    for key in [Key.altLeft, .character("b"), .end, .backspace, .home, .delete, .character("J")] {
      _ = field.handle(key)
    }
    #expect(field.text == "Jello bwörl")
    _ = field.handle(.control("e"))
    _ = field.handle(.control("w"))
    #expect(field.text == "Jello ")
    field.insert("two\nlines\n")
    #expect(field.text == "Jello two lines")
  }

  @Test(
    arguments: [
      ("{\"a\":[1,{\"b\":null}],\"c\":\"x\"}", 6), ("[]", 1), (" \"x\" ", 1), ("[1,2", nil), ("{\"a\" 1}", nil),
      ("1 2", nil),
      ("", nil),
    ] as [(String, Int?)])
  func `an outline has a node for each value`(_ text: String, _ count: Int?) {
    #expect(JSONOutline(Array(text.utf8))?.nodes.count == count)
  }

  @Test func `an outline lays out the same JSON again`() throws {
    let outline = try #require(JSONOutline(Array(Samples.accountJSON.utf8)))
    let pretty = outline.prettyLines().map(\.text).joined(separator: "\n")
    let again = try #require(JSONOutline(Array(pretty.replacing("\u{1B}", with: "\\u001b").utf8)))
    #expect(again == outline)
  }

  @Test func `an outline survives depth and knows paths`() throws {
    #expect(JSONOutline(Array((String(repeating: "[", count: 100_000)).utf8)) == nil)
    let outline = try #require(JSONOutline(Array("{\"a b\":{\"list\":[{\"x\":1}]}}".utf8)))
    #expect(outline.path(of: outline.nodes.count - 1) == "$['a b'].list[0].x")
  }

  @Test(arguments: [
    ("rf", "refresh from the server", true), ("gtb", "go to bank", true), ("zz", "refresh", false), ("", "x", true),
  ])
  func `fuzzy letters stand in order`(_ needle: String, _ text: String, _ matches: Bool) {
    #expect((Fuzzy.match(needle, in: text) != nil) == matches)
  }

  @Test func `starts of words win`() throws {
    let start = try #require(Fuzzy.match("tr", in: "transfers"))
    let middle = try #require(Fuzzy.match("tr", in: "control"))
    #expect(start.score > middle.score)
  }

  @Test(arguments: [
    ("Hello 世界", "▒▒▒▒▒ ▒▒▒▒"), ("-1,204.50", "-▒,▒▒▒.▒▒"), ("", ""), ("é!", "▒!"),
  ])
  func `a mask keeps width and shape`(_ text: String, _ masked: String) {
    #expect(Mask.masked(text) == masked)
    #expect(TextWidth.columns(of: Mask.masked(text)) == TextWidth.columns(of: text))
  }

  @Test func `a breadcrumb is cut from the front and each part leads somewhere`() {
    let place = Location(connection: "bank", path: ["banks", "rbs", "accounts", "81002204"])
    #expect(Breadcrumb(place, columns: 80).line.text == "bank:/banks/rbs/accounts/81002204")
    #expect(Breadcrumb(place, columns: 25).line.text == "bank:/…/accounts/81002204")
    #expect(Breadcrumb(place, columns: 10).line.text == "…/81002204")
    #expect(Breadcrumb(place, columns: 80).place(at: 9) == Location(connection: "bank", path: ["banks"]))
    #expect(Breadcrumb(place, columns: 80).place(at: 70) == nil)
  }

  @Test func `a long line shows the part around its cursor`() {
    var field = TextField(String(repeating: "世", count: 5000) + "end")
    var buffer = CellBuffer(size: Size(columns: 10, rows: 1))
    field.render(into: &buffer, column: 0, row: 0, columns: 10, style: Style(), isFocused: true)
    #expect(buffer.lines == ["世世世end"])
    #expect(buffer.cursor?.column == 9)
    _ = field.handle(.home)
    field.render(into: &buffer, column: 0, row: 0, columns: 10, style: Style(), isFocused: true)
    #expect(buffer.lines == ["世世世世世"])
    #expect(buffer.cursor?.column == 0)
  }

  @Test func `words break at spaces and long ones anywhere`() {
    #expect(Wrap.lines("one two three", columns: 7) == ["one two", "three"])
    #expect(Wrap.lines("abcdefghij", columns: 4) == ["abcd", "efgh", "ij"])
    #expect(Wrap.lines("世界世界", columns: 5) == ["世界", "世界"])
    #expect(Wrap.lines("a\n\nb", columns: 5) == ["a", "", "b"])
  }
}
