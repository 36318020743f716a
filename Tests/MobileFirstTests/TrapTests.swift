import Crypto
import JSON
import Model
import TestKit
import Testing
import Wire

@testable import MobileFirst

/// What people tripped over, by the numbers of reference/mobilefirst.md section 7.
@Suite(.bounded) struct TrapTests {
  @Test func `1: the 401 of preauthorize is normal traffic, not a failure`() async throws {
    let gate = try Gatehouse(answers: ["PinCode": ["pin": "1"]], scope: "s")
    gate.challenge(#"{"PinCode":{"errorMsg":null,"remainingAttempts":3}}"#)
    gate.grant()
    gate.token("t")
    gate.answer(200)
    _ = try await gate.backend.item(gate.location)
    #expect(gate.requests("preauthorize").count == 2)
  }

  @Test func `2: a challenge without a handler of exactly its name ends the call`() async throws {
    let handlers = ChallengeHandlers(["userlogin": Answering(["username": "ada"])])
    let gate = try Kit(handlers)
    gate.gatehouse.challenge(#"{"UserLogin":null}"#)
    let error = await #expect(throws: ServiceError.self) { try await gate.manager.accessToken() }
    #expect(error.map(MobileFirstErrorCode.init) == .missingChallengeHandler)
    handlers.register(Answering(["username": "ada"]), for: "UserLogin")
    gate.gatehouse.challenge(#"{"UserLogin":null}"#)
    gate.gatehouse.grant()
    gate.gatehouse.token("t")
    #expect(try await gate.manager.accessToken().value == Secret("t"))
  }

  @Test func `3: login needs no challenge before it`() async throws {
    let gate = try Kit(ChallengeHandlers())
    gate.gatehouse.grant(#"{"UserLogin":{"user":{"id":"ada"}}}"#)
    let success = try await gate.manager.login(check: "UserLogin", credentials: ["username": "ada"])
    #expect(success?.userID == "ada")
    // It brings the check to success; a token is still to be obtained.
    #expect(gate.manager.heldTokens.isEmpty)
  }

  @Test func `4: a login to one check is no answer to another, whatever scope it guards`() async throws {
    let gate = try Gatehouse(answers: ["PinCode": ["pin": "1"]])
    gate.stub.on("POST", "\(Gatehouse.api)/preauth/v1/preauthorize") { recorded throws(TransportError) in
      let answered = (try? JSONDocument(recorded.body))?.root["challengeResponse"]
      let isLet = answered?["UserLogin"].exists == true || answered?["PinCode"].exists == true
      let body = isLet ? #"{"successes":{}}"# : #"{"challenges":{"PinCode":{"remainingAttempts":3}}}"#
      return HTTPResponse(status: isLet ? 200 : 401, body: Array(body.utf8), url: recorded.request.url)
    }
    gate.token("t")
    _ = try await gate.backend.manager.login(check: "UserLogin", credentials: ["username": "ada"])
    _ = try await gate.backend.manager.accessToken(for: Scope("transferPrivilege"))
    let scopes = try gate.requests("preauthorize").map { try JSONDocument($0.body).root["scope"].string }
    #expect(scopes == ["UserLogin", "RegisteredClient transferPrivilege", "RegisteredClient transferPrivilege"])
  }

  @Test func `5: the redirect to the host that does not exist is never followed`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("t")
    _ = try await gate.backend.manager.accessToken()
    #expect(gate.requests("az/v1/authorization").allSatisfy { !$0.request.followsRedirects })
    #expect(!gate.lines.contains { $0.contains("mfpredirecturi") })
  }

  @Test(arguments: ["-4120995331187734021", "9223372036854775807", "-1", "opaque-text"])
  func `6: a grant code is opaque text, minus sign and all`(_ code: String) async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("t")
    gate.stub.on(
      "GET", "\(Gatehouse.api)/az/v1/authorization", status: 302,
      headers: ["Location": "http://mfpredirecturi?code=\(code)"])
    _ = try await gate.backend.manager.accessToken()
    try await gate.backend.manager.forgetTokens()
    _ = try await gate.backend.manager.accessToken()
    let form = gate.form(gate.requests("az/v1/token")[1])
    #expect(form["code"] == code)
    let claims = try JSONDocument(try #require(JWS(form["client_assertion"] ?? "")).payload).root
    #expect(claims["jti"].string == code)
  }

  @Test func `7: assertions count milliseconds, tokens and introspection count seconds`() async throws {
    let gate = try Gatehouse(auth: ["method": "confidential", "clientID": "test", "clientSecret": "test"])
    gate.token("own", expires: 3599)
    gate.stub.on(
      "POST", "\(Gatehouse.api)/az/v1/introspection",
      body: #"{"active":true,"scope":"RegisteredClient a","client_id":"c","username":"ada","exp":1796043600}"#)
    let said = try await gate.backend.manager.introspect(Secret("subject"))
    #expect(said.expires == Timestamp(seconds: 1_796_043_600))
    let token = try await gate.backend.manager.accessToken(
      for: Scope("authorization.introspect", addingStandard: false))
    #expect(token.expires == gate.clock.now().adding(seconds: 3599))
  }

  @Test func `8: the address of a registration names neither v1 nor self`() async throws {
    for (location, id) in [
      ("/mfp/api/registration/clients/5b0c8f0e", "5b0c8f0e"), ("https://h/mfp/api/registration/clients/x", "x"),
      ("/mfp/api/registration/v1/self/y", nil), ("", nil),
    ] {
      let stub = StubTransport()
      stub.on("POST", "\(Gatehouse.api)/registration/v1/self", status: 201, headers: ["Location": location])
      let server = try AuthorizationServer(address: "http://127.0.0.1:1/mfp", transport: stub)
      let registered = try? await server.register([:])
      #expect(registered == id, "\(location)")
    }
  }

  /// The product writes a modulus as Java does, with a zero byte before a set highest bit; ours is the plain one, and the
  /// signature holds over the parts as they were sent.
  @Test func `9: parts are URL Base64 without padding, and a modulus has no byte too many`() async throws {
    let gate = try Gatehouse()
    gate.grant()
    gate.token("t")
    _ = try await gate.backend.manager.accessToken()
    let parts = try JSONDocument(gate.requests("registration")[0].body).root["signedRegistrationData"]
    let texts = ["header", "payload", "signature"].map { parts[$0].string ?? "" }
    for text in texts { #expect(!text.isEmpty && !text.contains { "+/=".contains($0) }, "\(text)") }
    let header = try JSONDocument(try #require(Base64URL.decode(texts[0]))).root
    let modulus = try #require(Base64URL.decode(header["jwk"]["n"].string ?? ""))
    #expect(modulus.count * 8 == ClientRegistration.bits && modulus[0] >= 0x80)
    let key = try Gatehouse.key.get().publicKey
    let signature = try #require(Base64URL.decode(texts[2]))
    #expect(key.verify(signature, of: Array("\(texts[0]).\(texts[1])".utf8)))
  }

  @Test func `10: a challenge is given up by cancelling it, which is no failure of the check`() async throws {
    let gate = try Kit(ChallengeHandlers(["UserLogin": GivingUp()]))
    gate.gatehouse.challenge(#"{"UserLogin":null}"#)
    let error = await #expect(throws: ServiceError.self) { try await gate.manager.accessToken() }
    #expect(error.map(MobileFirstErrorCode.init) == .challengeHandlingCanceled)
    #expect(gate.manager.check("UserLogin").state == .challenged)
    #expect(gate.gatehouse.requests("preauthorize").count == 1)
  }

  @Test func `11: a token for the right scope that is refused is obtained anew`() async throws {
    let gate = try Gatehouse(scope: "s")
    gate.answer(200)
    gate.answer(401, #"Bearer error="invalid_token""#)
    gate.answer(200)
    gate.grant()
    gate.token("one")
    gate.token("two")
    _ = try await gate.backend.item(gate.location)
    _ = try await gate.backend.item(gate.location)
    #expect(gate.requests("az/v1/token").count == 2)
  }

  @Test func `12: another server gets a registration of its own, and none is made in a loop`() async throws {
    let keeper = StubKeeper()
    let first = try Gatehouse(keeper: keeper)
    first.grant()
    first.token("t")
    _ = try await first.backend.manager.accessToken()
    let stub = StubTransport()
    stub.on(
      "POST", "/other/api/registration/v1/self", status: 201,
      headers: ["Location": "/other/api/registration/clients/client-2"])
    stub.on(
      "POST", "/other/api/preauth/v1/preauthorize", status: 400, body: #"{"errorCode":"INVALID_CLIENT_ID"}"#)
    let other = try AuthorizationManager(
      address: "http://127.0.0.1:1/other", client: .registered(ApplicationIdentity(id: "com.example.app")), name: "mfp",
      transport: stub, surroundings: .stub(keeper: keeper), handler: ChallengeHandlers(), wantsRefresh: true,
      makeKey: { () throws(ServiceError) in try Gatehouse.key.get() })
    let error = await #expect(throws: ServiceError.self) { try await other.accessToken() }
    #expect(error?.serverCode == "INVALID_CLIENT_ID")
    #expect(stub.requests.count { $0.line.contains("registration") } == 2)
    #expect(!stub.requests.contains { $0.bodyText.contains("client-1") })
  }

  @Test func `13: what is not protected is reached without a token, and hides that the application is disabled`()
    async throws
  {
    let gate = try Gatehouse()
    gate.answer(200, body: "for everybody")
    gate.refuse("wl_remoteDisableRealm", "Update first")
    let item = try await gate.backend.item(gate.location)
    #expect(item.raw?.bytes == Array("for everybody".utf8))
    #expect(gate.stub.requests.count == 1 && gate.stub.requests[0].request.headers["Authorization"] == nil)
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.manager.accessToken() }
    #expect(error?.message.contains("Update first") == true)
  }

  @Test func `14: after a conflict a POST goes out again with the same body and token`() async throws {
    let gate = try Gatehouse()
    gate.stub.on(
      "POST", "\(Gatehouse.api)/adapters/bank/transfer", status: 409, headers: ["MFP-Conflict": "true"])
    gate.stub.on("POST", "\(Gatehouse.api)/adapters/bank/transfer", body: "done")
    let request = ResourceRequest("/adapters/bank/transfer", method: "POST", body: .form([("amount", "1")]))
    #expect(try await gate.backend.protected.send(request).text == "done")
    #expect(gate.requests("transfer").map(\.bodyText) == ["amount=1", "amount=1"])
  }

  @Test func `14: the authorization server's own conflicts are met in the same way, and no more than seven`()
    async throws
  {
    let gate = try Gatehouse()
    gate.stub.on("POST", "\(Gatehouse.api)/preauth/v1/preauthorize", status: 409, headers: ["MFP-Conflict": "x"])
    gate.grant()
    gate.token("t")
    _ = try await gate.backend.manager.accessToken()
    #expect(gate.requests("preauthorize").count == 2)
    let stub = StubTransport()
    stub.on("POST", "\(Gatehouse.api)/registration/v1/self", status: 409, headers: ["MFP-Conflict": "x"])
    var server = try AuthorizationServer(address: "http://127.0.0.1:1/mfp", transport: stub)
    server.conflictPause.step = .zero
    let error = await #expect(throws: ServiceError.self) { try await server.register([:]) }
    #expect(error?.code == .conflict)
    #expect(stub.requests.count == 8)
  }

  @Test func `15: a refresh token is not asked for where the configuration says so`() async throws {
    for (setting, sent) in [("true", "TRUE"), ("false", nil)] {
      let gate = try Gatehouse(auth: ["refresh": setting])
      gate.grant()
      gate.token("t")
      _ = try await gate.backend.manager.accessToken()
      #expect(gate.form(gate.requests("az/v1/token")[0])["get_refresh_token"] == sent)
    }
  }

  @Test func `16: heartbeat, device name and analytics are sent only where they are asked for`() async throws {
    let gate = try Gatehouse(scope: "s")
    gate.grant()
    gate.token("t")
    gate.answer(200)
    _ = try await gate.backend.item(gate.location)
    #expect(gate.requests("heartbeat").isEmpty)
    for recorded in gate.stub.requests {
      #expect(!recorded.request.headers.fields.contains { $0.name.lowercased().hasPrefix("x-mfp-analytics") })
      #expect(!recorded.bodyText.contains("deviceDisplayName"))
    }
    gate.stub.on("POST", "\(Gatehouse.api)/preauth/v1/heartbeat", body: "{}")
    let checks = Location(connection: "mfp", path: ["checks"])
    _ = try await gate.backend.perform("heartbeat", at: checks, fields: [:])
    let form = gate.form(try #require(gate.requests("heartbeat").first))
    let claims = try JSONDocument(try #require(JWS(form["client_assertion"] ?? "")).payload).root
    #expect(claims["sub"].string == "client-1" && !claims["jti"].exists)
  }
}

/// The kit without Atrium around it: a manager with handlers of its own.
struct Kit {
  let gatehouse: Gatehouse
  let manager: AuthorizationManager

  init(_ handlers: ChallengeHandlers) throws {
    gatehouse = try Gatehouse()
    manager = try AuthorizationManager(
      address: "http://127.0.0.1:1/mfp", client: .registered(ApplicationIdentity(id: "com.example.app")), name: "kit",
      transport: gatehouse.stub, surroundings: .stub(clock: gatehouse.clock), handler: handlers, wantsRefresh: true,
      makeKey: { () throws(ServiceError) in try Gatehouse.key.get() })
  }
}

/// Wants nothing to do with it.
private struct GivingUp: ChallengeHandler {
  func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode {
    throw .cancelled("pass the check “\(challenge.check)”")
  }
}

/// Gives the same answer always.
struct Answering: ChallengeHandler {
  let node: JSONNode
  init(_ node: JSONNode) { self.node = node }
  func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode { node }
}
