import FoundationEssentials
import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite(.bounded) struct OpenIDTests {
  private static let discovery = """
    {"issuer":"http://127.0.0.1:9000/obp-oidc","token_endpoint":"http://127.0.0.1:9000/token",
    "authorization_endpoint":"http://127.0.0.1:9000/authorize","jwks_uri":"http://127.0.0.1:9000/jwks"}
    """

  /// A person who lets the page lead back with a code, as a browser does.
  private struct Visitor: Asker {
    func ask(_ question: Question) async throws(ServiceError) -> Answer {
      guard case .browser(let page) = question.kind, let url = URL(string: page) else {
        throw .cancelled(question.title)
      }
      let query = URLForm.decode(url.query(percentEncoded: true) ?? "")
      let value = { (name: String) in query.first { $0.name == name }?.value ?? "" }
      let back = "\(value("redirect_uri"))?code=c-1&state=\(URLForm.escape(value("state")))"
      if let back = URL(string: back) { _ = try? await CurlTransport().send(.get(back)) }
      do { try await Task.sleep(for: .seconds(30)) } catch {}
      throw .cancelled(question.title)
    }
  }

  private func backend(_ stub: StubTransport, keeper: StubKeeper, issuer: Bool = true) throws -> OpenBankBackend {
    var auth: [(key: String, entry: Settings.Entry)] = [
      (key: "method", entry: .text("oidc", .init())), (key: "clientID", entry: .text("atrium", .init())),
    ]
    if issuer { auth.append((key: "issuer", entry: .text("http://127.0.0.1:9000/obp-oidc", .init()))) }
    let settings = Settings([
      (key: "url", entry: .text("http://127.0.0.1:8080/obp/v5.1.0", .init())),
      (key: "auth", entry: .table(Settings(auth))),
    ])
    return try OpenBankBackend(
      connection: Connection(name: "bank", kind: .openbank, settings: settings), transport: stub,
      surroundings: .stub(asker: Visitor(), keeper: keeper))
  }

  @Test func `the code is redeemed, and a dead token renewed without a page`() async throws {
    let (stub, keeper) = (StubTransport(), StubKeeper())
    stub.on("GET", "/obp-oidc/.well-known/openid-configuration", body: OpenIDTests.discovery)
    stub.on("POST", "/token", body: #"{"access_token":"a.b.one","refresh_token":"r-1","expires_in":300}"#)
    stub.on("POST", "/token", body: #"{"access_token":"a.b.two","expires_in":300}"#)
    stub.on("GET", "/obp/v5.1.0/users/current", status: 401, body: Bodies.fault(401, "OBP-20206: expired"))
    stub.on("GET", "/obp/v5.1.0/users/current", body: #"{"username":"ada"}"#)
    let backend = try backend(stub, keeper: keeper)
    _ = try await backend.signIn(SignInRequest())
    let redeemed = URLForm.decode(try #require(stub.requests.first { $0.line == "POST /token" }).bodyText)
    #expect(redeemed.first { $0.name == "code" }?.value == "c-1")
    #expect(redeemed.contains { $0.name == "code_verifier" })
    let me = try Location(parsing: "bank:/me")
    let dead = await #expect(throws: ServiceError.self) { try await backend.item(me) }
    #expect(dead?.code == .signInNeeded)
    _ = try await backend.signIn(SignInRequest())
    #expect(URLForm.decode(try #require(stub.requests.last).bodyText).contains { $0.value == "r-1" })
    _ = try await backend.item(me)
    #expect(stub.requests.last?.request.headers["Authorization"] == "Bearer a.b.two")
  }

  @Test func `without an issuer the server's own list names one`() async throws {
    let stub = StubTransport()
    stub.on(
      "GET", "/obp/v5.1.0/well-known",
      body:
        #"{"well_known_uris":[{"provider":"x","url":"http://127.0.0.1:9000/obp-oidc/.well-known/openid-configuration"}]}"#
    )
    stub.on("GET", "/obp-oidc/.well-known/openid-configuration", body: OpenIDTests.discovery)
    stub.on("POST", "/token", body: #"{"access_token":"a.b.c","expires_in":300}"#)
    let backend = try backend(stub, keeper: StubKeeper(), issuer: false)
    #expect(try await backend.signIn(SignInRequest()).isSignedIn)
  }

  @Test func `a token that has ended is not sent`() async throws {
    let (stub, keeper) = (StubTransport(), StubKeeper())
    let token = OpenBankToken(
      form: .bearer, value: Secret("a.b.c"), companion: Secret("r"), expires: StubClock().now().adding(seconds: 10),
      origin: "http://127.0.0.1:8080")
    try await keeper.keep(token.kept, named: "bank/session")
    let backend = try backend(stub, keeper: keeper)
    let error = await #expect(throws: ServiceError.self) {
      try await backend.item(try Location(parsing: "bank:/me"))
    }
    #expect(error?.code == .signInNeeded)
    #expect(stub.requests.isEmpty)
  }
}
