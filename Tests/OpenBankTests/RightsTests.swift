import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

/// Actions are offered as far as the view permits them.
@Suite(.bounded) struct RightsTests {
  private static let root = "/obp/v5.1.0"
  private static let account = "/banks/kiln.01.fi/accounts/8ca8"

  private func bench(_ rights: String, types: String? = nil) throws -> OpenBankBench {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(RightsTests.root)/my\(RightsTests.account)/account", body: Bodies.household)
    bench.stub.on(
      "GET", "\(RightsTests.root)\(RightsTests.account)/views",
      body: #"{"views":[{"id":"owner","short_name":"Owner",\#(rights)}]}"#)
    bench.stub.on(
      "GET", "\(RightsTests.root)\(RightsTests.account)/owner/transactions/t/transaction", body: Bodies.transaction("t")
    )
    if let types {
      bench.stub.on(
        "GET", "\(RightsTests.root)\(RightsTests.account)/owner/transaction-request-types", body: types)
    }
    return bench
  }

  private func reason(_ id: String, in item: Item) -> String? { item.actions.first { $0.id == id }?.disabled }

  @Test func `a view that permits no payment greys paying, with the reason`() async throws {
    let bench = try bench(
      #""can_add_transaction_request_to_own_account":false,"can_add_transaction_request_to_any_account":false"#)
    let item = try await bench.backend.item(try bench.location(RightsTests.account))
    #expect(reason("pay", in: item) == "the view “owner” does not permit to pay")
    #expect(!bench.lines.contains { $0.contains("transaction-request-types") })
  }

  @Test func `one of both rights is enough to pay`() async throws {
    let bench = try bench(
      #""can_add_transaction_request_to_own_account":true,"can_add_transaction_request_to_any_account":false"#)
    let item = try await bench.backend.item(try bench.location(RightsTests.account))
    #expect(reason("pay", in: item) == nil)
  }

  @Test func `notes are offered as the view permits, and what it does not name can be tried`() async throws {
    let bench = try bench(#""can_add_comment":false,"can_add_tag":true"#)
    let item = try await bench.backend.item(try bench.location("\(RightsTests.account)/transactions/t"))
    #expect(reason("comment", in: item) != nil)
    #expect(reason("tag", in: item) == nil)
    #expect(reason("image", in: item) == nil)
  }

  @Test func `a view that a list named and the server refuses is looked up anew`() async throws {
    let bench = try OpenBankBench()
    let list = "\(RightsTests.root)/banks/kiln.01.fi/accounts/private"
    let account = "\(RightsTests.root)/banks/kiln.01.fi/accounts/77aa"
    bench.stub.on("GET", list, body: Bodies.privateAccounts.replacing("auditor", with: "nobody's"))
    bench.stub.on("GET", list, body: Bodies.privateAccounts)
    for path in ["nobody%27s/account", "owner/account"] {
      bench.stub.on("GET", "\(account)/\(path)", status: 403, body: Bodies.fault(403, "OBP-20017: No access"))
    }
    bench.stub.on("GET", "\(account)/auditor/account", body: Bodies.club)
    _ = try await bench.backend.list(try bench.location("/banks/kiln.01.fi/accounts"), ListQuery())
    let item = try await bench.backend.item(try bench.location("/banks/kiln.01.fi/accounts/77aa"))
    #expect(item.title == "Club")
  }

  @Test func `the rights are asked for once`() async throws {
    let bench = try bench(#""can_add_comment":true"#)
    for _ in 0..<3 { _ = try await bench.backend.item(try bench.location("\(RightsTests.account)/transactions/t")) }
    #expect(bench.lines.count { $0.hasSuffix("/views") } == 1)
  }

  @Test func `the ways to pay are those that the server names, with their charges`() async throws {
    let bench = try bench(
      #""can_add_comment":true"#,
      types:
        #"{"transaction_request_types":[{"value":"SEPA","charge":{"value":{"currency":"EUR","amount":"0.35"}}},{"value":"CARDANO"}]}"#
    )
    let item = try await bench.backend.item(try bench.location(RightsTests.account))
    let pay = try #require(item.actions.first { $0.id == "pay" })
    guard case .choice(let choices) = pay.fields[0].kind else {
      Issue.record("the way is a choice")
      return
    }
    #expect(choices == [.init("SEPA", "to an IBAN, charge 0.35 EUR")])
  }

  @Test func `payments that are switched off grey paying with the server's reason`() async throws {
    let bench = try bench(#""can_add_comment":true"#)
    bench.stub.on(
      "GET", "\(RightsTests.root)\(RightsTests.account)/owner/transaction-request-types", status: 400,
      body: Bodies.fault(400, "OBP-40018: Sorry, Transaction Requests are not enabled in this API instance."))
    let item = try await bench.backend.item(try bench.location(RightsTests.account))
    #expect(reason("pay", in: item)?.contains("not enabled") ?? false)
  }

  @Test func `a payment on a day must be one to come, and of a kind that waits`() async throws {
    let bench = try bench(#""can_add_comment":true"#)
    let place = try bench.location(RightsTests.account)
    for (type, day) in [("COUNTERPARTY", "2026-11-30"), ("SEPA", "2027-01-01"), ("COUNTERPARTY", "soon")] {
      let error = await #expect(throws: ServiceError.self) {
        try await bench.backend.perform(
          "pay", at: place,
          fields: ["type": type, "counterparty": "c", "iban": "FI55", "amount": "1", "future_date": day])
      }
      #expect(error?.code == .usage)
    }
    let path =
      "\(RightsTests.root)\(RightsTests.account)/owner/transaction-request-types/COUNTERPARTY/transaction-requests"
    bench.stub.on("POST", path, status: 201, body: #"{"id":"r","status":"COMPLETED"}"#)
    _ = try await bench.backend.perform(
      "pay", at: place,
      fields: ["type": "COUNTERPARTY", "counterparty": "c", "amount": "1", "future_date": "2027-01-01"])
    #expect(bench.stub.requests.last?.bodyText.contains(#""future_date":"20270101""#) ?? false)
  }

  @Test func `a view of one's own making has a name with an underscore`() async throws {
    let bench = try bench(#""can_add_comment":true"#)
    let place = try bench.location("\(RightsTests.account)/views")
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform("create", at: place, fields: ["name": "team"])
    }
    #expect(error?.code == .usage)
    bench.stub.on("POST", "\(RightsTests.root)\(RightsTests.account)/views", status: 201, body: #"{"id":"_team"}"#)
    let made = try await bench.backend.perform("create", at: place, fields: ["name": "_team", "rights": "comment"])
    #expect(made.location?.text == "bank:\(RightsTests.account)/views/_team")
    #expect(bench.stub.requests.last?.bodyText.contains("can_add_tag") ?? false)
  }
}
