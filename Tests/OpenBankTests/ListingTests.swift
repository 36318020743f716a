import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite struct ListingTests {
  @Test func `banks have their ids, names in old and new spelling, and the bytes as sent`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks", body: Bodies.banks)
    let listing = try await bench.backend.list(try bench.location("/banks"), ListQuery())
    #expect(listing.columns.prefix(3).map(\.id) == ["id", "short_name", "full_name"])
    #expect(
      listing.texts.map { Array($0.prefix(3)) } == [
        ["kiln.01.fi", "Kiln", "Kiln Savings Bank"], ["nord.01.fi", "Nord", "Nordbank"],
      ])
    #expect(listing.rows[0].location.text == "bank:/banks/kiln.01.fi")
    #expect(listing.raw?.bytes == Array(Bodies.banks.utf8))
  }

  @Test func `accounts carry numbers and balances through each one's own view, and null for what that view hides`()
    async throws
  {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts/private", body: Bodies.privateAccounts)
    bench.stub.on("GET", "/obp/v5.1.0/my/banks/kiln.01.fi/accounts/8ca8/account", body: Bodies.household)
    bench.stub.on("GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts/77aa/auditor/account", body: Bodies.club)
    let listing = try await bench.backend.list(try bench.location("/banks/kiln.01.fi/accounts"), ListQuery())
    #expect(listing.columns.map(\.id) == ["id", "bank", "label", "number", "iban", "type", "currency", "balance"])
    #expect(
      listing.texts == [
        ["8ca8", "kiln.01.fi", "Household", "000785", "FI2112345600000785", "CUR1", "EUR", "1240.50"],
        ["77aa", "kiln.01.fi", "Club", "null", "null", "CUR1", "EUR", "null"],
      ])
    #expect(listing.notices.isEmpty)
  }

  @Test func `an account that cannot be opened keeps its row and is told of`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts/private", body: Bodies.privateAccounts)
    bench.stub.on("GET", "/obp/v5.1.0/my/banks/kiln.01.fi/accounts/8ca8/account", body: Bodies.household)
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts/77aa/auditor/account", status: 403,
      body: Bodies.fault(403, "OBP-20017: Current user does not have access to the view."))
    let listing = try await bench.backend.list(try bench.location("/banks/kiln.01.fi/accounts"), ListQuery())
    #expect(listing.texts[1] == ["77aa", "kiln.01.fi", "Club", "null", "null", "CURRENT", "null", "null"])
    #expect(listing.notices.count == 1)
  }

  @Test func `version 2's bare array of accounts is read`() async throws {
    let bench = try OpenBankBench(url: "\(OpenBankBench.origin)/obp/v2.0.0")
    bench.stub.on(
      "GET", "/obp/v2.0.0/my/accounts",
      body: #"[{"id":"8ca8","label":"Household","bank_id":"kiln.01.fi","_links":{"detail":{"href":"/x"}}}]"#)
    bench.stub.on(
      "GET", "/obp/v2.0.0/my/banks/kiln.01.fi/accounts/8ca8/account",
      body: #"{"id":"8ca8","label":"Household","number":"1","type":"CURRENT","IBAN":"FI21","swift_bic":null,"#
        + #""balance":{"currency":"JPY","amount":"92100"},"bank_id":"kiln.01.fi"}"#)
    let listing = try await bench.backend.list(try bench.location("/accounts"), ListQuery())
    #expect(listing.texts == [["8ca8", "kiln.01.fi", "Household", "1", "FI21", "CURRENT", "JPY", "92100"]])
  }

  @Test func `the public list of an anonymous connection is a bare array`() async throws {
    let bench = try OpenBankBench(anonymous: true)
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts/public",
      body: #"[{"id":"8ca8","label":"Club","bank_id":"kiln.01.fi","#
        + #""views_available":[{"id":"_public","short_name":"Public","is_public":true}]}]"#)
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/kiln.01.fi/public/accounts/8ca8/_public/account", body: Bodies.club)
    let listing = try await bench.backend.list(try bench.location("/banks/kiln.01.fi/accounts/@public"), ListQuery())
    #expect(listing.rows.count == 1)
    #expect(bench.stub.requests.allSatisfy { $0.request.headers["DirectLogin"] == nil })
  }

  // MARK: Transactions

  private static let path = "/obp/v5.1.0/my/banks/kiln.01.fi/accounts/8ca8/transactions"

  @Test func `transactions ask in both paging forms at once, one more than is shown`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", ListingTests.path, body: Bodies.transactions(["t1", "t2", "t3"]))
    let listing = try await bench.backend.list(
      try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions"), ListQuery(limit: 2))
    let sent = try #require(bench.stub.requests.first)
    #expect(sent.line == "GET \(ListingTests.path)?limit=3&offset=0&sort_direction=DESC")
    #expect(sent.request.headers["obp_limit"] == "3")
    #expect(sent.request.headers["obp_offset"] == "0")
    #expect(sent.request.headers["obp_sort_direction"] == "DESC")
    #expect(listing.rows.count == 2)
    #expect(
      listing.columns.map(\.id) == [
        "id", "completed", "description", "counterparty", "amount", "currency", "balance", "type",
      ])
    #expect(
      listing.texts[0] == [
        "t1", "2026-11-28T10:02:11Z", "groceries", "Deli Oy", "-19.90", "EUR", "1240.50", "SANDBOX_TAN",
      ])
    #expect(listing.next != nil)
  }

  @Test func `following the cursor gives every row once and ends with a short page`() async throws {
    let bench = try OpenBankBench()
    let all = (0..<7).map { "t\($0)" }
    bench.stub.on("GET", ListingTests.path) { recorded throws(TransportError) in
      let query = URLForm.decode(recorded.line.drop { $0 != "?" }.dropFirst())
      let number = { (name: String) in query.first { $0.name == name }.flatMap { Int($0.value) } ?? 0 }
      let page = all.dropFirst(number("offset")).prefix(number("limit"))
      return HTTPResponse(status: 200, body: Array(Bodies.transactions(Array(page)).utf8), url: recorded.request.url)
    }
    var seen: [String] = []
    var query = ListQuery(limit: 3)
    repeat {
      let listing = try await bench.backend.list(
        try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions"), query)
      seen += listing.rows.map { $0.values[0].exactText }
      query.cursor = listing.next
    } while query.cursor != nil && seen.count < 100
    #expect(seen == all)
    #expect(bench.lines.count == 3)
  }

  @Test func `a server that ignores paging is noticed instead of asked for ever`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", ListingTests.path, body: Bodies.transactions(["t1", "t2", "t3"]))
    let location = try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions")
    let first = try await bench.backend.list(location, ListQuery(limit: 2))
    let second = try await bench.backend.list(location, ListQuery(limit: 2, cursor: first.next))
    #expect(second.rows.isEmpty)
    #expect(second.next == nil)
    #expect(second.notices.count == 1)
  }

  @Test func `what is booked between two pages is not shown twice`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", ListingTests.path, body: Bodies.transactions(["t3", "t2", "t1"]))
    bench.stub.on("GET", ListingTests.path, body: Bodies.transactions(["t2", "t1", "t0"]))
    let location = try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions")
    let first = try await bench.backend.list(location, ListQuery(limit: 2))
    let second = try await bench.backend.list(location, ListQuery(limit: 2, cursor: first.next))
    #expect(first.rows.map { $0.values[0].exactText } == ["t3", "t2"])
    #expect(second.rows.map { $0.values[0].exactText } == ["t1"])
    #expect(second.next != nil)
  }

  @Test func `without the owner's view the full list of the held view is asked`() async throws {
    let bench = try OpenBankBench()
    let refusal = Bodies.fault(400, "OBP-20019: Current user does not have owner access.")
    bench.stub.on("GET", "/obp/v5.1.0/my/banks/kiln.01.fi/accounts/77aa/transactions", status: 400, body: refusal)
    bench.stub.on("GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts/private", body: Bodies.privateAccounts)
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/kiln.01.fi/accounts/77aa/auditor/transactions", body: Bodies.transactions(["t1"]))
    let location = try bench.location("/banks/kiln.01.fi/accounts/77aa/transactions")
    #expect(try await bench.backend.list(location, ListQuery()).rows.count == 1)
    _ = try await bench.backend.list(location, ListQuery())
    #expect(bench.lines.count == 4)
  }

  struct Span: Sendable, CustomTestStringConvertible {
    let location: String
    let filter: String?
    let query: String
    var testDescription: String { "\(location) \(filter ?? "") asks \(query)" }
  }

  @Test(arguments: [
    Span(
      location: "?from=2026-01-01&to=2026-01-31", filter: nil,
      query: "from_date=2026-01-01T00%3A00%3A00.000Z&to_date=2026-01-31T23%3A59%3A59.999Z"),
    Span(
      location: "", filter: "2026-02",
      query: "from_date=2026-02-01T00%3A00%3A00.000Z&to_date=2026-02-28T23%3A59%3A59.999Z"),
    Span(
      location: "?from=2026-02-10T08:00:00Z", filter: "2026-02-10",
      query: "from_date=2026-02-10T08%3A00%3A00.000Z&to_date=2026-02-10T23%3A59%3A59.999Z"),
    Span(location: "", filter: "10:02", query: ""), Span(location: "", filter: "2026-02-31", query: ""),
  ])
  func `a period is the server's work, with milliseconds always`(_ span: Span) async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", ListingTests.path, body: Bodies.transactions([]))
    var query = ListQuery(limit: 1)
    if let filter = span.filter { query.filters = [.init(column: "completed", text: filter)] }
    let listing = try await bench.backend.list(
      try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions\(span.location)"), query)
    let rest = span.query.isEmpty ? "" : "&" + span.query
    #expect(bench.lines == ["GET \(ListingTests.path)?limit=2&offset=0&sort_direction=DESC\(rest)"])
    #expect(listing.filteredBy == (span.filter != nil && !span.query.isEmpty ? ["completed"] : []))
  }

  @Test func `the server sorts by booking time and by nothing else`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", ListingTests.path, body: Bodies.transactions(["t1"]))
    let location = try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions")
    let byTime = try await bench.backend.list(location, ListQuery(sort: Sort(column: "completed")))
    #expect(byTime.sortedBy == Sort(column: "completed"))
    #expect(bench.lines[0].contains("sort_direction=ASC"))
    let byAmount = try await bench.backend.list(location, ListQuery(sort: Sort(column: "amount")))
    #expect(byAmount.sortedBy == nil)
  }

  @Test(arguments: [("0.005", "KWD", "0.005"), ("92100", "JPY", "92100"), ("-7.5", "EUR", "-7.50")])
  func `amounts stay exact in every currency`(_ amount: String, _ currency: String, _ shown: String) async throws {
    let bench = try OpenBankBench()
    let body = Bodies.transactions(["t1"]).replacing(
      #""currency":"EUR","amount":"-19.90""#, with: #""currency":"\#(currency)","amount":"\#(amount)""#)
    bench.stub.on("GET", ListingTests.path, body: body)
    let listing = try await bench.backend.list(
      try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions"), ListQuery())
    #expect(listing.value("amount", in: listing.rows[0]).exactText == shown)
    #expect(listing.value("currency", in: listing.rows[0]) == .text(currency))
  }

  @Test func `every location that a listing prints is accepted back`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", ListingTests.path, body: Bodies.transactions(["a/b", "50%", "@x"]))
    let listing = try await bench.backend.list(
      try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions"), ListQuery())
    for (row, id) in zip(listing.rows, ["a/b", "50%", "@x"]) {
      let again = try Location(parsing: row.location.text)
      #expect(try OpenBankPlace(again) == .accountThing(.init(bank: "kiln.01.fi", account: "8ca8"), .transactions, id))
    }
  }

  @Test func `a place that does not exist is not found, and says so without asking`() async throws {
    let bench = try OpenBankBench()
    for path in ["/bank", "/banks/b/x", "/banks/b/accounts/a/t", "/me/x", "/banks/b/fx/a/b/c"] {
      let error = await #expect(throws: ServiceError.self) {
        try await bench.backend.list(try bench.location(path), ListQuery())
      }
      #expect(error?.code == .notFound)
    }
    #expect(bench.lines.isEmpty)
  }
}

@Suite struct CardTests {
  private static let cards = """
    {"cards":[{"bank_id":"kiln.01.fi","bank_card_number":"4000001234561234","name_on_card":"ADA L","issue_number":"1",\
    "serial_number":"77","expires_date":"2029-01-01T00:00:00Z","enabled":true,"technology":"chip","networks":["visa"],\
    "account":{"id":"8ca8","label":"Household","bank_id":"kiln.01.fi"},"replacement":null,"cvv":"123"},\
    {"bank_id":"nord.01.fi","bank_card_number":"4000001234569999","serial_number":"78",\
    "account":{"id":"1d3e","bank_id":"nord.01.fi"}}]}
    """

  @Test func `an account's cards are picked out of one's own, with their numbers masked`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/cards", body: CardTests.cards)
    let listing = try await bench.backend.list(
      try bench.location("/banks/kiln.01.fi/accounts/8ca8/cards"), ListQuery())
    #expect(listing.columns.prefix(4).map(\.id) == ["id", "name", "number", "expires"])
    #expect(listing.texts.map { Array($0.prefix(4)) } == [["1234-77", "ADA L", "•••• 1234", "2029-01-01"]])
    let item = try await bench.backend.item(try Location(parsing: listing.rows[0].location.text))
    for field in item.fields {
      #expect(!field.value.exactText.contains("400000"))
      #expect(field.value.exactText != "123")
    }
  }
}

@Suite struct RateTests {
  @Test func `rates show what the bank's currency is worth elsewhere, and leave out pairs without one`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks/b/currencies", body: #"{"currencies":[{"alphanumeric_code":"KWD"}]}"#)
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks/b/fx/KWD/EUR",
      body: #"{"from_currency_code":"KWD","to_currency_code":"EUR","conversion_value":3.012345678901234567,"#
        + #""inverse_conversion_value":0.33,"effective_date":"2026-11-30T00:00:00Z"}"#)
    for other in ["GBP", "USD", "CHF", "JPY", "SEK", "DKK", "PLN"] {
      bench.stub.on(
        "GET", "/obp/v5.1.0/banks/b/fx/KWD/\(other)", status: 400, body: Bodies.fault(400, "OBP-10004: no such pair"))
    }
    let listing = try await bench.backend.list(try bench.location("/banks/b/fx"), ListQuery())
    #expect(listing.texts == [["KWD/EUR", "KWD", "EUR", "3.012345678901234567", "0.33", "2026-11-30"]])
    #expect(listing.rows[0].location.text == "bank:/banks/b/fx/KWD/EUR")
    #expect(listing.notices.count == 1)
  }
}
