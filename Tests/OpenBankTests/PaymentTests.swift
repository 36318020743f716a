import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite struct PaymentTests {
  private static let account = "/obp/v5.1.0/my/banks/kiln.01.fi/accounts/8ca8/account"
  private static let base = "/obp/v5.1.0/banks/kiln.01.fi/accounts/8ca8/owner"
  private static let requests = "\(base)/transaction-request-types/SANDBOX_TAN/transaction-requests"
  private static let form = [
    "type": "SANDBOX_TAN", "to_bank": "nord.01.fi", "to_account": "1d3e", "amount": "10.5", "description": "rent",
  ]

  private static func request(_ status: String, challenge: Bool = false) -> String {
    let challenges = challenge ? #"[{"id":"b8be","user_id":"u","allowed_attempts":3,"challenge_type":"X"}]"# : "null"
    return #"{"id":"3fa1","type":"SANDBOX_TAN","from":{},"details":{"to_sandbox_tan":{"bank_id":"nord.01.fi","#
      + #""account_id":"1d3e"},"value":{"currency":"EUR","amount":"10.50"},"description":"rent"},"#
      + #""transaction_ids":["58f0"],"status":"\#(status)","challenges":\#(challenges),"charge":{"summary":"c","#
      + #""value":{"currency":"EUR","amount":"0.00"}}}"#
  }

  private func bench(readOnly: Bool = false, answers: [[String: String]] = []) throws -> OpenBankBench {
    let bench = try OpenBankBench(readOnly: readOnly, asker: StubAsker(answers))
    bench.stub.on("GET", PaymentTests.account, body: Bodies.household)
    return bench
  }

  private func pay(_ bench: OpenBankBench, _ form: [String: String] = PaymentTests.form) async throws -> ActionOutcome {
    try await bench.backend.perform("pay", at: try bench.location("/banks/kiln.01.fi/accounts/8ca8"), fields: form)
  }

  @Test func `a payment below the threshold is done at once, with the exact amount`() async throws {
    let bench = try bench()
    bench.stub.on("POST", PaymentTests.requests, status: 201, body: PaymentTests.request("COMPLETED"))
    let outcome = try await pay(bench)
    let sent = try #require(bench.stub.requests.last)
    #expect(
      sent.bodyText == #"{"to":{"bank_id":"nord.01.fi","account_id":"1d3e"},"#
        + #""value":{"currency":"EUR","amount":"10.50"},"description":"rent"}"#)
    #expect(sent.request.freshConnection)
    #expect(!sent.request.isIdempotent)
    #expect(outcome.message.contains("done"))
    #expect(outcome.location?.text == "bank:/banks/kiln.01.fi/accounts/8ca8/requests/3fa1")
  }

  @Test func `a challenge is asked for and asked again after a wrong answer`() async throws {
    let bench = try bench(answers: [["answer": "000"], ["answer": "123"]])
    bench.stub.on("POST", PaymentTests.requests, status: 201, body: PaymentTests.request("INITIATED", challenge: true))
    let challenge = "\(PaymentTests.requests)/3fa1/challenge"
    bench.stub.on("POST", challenge, status: 400, body: Bodies.fault(400, "OBP-40016: Invalid challenge answer."))
    bench.stub.on("POST", challenge, status: 202, body: PaymentTests.request("COMPLETED"))
    let outcome = try await pay(bench)
    #expect(outcome.message.contains("done"))
    #expect(bench.asker.questions.map(\.attemptsLeft) == [3, 2])
    #expect(bench.lines.filter { $0 == "POST \(PaymentTests.requests)" }.count == 1)
    #expect(bench.stub.requests.last?.bodyText == #"{"id":"b8be","answer":"123"}"#)
  }

  @Test func `with nobody to ask the payment waits and says where`() async throws {
    let bench = try bench()
    bench.stub.on("POST", PaymentTests.requests, status: 201, body: PaymentTests.request("INITIATED", challenge: true))
    let outcome = try await pay(bench)
    #expect(outcome.message.contains("answer-challenge"))
    #expect(outcome.location?.text == "bank:/banks/kiln.01.fi/accounts/8ca8/requests/3fa1")
  }

  @Test(arguments: [TransportError.Code.brokenOff, .timedOut])
  func `a lost answer is not repeated and warns of paying twice`(code: TransportError.Code) async throws {
    let bench = try bench()
    bench.stub.on("POST", PaymentTests.requests, fails: code)
    let error = await #expect(throws: ServiceError.self) { try await pay(bench) }
    #expect(error?.advice.contains("may have been made") ?? false)
    #expect(bench.lines.filter { $0.hasPrefix("POST") }.count == 1)
  }

  @Test(arguments: [
    ["amount": "0"], ["amount": "-1"], ["amount": "ten"], ["amount": "1.005"], ["amount": ""], ["to_bank": ""],
    ["type": "CASH"],
  ])
  func `a form that makes no sense is not sent`(wrong: [String: String]) async throws {
    let bench = try bench()
    let form = PaymentTests.form.merging(wrong) { $1 }
    let error = await #expect(throws: ServiceError.self) { try await pay(bench, form) }
    #expect(error?.code == .usage)
    #expect(!bench.lines.contains { $0.hasPrefix("POST") })
  }

  @Test func `a read-only connection shows why it does not pay, and does not`() async throws {
    let bench = try bench(readOnly: true)
    let item = try await bench.backend.item(try bench.location("/banks/kiln.01.fi/accounts/8ca8"))
    #expect(item.actions.first { $0.id == "pay" }?.disabled == "this connection is read-only")
    let error = await #expect(throws: ServiceError.self) { try await pay(bench) }
    #expect(error?.code == .readOnly)
    #expect(!bench.lines.contains { $0.hasPrefix("POST") })
  }

  @Test func `a counterparty is paid at its own place with nothing but an amount`() async throws {
    let bench = try bench()
    let path = PaymentTests.requests.replacing("SANDBOX_TAN", with: "COUNTERPARTY")
    bench.stub.on("POST", path, status: 201, body: PaymentTests.request("COMPLETED"))
    let place = try bench.location("/banks/kiln.01.fi/accounts/8ca8/counterparties/9fc0")
    _ = try await bench.backend.perform("pay", at: place, fields: ["amount": "2"])
    #expect(
      bench.stub.requests.last?.bodyText == #"{"to":{"counterparty_id":"9fc0"},"#
        + #""value":{"currency":"EUR","amount":"2.00"},"description":"","charge_policy":"SHARED"}"#)
  }

  struct Note: Sendable, CustomTestStringConvertible {
    let action: String
    let fields: [String: String]
    let request: String
    let body: String
    var testDescription: String { "\(action) sends \(request) \(body)" }
  }

  @Test(arguments: [
    Note(
      action: "comment", fields: ["text": "too much"], request: "POST /comments", body: #"{"value":"too much"}"#),
    Note(action: "tag", fields: ["text": "food"], request: "POST /tags", body: #"{"value":"food"}"#),
    Note(
      action: "narrative", fields: ["text": "lunch"], request: "PUT /narrative", body: #"{"narrative":"lunch"}"#),
    Note(
      action: "image", fields: ["label": "r", "url": "https://x.example/r.png"], request: "POST /images",
      body: #"{"label":"r","URL":"https://x.example/r.png"}"#),
    Note(
      action: "where", fields: ["latitude": "60.17", "longitude": "24.94"], request: "POST /where",
      body: #"{"where":{"latitude":60.17,"longitude":24.94}}"#),
    Note(action: "remove-comment", fields: ["id": "c1"], request: "DELETE /comments/c1", body: ""),
    Note(action: "remove-narrative", fields: [:], request: "DELETE /narrative", body: ""),
  ])
  func `notes go to their own addresses`(_ note: Note) async throws {
    let bench = try bench()
    let transaction = "\(PaymentTests.base)/transactions/58f0"
    let metadata = #","metadata":{"narrative":"old","comments":[{"id":"c1","value":"x"}],"where":null}}"#
    bench.stub.on("GET", "\(transaction)/transaction", body: Bodies.transaction("58f0").dropLast() + metadata)
    let parts = note.request.split(separator: " ")
    bench.stub.on(String(parts[0]), "\(transaction)/metadata\(parts[1])", status: parts[0] == "DELETE" ? 204 : 201)
    let location = try bench.location("/banks/kiln.01.fi/accounts/8ca8/transactions/58f0")
    _ = try await bench.backend.perform(note.action, at: location, fields: note.fields)
    let sent = try #require(bench.stub.requests.last)
    #expect(sent.line == "\(parts[0]) \(transaction)/metadata\(parts[1])")
    #expect(sent.bodyText == note.body)
  }
}
