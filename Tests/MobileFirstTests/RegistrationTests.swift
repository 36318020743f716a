import Crypto
import JSON
import Model
import TestKit
import Testing
import Wire

@testable import MobileFirst

@Suite(.bounded) struct RegistrationTests {
  private static let own = "\(Gatehouse.api)/registration/v1/self/client-1"

  /// A first run of version 1.0, whose registration is kept.
  private func kept() async throws -> StubKeeper {
    let keeper = StubKeeper()
    let first = try Gatehouse(keeper: keeper)
    first.grant()
    first.token("old")
    _ = try await first.backend.manager.accessToken()
    return keeper
  }

  private func payload(_ recorded: StubTransport.Recorded) throws -> JSONValue {
    let parts = try JSONDocument(recorded.body).root["signedRegistrationData"]
    return try JSONDocument(try #require(Base64URL.decode(parts["payload"].string ?? ""))).root
  }

  @Test func `a new version is told to the server, and client, key and device stay`() async throws {
    let keeper = try await kept()
    let gate = try Gatehouse(keeper: keeper, auth: ["version": "2.0", "deviceName": "Till 7"])
    gate.stub.on("PUT", Self.own, body: #"{"server_version":"8.0.2020031301"}"#)
    gate.grant()
    gate.token("new")
    // Tokens of the old version are not used any more.
    #expect(try await gate.backend.manager.accessToken().value == Secret("new"))
    #expect(gate.lines.first == "PUT /registration/v1/self/client-1")
    #expect(gate.requests("registration").count == 1)
    let told = try payload(gate.requests("registration")[0])
    #expect(told["application"]["version"].string == "2.0")
    #expect(told["device"]["deviceDisplayName"].string == "Till 7")
    let claims = try JSONDocument(
      try #require(JWS(gate.form(gate.requests("az/v1/token")[0])["client_assertion"] ?? "")).payload
    ).root
    #expect(claims["iss"].string == "com.example.app$ios$2.0")
    // Told once: the next run says nothing.
    let third = try Gatehouse(keeper: keeper, auth: ["version": "2.0", "deviceName": "Till 7"])
    _ = try await third.backend.manager.accessToken()
    #expect(third.lines.isEmpty)
    #expect(third.backend.manager.clientID == "client-1")
  }

  @Test(arguments: [
    (403, #"{"message":"Invalid request."}"#), (400, #"{"errorCode":"INVALID_CLIENT_ID"}"#), (404, ""),
  ]) func `a server that refuses the change gets a new registration`(_ status: Int, _ body: String) async throws {
    let gate = try Gatehouse(keeper: try await kept(), auth: ["version": "2.0"])
    gate.stub.on("PUT", Self.own, status: status, body: body)
    gate.grant()
    gate.token("new")
    #expect(try await gate.backend.manager.accessToken().value == Secret("new"))
    #expect(gate.lines.prefix(2) == ["PUT /registration/v1/self/client-1", "POST /registration/v1/self"])
  }

  @Test func `a server that is down during the change changes nothing`() async throws {
    let keeper = try await kept()
    let gate = try Gatehouse(keeper: keeper, auth: ["version": "2.0"])
    gate.stub.on("PUT", Self.own, status: 503)
    await #expect(throws: ServiceError.self) { try await gate.backend.manager.accessToken() }
    let again = try Gatehouse(keeper: keeper)
    #expect(again.backend.manager.clientID == nil)
    _ = try await again.backend.list(Location(connection: "mfp", path: ["tokens"]), ListQuery())
    #expect(again.backend.manager.clientID == "client-1")
  }

  @Test func `another platform is another application`() async throws {
    let gate = try Gatehouse(keeper: try await kept(), auth: ["platform": "android"])
    gate.grant()
    gate.token("new")
    _ = try await gate.backend.manager.accessToken()
    #expect(gate.lines.first == "POST /registration/v1/self")
  }

  @Test(arguments: [("8.0.2016120100", false), ("8.0.2017020513", true), ("8.0.2020031301", true), ("7.1", false)])
  func `a server that is too old is named`(_ version: String, _ isGood: Bool) async throws {
    let gate = try Gatehouse()
    let stub = StubTransport()
    stub.on(
      "POST", "\(Gatehouse.api)/registration/v1/self", status: 201,
      headers: ["Location": "/mfp/api/registration/clients/c"], body: #"{"server_version":"\#(version)"}"#)
    let server = try AuthorizationServer(address: "http://127.0.0.1:1/mfp", transport: stub)
    var thrown: ServiceError?
    do throws(ServiceError) { _ = try await server.register([:]) } catch { thrown = error }
    #expect((thrown == nil) == isGood)
    if !isGood { #expect(thrown.map(MobileFirstErrorCode.init) == .minimumServer) }
    #expect(gate.lines.isEmpty)
  }

  @Test func `an application that the server does not know is named with the settings to check`() async throws {
    let stub = StubTransport()
    stub.on(
      "POST", "\(Gatehouse.api)/registration/v1/self", status: 403,
      body: #"{"errorCode":"APPLICATION_NOT_REGISTERED","errorMsg":"no such application"}"#)
    let server = try AuthorizationServer(address: "http://127.0.0.1:1/mfp", transport: stub)
    let error = await #expect(throws: ServiceError.self) { try await server.register([:]) }
    #expect(error.map(MobileFirstErrorCode.init) == .applicationNotRegistered)
    #expect(error?.advice.contains("auth.version") == true)
  }
}
