import Model
import TestKit
import Testing

@Suite struct HostileTextTests {
  @Test(arguments: HostileText.corpus) func `a hostile text becomes a line that nothing acts on`(_ text: String) {
    for shown in [Visible.line(text), Visible.printed(text)] {
      #expect(!shown.unicodeScalars.contains { Visible.isActedOn($0) })
      #expect(!shown.contains { $0.isNewline })
      #expect(Visible.line(shown) == shown, "the gate changes what has been through it")
    }
    #expect(!Visible.escaped(text).unicodeScalars.contains { Visible.isActedOn($0) })
    for line in Visible.lines(text) + Visible.printedLines(text) {
      #expect(!line.unicodeScalars.contains { Visible.isActedOn($0) })
    }
  }

  @Test(arguments: HostileText.corpus, [1, 2, 7, 40]) func `a hostile text stays in its columns`(
    _ text: String, _ columns: Int
  ) {
    var buffer = CellBuffer(size: Size(columns: 60, rows: 3))
    for row in 0..<3 { buffer.put(String(repeating: "x", count: 60), column: 0, row: row) }
    let end = buffer.put(text, column: 10, row: 1, columns: columns)
    #expect(end <= 10 + columns)
    for row in [0, 2] { #expect((0..<60).allSatisfy { buffer[$0, row].text == "x" }) }
    #expect((0..<10).allSatisfy { buffer[$0, 1].text == "x" })
    #expect((10 + columns..<60).allSatisfy { buffer[$0, 1].text == "x" })
    #expect(HostileCells.faults(in: buffer) == [])
  }

  @Test func `letters that stand on columns of their own are drawn in cells of their own`() {
    var buffer = CellBuffer(size: Size(columns: 12, rows: 1))
    #expect(buffer.put("का|क्ष|กำ|", column: 0, row: 0) == 9)
    #expect((0..<9).map { buffer[$0, 0].text } == ["क", "ा", "|", "क्", "ष", "|", "ก", "ำ", "|"])
  }
}
