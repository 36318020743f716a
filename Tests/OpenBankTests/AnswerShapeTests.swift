import Model
import TestKit
import Testing

@testable import OpenBank

/// Places that do not exist, answers that are not what was asked for, and facts that two calls must tell alike.
@Suite struct AnswerShapeTests {
  private static let base = "/obp/v5.1.0"

  private func code(of path: String, in bench: OpenBankBench) async throws -> ServiceError.Code? {
    let location = try bench.location(path)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.list(location, ListQuery()) }
    return error?.code
  }

  @Test(arguments: [
    "", "[]", "{}", "null", #"{"banks":null}"#, #"{"banks":{}}"#,
    #"{"banks":[{"id":"kiln.01.fi"},7,null,"x"]}"#,
  ]) func `an answer of another shape is no empty list`(_ body: String) async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(Self.base)/banks", body: body)
    #expect(try await code(of: "/banks", in: bench) == .unreadable)
  }

  @Test func `only lists of accounts come bare`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(Self.base)/my/accounts", body: "[]")
    #expect(try await bench.backend.list(try bench.location("/accounts"), ListQuery()).rows.isEmpty)
    bench.stub.on("GET", "\(Self.base)/cards", body: "[]")
    #expect(try await code(of: "/cards", in: bench) == .unreadable)
  }

  @Test func `what does not exist holds no places`() async throws {
    let bench = try OpenBankBench()
    let (bank, account) = (Bodies.fault(404, "OBP-30001: Bank not found."), Bodies.fault(404, "OBP-30018: No account."))
    bench.stub.on("GET", "\(Self.base)/banks/nope", status: 404, body: bank)
    bench.stub.on("GET", "\(Self.base)/my/banks/kiln.01.fi/accounts/nope/account", status: 404, body: account)
    bench.stub.on("GET", "\(Self.base)/cards", body: #"{"cards":[]}"#)
    #expect(try await code(of: "/banks/nope", in: bench) == .notFound)
    #expect(try await code(of: "/banks/kiln.01.fi/accounts/nope", in: bench) == .notFound)
    #expect(try await code(of: "/banks/kiln.01.fi/accounts/nope/cards", in: bench) == .notFound)
  }

  @Test(arguments: ["/banks/kiln.01.fi/fx/EUR%2FCHF", "/banks/kiln.01.fi/fx/EUR/x"])
  func `what is no currency has no rates`(_ path: String) async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(Self.base)/banks/kiln.01.fi/currencies", body: #"{"currencies":[]}"#)
    let location = try bench.location(path)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.item(location) }
    #expect(error?.code == .notFound)
  }

  @Test(arguments: ["/accounts", "/banks/kiln.01.fi/accounts"])
  func `somebody who is not signed in has no accounts`(_ path: String) async throws {
    let bench = try OpenBankBench(anonymous: true)
    #expect(try await code(of: path, in: bench) == .signInNeeded)
    #expect(bench.stub.requests.isEmpty)
  }

  @Test func `without sign-in the entries lead to the public accounts`() async throws {
    let bench = try OpenBankBench(anonymous: true)
    let entries = try await bench.backend.list(try bench.location("/"), ListQuery())
    let place = try #require(entries.rows.map(\.location).first { $0.path.first == "accounts" })
    #expect(place.text == "bank:/accounts/@public")
    bench.stub.on("GET", "\(Self.base)/accounts/public", body: #"{"accounts":[]}"#)
    #expect(try await bench.backend.list(place, ListQuery()).notices.count == 1)
  }

  @Test func `a call goes behind the address as it is configured, without a question before it`() async throws {
    let bench = try OpenBankBench(url: "\(OpenBankBench.origin)/obp")
    bench.stub.on("GET", "/obp/v4.0.0/banks", body: "{}")
    _ = try await bench.backend.call(RawCall("GET", "/v4.0.0/banks"), to: MemorySink())
    #expect(bench.lines == ["GET /obp/v4.0.0/banks"])
  }

  @Test func `an address with something else behind it is named`() async throws {
    let bench = try OpenBankBench(url: "\(OpenBankBench.origin)/site")
    for version in ["v5.1.0", "v4.0.0", "v3.1.0", "v2.0.0"] {
      bench.stub.on(
        "GET", "/site/\(version)/root", headers: ["Content-Type": "text/html"], body: "<html>Welcome</html>")
    }
    let location = try bench.location("/banks")
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.list(location, ListQuery()) }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains("\(OpenBankBench.origin)/site") == true)
    #expect(error?.detail?.contains("web page") == true)
    #expect(error?.remedy?.contains("url") == true)
  }

  @Test func `an account's row and its item agree on what its view hides`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(Self.base)/banks/kiln.01.fi/accounts/private", body: Bodies.privateAccounts)
    let hidden = #"{"id":"8ca8","bank_id":"kiln.01.fi","label":"Household","account_routings":[]}"#
    bench.stub.on("GET", "\(Self.base)/my/banks/kiln.01.fi/accounts/8ca8/account", body: hidden)
    bench.stub.on("GET", "\(Self.base)/banks/kiln.01.fi/accounts/77aa/auditor/account", body: Bodies.club)
    let listing = try await bench.backend.list(try bench.location("/banks/kiln.01.fi/accounts"), ListQuery())
    let row = listing.rows[0]
    let item = try await bench.backend.item(row.location)
    for (column, value) in zip(listing.columns, row.values) {
      #expect(item.fields.first { $0.id == column.id }?.value == value, "\(column.id)")
    }
  }

  @Test func `a card's item has every field of its row`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(Self.base)/cards",
      body: #"{"cards":[{"card_id":"k1","name_on_card":"Ada","bank_card_number":"4012888888881881","enabled":true,"#
        + #""networks":["Visa"],"account":{"id":"8ca8","bank_id":"kiln.01.fi","label":"Household"}}]}"#)
    let listing = try await bench.backend.list(try bench.location("/cards"), ListQuery())
    let item = try await bench.backend.item(listing.rows[0].location)
    for (column, value) in zip(listing.columns, listing.rows[0].values) {
      #expect(item.fields.first { $0.id == column.id }?.value == value, "\(column.id)")
    }
  }
}
