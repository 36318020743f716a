import Model
import Sandbox
import TestKit
import Testing
import Wire

@testable import OpenBank

/// The sandbox's bank over a socket, walked as the browser walks it. The two sides share no code.
@Suite(.bounded) struct SandboxContractTests {
  /// One server for all tests; it ends with the process.
  private static let sandbox = Result { try Sandbox(SandboxOptions(accounts: 12, transactions: 130)) }

  /// The same as a server of 2026.
  private static let newer: Result<Sandbox, any Error> = Result { () throws -> Sandbox in
    let sandbox = try Sandbox(SandboxOptions(accounts: 12, transactions: 130))
    _ = sandbox.hall.doors.first { $0.name == "bank" }?.set("profile", to: "gen-h")
    return sandbox
  }

  private func backend(
    version: String = "v5.1.0", signedIn: Bool = true, method: String = "direct", password: String? = nil,
    asker: StubAsker = StubAsker(), isNewer: Bool = false
  ) async throws -> OpenBankBackend {
    let sandbox = try isNewer ? SandboxContractTests.newer.get() : SandboxContractTests.sandbox.get()
    let printed = SandboxContractTests.values(of: "bank", in: sandbox.configuration)
    let settings: Settings = .table([
      "url": "\(sandbox.origin)/obp/\(version)", "authURL": sandbox.origin, "auth.method": method,
      "auth.consumerKey": printed["consumerKey"] ?? "", "auth.consumerSecret": printed["consumerSecret"] ?? "",
      "auth.user": printed["user"] ?? "", "auth.password": password ?? printed["password"] ?? "",
    ])
    let backend = try OpenBankBackend(
      connection: Connection(name: "bank", kind: .openbank, settings: settings), transport: CurlTransport(),
      surroundings: .stub(asker: asker))
    if signedIn && method != "none" { _ = try await backend.signIn(SignInRequest()) }
    return backend
  }

  /// The plain `key: value` lines of one connection of a printed configuration.
  static func values(of name: String, in configuration: String) -> [String: String] {
    var values: [String: String] = [:]
    var isInside = false
    for line in configuration.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.drop(while: \.isWhitespace) }
      let key = parts[0].drop { $0 == "-" || $0 == " " }
      let value = parts.count > 1 ? parts[1].filter { $0 != "\"" && $0 != "'" } : ""
      if key == "name" { isInside = value == name }
      if isInside, values[String(key)] == nil { values[String(key)] = String(value) }
    }
    return values
  }

  private func location(_ path: String) throws -> Location { try Location(parsing: "bank:\(path)") }

  /// The account of the user with the most money to move: the first one that has a number and a balance.
  private func account(_ backend: OpenBankBackend) async throws -> Row {
    let accounts = try await backend.list(try location("/accounts"), ListQuery())
    let iban = try #require(accounts.columnIndex("balance"))
    return try #require(accounts.rows.first { !$0.values[iban].isNull && $0.location.text.contains("/accounts/") })
  }

  @Test(arguments: ["v5.1.0", "v4.0.0", "v3.1.0", "v2.0.0", "v6.0.0"])
  func `a person walks from banks to an account to a transaction`(version: String) async throws {
    let backend = try await backend(version: version, isNewer: version == "v6.0.0")
    let banks = try await backend.list(try location("/banks"), ListQuery())
    #expect(banks.rows.count >= 2)
    let bank = try await backend.item(banks.rows[0].location)
    #expect(bank.fields.contains { $0.id == "full_name" && !$0.value.isNull })
    let row = try await account(backend)
    let item = try await backend.item(row.location)
    #expect(item.fields.contains { $0.id == "balance" && !$0.value.isNull })
    let transactions = try await backend.list(row.location.appending("transactions"), ListQuery(limit: 10))
    #expect(transactions.rows.count == 10)
    let one = try await backend.item(transactions.rows[0].location)
    #expect(one.fields.first { $0.id == "id" }?.value == transactions.rows[0].values[0])
    #expect(one.fields.first { $0.id == "amount" }?.value == transactions.value("amount", in: transactions.rows[0]))
    #expect(one.raw.map { !$0.bytes.isEmpty } ?? false)
  }

  @Test(arguments: ["v5.1.0", "v3.1.0", "v2.0.0"])
  func `all pages together hold every transaction once, newest first`(version: String) async throws {
    let backend = try await backend(version: version)
    let row = try await account(backend)
    var query = ListQuery(limit: 40)
    var ids: [String] = []
    var times: [String] = []
    var pages = 0
    repeat {
      let page = try await backend.list(row.location.appending("transactions"), query)
      ids += page.rows.map { $0.values[0].exactText }
      times += page.rows.map { $0.values[1].exactText }
      query.cursor = page.next
      pages += 1
    } while query.cursor != nil && pages < 20
    #expect(ids.count >= 130)
    #expect(Set(ids).count == ids.count)
    #expect(times == times.sorted(by: >))
  }

  @Test(arguments: [false, true], ["v5.1.0", "v4.0.0"])
  func `everything below the API answers on both generations`(isNewer: Bool, version: String) async throws {
    let backend = try await backend(version: version, isNewer: isNewer)
    for path in [
      "/api", "/api/endpoints", "/api/tags", "/api/favorites", "/api/versions", "/api/glossary", "/api/tries",
      "/me/entitlements", "/me/requests", "/me/consents", "/me/consumers", "/users", "/accounts/@totals",
      "/accounts/@held", "/accounts/@private", "/accounts/@public", "/banks/kiln.01.fi/balances",
      "/banks/kiln.01.fi/messages",
    ] {
      let listing = try await backend.list(try location(path), ListQuery(limit: 5))
      #expect(listing.rows.allSatisfy { $0.values.count == listing.columns.count }, "\(path)")
      if let row = listing.rows.first(where: { $0.opening == .item }) {
        _ = try await backend.item(try Location(parsing: row.location.text))
      }
    }
    let probe = try await backend.client.probe()
    #expect(probe.generation == (isNewer ? .http4s : .lift))
    #expect(probe.methods.contains(.oauth1) == !isNewer)
  }

  @Test func `a call is tried, marked and found again`() async throws {
    let backend = try await backend()
    let found = try await backend.search(SearchRequest("get banks"))
    let place = try #require(found.rows.first { $0.values[2] == .text("/banks") }).location
    let outcome = try await backend.perform("try", at: place, fields: [:])
    let trial = try await backend.item(try #require(outcome.location))
    #expect(trial.fields.first { $0.id == "status" }?.value == .integer(200))
    _ = try await backend.perform("favorite", at: place, fields: [:])
    #expect(try await backend.list(try location("/api/favorites"), ListQuery()).rows.map(\.location) == [place])
    _ = try await backend.perform("unfavorite", at: place, fields: [:])
    #expect(try await backend.list(try location("/api/favorites"), ListQuery()).rows.isEmpty)
  }

  @Test func `a consent is revoked, a role asked for, a view made, held and removed`() async throws {
    let backend = try await backend()
    let consents = try await backend.list(try location("/me/consents"), ListQuery())
    let good = try #require(consents.rows.first { $0.values[1] == .text("ACCEPTED") })
    _ = try await backend.perform("revoke", at: good.location, fields: [:])
    let item = try await backend.item(good.location)
    #expect(item.actions.first?.disabled?.contains("REVOKED") ?? false)

    let requests = try location("/me/requests")
    _ = try await backend.perform("request-role", at: requests, fields: ["role": "CanReadResourceDoc"])
    #expect(try await backend.list(requests, ListQuery()).rows.contains { $0.values[1] == .text("CanReadResourceDoc") })

    let views = try await account(backend).location.appending("views")
    let made = try await backend.perform(
      "create", at: views, fields: ["name": "_book keepers", "rights": "comment", "alias": "private"])
    let view = try #require(made.location)
    _ = try await backend.perform("grant", at: view, fields: ["user": "newton"])
    #expect(try await backend.item(view).fields.contains { $0.title == "newton" })
    _ = try await backend.perform("revoke", at: view, fields: ["user": "newton"])
    #expect(try await backend.item(view).fields.contains { $0.title == "newton" } == false)
    _ = try await backend.delete(view)
    #expect(try await backend.list(views, ListQuery()).rows.contains { $0.location == view } == false)
  }

  // MARK: The support desk

  @Test(arguments: [false, true])
  func `a support desk sees customers, cards and users of a bank, on both generations`(isNewer: Bool) async throws {
    let backend = try await backend(isNewer: isNewer)
    var customers: [Row] = []
    var query = ListQuery(limit: 2)
    repeat {
      let page = try await backend.list(try location("/banks/kiln.01.fi/customers/@all"), query)
      customers += page.rows
      query.cursor = page.next
    } while query.cursor != nil && customers.count < 6
    #expect(customers.count > 2 && Set(customers.map(\.location)).count == customers.count)
    let customer = try await backend.item(customers[0].location)
    #expect(Set(customer.sections.map(\.title)).isSuperset(of: ["Customer", "Addresses", "Pays taxes"]))
    let cards = try await backend.list(try location("/banks/kiln.01.fi/cards"), ListQuery(limit: 3))
    let card = try await backend.item(try #require(cards.rows.first).location)
    #expect(card.fields.contains { $0.id == "number" && $0.value.exactText.hasPrefix("••••") })
    let users = try await backend.list(try location("/users"), ListQuery(limit: 1))
    #expect(users.rows.count == 1 && users.next != nil)
    // At a bank where the role was not given, the server's reason is told.
    let error = await #expect(throws: ServiceError.self) {
      try await backend.list(try location("/banks/thistle.02.gb/cards"), ListQuery())
    }
    #expect(error?.serverCode == "OBP-20006")
  }

  @Test(arguments: [false, true])
  func `an account is opened, tagged and untagged, on both generations`(isNewer: Bool) async throws {
    let backend = try await backend(isNewer: isNewer)
    let opened = try await backend.perform(
      "open-account", at: try location("/banks/kiln.01.fi/accounts"),
      fields: ["label": "Trip", "currency": "EUR", "product": "CUR1"])
    let place = try #require(opened.location)
    #expect(try await backend.item(place).title == "Trip")
    _ = try await backend.perform("tag", at: place, fields: ["text": "family"])
    let tagged = try await backend.item(place)
    #expect(tagged.fields.first { $0.id == "tags" }?.value == .list([.text("family")]))
    let removal = try #require(tagged.actions.first { $0.id == "remove-tag" })
    _ = try await backend.perform("remove-tag", at: place, fields: ["id": removal.fields[0].initial])
    #expect(try await backend.item(place).fields.contains { $0.id == "tags" } == false)
  }

  @Test(arguments: [false, true])
  func `a view is changed, and money given back, on both generations`(isNewer: Bool) async throws {
    let backend = try await backend(isNewer: isNewer)
    let accounts = try await backend.list(try location("/accounts"), ListQuery())
    let column = try #require(accounts.columnIndex("currency"))
    let own = accounts.rows.filter { $0.values[column] == .text("EUR") }.map(\.location)
    try #require(own.count >= 2)
    let made = try await backend.perform(
      "create", at: own[0].appending("views"), fields: ["name": "_helpers", "rights": "read"])
    let view = try #require(made.location)
    _ = try await backend.perform(
      "change", at: view, fields: ["description": "for those who help", "permit": "can_add_tag"])
    let changed = try await backend.item(view)
    #expect(changed.fields.contains { $0.value == .text("for those who help") })
    #expect(changed.raw.map { String(decoding: $0.bytes, as: UTF8.self).contains("for those who help") } ?? false)
    _ = try await backend.delete(view)

    let booked = try await backend.list(own[0].appending("transactions"), ListQuery(limit: 60))
    let incoming = try #require(
      booked.rows.first { row in
        if case .money(let money) = booked.value("amount", in: row) { money.units > 0 } else { false }
      })
    let form = [
      "amount": "0.01", "description": "back", "to_bank": own[1].path[1], "to_account": own[1].path[3],
    ]
    let given = try await backend.perform("refund", at: incoming.location, fields: form)
    #expect(given.message.contains("done"))
    let payment = try await backend.item(try #require(given.location))
    #expect(payment.fields.first { $0.id == "type" }?.value == .text("REFUND"))
    let again = await #expect(throws: ServiceError.self) {
      try await backend.perform("refund", at: incoming.location, fields: form)
    }
    #expect(again?.serverCode == "OBP-30068")
  }

  @Test func `notes of another account are written and taken back`() async throws {
    let backend = try await backend()
    let others = try await backend.list(
      try await account(backend).location.appending("other_accounts"), ListQuery(limit: 3))
    let place = others.rows[2].location
    _ = try await backend.perform("more-info", at: place, fields: ["text": "around the corner"])
    _ = try await backend.perform("private-alias", at: place, fields: ["alias": "Corner"])
    _ = try await backend.perform("physical-location", at: place, fields: ["latitude": "60.17", "longitude": "24.94"])
    var item = try await backend.item(place)
    let value = { [item] (id: String) in item.fields.first { $0.id == id }?.value }
    #expect(value("metadata_more_info") == .text("around the corner"))
    #expect(value("metadata_private_alias") == .text("Corner"))
    #expect(value("metadata_physical_location") == .text("60.17, 24.94"))
    for name in ["more-info", "private-alias", "physical-location"] {
      _ = try await backend.perform("remove-\(name)", at: place, fields: [:])
    }
    item = try await backend.item(place)
    #expect(item.fields.first { $0.id == "metadata_more_info" }?.value.isNull ?? true)
  }

  @Test func `a standing order, a direct debit and the question for funds`() async throws {
    let backend = try await backend()
    let place = try await account(backend).location
    let payees = try await backend.list(place.appending("counterparties"), ListQuery())
    let form = ["counterparty": payees.rows[0].values[0].exactText, "amount": "10", "starts": "2027-01-01"]
    let order = try await backend.perform("standing-order", at: place, fields: form)
    #expect(order.message.contains("is set up"))
    #expect(try await backend.perform("direct-debit", at: place, fields: form).message.contains("permitted"))
    #expect(try await backend.perform("funds", at: place, fields: ["amount": "0.01"]).message.contains("enough"))
    let charts = try await backend.charts(of: place)
    #expect(charts.map(\.title).starts(with: ["Balance", "In and out by month"]))
  }

  @Test func `an anonymous connection sees banks and nobody's accounts`() async throws {
    let backend = try await backend(method: "none")
    #expect(try await backend.list(try location("/banks"), ListQuery()).rows.count >= 2)
    let error = await #expect(throws: ServiceError.self) { try await backend.item(try location("/me")) }
    #expect(error?.code == .signInNeeded)
  }

  @Test func `a wrong password is refused with the server's code`() async throws {
    let backend = try await backend(signedIn: false, password: "not-the-password")
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    #expect(error?.code == .signInRefused)
    #expect(error?.serverCode == "OBP-20004")
  }

  @Test func `who am I is asked of the server when it shall be verified`() async throws {
    let backend = try await backend()
    let state = try await backend.signInState(verifying: true)
    #expect(state.isSignedIn)
    #expect(state.user.map { !$0.isEmpty } ?? false)
    try await backend.signOut(SignOutRequest())
    #expect(try await backend.signInState(verifying: true).isSignedIn == false)
  }

  @Test(
    arguments: [
      "/accounts", "/banks/B/accounts", "/banks/B/branches", "/banks/B/atms", "/banks/B/products", "/banks/B/fx",
      "/banks/B/customers", "A/counterparties", "A/requests", "A/views", "A/cards", "A/other_accounts",
    ], [false, true])
  func `every list of the contract answers, and each row opens`(path: String, isNewer: Bool) async throws {
    let backend = try await backend(isNewer: isNewer)
    let row = try await account(backend)
    let bank = row.location.path[1]
    let place =
      path.hasPrefix("A/")
      ? row.location.appending(String(path.dropFirst(2)))
      : try location(path.replacing("/B/", with: "/\(bank)/"))
    let listing = try await backend.list(place, ListQuery(limit: 3))
    #expect(listing.rows.allSatisfy { $0.values.count == listing.columns.count })
    if let first = listing.rows.first(where: { $0.opening == .item }) {
      let again = try Location(parsing: first.location.text)
      let item = try await backend.item(again)
      #expect(!item.fields.isEmpty)
    }
  }

  @Test func `a comment and a tag are written, seen and removed`() async throws {
    let backend = try await backend()
    let row = try await account(backend)
    let page = try await backend.list(row.location.appending("transactions"), ListQuery(limit: 7))
    let place = page.rows[6].location
    _ = try await backend.perform("comment", at: place, fields: ["text": "far too much"])
    _ = try await backend.perform("tag", at: place, fields: ["text": "rent"])
    var item = try await backend.item(place)
    #expect(item.fields.first { $0.id == "comments" }?.value.exactText.contains("far too much") ?? false)
    #expect(item.fields.first { $0.id == "tags" }?.value.exactText.contains("rent") ?? false)
    let removal = try #require(item.actions.first { $0.id == "remove-comment" })
    guard case .choice(let comments) = removal.fields[0].kind else {
      Issue.record("which comment goes is a choice")
      return
    }
    let mine = try #require(comments.first { $0.title.contains("far too much") })
    _ = try await backend.perform("remove-comment", at: place, fields: ["id": mine.value])
    item = try await backend.item(place)
    #expect(item.fields.first { $0.id == "comments" }?.value.exactText.contains("far too much") == false)
  }

  @Test(arguments: ["v5.1.0", "v4.0.0", "v2.0.0"])
  func `a payment is made, and a large one after its challenge`(version: String) async throws {
    let asker = StubAsker([["answer": "123"]])
    let backend = try await backend(version: version, asker: asker)
    let accounts = try await backend.list(try location("/accounts"), ListQuery())
    let column = try #require(accounts.columnIndex("currency"))
    let own = accounts.rows.filter { $0.values[column] == .text("EUR") }
    try #require(own.count >= 2)
    let (from, to) = (own[0].location, own[1].location)
    let form = { (amount: String) in
      [
        "type": "SANDBOX_TAN", "to_bank": to.path[1], "to_account": to.path[3], "amount": amount, "description": "rent",
      ]
    }
    let small = try await backend.perform("pay", at: from, fields: form("1.25"))
    #expect(small.message.contains("done"))
    let made = try await backend.item(try #require(small.location))
    #expect(made.fields.first { $0.id == "amount" }?.value.exactText == "1.25")
    #expect(asker.questions.isEmpty)
    let large = try await backend.perform("pay", at: from, fields: form("5000"))
    #expect(asker.questions.count == 1)
    #expect(large.message.contains("done"))
  }

  @Test func `a counterparty is entered, shown and deleted`() async throws {
    let backend = try await backend()
    let place = try await account(backend).location.appending("counterparties")
    let made = try await backend.perform(
      "create", at: place,
      fields: ["name": "Deli Öy", "description": "corner shop", "currency": "EUR", "iban": "FI55 1234 5600 0007 85"])
    let item = try await backend.item(try #require(made.location))
    #expect(item.fields.first { $0.id == "name" }?.value == .text("Deli Öy"))
    #expect(item.fields.first { $0.id == "iban" }?.value == .text("FI5512345600000785"))
    _ = try await backend.delete(try #require(made.location))
    let names = try await backend.list(place, ListQuery()).rows.map { $0.values[1] }
    #expect(!names.contains(.text("Deli Öy")))
  }

  @Test func `a raw call brings the server's own bytes and its status`() async throws {
    let backend = try await backend()
    let sink = MemorySink()
    let reply = try await backend.call(RawCall("GET", "/banks"), to: sink)
    #expect(reply.status == 200)
    #expect(sink.text.contains("\"banks\""))
    let missing = MemorySink()
    #expect(try await backend.call(RawCall("GET", "/nowhere"), to: missing).status == 404)
    #expect(missing.text.contains("OBP-10404"))
  }

  @Test func `what does not exist is not found`() async throws {
    let backend = try await backend()
    let item = await #expect(throws: ServiceError.self) { try await backend.item(try location("/banks/nope")) }
    #expect(item?.code == .notFound)
    let list = await #expect(throws: ServiceError.self) {
      try await backend.list(try location("/banks/nope/accounts"), ListQuery())
    }
    #expect(list?.code == .notFound)
  }
}
