import JSON
import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

/// What a support desk does: customers and cards by role, views, tags, new accounts, refunds, the nearest branch.
@Suite(.bounded) struct DeskTests {
  private static let root = "/obp/v5.1.0"
  private static let bank = "/banks/kiln.01.fi"
  private static let account = "\(bank)/accounts/8ca8"

  private func body(_ request: StubTransport.Recorded?) throws -> JSONValue {
    try JSONDocument(Array(try #require(request).bodyText.utf8)).root
  }

  // MARK: Customers and cards

  private static func customers(_ ids: Range<Int>) -> String {
    let list = ids.map { #"{"customer_id":"c\#($0)","legal_name":"Customer \#($0)","customer_number":"\#($0)"}"# }
    return #"{"customers":["# + list.joined(separator: ",") + "]}"
  }

  @Test func `all customers come a page at a time, and one of them with addresses`() async throws {
    let bench = try OpenBankBench()
    let path = "\(DeskTests.root)\(DeskTests.bank)/customers"
    bench.stub.on("GET", "\(path)?limit=3&offset=0", body: DeskTests.customers(0..<3))
    bench.stub.on("GET", "\(path)?limit=3&offset=2", body: DeskTests.customers(2..<4))
    let place = try bench.location("\(DeskTests.bank)/customers/@all")
    let first = try await bench.backend.list(place, ListQuery(limit: 2))
    let second = try await bench.backend.list(place, ListQuery(limit: 2, cursor: first.next))
    #expect((first.rows + second.rows).map { $0.values[0].exactText } == ["c0", "c1", "c2", "c3"])
    #expect(second.next == nil)

    bench.stub.on("GET", "\(DeskTests.root)\(DeskTests.bank)/my/customers", body: #"{"customers":[]}"#)
    bench.stub.on("GET", "\(path)/c1", body: #"{"customer_id":"c1","legal_name":"Customer 1"}"#)
    bench.stub.on(
      "GET", "\(path)/c1/addresses", body: #"{"addresses":[{"customer_id":"c1","line_1":"Quay 1","city":"Harbour"}]}"#)
    bench.stub.on(
      "GET", "\(path)/c1/tax-residences", status: 403, body: Bodies.fault(403, "OBP-20006: CanGetTaxResidence"))
    let item = try await bench.backend.item(first.rows[1].location)
    #expect(item.title == "Customer 1")
    #expect(item.fields.contains { $0.value == .text("Quay 1") && $0.isPrivate })
    #expect(item.fields.allSatisfy { $0.value != .text("Customer 1") || $0.isPrivate })
    #expect(item.sections.map(\.title) == ["Customer", "More", "Addresses"])
  }

  @Test func `without the role the server's reason is told`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(DeskTests.root)\(DeskTests.bank)/customers", status: 403,
      body: Bodies.fault(403, "OBP-20006: User is missing one or more roles: CanGetCustomer"))
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("\(DeskTests.bank)/customers/@all"), ListQuery())
    }
    #expect(error?.code == .forbidden)
    #expect(error?.message.contains("CanGetCustomer") ?? false)
  }

  @Test func `every card of a bank has its id, and never its whole number`() async throws {
    let bench = try OpenBankBench()
    let card = #"""
      {"card_id":"k1","card_number":"4000001234567890","name_on_card":"ADA","card_type":"Debit","cvv":"123",
      "enabled":true,"account":{"id":"8ca8","bank_id":"kiln.01.fi","label":"Household"},"card_attributes":
      [{"name":"limit","value":"500"}]}
      """#
    let path = "\(DeskTests.root)/management\(DeskTests.bank)/cards"
    bench.stub.on("GET", path, body: #"{"cards":[\#(card)]}"#)
    bench.stub.on("GET", "\(path)/k1", body: card)
    let listing = try await bench.backend.list(try bench.location("\(DeskTests.bank)/cards"), ListQuery())
    #expect(listing.rows.map(\.location.text) == ["bank:\(DeskTests.bank)/cards/k1"])
    let item = try await bench.backend.item(listing.rows[0].location)
    let texts = item.fields.map(\.value.exactText) + listing.rows[0].values.map(\.exactText)
    #expect(texts.contains("•••• 7890") && texts.contains("500"))
    #expect(!texts.contains { $0.contains("4000001234567890") || $0 == "123" })
  }

  // MARK: Views

  @Test func `a view is changed as a whole, with what the form leaves alone`() async throws {
    let bench = try OpenBankBench()
    let views = "\(DeskTests.root)\(DeskTests.account)/views"
    bench.stub.on(
      "GET", views,
      body: #"""
        {"views":[{"id":"_team","short_name":"_team","description":"old","alias":"private","is_public":false,
        "is_system":false,"metadata_view":"_team","hide_metadata_if_alias_used":true,
        "can_see_tags":true,"can_add_tag":true,"can_see_images":false}]}
        """#)
    bench.stub.on("PUT", "\(views)/_team", body: #"{"id":"_team"}"#)
    let place = try bench.location("\(DeskTests.account)/views/_team")
    let outcome = try await bench.backend.perform(
      "change", at: place,
      fields: ["description": "new", "permit": "can_see_images, can_see_tags", "forbid": "can_add_tag"])
    let sent = try body(bench.stub.requests.last)
    #expect(sent["allowed_actions"].elements.compactMap(\.string) == ["can_see_tags", "can_see_images"])
    #expect(sent["description"].string == "new")
    #expect(sent["which_alias_to_use"].string == "private")
    #expect(sent["metadata_view"].string == "_team")
    #expect(sent["hide_metadata_if_alias_used"].bool == true)
    #expect(sent["name"].exists == false)
    #expect(outcome.message.contains("2 things"))
  }

  // MARK: Accounts

  @Test func `an account is opened with nothing on it, under the chosen id or one made up`() async throws {
    let bench = try OpenBankBench()
    let path = "\(DeskTests.root)\(DeskTests.bank)/accounts"
    bench.stub.on("PUT", "\(path)/trip", status: 201, body: #"{"account_id":"trip","label":"Trip"}"#)
    let place = try bench.location("\(DeskTests.bank)/accounts")
    let form = ["label": "Trip", "currency": "jpy", "product": "SAV2", "id": "trip"]
    let outcome = try await bench.backend.perform("open-account", at: place, fields: form)
    let sent = try body(bench.stub.requests.last)
    #expect(sent["balance"]["currency"].string == "JPY" && sent["balance"]["amount"].string == "0")
    #expect(sent["product_code"].string == "SAV2")
    #expect(outcome.location == place.appending("trip"))
    await #expect(throws: ServiceError.self) {
      try await bench.backend.perform(
        "open-account", at: place, fields: ["label": "Trip", "currency": "EUR", "product": "SAV2"])
    }
    #expect(bench.lines.last.map { $0.hasPrefix("PUT \(path)/") && $0.utf8.count > path.utf8.count + 30 } ?? false)
  }

  @Test func `an account's tags are asked for where its shape lacks them, written and removed`() async throws {
    let bench = try OpenBankBench()
    let tags = "\(DeskTests.root)\(DeskTests.account)/owner/metadata/tags"
    bench.stub.on("GET", "\(DeskTests.root)/my\(DeskTests.account)/account", body: Bodies.household)
    bench.stub.on("GET", tags, body: #"{"tags":[{"id":"t1","value":"family"}]}"#)
    bench.stub.on("POST", tags, status: 201, body: #"{"id":"t2","value":"house"}"#)
    bench.stub.on("DELETE", "\(tags)/t1", body: "{}")
    let place = try bench.location(DeskTests.account)
    let item = try await bench.backend.item(place)
    #expect(item.fields.first { $0.id == "tags" }?.value == .list([.text("family")]))
    #expect(item.actions.contains { $0.id == "remove-tag" })
    _ = try await bench.backend.perform("tag", at: place, fields: ["text": "house"])
    #expect(try body(bench.stub.requests.last)["value"].string == "house")
    _ = try await bench.backend.perform("remove-tag", at: place, fields: ["id": "t1"])
    #expect(bench.lines.last == "DELETE \(tags)/t1")
  }

  // MARK: Refunds

  private func refundBench(_ amount: String) throws -> OpenBankBench {
    let bench = try OpenBankBench()
    let base = "\(DeskTests.root)\(DeskTests.account)/owner"
    bench.stub.on("GET", "\(base)/transactions/t/transaction", body: Bodies.transaction("t", amount: amount))
    let made = #"{"id":"r1","type":"REFUND","status":"COMPLETED","details":{},"challenges":null}"#
    bench.stub.on(
      "POST", "\(base)/transaction-request-types/REFUND/transaction-requests", status: 201, body: made)
    return bench
  }

  @Test func `what came in is given back to an account`() async throws {
    let bench = try refundBench("19.90")
    let place = try bench.location("\(DeskTests.account)/transactions/t")
    let action = try #require(try await bench.backend.item(place).actions.first { $0.id == "refund" })
    #expect(action.title == "Give the money back" && action.fields[0].initial == "19.90")
    _ = try await bench.backend.perform(
      "refund", at: place,
      fields: ["amount": "10", "description": "half", "reason": "X1", "to_bank": "b", "to_account": "a"])
    let request = try #require(bench.stub.requests.last)
    let sent = try body(request)
    #expect(sent["to"]["bank_id"].string == "b" && !sent["from"].exists)
    #expect(sent["value"]["amount"].string == "10.00")
    #expect(sent["refund"]["transaction_id"].string == "t" && sent["refund"]["reason_code"].string == "X1")
    #expect(request.request.freshConnection && !request.request.isIdempotent)
  }

  @Test func `what went out is asked back of a counterparty, and never more than was paid`() async throws {
    let bench = try refundBench("-19.90")
    let place = try bench.location("\(DeskTests.account)/transactions/t")
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform("refund", at: place, fields: ["amount": "19.91", "counterparty": "p"])
    }
    #expect(error?.code == .usage)
    _ = try await bench.backend.perform("refund", at: place, fields: ["amount": "19.90", "counterparty": "p"])
    let sent = try body(bench.stub.requests.last)
    #expect(sent["from"]["counterparty_id"].string == "p" && !sent["to"].exists)
  }

  @Test func `a refund that waits is rejected with the word for it`() async throws {
    let bench = try OpenBankBench()
    let base = "\(DeskTests.root)\(DeskTests.account)/owner"
    let waiting = #"{"id":"r1","type":"REFUND","status":"INITIATED","details":{},"challenges":[{"id":"b8"}]}"#
    bench.stub.on("GET", "\(base)/transaction-requests/r1", body: waiting)
    bench.stub.on(
      "POST", "\(base)/transaction-request-types/REFUND/transaction-requests/r1/challenge", status: 202,
      body: #"{"id":"r1","type":"REFUND","status":"REJECTED","details":{}}"#)
    let place = try bench.location("\(DeskTests.account)/requests/r1")
    #expect(try await bench.backend.item(place).actions.map(\.id) == ["answer-challenge", "reject"])
    let outcome = try await bench.backend.perform("reject", at: place, fields: ["reason": "DUPL"])
    #expect(bench.stub.requests.last?.bodyText == #"{"id":"b8","answer":"REJECT","reason_code":"DUPL"}"#)
    #expect(outcome.message.contains("REJECTED"))
  }

  // MARK: Places

  private static let branches = #"""
    {"branches":[{"id":"far","name":"Far","address":{"city":"Turku"},"location":{"latitude":60.45,"longitude":22.27}},
    {"id":"lost","name":"Lost","address":{"city":"Helsinki"},"location":{}},
    {"id":"near","name":"Near","address":{"city":"Helsinki"},"location":{"latitude":60.17,"longitude":24.95}}]}
    """#

  @Test func `the nearest comes first, with its distance, also where the server narrows nothing`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(DeskTests.root)\(DeskTests.bank)/branches", body: DeskTests.branches)
    let place = try bench.location("\(DeskTests.bank)/branches").with(query: [("near", "60.17,24.94")])
    let listing = try await bench.backend.list(place, ListQuery())
    #expect(listing.rows.map { $0.values[0].exactText } == ["near", "far", "lost"])
    #expect(listing.value("distance", in: listing.rows[0]) == .integer(553))
    let close = try await bench.backend.list(
      place.with(query: [("near", "60.17,24.94"), ("within", "1000"), ("city", "helsinki")]), ListQuery())
    #expect(close.rows.map { $0.values[0].exactText } == ["near"])
    let sent = try #require(bench.lines.last)
    #expect(sent.contains("city=helsinki&withinMetersOf=1000&nearLatitude=60.17&nearLongitude=24.94"))
    let none = try await bench.backend.list(place.with(query: [("near", "0,0"), ("within", "5")]), ListQuery())
    #expect(none.rows.isEmpty && none.notices.contains { $0.contains("leave the distance out") })
  }

  @Test(arguments: ["near=60", "near=91,0", "near=60,x", "within=100", "near=60,24&within=-5"])
  func `a place that makes no sense is said`(query: String) async throws {
    let bench = try OpenBankBench()
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("\(DeskTests.bank)/branches?\(query)"), ListQuery())
    }
    #expect(error?.code == .usage)
    #expect(bench.lines.isEmpty)
  }

  @Test func `more places than fit in one answer are paged, and a server that sends all of them is not`() async throws {
    let bench = try OpenBankBench()
    let path = "\(DeskTests.root)\(DeskTests.bank)/atms"
    let atms = { (ids: Range<Int>) in
      #"{"atms":["# + ids.map { #"{"id":"a\#($0)"}"# }.joined(separator: ",") + "]}"
    }
    bench.stub.on("GET", "\(path)?limit=3&offset=0", body: atms(0..<3))
    bench.stub.on("GET", "\(path)?limit=3&offset=2", body: atms(2..<4))
    let place = try bench.location("\(DeskTests.bank)/atms")
    let first = try await bench.backend.list(place, ListQuery(limit: 2))
    let second = try await bench.backend.list(place, ListQuery(limit: 2, cursor: first.next))
    #expect((first.rows + second.rows).map { $0.values[0].exactText } == ["a0", "a1", "a2", "a3"])
    let old = try OpenBankBench()
    old.stub.on("GET", path, body: atms(0..<6))
    let whole = try await old.backend.list(place, ListQuery(limit: 4))
    #expect(whole.rows.count == 4 && whole.total == .exact(6))
    #expect(try await old.backend.list(place, ListQuery(limit: 4, cursor: whole.next)).rows.count == 2)
  }

  @Test func `opening hours and the amounts of fees are shown`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(DeskTests.root)\(DeskTests.bank)/products/CUR1",
      body: #"{"product_code":"CUR1","name":"Current","fees":[{"name":"Monthly","value":{"amount":2.5}}]}"#)
    bench.stub.on(
      "GET", "\(DeskTests.root)\(DeskTests.bank)/branches/b1",
      body: #"{"id":"b1","name":"Quay","lobby":{"monday":[{"opening_time":"09:00"}]}}"#)
    let product = try await bench.backend.item(try bench.location("\(DeskTests.bank)/products/CUR1"))
    #expect(product.fields.first { $0.id == "fees.1.value.amount" }?.value.exactText == "2.5")
    let branch = try await bench.backend.item(try bench.location("\(DeskTests.bank)/branches/b1"))
    #expect(branch.fields.first { $0.id == "lobby.monday.1.opening_time" }?.value == .text("09:00"))
  }
}
