import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite(.bounded) struct StatementTests {
  private static let place = "/banks/kiln.01.fi/accounts/8ca8a7e4-6d02-48e3-a029-0b2bf89de9f0/transactions"

  private struct Booking {
    var id = "t1"
    var time = "2026-11-28T10:02:11Z"
    var text = "groceries"
    var party = "Deli Oy"
    var amount: (String, String)? = ("-19.90", "EUR")
    var balance: (String, String)? = ("1240.50", "EUR")
  }

  private func listing(_ bookings: [Booking]) throws -> Listing {
    let place = try Location(parsing: "bank:\(StatementTests.place)")
    let columns = ["id", "completed", "description", "counterparty", "amount", "currency", "balance", "type"].map {
      Column($0, $0)
    }
    let money: ((String, String)?) -> Value = { .optional($0.flatMap { Money(decimal: $0.0, currency: $0.1) }) }
    let rows = bookings.map { booking in
      Row(
        place.appending(booking.id),
        [
          .text(booking.id), .optional(Timestamp(rfc3339: booking.time)), .text(booking.text), .text(booking.party),
          money(booking.amount), .optional(booking.amount?.1), money(booking.balance), .null,
        ])
    }
    return Listing(place, title: "Transactions", columns: columns, rows: rows)
  }

  private func exported(_ id: String, _ bookings: [Booking]) throws -> String {
    let bench = try OpenBankBench()
    let formats = bench.backend.exportFormats(of: try bench.location(StatementTests.place))
    let format = try #require(formats.first { $0.id == id })
    return String(decoding: try format.encode(try listing(bookings)), as: UTF8.self)
  }

  @Test func `transactions and nothing else can become statements`() throws {
    let bench = try OpenBankBench()
    #expect(bench.backend.exportFormats(of: try bench.location(StatementTests.place)).map(\.id) == ["ofx", "qif"])
    #expect(bench.backend.exportFormats(of: try bench.location("/banks")).isEmpty)
  }

  @Test func `an OFX statement has its elements in the order of the schema`() throws {
    let text = try exported("ofx", [Booking(), Booking(id: "t0", time: "2026-11-01T00:00:00Z", amount: ("5", "EUR"))])
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8" standalone="no"?>
        <?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
        <OFX>
        <SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>\
        <DTSERVER>20261130091500.000[0:GMT]</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>
        <BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS><STMTRS>
        <CURDEF>EUR</CURDEF>
        <BANKACCTFROM><BANKID>kiln.01.f</BANKID><ACCTID>0248e3a0290b2bf89de9f0</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE>\
        </BANKACCTFROM>
        <BANKTRANLIST><DTSTART>20261101000000.000[0:GMT]</DTSTART><DTEND>20261128100211.000[0:GMT]</DTEND>
        <STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20261128100211.000[0:GMT]</DTPOSTED><TRNAMT>-19.90</TRNAMT>\
        <FITID>t1</FITID><NAME>Deli Oy</NAME><MEMO>groceries</MEMO></STMTTRN>
        <STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20261101000000.000[0:GMT]</DTPOSTED><TRNAMT>5.00</TRNAMT>\
        <FITID>t0</FITID><NAME>Deli Oy</NAME><MEMO>groceries</MEMO></STMTTRN>
        </BANKTRANLIST>
        <LEDGERBAL><BALAMT>1240.50</BALAMT><DTASOF>20261128100211.000[0:GMT]</DTASOF></LEDGERBAL>
        </STMTRS></STMTTRNRS></BANKMSGSRSV1>
        </OFX>

        """)
  }

  @Test(arguments: [("-100", "JPY", "-100"), ("0.005", "KWD", "0.005"), ("1204.5", "EUR", "1204.50")])
  func `amounts are exact in both forms, whatever their decimals`(amount: String, currency: String, written: String)
    throws
  {
    let booking = Booking(amount: (amount, currency), balance: nil)
    #expect(try exported("ofx", [booking]).contains("<TRNAMT>\(written)</TRNAMT>"))
    #expect(try exported("ofx", [booking]).contains("<CURDEF>\(currency)</CURDEF>"))
    #expect(try exported("qif", [booking]).contains("\nT\(written)\n"))
  }

  @Test func `what XML cannot hold is escaped or replaced, and long names go into the memo`() throws {
    let long = String(repeating: "é", count: 40)
    let text = try exported("ofx", [Booking(id: "a&b", text: "<x>\u{1B}[2J\n", party: long)])
    #expect(text.contains("<FITID>a&amp;b</FITID>"))
    #expect(text.contains("<MEMO>&lt;x&gt;\u{FFFD}[2J  / \(long)</MEMO>"))
    #expect(text.contains("<NAME>\(long.prefix(32))</NAME>"))
  }

  @Test func `a QIF statement has a line for each part and an end for each transaction`() throws {
    #expect(
      try exported("qif", [Booking(text: "two\nlines")])
        == "!Type:Bank\nD11/28/2026\nT-19.90\nNt1\nPDeli Oy\nMtwo lines\n^\n")
  }

  @Test func `an empty statement has no balance and a period of one moment`() throws {
    let text = try exported("ofx", [])
    #expect(text.contains("<DTSTART>20261130091500.000[0:GMT]</DTSTART><DTEND>20261130091500.000[0:GMT]</DTEND>"))
    #expect(!text.contains("LEDGERBAL"))
  }

  @Test(arguments: ["ofx", "qif"]) func `hidden amounts and two currencies are refused`(form: String) throws {
    let hidden = #expect(throws: ServiceError.self) { try exported(form, [Booking(amount: nil)]) }
    #expect(hidden?.detail?.contains("1 of 1") ?? false)
    let mixed = #expect(throws: ServiceError.self) { try exported(form, [Booking(), Booking(amount: ("1", "GBP"))]) }
    #expect(mixed?.detail?.contains("EUR, GBP") ?? false)
  }
}
