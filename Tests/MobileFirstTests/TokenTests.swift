import JSON
import Model
import TestKit
import Testing
import Wire

@testable import MobileFirst

@Suite(.bounded) struct TokenTests {
  @Test func `ten who want the same token share one authorization`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("t")
    let manager = gate.backend.manager
    let values = try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<10 { group.addTask { try await manager.accessToken().value } }
      var values: Set<Secret> = []
      for try await value in group { values.insert(value) }
      return values
    }
    #expect(values == [Secret("t")])
    #expect(gate.requests("az/v1/token").count == 1)
    #expect(gate.requests("registration").count == 1)
  }

  @Test func `an ended token is renewed by its refresh token, which is replaced`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("one", expires: 60, refresh: "r1")
    gate.token("two", expires: 60, refresh: "r2")
    #expect(try await gate.backend.manager.accessToken().value == Secret("one"))
    gate.clock.move(seconds: 61)
    #expect(gate.backend.manager.heldTokens.isEmpty)
    #expect(try await gate.backend.manager.accessToken().refreshToken == Secret("r2"))
    let form = gate.form(gate.requests("az/v1/token")[1])
    #expect(form["grant_type"] == "refresh_token")
    #expect(form["refresh_token"] == "r1")
    #expect(gate.requests("az/v1/authorization").count == 1)
  }

  @Test func `a refresh token that is no good leads to a new grant`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("one", expires: 60, refresh: "r1")
    gate.stub.on("POST", "\(Gatehouse.api)/az/v1/token", status: 400, body: #"{"error":"invalid_grant"}"#)
    gate.token("two")
    _ = try await gate.backend.manager.accessToken()
    gate.clock.move(seconds: 61)
    #expect(try await gate.backend.manager.accessToken().value == Secret("two"))
    #expect(gate.requests("az/v1/authorization").count == 2)
  }

  @Test func `key, client id, tokens and scopes outlive the process where they are kept`() async throws {
    let keeper = StubKeeper()
    let first = try Gatehouse(keeper: keeper, scope: "s")
    first.grant()
    first.token("t")
    first.answer(200)
    _ = try await first.backend.item(first.location)
    let second = try Gatehouse(keeper: keeper, scope: "s")
    second.answer(200)
    _ = try await second.backend.item(second.location)
    #expect(second.lines == ["GET \(Gatehouse.resource)"])
    #expect(second.backend.manager.clientID == "client-1")
  }

  @Test func `a registration made for another server is not used`() async throws {
    let keeper = StubKeeper()
    let first = try Gatehouse(keeper: keeper)
    first.grant()
    first.token("t")
    _ = try await first.backend.manager.accessToken()
    let text = try #require(keeper.all["mfp/registration"]).reveal()
    try await keeper.keep(Secret(text.replacing("127.0.0.1", with: "elsewhere")), named: "mfp/registration")
    let second = try Gatehouse(keeper: keeper)
    second.grant()
    second.token("u")
    #expect(try await second.backend.manager.accessToken().value == Secret("u"))
    #expect(second.requests("registration").count == 1)
  }

  @Test func `a client that the server forgot registers once more, and only once`() async throws {
    let gate = try Gatehouse()
    gate.stub.on(
      "POST", "\(Gatehouse.api)/preauth/v1/preauthorize", status: 400,
      body: #"{"errorCode":"INVALID_CLIENT_ID","errorMsg":"unknown"}"#)
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.manager.accessToken() }
    #expect(error?.serverCode == "INVALID_CLIENT_ID")
    #expect(gate.requests("registration").count == 2)
    gate.grant()
    gate.token("t")
  }

  @Test func `signing out of a check drops every token`() async throws {
    let gate = try Gatehouse()
    gate.grant(#"{"UserLogin":{"user":{"id":"ada"}}}"#)
    gate.token("t")
    gate.stub.on("POST", "\(Gatehouse.api)/preauth/v1/logout", body: "{}")
    _ = try await gate.backend.manager.accessToken()
    #expect(try await gate.backend.signInState(verifying: false).user == "ada")
    try await gate.backend.signOut(SignOutRequest(check: "UserLogin"))
    let form = gate.form(try #require(gate.requests("logout").first))
    #expect(form["security_check"] == "UserLogin")
    #expect(form["client_assertion"] != nil)
    #expect(gate.backend.manager.heldTokens.isEmpty)
    #expect(try await gate.backend.signInState(verifying: false).isSignedIn == false)
  }

  @Test func `a confidential client shows id and secret, and passes no checks`() async throws {
    let gate = try Gatehouse(
      answers: ["UserLogin": ["username": "ada"]],
      auth: ["method": "confidential", "clientID": "test", "clientSecret": "test"], scope: "s")
    gate.token("t")
    gate.answer(200)
    _ = try await gate.backend.item(gate.location)
    #expect(gate.lines == ["POST /az/v1/token", "GET \(Gatehouse.resource)"])
    #expect(gate.stub.requests[0].request.headers["Authorization"] == "Basic dGVzdDp0ZXN0")
    #expect(gate.form(gate.stub.requests[0])["grant_type"] == "client_credentials")
    let item = try await gate.backend.item(Location(connection: "mfp", path: ["checks", "UserLogin"]))
    #expect(item.actions.allSatisfy { $0.disabled != nil })
  }

  @Test func `a token's text shows nowhere`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("tok3n-text")
    _ = try await gate.backend.manager.accessToken()
    let tokens = try await gate.backend.list(Location(connection: "mfp", path: ["tokens"]), ListQuery())
    let item = try await gate.backend.item(tokens.rows[0].location)
    var text = ""
    dump(gate.backend.manager, to: &text)
    #expect(!"\(tokens)\(item)\(text)".contains("tok3n-text"))
    _ = try await gate.backend.delete(tokens.rows[0].location)
    #expect(gate.backend.manager.heldTokens.isEmpty)
  }

  @Test func `a redirect without a code says why`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    let stub = gate.stub
    stub.on("GET", "\(Gatehouse.api)/az/v1/authorization", status: 222, headers: ["Location": "x?code=5"])
    gate.token("t")
    _ = try await gate.backend.manager.accessToken()
    try await gate.backend.manager.forgetTokens()
    stub.on(
      "GET", "\(Gatehouse.api)/az/v1/authorization", status: 302,
      headers: ["Location": "http://mfpredirecturi?errorCode=E1&errorMsg=not+now"])
    _ = try await gate.backend.manager.accessToken()
    try await gate.backend.manager.forgetTokens()
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.manager.accessToken() }
    #expect(error?.serverCode == "E1")
    #expect(error?.detail == "not now")
  }

  @Test func `who waits and is cancelled stops waiting`() async throws {
    let gate = Gate()
    #expect(await gate.enter())
    let waiting = Task { await gate.enter() }
    waiting.cancel()
    #expect(await waiting.value == false)
    gate.leave()
    #expect(await gate.enter())
  }
}
