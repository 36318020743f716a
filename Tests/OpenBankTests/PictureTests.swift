import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite(.bounded) struct PictureTests {
  private static let own = "/obp/v5.1.0/banks/kiln.01.fi/accounts/8ca8/owner/transactions"
  private static let place = "/banks/kiln.01.fi/accounts/8ca8/transactions"

  private static func booking(
    _ day: String, _ amount: String, balance: String, _ party: String, tags: [String] = [], currency: String = "EUR"
  ) -> String {
    let written = tags.map { #"{"id":"\#($0)","value":"\#($0)"}"# }.joined(separator: ",")
    return
      #"{"id":"\#(day)\#(amount)","other_account":{"holder":{"name":"\#(party)"}},"details":{"completed":"\#(day)T10:00:00Z","#
      + #""new_balance":{"currency":"\#(currency)","amount":"\#(balance)"},"value":{"currency":"\#(currency)","amount":"\#(amount)"}},"#
      + #""metadata":{"tags":[\#(written)]}}"#
  }

  private func charts(_ bookings: [String]) async throws -> [Chart] {
    let bench = try OpenBankBench()
    bench.stub.on("GET", PictureTests.own, body: #"{"transactions":[\#(bookings.joined(separator: ","))]}"#)
    return try await bench.backend.charts(of: try bench.location(PictureTests.place))
  }

  @Test func `balance, flow, payees and tags are drawn from exact amounts`() async throws {
    let charts = try await charts([
      PictureTests.booking("2026-11-03", "-20.00", balance: "100.00", "Deli", tags: ["food"]),
      PictureTests.booking("2026-11-03", "-5.50", balance: "120.00", "Kiosk", tags: ["food"]),
      PictureTests.booking("2026-11-01", "100.00", balance: "125.50", "Work"),
      PictureTests.booking("2026-10-31", "-0.01", balance: "25.50", "Deli"),
    ])
    #expect(charts.map(\.title) == ["Balance", "In and out by month", "Spending by counterparty", "Spending by tag"])
    #expect(charts.allSatisfy { $0.unit == .money(currency: "EUR", decimals: 2) && $0.isPrivate })
    #expect(
      charts[0].series[0].points == [
        .init("2026-10-31", 2550), .init("2026-11-01", 12550), .init("2026-11-02", 12550), .init("2026-11-03", 10000),
      ])
    #expect(charts[1].series.map(\.title) == ["In", "Out"])
    #expect(charts[1].series[0].points == [.init("2026-10", 0), .init("2026-11", 10000)])
    #expect(charts[1].series[1].points == [.init("2026-10", 1), .init("2026-11", 2550)])
    #expect(charts[2].series[0].points == [.init("Deli", 2001), .init("Kiosk", 550)])
    #expect(charts[3].series[0].points == [.init("food", 2550)])
  }

  @Test func `many days are drawn by month, and many payees as the rest`() async throws {
    let days = CalendarNames.days(from: "2026-01-01", to: "2026-06-30", atMost: 1000) ?? []
    #expect(days.count == 181)
    let charts = try await charts(
      days.reversed().enumerated().map { index, day in
        PictureTests.booking(day, "-1", balance: String(index), "payee \(index % 20)")
      })
    #expect(charts[0].series[0].points.map(\.label).prefix(2) == ["2026-01", "2026-02"])
    #expect(charts[0].series[0].points.count == 6)
    #expect(charts[0].series[0].points.last?.value == 0)
    #expect(charts[2].series[0].points.last?.label == "8 others")
    #expect(charts[2].series[0].points.reduce(0) { $0 + $1.value } == 181_00)
  }

  @Test func `another currency is left out and told of`() async throws {
    let charts = try await charts([
      PictureTests.booking("2026-11-03", "-20", balance: "100", "Deli", currency: "JPY"),
      PictureTests.booking("2026-11-02", "-3", balance: "1", "Deli"),
    ])
    #expect(charts[0].unit == .money(currency: "JPY", decimals: 0))
    #expect(charts[0].notices.count == 1)
  }

  @Test func `what is dated later than now is left out and told of`() async throws {
    let charts = try await charts([
      PictureTests.booking("2031-01-01", "-20", balance: "100", "Deli"),
      PictureTests.booking("2026-11-02", "-3", balance: "120", "Deli"),
    ])
    #expect(charts[0].series[0].points == [.init("2026-11-02", 12000)])
    #expect(charts[0].notices == ["1 dated later than today is left out."])
  }

  @Test func `nothing to draw is said`() async throws {
    let error = await #expect(throws: ServiceError.self) { try await charts([]) }
    #expect(error?.code == .notOffered)
  }

  // MARK: Totals and filters

  @Test func `accounts are added up by currency, and hidden ones are counted`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "/obp/v5.1.0/my/accounts",
      body:
        #"{"accounts":[{"id":"a","bank_id":"k"},{"id":"b","bank_id":"k"},{"id":"c","bank_id":"k"},{"id":"d","bank_id":"k"}]}"#
    )
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/k/balances",
      body: #"{"accounts":[{"account_id":"a","bank_id":"k","balances":[{"currency":"EUR","amount":"0.10"}]},"#
        + #"{"account_id":"b","bank_id":"k","balances":[{"currency":"EUR","amount":"0.20"}]},"#
        + #"{"account_id":"c","bank_id":"k","balances":[{"currency":"JPY","amount":"7"}]}]}"#)
    let totals = try await bench.backend.list(try bench.location("/accounts/@totals"), ListQuery())
    #expect(totals.texts == [["EUR", "2", "0.30"], ["JPY", "1", "7"]])
    #expect(totals.notices.first?.contains("1 of 4") ?? false)
    #expect(bench.lines.count == 2)
  }

  @Test func `accounts held are asked of every bank, as the server tells them by bank only`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks", body: Bodies.banks)
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts-held", body: #"{"accounts":[{"id":"8ca8","bank_id":"kiln.01.fi"}]}"#
    )
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/nord.01.fi/accounts-held", status: 403, body: Bodies.fault(403, "OBP-20017: no"))
    bench.stub.on("GET", "/obp/v5.1.0/my/banks/kiln.01.fi/accounts/8ca8/account", body: Bodies.household)
    let held = try await bench.backend.list(try bench.location("/accounts/@held"), ListQuery())
    #expect(held.rows.count == 1)
    #expect(held.notices.contains { $0.contains("1 banks did not say") })
  }

  struct Narrowed: Sendable, CustomTestStringConvertible {
    let query: String
    let amounts: [String]
    var testDescription: String { "\(query) leaves \(amounts)" }
  }

  @Test(arguments: [
    Narrowed(query: "direction=out", amounts: ["-20.00", "-5.50", "-0.01"]),
    Narrowed(query: "direction=in", amounts: ["100.00"]),
    Narrowed(query: "min=5.5", amounts: ["-20.00", "-5.50", "100.00"]),
    Narrowed(query: "min=5.51&max=20", amounts: ["-20.00"]), Narrowed(query: "max=0.005", amounts: []),
  ])
  func `amounts and directions are compared exactly`(_ c: Narrowed) async throws {
    let bench = try OpenBankBench()
    let bookings = ["-20.00", "-5.50", "100.00", "-0.01"].map {
      PictureTests.booking("2026-11-01", $0, balance: "1", "x")
    }
    bench.stub.on(
      "GET", "/obp/v5.1.0/my\(PictureTests.place)", body: #"{"transactions":[\#(bookings.joined(separator: ","))]}"#)
    let listing = try await bench.backend.list(try bench.location("\(PictureTests.place)?\(c.query)"), ListQuery())
    #expect(listing.rows.map { listing.value("amount", in: $0).exactText } == c.amounts)
  }

  @Test func `a narrowed list goes on where it stopped, within a page of the server`() async throws {
    let bench = try OpenBankBench()
    let all = (0..<450).map { index in
      PictureTests.booking("2026-11-01", index % 10 == 0 ? "\(index + 1)" : "-\(index + 1)", balance: "1", "x")
    }
    bench.stub.on("GET", "/obp/v5.1.0/my\(PictureTests.place)") { recorded throws(TransportError) in
      let query = URLForm.decode(recorded.line.split(separator: "?").last.map(String.init) ?? "")
      let number = { (name: String) in query.first { $0.name == name }.flatMap { Int($0.value) } ?? 0 }
      let page = all.dropFirst(number("offset")).prefix(number("limit")).joined(separator: ",")
      return HTTPResponse(
        status: 200, headers: ["Content-Type": "application/json"], body: Array(#"{"transactions":[\#(page)]}"#.utf8),
        url: recorded.request.url)
    }
    var query = ListQuery(limit: 7)
    var found: [String] = []
    for _ in 0..<20 {
      let page = try await bench.backend.list(
        try bench.location("\(PictureTests.place)?direction=in"), query)
      found += page.rows.map { page.value("amount", in: $0).exactText }
      guard let next = page.next else { break }
      query.cursor = next
    }
    #expect(found == (0..<45).map { "\($0 * 10 + 1).00" })
  }

  @Test(arguments: ["direction=up", "min=ten", "from=yesterday"])
  func `a filter that makes no sense is said`(query: String) async throws {
    let bench = try OpenBankBench()
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("\(PictureTests.place)?\(query)"), ListQuery())
    }
    #expect(error?.code == .usage)
  }

  @Test func `the form of a list leads to the narrowed list`() async throws {
    let bench = try OpenBankBench()
    let outcome = try await bench.backend.perform(
      "narrow", at: try bench.location("\(PictureTests.place)?view=auditor"),
      fields: ["from": "2026-11", "direction": "out", "min": "10", "to": ""])
    #expect(outcome.location?.text == "bank:\(PictureTests.place)?view=auditor&from=2026-11&direction=out&min=10")
    #expect(outcome.isAnswer)
  }
}
