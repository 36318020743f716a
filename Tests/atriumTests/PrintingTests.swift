import Model
import Testing

@testable import atrium

@Suite struct PrintingTests {
  private let listing = Listing(
    Location(connection: "bank", path: ["accounts"]), title: "Accounts",
    columns: [
      Column("label", "Label", rank: 0), Column("balance", "Balance", .amount, rank: 0), Column("id", "Id", rank: 9),
    ],
    rows: [
      Row(
        Location(connection: "bank", path: ["1"]),
        [
          .text("企業口座"), .money(Money(units: 92_100, decimals: 0, currency: "JPY")),
          .text("a-very-long-id-that-gives-way"),
        ]),
      Row(
        Location(connection: "bank", path: ["2"]),
        [.text("red\u{1B}[31m\nalert"), .money(Money(units: -5, decimals: 2, currency: "EUR")), .null]),
    ])

  private func table(_ width: Int?, columns: [String]? = nil) throws -> [String] {
    let table = try TablePrinter(listing, columns: columns, width: width, isStyled: false)
    return [table.header] + listing.rows.map(table.text)
  }

  @Test func `columns line up by what a terminal draws, numbers at the right`() throws {
    #expect(
      try table(nil) == [
        "Label                     Balance  Id\n", "企業口座                    92100  a-very-long-id-that-gives-way\n",
        "red\\u001b[31m\\u000aalert    -0.05\n",
      ])
  }

  @Test func `a narrow terminal loses the least important column, and no line is wider than it`() throws {
    let lines = try table(30)
    #expect(!lines[0].contains("Id"))
    for line in lines { #expect(TextWidth.columns(of: line.dropLast()) <= 30) }
  }

  @Test func `columns a person names stay, however narrow it gets`() throws {
    let lines = try table(20, columns: ["id", "label"])
    #expect(lines[0].hasPrefix("Id"))
    for line in lines { #expect(TextWidth.columns(of: line.dropLast()) <= 20) }
  }

  @Test func `colour says only what the text says too, and leaves the columns where they are`() throws {
    let plain = try TablePrinter(listing, columns: nil, width: nil, isStyled: false)
    let coloured = try TablePrinter(listing, columns: nil, width: nil, isStyled: false, isColoured: true)
    for row in listing.rows {
      let text = coloured.text(of: row)
      let bare = text.replacing("\u{1B}[31m", with: "").replacing("\u{1B}[2m", with: "").replacing(
        "\u{1B}[0m", with: "")
      #expect(bare.split(whereSeparator: \.isWhitespace) == plain.text(of: row).split(whereSeparator: \.isWhitespace))
    }
    #expect(coloured.text(of: listing.rows[1]).contains("\u{1B}[31m"))
  }

  @Test(arguments: [(0, "0 B"), (999, "999 B"), (1_234, "1.2 kB"), (5_242_880, "5.2 MB"), (1_073_741_824, "1.0 GB")])
  func `sizes read well`(_ bytes: Int, _ text: String) {
    #expect(ProgressLine.size(Int64(bytes)) == text)
  }

  @Test func `an error is one line whatever the server said`() {
    let error = ServiceError(
      .serverFault, "list it", detail: "line one\nline two\u{1B}[2J", status: 500, serverCode: "X-1")
    #expect(!error.line.isEmpty)
    let document = String(decoding: Report.document(error, isForTerminal: true), as: UTF8.self)
    #expect(document.hasPrefix(#"{"error":{"kind":"serverFault","status":500,"code":"X-1","message":"#))
    #expect(document.split(separator: "\n").count == 1)
    #expect(!document.unicodeScalars.contains("\u{1B}"))
  }
}
