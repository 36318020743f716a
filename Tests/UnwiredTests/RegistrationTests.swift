import JSON
import Model
import TestKit
import Testing
import Wire

@testable import Unwired

@Suite struct RegistrationTests {
  private let someone = SignInRequest(user: "ada", password: Secret("secret"))

  @Test func `the first sign-in registers, and keeps the connection id`() async throws {
    let field = try Field(
      settings: ["securityConfiguration": "admin", "domain": "default"], connected: false)
    field.stub.on(
      "POST", Field.connections, status: 201, headers: ["Set-Cookie": "X-SMP-SESSID=s1; Path=/"],
      body: Sample.registration)
    let state = try await field.backend.signIn(someone)
    #expect(state == SignInState(isSignedIn: true, user: "ada", method: "basic"))
    #expect(field.keeper.all == ["field/connection-id": Secret("id-1")])
    let request = try #require(field.stub.requests.first)
    #expect(request.request.headers["Authorization"] == "Basic YWRhOnNlY3JldA==")
    #expect(request.request.headers["X-SMP-SC"] == "admin")
    #expect(request.request.headers["X-SUP-DOMAIN"] == "default")
    #expect(request.request.headers["X-SMP-APPCID"] == nil)
    #expect(try JSONDocument(request.body).root["DeviceModel"].string == "Terminal")
  }

  @Test func `a later sign-in connects, and says who it is`() async throws {
    let field = try Field(kept: ["field/connection-id": Secret("id'1")], connected: false)
    field.stub.on("GET", "\(Field.connections)('id%27%271')", body: Sample.registration)
    _ = try await field.backend.signIn(someone)
    #expect(field.stub.requests.map { $0.request.headers["X-SMP-APPCID"] } == ["id'1"])
  }

  @Test func `a registration that was removed is made anew`() async throws {
    let field = try Field(kept: ["field/connection-id": Secret("old")], connected: false)
    for version in ["latest", "v1"] {
      field.stub.on("GET", "/odata/applications/\(version)/SUP101/Connections('old')", status: 404)
    }
    field.stub.on("POST", Field.connections, status: 201, body: Sample.registration)
    _ = try await field.backend.signIn(someone)
    #expect(field.keeper.all == ["field/connection-id": Secret("id-1")])
  }

  @Test func `an older server is asked in its own version`() async throws {
    let field = try Field(connected: false)
    field.stub.on("POST", Field.connections, status: 404)
    field.stub.on("POST", "/odata/applications/v1/SUP101/Connections", status: 201, body: Sample.registration)
    field.stub.on("GET", "/odata/applications/v1/SUP101/Connections('id-1')", body: Sample.registration)
    _ = try await field.backend.signIn(someone)
    let item = try await field.backend.item(field.at("/connection"))
    #expect(item.title == "id-1")
  }

  struct Failure: Sendable, CustomTestStringConvertible {
    let status: Int
    let code: ServiceError.Code
    var testDescription: String { "\(status)" }
  }

  @Test(arguments: [
    Failure(status: 401, code: .signInRefused), Failure(status: 403, code: .forbidden),
    Failure(status: 404, code: .notFound), Failure(status: 409, code: .conflict),
    Failure(status: 500, code: .serverFault),
  ]) func `a refused registration says why`(_ c: Failure) async throws {
    let field = try Field(connected: false)
    let body = #"{"error":{"code":"E7","message":{"lang":"en","value":"Application is not registered"}}}"#
    for version in ["latest", "v1"] {
      field.stub.on("POST", "/odata/applications/\(version)/SUP101/Connections", status: c.status, body: body)
    }
    let error = await #expect(throws: ServiceError.self) { try await field.backend.signIn(someone) }
    #expect(error?.code == c.code)
    #expect(error?.operation.contains("register") == true)
    #expect(field.keeper.all.isEmpty)
    #expect(try await field.backend.signInState(verifying: false).isSignedIn == false)
  }

  @Test(arguments: [(TransportError.Code.unreachable, ServiceError.Code.unreachable), (.timedOut, .timedOut)])
  func `no server and a slow one are two messages`(_ failure: TransportError.Code, _ code: ServiceError.Code)
    async throws
  {
    let field = try Field(connected: false)
    field.stub.on("POST", Field.connections, fails: failure)
    let error = await #expect(throws: ServiceError.self) { try await field.backend.signIn(someone) }
    #expect(error?.code == code)
  }

  @Test func `the registration shows its settings in groups, and its unset ones as nothing`() async throws {
    let field = try Field()
    field.stub.on("GET", "\(Field.connections)('id-1')", body: Sample.registration)
    let item = try await field.backend.item(field.at("/connection"))
    #expect(item.sections.map(\.title) == ["Registration", "Device", "Custom", "Password policy", "Endpoints"])
    let values = Dictionary(uniqueKeysWithValues: item.fields.map { ($0.id, $0.value) })
    #expect(values["CustomCustom1"] == .null)
    #expect(values["CreatedAt"]?.exactText == "2026-11-30T12:00:00Z")
    #expect(item.raw.map { String(decoding: $0.bytes, as: UTF8.self) } == Sample.registration)
  }

  @Test func `settings change by a merge, the rest stays`() async throws {
    let field = try Field()
    field.stub.on("POST", "\(Field.connections)('id-1')", status: 204)
    _ = try await field.backend.perform(
      "edit", at: field.at("/connection"), fields: ["CustomCustom1": "region=east", "CustomCustom2": ""])
    let request = try #require(field.stub.requests.first)
    #expect(request.request.headers["X-HTTP-METHOD"] == "MERGE")
    #expect(request.bodyText == #"{"CustomCustom1":"region=east","CustomCustom2":" "}"#)
  }

  @Test func `unregistering forgets the id, also when the server has`() async throws {
    let field = try Field(kept: ["field/connection-id": Secret("id-1")])
    field.stub.on("DELETE", "\(Field.connections)('id-1')", status: 404)
    try await field.backend.signOut(SignOutRequest(unregisters: true))
    #expect(field.keeper.all.isEmpty)
    #expect(field.backend.client.session.connectionID == nil)
  }

  @Test func `signing out keeps the registration`() async throws {
    let field = try Field(kept: ["field/connection-id": Secret("id-1")])
    try await field.backend.signOut(SignOutRequest())
    #expect(field.keeper.all.count == 1)
    #expect(field.stub.requests.isEmpty)
    let location = try field.at("/live")
    let error = await #expect(throws: ServiceError.self) { try await field.backend.list(location, ListQuery()) }
    #expect(error?.code == .signInNeeded)
  }

  @Test(arguments: [
    ("", "7", "http://127.0.0.1:1"),
    (
      "/ias_relay_server/client/rs_client.dll", "farm1",
      "http://127.0.0.1:1/ias_relay_server/client/rs_client.dll/farm1"
    ),
    ("cli/iasrelayserver/", "", "http://127.0.0.1:1/cli/iasrelayserver"),
  ]) func `the farm counts only behind a relay's suffix`(_ suffix: String, _ farm: String, _ base: String) throws {
    let server = try UnwiredServer(address: "http://127.0.0.1:1/", application: "A", urlSuffix: suffix, farm: farm)
    #expect(server.base == base)
  }

  @Test(arguments: ["/data", "/data/Customers", "/data/Customers/1", "/pending"])
  func `what is kept on this machine needs the vault`(_ path: String) async throws {
    let field = try Field()
    let location = try field.at(path)
    let error = await #expect(throws: ServiceError.self) {
      if try await field.backend.nature(of: location) == .item {
        _ = try await field.backend.item(location)
      } else {
        _ = try await field.backend.list(location, ListQuery())
      }
    }
    #expect(error?.code == .vaultLocked)
    #expect(error?.advice.contains("vault") == true)
    #expect(field.stub.requests.isEmpty)
  }
}
