import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

/// What servers of the field do that clients get wrong, by the number it has in the reference, section 8.
@Suite(.bounded) struct TrapTests {
  private static let root = "/obp/v5.1.0"
  private static let account = "/banks/kiln.01.fi/accounts/8ca8"
  private static let own = "\(root)/my\(account)"

  private func json(_ text: String) throws -> OpenBankAnswer {
    try OpenBankAnswer(
      HTTPResponse(
        status: 200, body: Array(text.utf8), url: try #require(OpenBankCall("GET", to: "http://x", "").asURL)),
      "read")
  }

  @Test func `1: a server without OAuth 1.0a is no failure of the probe`() async throws {
    let bench = try OpenBankBench(signedIn: false)
    let gone = Bodies.fault(404, "OBP-10404: 404 Not Found.")
    bench.stub.on("GET", "\(TrapTests.root)/root", body: #"{"version":"v5.1.0"}"#)
    for version in ["v6.0.0", "v4.0.0", "v3.1.0", "v2.0.0"] {
      bench.stub.on("GET", "/obp/\(version)/root", status: 404, body: gone)
    }
    bench.stub.on("POST", "/oauth/initiate", status: 404, body: gone)
    bench.stub.on("POST", "/my/logins/direct", status: 400, body: Bodies.fault(400, "OBP-20082: none"))
    bench.stub.on("GET", "\(TrapTests.root)/well-known", status: 404, body: gone)
    let probe = try await bench.backend.client.probe()
    #expect(probe.generation == .http4s)
    #expect(probe.methods == [.none, .direct])
  }

  @Test(arguments: [200, 201]) func `2: DirectLogin is done with 200 and with 201`(status: Int) async throws {
    let bench = try OpenBankBench(signedIn: false)
    bench.stub.on("POST", "/my/logins/direct", status: status, body: Bodies.token)
    #expect(try await bench.backend.signIn(SignInRequest()).isSignedIn)
  }

  @Test func `2: a password with a comma is not sent at all`() async throws {
    let bench = try OpenBankBench(password: "one,two", signedIn: false)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error?.detail?.contains("comma") ?? false)
    #expect(bench.lines.isEmpty)
  }

  @Test(arguments: ["OBP-50005: An unspecified or internal error occurred.", "OBP-20003: invalid or expired"])
  func `3: a 400 with these codes is a session that has ended`(message: String) async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.root)/my/accounts", status: 400, body: Bodies.fault(400, message))
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/accounts"), ListQuery())
    }
    #expect(error?.code == .signInNeeded)
  }

  @Test func `3: an error without a reason makes no writing call go out again`() async throws {
    let bench = try OpenBankBench()
    let path = "\(TrapTests.root)\(TrapTests.account)"
    bench.stub.on("POST", path, status: 400, body: Bodies.fault(400, "OBP-50005: An unspecified error occurred."))
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform("rename", at: try bench.location(TrapTests.account), fields: ["label": "x"])
    }
    #expect(error?.code != .signInNeeded)
    #expect(bench.keeper.all.count == 1)
  }

  @Test func `4: a 401 to a call without the token ends no session`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.root)/banks", status: 401, body: Bodies.fault(401, "OBP-20001: nobody"))
    var options = OpenBankMarshal.Options()
    options.isPublic = true
    await #expect(throws: ServiceError.self) { try await OpenBankMarshal(bench.backend.client).get("banks", options) }
    #expect(bench.keeper.all.count == 1)
    #expect(bench.stub.requests[0].request.headers["DirectLogin"] == nil)
  }

  @Test(arguments: [
    #"{"code":404,"message":"OBP-30001: Bank not found."}"#, #"{"error":"OBP-30001: Bank not found."}"#,
    "OBP-30001: Bank not found.", "<html><body>OBP-30001: Bank not found.</body></html>",
  ])
  func `5: a refusal is read from message, error, plain text and a simple page`(body: String) async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.root)/banks/b", status: 404, body: body)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.item(try bench.location("/banks/b"))
    }
    #expect(error?.code == .notFound)
    #expect(error?.serverCode == "OBP-30001")
  }

  @Test func `6: paging goes out in the query and in the headers, and a server that ignores it is noticed`()
    async throws
  {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.own)/transactions", body: Bodies.transactions(["a", "b", "c"]))
    let place = try bench.location("\(TrapTests.account)/transactions")
    let first = try await bench.backend.list(place, ListQuery(limit: 2))
    let sent = try #require(bench.stub.requests.last)
    #expect(sent.line.contains("limit=3&offset=0"))
    #expect(sent.request.headers["obp_limit"] == "3")
    let second = try await bench.backend.list(place, ListQuery(limit: 2, cursor: first.next))
    #expect(second.rows.isEmpty && second.next == nil)
    #expect(second.notices.contains { $0.contains("ignores paging") })
  }

  @Test func `7: filter dates have milliseconds, and a plus in an offset survives the address`() throws {
    #expect(OpenBankDate.text(Timestamp(seconds: 1_796_030_100)) == "2026-11-30T09:15:00.000Z")
    #expect(OpenBankDate.time("2026-11-30T09:15:00Z") == OpenBankDate.time("2026-11-30T09:15:00.000Z"))
    var call = OpenBankCall("GET", to: "http://x/y", "ask")
    call.query = [("from_date", "2026-11-30T11:15:00.000+0200")]
    #expect(call.url.contains("%2B0200"))
  }

  @Test(arguments: ["/my/accounts", "/accounts/public"])
  func `8: lists of accounts may be bare arrays`(path: String) async throws {
    let bench = try OpenBankBench(url: "\(OpenBankBench.origin)/obp/v2.0.0")
    bench.stub.on("GET", "/obp/v2.0.0\(path)", body: #"[{"id":"8ca8","label":"L","bank_id":"kiln.01.fi"}]"#)
    let accounts =
      path == "/my/accounts"
      ? try await bench.backend.client.accounts() : try await bench.backend.client.publicAccounts()
    #expect(accounts.map(\.id.account) == ["8ca8"])
  }

  @Test func `9: the version decides the call, not the path alone`() async throws {
    let bench = try OpenBankBench(url: "\(OpenBankBench.origin)/obp/v2.0.0")
    bench.stub.on("GET", "/obp/v2.0.0/users/current", body: #"{"entitlements":{"list":[{"role_name":"R"}]}}"#)
    let roles = try await bench.backend.list(try bench.location("/me/entitlements"), ListQuery())
    #expect(roles.texts == [["null", "R", "null"]])
  }

  @Test(arguments: [
    (#"{"transaction_ids":"58f0"}"#, ["58f0"]), (#"{"transaction_ids":["58f0"]}"#, ["58f0"]),
    (#"{"transaction_ids":""}"#, []), (#"{"transaction_ids":[""]}"#, []), (#"{"transaction_ids":null}"#, []),
  ])
  func `10: transaction ids are a text or a list, and may be nothing`(body: String, ids: [String]) throws {
    let request = PaymentRequest(try json(body).root)
    #expect(request.transactions == ids)
    #expect(request.challenge == nil)
  }

  @Test func `11: renamed members are read under each of their names`() throws {
    let bank = Bank(try json(#"{"bank_id":"b","bank_code":"B"}"#).root)
    #expect(bank.id == "b" && bank.shortName == "B")
    let account = Account(try json(#"{"account_id":"a","product_code":"CUR1","views_basic":["owner"]}"#).root)
    #expect(account.id.account == "a" && account.type == "CUR1" && account.views.map(\.id) == ["owner"])
  }

  @Test func `12: revoking a consent is a GET that goes out once`() async throws {
    let bench = try OpenBankBench()
    let path = "\(TrapTests.root)/banks/kiln.01.fi/my/consents/c1/revoke"
    bench.stub.on("GET", path, body: #"{"consent_id":"c1","status":"REVOKED"}"#)
    let outcome = try await bench.backend.perform(
      "revoke", at: try bench.location("/banks/kiln.01.fi/consents/c1"), fields: [:])
    #expect(outcome.message == "The consent is REVOKED.")
    let sent = try #require(bench.stub.requests.last?.request)
    #expect(!sent.isIdempotent && sent.freshConnection)
  }

  @Test func `13: every POST says that it is JSON, also an empty one`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("POST", "\(TrapTests.root)/things", status: 201, body: "{}")
    _ = try await OpenBankMarshal(bench.backend.client).create("things", .json([:]))
    #expect(bench.stub.requests[0].request.headers["Content-Type"] == "application/json")
    #expect(bench.stub.requests[0].bodyText == "{}")
  }

  @Test func `14: without the owner's view the held view is looked through`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(TrapTests.own)/account", status: 400, body: Bodies.fault(400, "OBP-20019: no owner view"))
    bench.stub.on(
      "GET", "\(TrapTests.root)/banks/kiln.01.fi/accounts/private",
      body: #"{"accounts":[{"id":"8ca8","bank_id":"kiln.01.fi","views":[{"id":"auditor"}]}]}"#)
    bench.stub.on("GET", "\(TrapTests.root)\(TrapTests.account)/auditor/account", body: Bodies.household)
    let found = try await bench.backend.client.account(AccountID(bank: "kiln.01.fi", account: "8ca8"))
    #expect(found.number == "000785")
  }

  @Test func `15: an empty box is told as what it means`() throws {
    let fault = OpenBankFault(
      HTTPResponse(
        status: 400, body: Array(Bodies.fault(400, "OBP-50010: Scala return Empty box to Liftweb.").utf8),
        url: try #require(OpenBankCall("GET", to: "http://x", "").asURL)))
    let error = fault.error("open it")
    #expect(error.code == .forbidden)
    #expect(!error.message.contains("Scala"))
  }

  @Test func `16: public views that are switched off are an empty list, and a reason for a single one`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.root)/accounts/public", body: #"{"accounts":[]}"#)
    #expect(try await bench.backend.client.publicAccounts().isEmpty)
    bench.stub.on(
      "GET", "\(TrapTests.root)\(TrapTests.account)/_public/account", status: 400,
      body: Bodies.fault(400, "OBP-00005: Public views not allowed on this instance."))
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.item(try bench.location("\(TrapTests.account)?view=_public"))
    }
    #expect(error?.code == .notOffered)
  }

  @Test func `17: the callback that goes out is the registered one, to the letter`() async throws {
    let settings: Settings = .table([
      "url": "\(OpenBankBench.origin)/obp/v4.0.0", "auth.method": "oauth1", "auth.consumerKey": "key",
      "auth.consumerSecret": "words", "auth.redirectURL": "http://localhost:18999/back",
    ])
    let stub = StubTransport()
    stub.on("POST", "/oauth/initiate", status: 401, body: "Invalid signature")
    let backend = try OpenBankBackend(
      connection: Connection(name: "bank", kind: .openbank, settings: settings), transport: stub,
      surroundings: .stub())
    await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    let header = stub.requests[0].request.headers["Authorization"] ?? ""
    #expect(header.contains("oauth_callback=\"http%3A%2F%2Flocalhost%3A18999%2Fback\""))
  }

  @Test(arguments: [
    "http://evil.example:18999/back", "http://me:pw@127.0.0.1:18999/back", "https://127.0.0.1:18999/back",
    "http://127.0.0.1/back", "http://127.0.0.1.evil.example:18999/back", "http://127.0.0.1@evil.example:18999/back",
  ])
  func `17: a callback that leads off this machine never goes out`(_ callback: String) async throws {
    let settings: Settings = .table([
      "url": "\(OpenBankBench.origin)/obp/v4.0.0", "auth.method": "oauth1", "auth.consumerKey": "key",
      "auth.consumerSecret": "words", "auth.redirectURL": callback,
    ])
    let stub = StubTransport()
    let backend = try OpenBankBackend(
      connection: Connection(name: "bank", kind: .openbank, settings: settings), transport: stub,
      surroundings: .stub())
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    #expect(error?.code == .configuration && stub.requests.isEmpty)
  }

  @Test func `18: signatures are made over the server's own idea of its address`() async throws {
    let signer = OAuth1Signer(
      consumerKey: "k", consumerSecret: Secret("s"), serverURL: OpenBankCall("GET", to: "https://public", "").asURL)
    let tunnel = try #require(OpenBankCall("GET", to: "http://127.0.0.1:9999/obp/v4.0.0/banks", "").asURL)
    let name = try #require(OpenBankCall("GET", to: "https://public/obp/v4.0.0/banks", "").asURL)
    let plain = OAuth1Signer(consumerKey: "k", consumerSecret: Secret("s"))
    let now = Timestamp(seconds: 1)
    #expect(
      signer.authorization("GET", tunnel, token: nil, nonce: "n", now: now)
        == plain.authorization("GET", name, token: nil, nonce: "n", now: now))
  }

  @Test(arguments: ["a;b", "a+b", "a*b", "a~b", "ä", "a&b=c"])
  func `19: a query value is encoded once in the address`(value: String) throws {
    var call = OpenBankCall("GET", to: "http://x/y", "ask")
    call.query = [("q", value)]
    let query = try #require(call.asURL?.query(percentEncoded: true))
    #expect(URLForm.decode(query).first?.value == value)
    #expect(!query.contains("%25"))
  }

  @Test func `20: no value of the OAuth header holds a raw space`() throws {
    let signer = OAuth1Signer(consumerKey: "a key", consumerSecret: Secret("s"))
    let url = try #require(OpenBankCall("GET", to: "http://x/y", "").asURL)
    let header = signer.authorization("GET", url, token: nil, nonce: "n", now: Timestamp(seconds: 1))
    #expect(header.hasPrefix("OAuth "))
    #expect(header.dropFirst(6).split(separator: ",").allSatisfy { !$0.drop(while: { $0 == " " }).contains(" ") })
  }

  @Test func `21: lists keep the server's order by booking, and amounts may be anything exact`() async throws {
    let bench = try OpenBankBench()
    let bodies = [
      Bodies.transaction("future", amount: "0.001", completed: "2031-01-01T00:00:00Z"),
      Bodies.transaction("now", amount: "-5", completed: "2026-11-28T10:02:11Z"),
    ]
    bench.stub.on(
      "GET", "\(TrapTests.own)/transactions", body: #"{"transactions":[\#(bodies.joined(separator: ","))]}"#)
    let listing = try await bench.backend.list(try bench.location("\(TrapTests.account)/transactions"), ListQuery())
    #expect(listing.rows.map { $0.values[0].exactText } == ["future", "now"])
    #expect(listing.rows.map { listing.value("amount", in: $0).exactText } == ["0.001", "-5.00"])
  }

  @Test func `22: hidden, empty and missing are told apart`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(TrapTests.own)/account",
      body: #"{"id":"8ca8","bank_id":"kiln.01.fi","label":"","number":null,"balance":{"currency":"EUR","amount":null}}"#
    )
    let item = try await bench.backend.item(try bench.location(TrapTests.account))
    let field = { (id: String) in item.fields.first { $0.id == id } }
    #expect(field("label")?.value == .text(""))
    #expect(field("number")?.value == .null)
    #expect(field("owners") == nil)
    #expect(item.notices == ["The view “owner” hides: number, balance."])
  }

  @Test func `23: ids with dots and views with an underscore are names like others`() throws {
    let place = try Location(parsing: "bank:/banks/kiln.01.fi/accounts/a.b-c_d/transactions?view=_team")
    #expect(
      try OpenBankPlace(place) == .accountList(AccountID(bank: "kiln.01.fi", account: "a.b-c_d"), .transactions))
    #expect(place.view == "_team")
  }

  @Test func `24: members in mixed case are read by hand`() throws {
    let metadata = try json(#"{"id":"o","IBAN":"FI55","metadata":{"URL":"u","image_URL":"i"}}"#).root
    #expect(OtherAccount(metadata).iban == "FI55")
    let remark = Transaction.Remark(try json(#"{"label":"receipt","URL":"https://x"}"#).root)
    #expect(remark.url == "https://x")
  }

  @Test(arguments: [("\"true\"", "true"), ("\"\"", "null"), ("true", "true"), ("null", "null")])
  func `25: flags may be texts`(written: String, read: String) throws {
    let value = try json(#"{"is_accessible":\#(written)}"#).root["is_accessible"].flag
    #expect((value.isNull ? "null" : value.exactText) == read)
  }

  @Test func `26: paging still works where a proxy drops headers with an underscore`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.own)/transactions", body: Bodies.transactions(["a"]))
    _ = try await bench.backend.list(try bench.location("\(TrapTests.account)/transactions"), ListQuery(limit: 7))
    #expect(bench.lines.last?.contains("limit=8") ?? false)
  }

  @Test func `27: no limit that is named is not a limit of zero`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.root)/root", body: #"{"version":"v5.1.0"}"#)
    bench.stub.on("GET", "\(TrapTests.root)/rate-limiting", body: #"{"is_active":false}"#)
    let item = try await bench.backend.item(try bench.location("/api"))
    #expect(!item.fields.contains { $0.id == "rate_remaining" })
    #expect(RateLimit(["X-Rate-Limit-Limit": "-1", "X-Rate-Limit-Remaining": "-1"]) == nil)
  }

  @Test func `28: the docs are kept, and asked for again only by their tag`() async throws {
    let bench = try OpenBankBench()
    let docs = "\(TrapTests.root)/resource-docs/v5.1.0/obp"
    bench.stub.on("GET", docs, headers: ["ETag": "t1"], body: APITests.docs)
    bench.stub.on("GET", docs, status: 304)
    let place = try bench.location("/api/endpoints")
    let first = try await bench.backend.list(place, ListQuery())
    let second = try await bench.backend.list(place, ListQuery())
    #expect(first.texts == second.texts && !first.rows.isEmpty)
    #expect(bench.stub.requests.last?.request.headers["If-None-Match"] == "t1")
  }

  @Test func `29: a token that the server echoes is in no message`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(TrapTests.root)/users/current", status: 401,
      body: Bodies.fault(401, "OBP-20003: This DirectLogin token is invalid or expired:old.jwt.token"))
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.item(try bench.location("/me")) }
    #expect(error.map { !$0.message.contains("old.jwt") && !$0.debugDescription.contains("old.jwt") } ?? false)
  }

  @Test func `30: what other people wrote keeps its bytes and is made harmless where it is printed`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.own)/account", body: #"{"id":"8ca8","label":"\u001b[2Jboo"}"#)
    let item = try await bench.backend.item(try bench.location(TrapTests.account))
    let label = item.fields.first { $0.id == "label" }?.value.exactText ?? ""
    #expect(label == "\u{1B}[2Jboo")
    #expect(!Visible.line(label).unicodeScalars.contains("\u{1B}"))
  }

  @Test func `31: a payment whose answer is lost goes out once`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.own)/account", body: Bodies.household)
    let types = "\(TrapTests.root)\(TrapTests.account)/owner/transaction-request-types"
    bench.stub.on("POST", "\(types)/SEPA/transaction-requests", fails: .brokenOff)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform(
        "pay", at: try bench.location(TrapTests.account),
        fields: ["type": "SEPA", "iban": "FI55", "amount": "1", "description": "x"])
    }
    #expect(error?.advice.contains("may have been made") ?? false)
    #expect(bench.lines.count { $0.hasPrefix("POST") } == 1)
  }

  @Test func `32: the provider stands beside the user name`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(TrapTests.root)/users/current", body: #"{"user_id":"b2","username":"ada","provider":"https://idp"}"#)
    let item = try await bench.backend.item(try bench.location("/me"))
    #expect(item.fields.first { $0.id == "provider" }?.value == .text("https://idp"))
  }

  @Test func `33: of a chain of causes the last one counts`() throws {
    let fault = OpenBankFault(
      HTTPResponse(
        status: 400, body: Array(Bodies.fault(400, "OBP-10016: Invalid filter. <- OBP-10025: wrong value").utf8),
        url: try #require(OpenBankCall("GET", to: "http://x", "").asURL)))
    #expect(fault.code == "OBP-10025")
  }

  @Test func `34: a challenge is answered below the request, whatever link it carries`() async throws {
    let bench = try OpenBankBench(asker: StubAsker([["answer": "000"], ["answer": "123"]]))
    bench.stub.on("GET", "\(TrapTests.own)/account", body: Bodies.household)
    let requests =
      "\(TrapTests.root)\(TrapTests.account)/owner/transaction-request-types/SEPA/transaction-requests"
    bench.stub.on(
      "POST", requests, status: 201,
      body: #"{"id":"r1","type":"SEPA","status":"INITIATED","challenges":[{"id":"c1","link":"https://else.where/x"}]}"#)
    bench.stub.on(
      "POST", "\(requests)/r1/challenge", status: 400, body: Bodies.fault(400, "OBP-40016: wrong answer"))
    bench.stub.on("POST", "\(requests)/r1/challenge", status: 202, body: #"{"id":"r1","status":"COMPLETED"}"#)
    let outcome = try await bench.backend.perform(
      "pay", at: try bench.location(TrapTests.account), fields: ["type": "SEPA", "iban": "FI55", "amount": "1"])
    #expect(outcome.message.contains("done"))
    #expect(bench.stub.requests.allSatisfy { $0.request.url.absoluteString.hasPrefix(OpenBankBench.origin) })
  }

  @Test(arguments: ["OBP-60009: Transaction not found.", "OBP-30067: Transaction not found."])
  func `35: a transaction that is not there is not found, with either code`(message: String) async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(TrapTests.root)\(TrapTests.account)/owner/transactions/t/transaction", status: 400,
      body: Bodies.fault(400, message))
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.item(try bench.location("\(TrapTests.account)/transactions/t"))
    }
    #expect(error?.code == .notFound)
  }

  @Test func `36: an auditor's views are those that the lists named`() async throws {
    let bench = try OpenBankBench()
    let account = AccountID(bank: "kiln.01.fi", account: "8ca8")
    bench.backend.client.remember([ViewSummary(id: "auditor", name: "Auditor", isPublic: false)], of: account)
    bench.stub.on(
      "GET", "\(TrapTests.root)\(TrapTests.account)/views", status: 400,
      body: Bodies.fault(400, "OBP-20022: no can_see_available_views"))
    let views = try await bench.backend.list(try bench.location("\(TrapTests.account)/views"), ListQuery())
    #expect(views.rows.map { $0.values[0].exactText } == ["auditor"])
    #expect(views.notices.count == 1)
  }

  @Test func `37: numbers and balances come from each account's own call, for the page that is shown`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "\(TrapTests.root)/my/accounts", body: Bodies.privateAccounts)
    bench.stub.on("GET", "\(TrapTests.own)/account", body: Bodies.household)
    let page = try await bench.backend.list(try bench.location("/accounts"), ListQuery(limit: 1))
    #expect(page.value("number", in: page.rows[0]) == .text("000785"))
    #expect(bench.lines.count == 2)
  }

  @Test func `38: cards are picked out of one's own by their account, and have an id without a role`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "\(TrapTests.root)/cards",
      body:
        #"{"cards":[{"bank_card_number":"4000001234","serial_number":"9","account":{"id":"8ca8","bank_id":"kiln.01.fi"}},"#
        + #"{"bank_card_number":"4000005678","account":{"id":"other","bank_id":"kiln.01.fi"}}]}"#)
    let cards = try await bench.backend.list(try bench.location("\(TrapTests.account)/cards"), ListQuery())
    #expect(cards.rows.map { $0.values[0].exactText } == ["1234-9"])
  }
}
