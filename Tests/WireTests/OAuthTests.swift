import Crypto
import FoundationEssentials
import JSON
import Model
import Synchronization
import TestKit
import Testing

@testable import Wire

@Suite struct OAuthTests {
  private func client(
    _ stub: StubTransport, _ authentication: OAuth2Client.Authentication = .none,
    _ change: (inout OAuthProvider) -> Void = { _ in }
  ) -> OAuth2Client {
    var provider = OAuthProvider(token: url("https://idp.example/token"), issuer: "https://idp.example")
    provider.authorization = url("https://idp.example/auth")
    provider.device = url("https://idp.example/device")
    provider.keys = url("https://idp.example/keys")
    provider.revocation = url("https://idp.example/revoke")
    provider.endSession = url("https://idp.example/logout")
    change(&provider)
    return OAuth2Client(
      provider, clientID: "atrium", authentication: authentication, transport: stub, clock: FixedClock())
  }

  @Test func `the challenge is RFC 7636's for its verifier`() {
    let pkce = PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    #expect(PKCE { RandomBytes.make($0) }.verifier.reveal().utf8.count == 43)
  }

  @Test func `the address of the sign-in page holds all fields, encoded`() throws {
    let page = try client(StubTransport()).authorizationURL(
      redirect: "http://127.0.0.1:53214/callback", scope: "openid profile", state: "st", nonce: "no",
      pkce: PKCE(verifier: "v"), extra: [("audience", "https://api")])
    #expect(
      page.absoluteString
        == "https://idp.example/auth?response_type=code&client_id=atrium&redirect_uri=http%3A%2F%2F127.0.0.1%3A53214%2Fcallback"
        + "&scope=openid%20profile&state=st&nonce=no&code_challenge=\(PKCE(verifier: "v").challenge)"
        + "&code_challenge_method=S256&audience=https%3A%2F%2Fapi")
  }

  @Test func `a code is redeemed with its verifier`() async throws {
    let stub = StubTransport().on(
      "POST", "/token",
      body:
        "{\"access_token\":\"a\",\"refresh_token\":\"r\",\"id_token\":\"i\",\"expires_in\":\"300\",\"refresh_expires_in\":0}"
    )
    let tokens = try await client(stub).redeem(code: Secret("c&1"), redirect: "http://x/", pkce: PKCE(verifier: "v"))
    #expect(tokens.access.reveal() == "a" && tokens.refresh?.reveal() == "r" && tokens.id?.reveal() == "i")
    #expect(tokens.expires == FixedClock().now().adding(seconds: 300) && tokens.refreshExpires == nil)
    #expect(
      stub.requests.first?.bodyText
        == "grant_type=authorization_code&code=c%261&redirect_uri=http%3A%2F%2Fx%2F&code_verifier=v&client_id=atrium")
    #expect(stub.requests.first?.request.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test func `a client says who it is in the header or the form`() async throws {
    let stub = StubTransport().on("POST", "/token", body: "{\"access_token\":\"a\"}")
    _ = try await client(stub, .basic(Secret("s:1"))).clientCredentials(scope: "x y")
    _ = try await client(stub, .form(Secret("s&2"))).password(user: "ada", password: Secret("p w"), scope: nil)
    #expect(stub.requests[0].request.headers["Authorization"] == "Basic \(Base64.encode(Array("atrium:s%3A1".utf8)))")
    #expect(stub.requests[0].bodyText == "grant_type=client_credentials&scope=x%20y")
    #expect(
      stub.requests[1].bodyText
        == "grant_type=password&username=ada&password=p%20w&client_id=atrium&client_secret=s%262")
  }

  @Test func `a refresh keeps the old token where no new one comes`() async throws {
    let stub = StubTransport()
      .on("POST", "/token", body: "{\"access_token\":\"a\",\"refresh_token\":\"r2\"}")
      .on("POST", "/token", body: "{\"access_token\":\"b\"}")
    let first = try await client(stub).refresh(Secret("r1"))
    let second = try await client(stub).refresh(Secret("r2"))
    #expect(first.refresh?.reveal() == "r2" && second.refresh?.reveal() == "r2")
  }

  @Test(arguments: [
    (
      400, "{\"error\":\"invalid_grant\",\"error_description\":\"Token is not active\"}",
      ServiceError.Code.signInRefused
    ),
    (403, "{\"error\":\"invalid_grant\"}", .signInRefused), (401, "{\"error\":\"invalid_client\"}", .signInRefused),
    (400, "{\"error\":\"invalid_scope\"}", .configuration), (200, "{\"error\":\"access_denied\"}", .signInRefused),
    (500, "<html>", .serverFault), (200, "<html>", .unreadable), (200, "{}", .unreadable),
    (200, "{\"access_token\":\"\"}", .unreadable), (404, "nothing", .unreadable),
  ])
  func `a refusal keeps the server's words`(status: Int, body: String, code: ServiceError.Code) async {
    let stub = StubTransport().on("POST", "/token", status: status, body: body)
    let error = await #expect(throws: OAuthError.self) { try await client(stub).clientCredentials(scope: nil) }
    #expect(error?.serviceError("sign in").code == code)
    if body.contains("not active") {
      #expect(error?.serviceError("sign in").detail == "Token is not active")
      #expect(error?.serviceError("sign in").serverCode == "invalid_grant" && error?.needsSignIn == true)
    }
  }

  @Test func `a failure of the transport stays what it is`() async {
    let stub = StubTransport().on("POST", "/token", fails: .timedOut)
    let error = await #expect(throws: OAuthError.self) { try await client(stub).clientCredentials(scope: nil) }
    #expect(error?.serviceError("sign in").code == .timedOut)
  }

  // MARK: Device grant

  private static let device = """
    {"device_code":"dc","user_code":"KQRW-TBLM","verification_uri":"https://idp.example/device","expires_in":600,
    "verification_uri_complete":"https://idp.example/device?user_code=KQRW-TBLM","interval":5}
    """

  @Test func `a device sign-in asks until the person has decided`() async throws {
    let stub = StubTransport()
      .on("POST", "/device", body: Self.device)
      .on("POST", "/token", status: 400, body: "{\"error\":\"authorization_pending\"}")
      .on("POST", "/token", status: 429, body: "{\"error\":\"slow_down\"}")
      .on("POST", "/token", fails: .timedOut)
      .on("POST", "/token", body: "{\"access_token\":\"a\"}")
    let waits = Mutex<[Duration]>([])
    let grant = try await client(stub).startDevice(scope: "openid")
    #expect(grant.userCode == "KQRW-TBLM" && grant.interval == 5 && grant.completeURL?.hasSuffix("KQRW-TBLM") == true)
    let tokens = try await client(stub).awaitDevice(grant) { wait in waits.withLock { $0.append(wait) } }
    #expect(tokens.access.reveal() == "a")
    #expect(waits.withLock { $0 } == [.seconds(5), .seconds(5), .seconds(10), .seconds(20)])
    #expect(stub.requests.last?.bodyText.contains("device_code=dc") == true)
  }

  @Test(arguments: [
    ("access_denied", OAuthError.Code.refused("access_denied")), ("expired_token", .expired),
    ("invalid_grant", .refused("invalid_grant")),
  ])
  func `a device sign-in ends with its refusal`(word: String, code: OAuthError.Code) async throws {
    let stub = StubTransport()
      .on("POST", "/device", body: Self.device).on("POST", "/token", status: 400, body: "{\"error\":\"\(word)\"}")
    let grant = try await client(stub).startDevice(scope: "openid")
    let error = await #expect(throws: OAuthError.self) { try await client(stub).awaitDevice(grant) { _ in } }
    #expect(error?.code == code)
  }

  @Test func `a device code that runs out ends the questions`() async throws {
    final class Running: WallClock, Sendable {
      let seconds = Mutex<Int64>(0)
      func now() -> Timestamp { Timestamp(seconds: seconds.withLock { $0 }) }
    }
    let clock = Running()
    let stub = StubTransport()
      .on("POST", "/device", body: Self.device)
      .on("POST", "/token", status: 400, body: "{\"error\":\"authorization_pending\"}")
    var provider = OAuthProvider(token: url("https://idp.example/token"))
    provider.device = url("https://idp.example/device")
    let client = OAuth2Client(provider, clientID: "c", transport: stub, clock: clock)
    let grant = try await client.startDevice(scope: "x")
    let error = await #expect(throws: OAuthError.self) {
      try await client.awaitDevice(grant) { _ in clock.seconds.withLock { $0 += 100 } }
    }
    #expect(error?.code == .expired)
    #expect(stub.requests.count == 1 + 6)
  }

  // MARK: Discovery

  private static func configuration(_ issuer: String) -> String {
    """
    {"issuer":"\(issuer)","token_endpoint":"\(issuer)/token","authorization_endpoint":"\(issuer)/auth",
    "code_challenge_methods_supported":["plain","S256"]}
    """
  }

  @Test(arguments: [
    ("https://idp.example/realms/a", "/realms/a", "https://idp.example/realms/a"),
    ("https://idp.example/realms/a", "/auth/realms/a", "https://idp.example/auth/realms/a"),
    ("https://idp.example/auth/realms/a", "/realms/a", "https://idp.example/realms/a"),
  ])
  func `discovery finds the issuer under either spelling`(asked: String, served: String, named: String) async throws {
    let stub = StubTransport()
      .on("GET", "\(served)/.well-known/openid-configuration", body: Self.configuration(named))
    for path in ["/realms/a", "/auth/realms/a"] where path != served {
      stub.on(
        "GET", "\(path)/.well-known/openid-configuration", status: 404, body: "{\"error\":\"Realm does not exist\"}")
    }
    let provider = try await OAuthProvider.discover(asked, over: stub)
    #expect(provider.issuer == named && provider.token.absoluteString == "\(named)/token")
    #expect(provider.device == nil && provider.methods == ["plain", "S256"])
  }

  @Test func `an issuer that calls itself otherwise is not believed`() async {
    let stub = StubTransport().on(
      "GET", "/.well-known/openid-configuration", body: Self.configuration("https://evil.example"))
    let error = await #expect(throws: OAuthError.self) {
      try await OAuthProvider.discover("https://idp.example", over: stub)
    }
    #expect(error?.code == .mismatch)
  }

  @Test func `an unknown realm is said to be none`() async {
    let stub = StubTransport()
      .on("GET", "/realms/a/.well-known/openid-configuration", status: 404)
      .on("GET", "/auth/realms/a/.well-known/openid-configuration", status: 404)
    let error = await #expect(throws: OAuthError.self) {
      try await OAuthProvider.discover("https://idp.example/realms/a", over: stub)
    }
    #expect(error?.code == .notOffered && stub.requests.count == 2)
  }

  // MARK: Answers of the sign-in page

  @Test(arguments: [
    ([("state", "s"), ("code", "c")], nil as OAuthError.Code?), ([("state", "x"), ("code", "c")], .mismatch),
    ([("code", "c")], .mismatch), ([("state", "s")], .unreadable),
    ([("state", "s"), ("iss", "https://idp.example"), ("code", "c")], nil),
    ([("state", "s"), ("iss", "https://evil.example"), ("code", "c")], .mismatch),
    ([("state", "s"), ("error", "access_denied")], .refused("access_denied")),
    ([("state", "x"), ("error", "access_denied")], .mismatch),
  ])
  func `an answer counts only for its own question`(fields: [(String, String)], code: OAuthError.Code?) {
    let pairs = fields.map { (name: $0.0, value: $0.1) }
    do throws(OAuthError) {
      let answer = try AuthorizationAnswer(pairs, state: "s", issuer: "https://idp.example")
      #expect(answer.code.reveal() == "c" && code == nil)
    } catch {
      #expect(error.code == code)
    }
  }

  // MARK: OAuth 1

  private static let signer = OAuth1Signer(
    consumerKey: "kx3v0sandboxconsumer00000000000000000001",
    consumerSecret: Secret("s9w2sandboxsecret00000000000000000000001"))

  /// The vectors of the Open Bank Project reference.
  @Test(arguments: [
    (
      "POST", "/oauth/initiate", "", "", "oauth_callback", "http://127.0.0.1:51717/callback",
      "njo7Za1ccMzgEjB1TubKI1TDplA=",
      "DDpF4CvYL36y/SqNOeW+nI7iuysyzH720Gbj3LcPPls="
    ),
    (
      "POST", "/oauth/token", "REQTOKEN00000000000000000000000000000001", "REQSECRET0000000000000000000000000000001",
      "oauth_verifier", "40718", "GPzqdMbVEg3PtCc0TqMTWruhXk4=", "OTedgYZtTKV94DuWqPeON/nDNAEail4H8lO5d0BOIFU="
    ),
    (
      "GET",
      "/obp/v4.0.0/my/banks/gh.29.uk/accounts/acc-1/transactions?limit=2&from_date=2026-01-01T00:00:00.000Z",
      "ACCTOKEN00000000000000000000000000000001", "ACCSECRET0000000000000000000000000000001", "", "",
      "VI/FdwvXWdy3svl8XssE47fkq9Q=", "msyvteWeNKsGXAnj4naZAsWzM8QRM+IRw/Tz9k0YNec="
    ),
  ])
  func `a signature is the reference's`(
    method: String, path: String, token: String, secret: String, name: String, value: String, sha1: String,
    sha256: String
  ) {
    for (algorithm, expected) in [(OAuth1Signer.Method.hmacSHA1, sha1), (.hmacSHA256, sha256)] {
      let signer = OAuth1Signer(
        consumerKey: Self.signer.consumerKey, consumerSecret: Self.signer.consumerSecret, method: algorithm)
      let header = signer.authorization(
        method, url("http://127.0.0.1:8080\(path)"),
        token: token.isEmpty ? nil : .init(key: Secret(token), secret: Secret(secret)),
        extra: name.isEmpty ? [] : [(name, value)], nonce: "b7c1f2a9-5d0e-4c57-9a34-0d2d8f6c1e11",
        now: Timestamp(seconds: 1_796_040_000))
      #expect(header.hasPrefix("OAuth oauth_consumer_key=\"kx3v0"))
      #expect(header.contains("oauth_signature=\"\(URLForm.escape(expected))\""))
    }
  }

  @Test func `a signature is made for the server's own idea of its address`() {
    let signer = OAuth1Signer(
      consumerKey: "k", consumerSecret: Secret("s"), serverURL: URL(string: "HTTPS://Public.Example:443"))
    let base = signer.baseString("get", url("http://127.0.0.1:8080/a%20b?z=1&a=b+c&a=%C3%A4"), [("oauth_nonce", "n")])
    #expect(
      base == "GET&https%3A%2F%2Fpublic.example%2Fa%2520b&a%3D%25C3%25A4%26a%3Db%2520c%26oauth_nonce%3Dn%26z%3D1")
  }
}
