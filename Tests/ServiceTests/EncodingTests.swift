import JSON
import Model
import Testing

@testable import Service

private let listing = Listing(
  Location(connection: "bank", path: ["accounts"]), title: "Accounts",
  columns: [
    Column("label", "Label"), Column("balance", "Balance", .amount), Column("currency", "Currency", .currency),
    Column("opened", "Opened", .time), Column("size", "Size", .size), Column("open", "Open", .flag),
  ],
  rows: [
    Row(
      Location(connection: "bank", path: ["accounts", "1"]),
      [
        .text("a,\"b\"\n\u{1B}[31m"), .money(Money(units: -125, decimals: 2, currency: "EUR")), .text("EUR"),
        .time(Timestamp(seconds: 0)), .size(12), .flag(true),
      ]),
    Row(Location(connection: "bank", path: ["accounts", "2"]), [.null, .null, .null, .null, .null, .null]),
  ], next: "2")

private func encoded(
  _ form: RowForm, columns: [String]? = nil, isForTerminal: Bool = false, isSearch: Bool = false
) throws -> String {
  var encoder = try RowEncoder(form, listing, columns: columns, isForTerminal: isForTerminal)
  encoder.add(listing.rows)
  encoder.finish(next: listing.next, facets: isSearch ? [] : nil, suggestions: isSearch ? ["x"] : nil)
  return String(decoding: encoder.take(), as: UTF8.self)
}

@Suite struct EncodingTests {
  @Test func `CSV quotes what needs it and keeps the exact text`() throws {
    #expect(
      try encoded(.csv)
        == "label,balance,currency,opened,size,open\r\n"
        + "\"a,\"\"b\"\"\n\u{1B}[31m\",-1.25,EUR,1970-01-01T00:00:00Z,12,true\r\n,,,,,\r\n")
  }

  @Test func `JSON has exact amounts as text and sizes as numbers`() throws {
    let document = try JSONDocument(Array(encoded(.json).utf8)).root
    #expect(document["location"].string == "bank:/accounts")
    #expect(document["next"].string == "2")
    #expect(document["columns"][1]["type"].string == "amount")
    let row = document["rows"][0]
    #expect(row["location"].string == "bank:/accounts/1")
    #expect(row["balance"].string == "-1.25")
    #expect(row["size"].int == 12)
    #expect(row["open"].bool == true)
    #expect(row["label"].string == "a,\"b\"\n\u{1B}[31m")
    #expect(document["rows"][1]["balance"].isNull)
    #expect(!document["facets"].exists)
  }

  @Test func `a search has facets and suggestions`() throws {
    let document = try JSONDocument(Array(encoded(.json, isSearch: true).utf8)).root
    #expect(document["facets"].count == 0)
    #expect(document["suggestions"][0].string == "x")
  }

  @Test func `ndjson is a row a line`() throws {
    let lines = try encoded(.ndjson).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(try JSONDocument(Array(lines[1].utf8)).root["location"].string == "bank:/accounts/2")
  }

  @Test(arguments: RowForm.allCases) func `a terminal gets no character it would act on`(_ form: RowForm) throws {
    let text = try encoded(form, isForTerminal: true)
    #expect(!text.unicodeScalars.contains("\u{1B}"))
    #expect(text.contains("\\u001b"))
  }

  @Test func `columns are chosen and ordered`() throws {
    #expect(try encoded(.csv, columns: ["open", "location"]).hasPrefix("open,location\r\ntrue,bank:/accounts/1\r\n"))
    let error = #expect(throws: ServiceError.self) { try encoded(.csv, columns: ["gone"]) }
    #expect(error?.code == .usage)
  }
}
