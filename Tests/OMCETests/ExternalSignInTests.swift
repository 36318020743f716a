import FoundationEssentials
import Model
import TestKit
import Testing
import Wire

@testable import OMCE

/// Tokens of third parties, the backend's own page, and what stays of them.
@Suite(.bounded) struct ExternalSignInTests {
  private static let path = "/mobile/platform/auth/token"
  private static let answer = #"{"access_token":"tok-2","expires_in":21600}"#

  /// A JWT with these claims and a signature that nobody checks here.
  private static func jwt(_ claims: String) -> Secret {
    let body = Data(claims.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    return Secret("e30.\(body.filter { $0 != "=" }).c2ln")
  }

  private static let good = jwt(
    #"{"iss":"https://idp.example","sub":"ada","aud":"http://127.0.0.1:8080/mobile/platform/auth","exp":1800000000}"#)

  @Test func `trap 5: a JWT is shown decoded before it is sent`() async throws {
    let asker = ChoosingAsker([.fields(["token": Self.good, "stay": Secret("true")]), .accepted])
    let bench = try MobileBench(.exchange, auth: ["method": "exchange"], choosing: asker)
    bench.stub.on("POST", Self.path, body: Self.answer)
    #expect(try await bench.backend.signIn(SignInRequest()).user == "ada")
    let shown = try #require(asker.questions.last).message
    for words in ["https://idp.example", "ada", "/mobile/platform/auth", "2027-01-15T08:00:00Z", Self.path] {
      #expect(shown.contains(words), "\(shown)")
    }
    #expect(!shown.contains(Self.good.reveal()))
    #expect(bench.keeper.all["mobile/session"] != nil)
  }

  @Test func `who does not agree sends nothing`() async throws {
    let asker = ChoosingAsker([.fields(["token": Self.good, "stay": Secret("true")])])
    let bench = try MobileBench(.exchange, auth: ["method": "exchange"], choosing: asker)
    await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(bench.lines.isEmpty)
  }

  @Test(arguments: [
    #"{"sub":"ada","aud":"http://127.0.0.1:8080/mobile/platform/auth","exp":1}"#, #"{"sub":"ada","exp":1900000000}"#,
  ])
  func `a token that no backend can take is not sent`(_ claims: String) async throws {
    let bench = try MobileBench(.exchange, auth: ["method": "exchange"])
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.signIn(SignInRequest(token: Self.jwt(claims)))
    }
    #expect(error?.code == .signInRefused)
    #expect(bench.lines.isEmpty)
  }

  @Test func `who does not stay signed in leaves nothing behind`() async throws {
    let asker = ChoosingAsker([.fields(["token": Self.good, "stay": Secret("false")]), .accepted])
    let bench = try MobileBench(.exchange, auth: ["method": "exchange"], choosing: asker)
    bench.stub.on("POST", Self.path, body: Self.answer)
    #expect(try await bench.backend.signIn(SignInRequest()).isSignedIn)
    #expect(bench.keeper.all.isEmpty)
    #expect(try await bench.backend.signInState(verifying: false).isSignedIn)
  }

  @Test func `trap 4: a kept token is tied to its backend and goes when that changes`() async throws {
    let kept = StubKeeper([
      "mobile/session": MobileCredential(
        form: .bearer, secret: Secret("tok-1"), user: "ada", backend: "https://other.example backend-9",
        namesBackend: false
      ).kept
    ])
    let bench = try MobileBench(.oauth, keeper: kept)
    #expect(try await bench.backend.signInState(verifying: false).isSignedIn == false)
    #expect(kept.all.isEmpty)
  }

  @Test(arguments: ["auth", "sso"]) func `the configuration may choose the endpoint`(_ choice: String) async throws {
    let bench = try MobileBench(.exchange, auth: ["method": "exchange", "exchange": choice])
    bench.stub.on("POST", Self.path, body: Self.answer)
    bench.stub.on("GET", "/mobile/platform/sso/exchange-token", body: Self.answer)
    _ = try await bench.backend.signIn(SignInRequest(token: Self.good))
    #expect(bench.lines.count == 1 && bench.lines[0].contains("/\(choice)/"))
  }

  @Test func `trap 6: a token without a clear audience goes to the old endpoint, and after a 401 to the new one`()
    async throws
  {
    let bench = try MobileBench(.exchange, auth: ["method": "exchange"])
    bench.stub.on("GET", "/mobile/platform/sso/exchange-token", status: 401)
    bench.stub.on("POST", Self.path, body: Self.answer)
    _ = try await bench.backend.signIn(SignInRequest(token: Self.jwt(#"{"aud":["x","y"],"exp":1900000000}"#)))
    #expect(bench.lines.map { $0.prefix(4) } == ["GET ", "POST"])
  }

  @Test(arguments: [#" {"access_token":"tok-3","expires_in":60} "#, "tok-3\n"])
  func `what the sign-in page ends with is taken, and proved by a call`(_ pasted: String) async throws {
    let asker = ChoosingAsker([.fields(["token": Secret(pasted)])])
    let bench = try MobileBench(.oauth, auth: ["method": "sso"], choosing: asker)
    bench.stub.on("GET", "/mobile/platform/users/~", body: #"{"id":"u","username":"ada"}"#)
    let state = try await bench.backend.signIn(SignInRequest())
    #expect(state.user == "ada")
    #expect(asker.questions[0].message.contains("/mobile/platform/sso/token?clientID=client-1&format=json"))
    #expect(bench.stub.requests[0].request.headers["Authorization"] == "Bearer tok-3")
  }

  @Test func `Facebook's token goes beside the anonymous key, and nothing is asked at sign-in`() async throws {
    let bench = try MobileBench(auth: ["method": "facebook", "token": "fb-1"])
    bench.stub.on("GET", "/mobile/platform/appconfig/client", body: "{}")
    _ = try await bench.backend.signIn(SignInRequest())
    #expect(bench.lines.isEmpty)
    _ = try await bench.backend.list(try bench.location("/policies"), ListQuery())
    let headers = try #require(bench.stub.requests.last).request.headers
    #expect(headers["Authorization"] == "Basic QU5PTjprZXk=")
    #expect(headers["Oracle-Mobile-Social-Identity-Provider"] == "facebook")
    #expect(headers["Oracle-Mobile-Social-Access-Token"] == "fb-1")
    #expect(headers["Oracle-Mobile-Backend-ID"] == "backend-1")
  }

  @Test func `the type changes while running to any that the profile configures`() async throws {
    let bench = try await MobileBench.signedIn()
    let authorization = bench.backend.client.authorization
    #expect(authorization.isAuthenticationConfigured(for: .oauth))
    authorization.authenticationType = .oauth
    bench.stub.on("POST", "/oauth2/v1/token", body: #"{"access_token":"tok-4","expires_in":60}"#)
    _ = try await bench.backend.signIn(SignInRequest())
    #expect(bench.lines.last == "POST /oauth2/v1/token")
  }

  @Test func `ending a session keeps what proves the user offline, signing out does not`() async throws {
    let bench = try await MobileBench.signedIn()
    #expect(Set(bench.keeper.all.keys) == ["mobile/session", "mobile/offline-sign-in"])
    try await bench.backend.client.authorization.endSession()
    #expect(Set(bench.keeper.all.keys) == ["mobile/offline-sign-in"])
    try await bench.backend.signOut(SignOutRequest())
    #expect(bench.keeper.all.isEmpty)
  }
}
