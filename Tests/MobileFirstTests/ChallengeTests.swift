import JSON
import Model
import TestKit
import Testing
import Wire

@testable import MobileFirst

@Suite(.bounded) struct ChallengeTests {
  private func answers(_ gate: Gatehouse) throws -> [JSONNode] {
    try gate.requests("preauthorize").map { try JSONDocument($0.body).root["challengeResponse"].node() }
  }

  @Test func `a wrong configured answer is never sent again`() async throws {
    let gate = try Gatehouse(
      answers: ["UserLogin": ["username": "ada", "password": "wrong"]],
      asked: [["username": "ada", "password": "right"]],
      scope: "s")
    gate.challenge(#"{"UserLogin":null}"#)
    gate.challenge(#"{"UserLogin":{"errorMsg":"Wrong credentials","remainingAttempts":2}}"#)
    gate.grant(#"{"UserLogin":{"user":{"id":"ada"}}}"#)
    gate.token("t")
    gate.answer(200)
    _ = try await gate.backend.item(gate.location)
    let wrong: JSONNode = ["UserLogin": ["username": "ada", "password": "wrong"]]
    let right: JSONNode = ["UserLogin": ["username": "ada", "password": "right"]]
    #expect(try answers(gate) == [.null, wrong, right])
    let question = try #require(gate.asker.questions.first)
    #expect(question.attemptsLeft == 2)
    #expect(question.failure == "Wrong credentials")
    guard case .form(let fields, _) = question.kind else {
      Issue.record("it must be a form")
      return
    }
    #expect(fields.map(\.id) == ["username", "password", "rememberMe"])
    #expect(fields[0].initial == "ada")
    #expect(fields[1].initialSecret == nil)
    // The check asks anew: the person is asked, since the configured answer is known to be wrong.
    gate.challenge(#"{"UserLogin":null}"#)
    try await gate.backend.manager.forgetTokens()
    _ = try await gate.backend.item(gate.location)
    try await gate.backend.manager.forgetTokens()
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == .signInRefused)
    #expect(try answers(gate).last == .null)
  }

  @Test func `where nobody can be asked the check and the way are named`() async throws {
    let gate = try Gatehouse(scope: "s")
    gate.challenge(#"{"PinCode":{"errorMsg":null,"remainingAttempts":3}}"#)
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == .signInNeeded)
    #expect(error?.line.contains("PinCode") == true)
    #expect(error?.line.contains("3 attempts left") == true)
  }

  @Test func `several checks are answered together, and silent ones in a second round`() async throws {
    let gate = try Gatehouse(
      answers: [
        "UserLogin": ["username": "ada", "password": "x", "rememberMe": "true"], "Other": ["word": "y"],
        "PinCode": ["pin": "1234"],
      ], scope: "s")
    gate.challenge(#"{"UserLogin":null,"Other":{}}"#)
    gate.challenge(#"{"PinCode":{"remainingAttempts":3}}"#)
    gate.grant()
    gate.token("t")
    gate.answer(200)
    _ = try await gate.backend.item(gate.location)
    let first: JSONNode = [
      "UserLogin": ["username": "ada", "password": "x", "rememberMe": true], "Other": ["word": "y"],
    ]
    #expect(try answers(gate) == [.null, first, ["PinCode": ["pin": "1234"]]])
    #expect(gate.asker.questions.isEmpty)
  }

  @Test func `a check that refuses for good says why`() async throws {
    let gate = try Gatehouse(scope: "s")
    gate.refuse("UserLogin", "Account blocked")
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == .signInRefused)
    #expect(error?.detail == "Account blocked")
    let checks = try await gate.backend.list(Location(connection: "mfp", path: ["checks"]), ListQuery())
    #expect(checks.value("state", in: checks.rows[0]) == .text("failed"))
    #expect(checks.value("remaining", in: checks.rows[0]) == .integer(0))
  }

  @Test func `checks that never stop asking are given up after five rounds`() async throws {
    let gate = try Gatehouse(asked: Array(repeating: ["pin": "1"], count: 20), scope: "s")
    gate.challenge(#"{"PinCode":null}"#)
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == .signInRefused)
    #expect(gate.requests("preauthorize").count == 6)
  }

  @Test func `answer-challenge signs in before the check asks`() async throws {
    let gate = try Gatehouse()
    gate.grant(#"{"UserLogin":{"user":{"id":"ada","displayName":"Ada"}}}"#)
    let check = Location(connection: "mfp", path: ["checks", "UserLogin"])
    let outcome = try await gate.backend.perform(
      "answer-challenge", at: check, fields: ["username": "ada", "password": "x"])
    #expect(outcome.message == "Passed “UserLogin” as Ada.")
    let body = try JSONDocument(try #require(gate.requests("preauthorize").first).body).root
    #expect(body["scope"].string == "UserLogin")
    #expect(body["challengeResponse"]["UserLogin"]["password"].string == "x")
    let item = try await gate.backend.item(check)
    #expect(item.fields.first { $0.id == "state" }?.value == .text("success"))
    #expect(
      item.actions.first { $0.id == "answer-challenge" }?.fields.map(\.id) == ["username", "password", "rememberMe"])
  }

  /// Otherwise somebody else would be signed in than the one who was named.
  @Test func `a wrong answer of a person is not followed by the configured one`() async throws {
    let gate = try Gatehouse(answers: ["UserLogin": ["username": "ada", "password": "x"]])
    gate.challenge(#"{"UserLogin":{"errorMsg":"Wrong credentials","remainingAttempts":1}}"#)
    let check = Location(connection: "mfp", path: ["checks", "UserLogin"])
    let error = await #expect(throws: ServiceError.self) {
      try await gate.backend.perform("answer-challenge", at: check, fields: ["username": "bob", "password": "y"])
    }
    #expect(error?.code == .signInRefused)
    #expect(error?.line.contains("1 attempt left") == true)
    #expect(gate.requests("preauthorize").count == 1)
  }

  @Test func `a notice to the user is answered by its number`() async throws {
    let gate = try Gatehouse(scope: "s")
    gate.challenge(#"{"wl_remoteDisableRealm":{"message":"Maintenance","messageId":7,"messageType":"NOTIFY"}}"#)
    gate.grant()
    gate.token("t")
    gate.answer(200)
    _ = try await gate.backend.item(gate.location)
    #expect(try answers(gate).last == ["wl_remoteDisableRealm": ["messageId": 7]])
  }
}
