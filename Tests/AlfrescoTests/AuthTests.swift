import FoundationEssentials
import Model
import Sandbox
import TestKit
import Testing
import Wire

@testable import Alfresco

/// The kit's own way to sign in, against the sandbox's issuer, and what differs elsewhere.
@Suite(.bounded) struct AuthTests {
  private func auth(_ desk: IdentityDesk) -> AlfrescoAuth {
    AlfrescoAuth(
      AuthConfiguration(issuer: desk.issuer, clientID: "atrium"), transport: desk.wire, clock: desk.clock)
  }

  @Test func `it tells which sign-in a server offers`() async throws {
    let desk = try IdentityDesk()
    let address = desk.backend.client.address
    #expect(try await auth(desk).availableAuthType(repository: address) == .openID)
    let none = AlfrescoAuth(
      AuthConfiguration(issuer: desk.issuer + "x", clientID: "atrium"), transport: desk.wire, clock: desk.clock)
    #expect(try await none.availableAuthType(repository: address) == .basic)
    let error = await #expect(throws: ServiceError.self) {
      try await none.availableAuthType(repository: "http://127.0.0.1:1/alfresco")
    }
    #expect(error?.code == .notOffered)
  }

  @Test func `a session is begun on a page, renewed, used and ended`() async throws {
    let desk = try IdentityDesk()
    let auth = auth(desk)
    let visit = try await auth.begin(redirect: "http://127.0.0.1:50999/callback") { count in
      (0..<count).map { _ in UInt8.random(in: 0...255) }
    }
    let back = try await desk.person.walk(visit.page.absoluteString)
    let session = try await auth.finish(visit, with: try #require(URL(string: back)))
    let client = try AlfrescoClient(
      address: desk.backend.client.address, transport: desk.wire, session: AlfrescoSession(session.credential))
    #expect(try await client.person().value.id == "susan")
    let renewed = try await auth.refresh(session)
    #expect(renewed.access != session.access)
    try await auth.logout(renewed)
    let error = await #expect(throws: ServiceError.self) { try await auth.refresh(renewed) }
    #expect(error?.code == .signInNeeded)
    // The answer of another sign-in is not believed.
    let other = try await auth.begin(redirect: "http://127.0.0.1:50999/callback") { Array(repeating: 7, count: $0) }
    let refused = await #expect(throws: ServiceError.self) {
      try await auth.finish(other, with: try #require(URL(string: back)))
    }
    #expect(refused?.code == .signInRefused)
  }

  @Test func `a completion arrives on the main actor`() async throws {
    let desk = try IdentityDesk()
    let auth = auth(desk)
    let address = desk.backend.client.address
    let type = await withCheckedContinuation { continuation in
      auth.run({ (auth) async throws(ServiceError) in try await auth.availableAuthType(repository: address) }) {
        continuation.resume(returning: try? $0.get())
      }
    }
    #expect(type == .openID)
  }

  @Test func `an audience is told at the page and to the device grant, with a form and a lasting sign-in`() async throws
  {
    let stub = StubTransport()
    stub.on(
      "GET", "/.well-known/openid-configuration",
      body: """
        {"issuer":"https://tenant.example/","token_endpoint":"https://tenant.example/oauth/token",
         "authorization_endpoint":"https://tenant.example/authorize",
         "device_authorization_endpoint":"https://tenant.example/oauth/device/code"}
        """)
    stub.on(
      "POST", "/oauth/device/code",
      body: #"{"device_code":"d","user_code":"AB","verification_uri":"https://tenant.example/activate","interval":1}"#)
    // What Auth0 says with 403 and 429 is told by its word.
    stub.on("POST", "/oauth/token", status: 403, body: #"{"error":"authorization_pending"}"#)
    stub.on("POST", "/oauth/token", status: 429, body: #"{"error":"slow_down"}"#)
    stub.on("POST", "/oauth/token", body: #"{"access_token":"a","token_type":"Bearer","expires_in":86400}"#)
    let configuration = AuthConfiguration(
      issuer: "https://tenant.example/", clientID: "c", scope: "openid offline_access", audience: "https://api")
    let auth = AlfrescoAuth(configuration, transport: stub, clock: StubClock())
    let visit = try await auth.begin(redirect: "http://127.0.0.1:1/callback") { Array(repeating: 1, count: $0) }
    #expect(visit.page.absoluteString.contains("audience=https%3A%2F%2Fapi"))
    #expect(visit.page.absoluteString.contains("prompt=login"))
    let client = try await OpenIDVisit.client(
      issuer: "https://tenant.example/", clientID: "c", secret: nil, transport: stub, clock: StubClock())
    let grant = try await client.startDevice(scope: "openid", audience: "https://api")
    #expect(stub.requests.last?.bodyText.contains("audience=https%3A%2F%2Fapi") == true)
    let waits = Waits()
    let tokens = try await client.awaitDevice(grant) { await waits.note($0) }
    #expect(tokens.access == Secret("a"))
    // Slower by five seconds from then on.
    #expect(await waits.all == [.seconds(1), .seconds(1), .seconds(6)])
  }

  private actor Waits {
    private(set) var all: [Duration] = []
    func note(_ duration: Duration) { all.append(duration) }
  }
}
