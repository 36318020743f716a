import Crypto
import JSON
import Model
import TestKit
import Testing
import Wire

@testable import MobileFirst

@Suite(.bounded) struct ResourceFlowTests {
  private static let lacking = #"Bearer error="insufficient_scope", scope="RegisteredClient accessRestricted""#

  /// The walk-through of the reference: five phases from nothing to the resource.
  @Test func `an unknown scope is found, obtained, and remembered`() async throws {
    let gate = try Gatehouse(answers: ["UserLogin": ["username": "ada", "password": "lovelace"]])
    gate.answer(401, "Bearer")
    gate.answer(403, Self.lacking)
    gate.answer(200, body: "17364.9")
    gate.grant(#"{"clockSynchronization":{"serverTimeStamp":1796040000123}}"#)
    gate.challenge(#"{"UserLogin":null}"#)
    gate.grant(#"{"UserLogin":{"user":{"id":"ada","displayName":"Ada"}}}"#)
    gate.token("first")
    gate.token("second")
    let item = try await gate.backend.item(gate.location)
    #expect(item.fields.first { $0.id == "value" }?.value == .text("17364.9"))
    #expect(
      gate.lines == [
        "GET \(Gatehouse.resource)", "POST /registration/v1/self", "POST /preauth/v1/preauthorize",
        "GET /az/v1/authorization", "POST /az/v1/token", "GET \(Gatehouse.resource)", "POST /preauth/v1/preauthorize",
        "POST /preauth/v1/preauthorize", "GET /az/v1/authorization", "POST /az/v1/token", "GET \(Gatehouse.resource)",
      ])
    let sent = gate.requests(Gatehouse.resource).map { $0.request.headers["Authorization"] }
    #expect(sent == [nil, "Bearer first", "Bearer second"])
    let listing = try await gate.backend.list(gate.location.parent!, ListQuery())
    #expect(listing.value("scope", in: listing.rows[0]) == .text("RegisteredClient accessRestricted"))
    #expect(listing.value("state", in: listing.rows[0]) == .text("open"))
    // Now that scope and token are known, one request does.
    let before = gate.stub.requests.count
    _ = try await gate.backend.item(gate.location)
    #expect(gate.stub.requests.count == before + 1)
    let checks = try await gate.backend.list(Location(connection: "mfp", path: ["checks"]), ListQuery())
    #expect(checks.rows.map { checks.value("state", in: $0) } == [.text("success")])
  }

  @Test func `the wire is the product's`() async throws {
    let gate = try Gatehouse(scope: "accessRestricted")
    gate.grant(#"{"clockSynchronization":{"serverTimeStamp":1796040000123}}"#)
    gate.token("t")
    gate.answer(200, body: "{}")
    _ = try await gate.backend.item(gate.location)
    let registration = try JSONDocument(try #require(gate.requests("registration").first).body).root[
      "signedRegistrationData"]
    let compact = ["header", "payload", "signature"].compactMap { registration[$0].string }.joined(separator: ".")
    let jws = try #require(JWS(compact))
    let jwk = try JSONDocument(jws.header).root["jwk"]
    let key = try RSAPublicKey(
      modulus: try #require(Base64URL.decode(jwk["n"].string ?? "")),
      exponent: try #require(Base64URL.decode(jwk["e"].string ?? "")))
    #expect(jws.isSigned(by: key))
    #expect(try JSONDocument(jws.payload).root["application"]["id"].string == "com.example.app")

    let authorization = try #require(gate.requests("az/v1/authorization").first)
    #expect(
      authorization.line.contains("redirect_uri=http%3A%2F%2Fmfpredirecturi&scope=RegisteredClient%20accessRestricted"))
    #expect(!authorization.request.followsRedirects)

    let form = gate.form(try #require(gate.requests("az/v1/token").first))
    #expect(form["code"] == "-4120995331187734021")
    #expect(form["grant_type"] == "authorization_code")
    let assertion = try #require(JWS(form["client_assertion"] ?? ""))
    #expect(assertion.isSigned(by: key))
    let claims = try JSONDocument(assertion.payload).root
    #expect(claims["iss"].string == "com.example.app$ios$1.0")
    #expect(claims["sub"].string == "client-1")
    #expect(claims["jti"].string == "-4120995331187734021")
    // Milliseconds, by the server's clock.
    #expect(claims["iat"].int == 1_796_040_000_123)
    #expect(claims["exp"].int == 1_796_040_060_123)
    #expect(try JSONDocument(assertion.header).root["jwk"]["kid"].string == "client-1")
  }

  @Test func `conflicts are sent again seven times, and no more`() async throws {
    let gate = try Gatehouse()
    gate.stub.on("GET", Gatehouse.resource, status: 409, headers: ["MFP-Conflict": "true"])
    let resource = ProtectedResource(manager: gate.backend.manager, transport: gate.stub, conflictPause: .zero)
    let request = try gate.backend.request(.resource("My resource"), gate.location, "x").0
    let error = await #expect(throws: ServiceError.self) { try await resource.send(request) }
    #expect(error?.code == .conflict)
    #expect(gate.lines.count == 8)
  }

  @Test func `a conflict that clears up is no failure`() async throws {
    let gate = try Gatehouse()
    gate.stub.on("GET", Gatehouse.resource, status: 409, headers: ["MFP-Conflict": "true"])
    gate.answer(200, body: "fine")
    _ = try await gate.backend.item(gate.location)
    #expect(gate.lines.count == 2)
  }

  @Test func `a server that never likes a token is given up after five`() async throws {
    let gate = try Gatehouse()
    gate.answer(401, #"Bearer error="invalid_token""#)
    gate.grant()
    gate.token("t")
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == .signInRefused)
    #expect(error?.serverCode == "AUTHORIZATION_FAILURE")
    #expect(gate.requests(Gatehouse.resource).count == 6)
  }

  @Test(arguments: ["Bearer", #"Bearer scope="RegisteredClient""#])
  func `a scope that is not named, or held already, is forbidden`(_ challenge: String) async throws {
    let gate = try Gatehouse()
    gate.answer(401, "Bearer")
    gate.answer(403, challenge)
    gate.grant()
    gate.token("t")
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == .forbidden)
    #expect(gate.requests(Gatehouse.resource).count == 2)
  }

  @Test(arguments: [(404, ServiceError.Code.notFound), (500, .serverFault), (401, .signInRefused)])
  func `any other answer is the resource's own`(_ status: Int, _ code: ServiceError.Code) async throws {
    let gate = try Gatehouse()
    gate.answer(status, body: "no")
    let error = await #expect(throws: ServiceError.self) { try await gate.backend.item(gate.location) }
    #expect(error?.code == code)
    #expect(gate.lines.count == 1)
  }

  @Test func `after a 401 the scope that was learnt is obtained again, not the default`() async throws {
    let gate = try Gatehouse(scope: "accessRestricted")
    gate.answer(401, #"Bearer error="invalid_token""#)
    gate.answer(200)
    gate.grant()
    gate.token("old")
    gate.token("new")
    _ = try await gate.backend.item(gate.location)
    #expect(gate.requests("az/v1/authorization").allSatisfy { $0.line.contains("accessRestricted") })
    #expect(
      gate.requests(Gatehouse.resource).map { $0.request.headers["Authorization"] } == ["Bearer old", "Bearer new"])
  }

  @Test func `a raw call finds its scope from the answer, and sends its body again`() async throws {
    let gate = try Gatehouse()
    gate.stub.on(
      "POST", "\(Gatehouse.api)/adapters/bank/transfer", status: 403, headers: ["WWW-Authenticate": Self.lacking])
    gate.stub.on("POST", "\(Gatehouse.api)/adapters/bank/transfer", status: 422, body: "too much")
    gate.grant()
    gate.token("t")
    let sink = MemorySink()
    let call = RawCall("POST", "/adapters/bank/transfer", body: MemorySource(Array("amount=1".utf8)))
    let reply = try await gate.backend.call(call, to: sink)
    #expect(reply.status == 422)
    #expect(sink.text == "too much")
    #expect(gate.requests("transfer").map(\.bodyText) == ["amount=1", "amount=1"])
  }
}
