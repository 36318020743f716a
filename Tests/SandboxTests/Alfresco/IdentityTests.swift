import Crypto
import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct IdentityTests {
  let docs = DocsClient()
  private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  private let realm = "/auth/realms/alfresco"
  private let redirect = "http://127.0.0.1:53214/callback"

  private func send(
    _ method: String, _ target: String, _ body: String = "", cookie: String? = nil, bearer: String? = nil
  )
    -> ServerResponse
  {
    var anonymous = docs
    anonymous.user = nil
    var headers: [(String, String)] = []
    if let cookie { headers.append(("Cookie", cookie)) }
    if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
    return anonymous.send(method, target, Array(body.utf8), headers: headers)
  }

  private func authorization(_ more: String = "", client: String = "atrium", redirect: String? = nil) -> String {
    let target = PercentCoding.encode(redirect ?? self.redirect)
    return "\(realm)/protocol/openid-connect/auth?response_type=code&client_id=\(client)&redirect_uri=\(target)"
      + "&scope=openid%20profile%20email&state=s%261&nonce=n1&code_challenge=\(challenge)&code_challenge_method=S256\(more)"
  }

  /// Where the form of a page leads.
  private func action(_ page: ServerResponse) throws -> String {
    let text = page.bodyText
    let start = try #require(text.firstRange(of: "action=\""))
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }

  private func login(_ more: String = "") throws -> ServerResponse {
    let page = send("GET", authorization(more))
    return send("POST", try action(page), "username=susan&password=\(docs.password("susan"))")
  }

  /// The code that a sign-in brings back.
  private func code() throws -> String {
    let back = try login()
    return try #require(field("code", of: back))
  }

  private func field(_ name: String, of response: ServerResponse) -> String? {
    let query = response.header("Location")?.split(separator: "?").last ?? ""
    return FormFields.parse(query).first { $0.name == name }?.value
  }

  private func token(_ fields: [(String, String)]) -> ServerResponse {
    let body = fields.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
    return send("POST", "\(realm)/protocol/openid-connect/token", body)
  }

  private func exchange(_ code: String, verifier: String? = nil, redirect: String? = nil) -> ServerResponse {
    token([
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect ?? self.redirect),
      ("client_id", "atrium"), ("code_verifier", verifier ?? self.verifier),
    ])
  }

  @Test func `discovery names the issuer as it was asked`() {
    let document = send("GET", "\(realm)/.well-known/openid-configuration").json
    #expect(document["issuer"].string == "http://127.0.0.1:8080\(realm)")
    #expect(document["token_endpoint"].string == "http://127.0.0.1:8080\(realm)/protocol/openid-connect/token")
    let other = send("GET", "/auth/realms/other/.well-known/openid-configuration")
    #expect(other.status == 404)
    #expect(other.json["error"].string == "Realm does not exist")
  }

  @Test func `a person signs in and the repository takes the token`() throws {
    let back = try login()
    #expect(back.status == 302)
    #expect(field("state", of: back) == "s&1")
    #expect(field("iss", of: back) == "http://127.0.0.1:8080\(realm)")
    let answer = exchange(field("code", of: back) ?? "")
    #expect(answer.status == 200)
    let access = try #require(answer.json["access_token"].string)
    let me = send("GET", "\(DocsClient.core)/people/-me-", bearer: access)
    #expect(me.json["entry"]["id"].string == "susan")
    let ticket = send("GET", "\(DocsClient.tickets)/-me-", bearer: access)
    #expect(ticket.json["entry"]["id"].string?.hasPrefix("TICKET_") == true)
    docs.clock.advance(seconds: 301)
    #expect(send("GET", "\(DocsClient.core)/people/-me-", bearer: access).status == 401)
  }

  @Test func `the ID token is signed by the published key and holds the nonce`() throws {
    let answer = exchange(try code())
    let parts = try #require(JWS(answer.json["id_token"].string ?? ""))
    let jwk = send("GET", "\(realm)/protocol/openid-connect/certs").json["keys"][0]
    let modulus = try #require(Base64URL.decode(jwk["n"].string ?? ""))
    let exponent = try #require(Base64URL.decode(jwk["e"].string ?? ""))
    let key = try RSAPublicKey(modulus: modulus, exponent: exponent)
    #expect(parts.isSigned(by: key))
    let claims = try JSONDocument(parts.payload).root
    #expect(claims["nonce"].string == "n1")
    #expect(claims["aud"].string == "atrium")
    #expect(claims["iss"].string == "http://127.0.0.1:8080\(realm)")
    #expect(claims["preferred_username"].string == "susan")
  }

  @Test func `a wrong password shows the form again, cancelling goes back with an error`() throws {
    let page = send("GET", authorization())
    let again = send("POST", try action(page), "username=susan&password=wrong")
    #expect(again.status == 200)
    #expect(again.bodyText.contains("Invalid username or password."))
    let cancelled = send("POST", try action(again), "cancel=yes")
    #expect(field("error", of: cancelled) == "access_denied")
  }

  @Test(arguments: [
    ("http://evil.example/callback", 400), ("http://127.0.0.1:53214/callback", 200), ("http://localhost/x", 200),
    ("http://127.0.0.1.evil.example/", 400), ("http://[::1]:53214/callback", 400), ("http://127.0.0.1:99999/x", 400),
    ("urn:ietf:wg:oauth:2.0:oob", 200),
  ])
  func `only registered addresses are ever redirected to`(_ redirect: String, _ status: Int) {
    let answer = send("GET", authorization(redirect: redirect))
    #expect(answer.status == status)
    #expect(answer.header("Location") == nil)
  }

  @Test func `a challenge is demanded of the public client`() {
    let plain =
      "\(realm)/protocol/openid-connect/auth?response_type=code&client_id=atrium&redirect_uri=\(PercentCoding.encode(redirect))"
    let answer = send("GET", plain)
    #expect(field("error_description", of: answer) == "Missing parameter: code_challenge_method")
  }

  @Test func `a code needs its verifier and its address, within a minute, once`() throws {
    #expect(exchange(try code(), verifier: String(repeating: "x", count: 43)).json["error"].string == "invalid_grant")
    #expect(
      exchange(try code(), redirect: "http://127.0.0.1:1/").json["error_description"].string == "Incorrect redirect_uri"
    )
    let code = try self.code()
    let first = exchange(code)
    #expect(first.status == 200)
    #expect(exchange(code).status == 400)
    let refresh = try #require(first.json["refresh_token"].string)
    #expect(renew(refresh).status == 400, "a second use ends the session")
    let late = try self.code()
    docs.clock.advance(seconds: 61)
    #expect(exchange(late).json["error_description"].string == "Code is expired")
  }

  private func renew(_ refresh: String) -> ServerResponse {
    token([("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", "atrium")])
  }

  @Test func `refresh tokens rotate and end with the session`() throws {
    let answer = exchange(try code())
    let old = try #require(answer.json["refresh_token"].string)
    let renewed = renew(old)
    #expect(renewed.status == 200)
    #expect(renew(old).json["error_description"].string == "Maximum allowed refresh token reuse exceeded")
    let new = try #require(renewed.json["refresh_token"].string)
    docs.clock.advance(seconds: 1_801)
    #expect(renew(new).json["error_description"].string == "Token is not active")
  }

  @Test func `a browser with a session is not asked again, unless prompted`() throws {
    let back = try login()
    let cookie = String((back.header("Set-Cookie") ?? "").prefix { $0 != ";" })
    #expect(send("GET", authorization(), cookie: cookie).status == 302)
    #expect(send("GET", authorization("&prompt=login"), cookie: cookie).status == 200)
    #expect(field("error", of: send("GET", authorization("&prompt=none"))) == "login_required")
  }

  @Test func `signing out with a hint ends the session, without one it asks`() throws {
    let answer = exchange(try code())
    let hint = try #require(answer.json["id_token"].string)
    let path = "\(realm)/protocol/openid-connect/logout"
    #expect(send("GET", path).bodyText.contains("Do you want to sign out?"))
    #expect(send("GET", "\(path)?redirect_uri=x").status == 400)
    #expect(send("GET", "\(path)?post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%2F").status == 400)
    let out = send(
      "GET", "\(path)?id_token_hint=\(hint)&post_logout_redirect_uri=\(PercentCoding.encode(redirect))&state=z")
    #expect(out.status == 302)
    #expect(field("state", of: out) == "z")
    #expect(renew(answer.json["refresh_token"].string ?? "").status == 400)
  }

  @Test func `the back channel and revoking end the session too`() throws {
    let first = try #require(try exchange(code()).json["refresh_token"].string)
    let path = "\(realm)/protocol/openid-connect"
    #expect(send("POST", "\(path)/logout", "client_id=atrium&refresh_token=\(first)").status == 204)
    #expect(send("POST", "\(path)/logout", "client_id=atrium&refresh_token=rubbish").status == 400)
    let second = try #require(try exchange(code()).json["refresh_token"].string)
    #expect(send("POST", "\(path)/revoke", "client_id=atrium&token=\(second)").status == 200)
    #expect(renew(second).status == 400)
    #expect(send("POST", "\(path)/revoke", "client_id=atrium&token=unknown").status == 200)
  }

  @Test func `a device waits, is told to slow down, and is let in`() throws {
    let asked = send("POST", "\(realm)/protocol/openid-connect/auth/device", "client_id=atrium&scope=openid")
    let device = try #require(asked.json["device_code"].string)
    let code = try #require(asked.json["user_code"].string)
    func poll() -> String? {
      token([
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device),
        ("client_id", "atrium"),
      ]).json["error"].string
    }
    #expect(poll() == "authorization_pending")
    #expect(poll() == "slow_down")
    let page = send("GET", "\(realm)/device?user_code=\(code.lowercased().filter { $0 != "-" })")
    #expect(page.bodyText.contains(code))
    let granted = send(
      "POST", "\(realm)/device", "user_code=\(code)&answer=yes&username=susan&password=\(docs.password("susan"))")
    #expect(granted.bodyText.contains("Device login successful"))
    docs.clock.advance(seconds: 11)
    #expect(poll() == nil)
    docs.clock.advance(seconds: 11)
    #expect(poll() == "invalid_grant")
    #expect(
      send("POST", "\(realm)/protocol/openid-connect/auth/device", "client_id=alfresco").json["error"].string
        == "invalid_grant")
  }

  @Test func `a refused or late device is told so`() throws {
    func ask() throws -> (device: String, code: String) {
      let asked = send("POST", "\(realm)/protocol/openid-connect/auth/device", "client_id=atrium").json
      return (try #require(asked["device_code"].string), try #require(asked["user_code"].string))
    }
    func poll(_ device: String) -> String? {
      token([
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device),
        ("client_id", "atrium"),
      ]).json["error"].string
    }
    let refused = try ask()
    _ = send("POST", "\(realm)/device", "user_code=\(refused.code)&answer=no")
    #expect(poll(refused.device) == "access_denied")
    let late = try ask()
    docs.clock.advance(seconds: 601)
    #expect(poll(late.device) == "expired_token")
  }

  @Test func `user info wants the openid scope`() throws {
    let plain = token([
      ("grant_type", "password"), ("client_id", "alfresco"), ("username", "susan"),
      ("password", docs.password("susan")),
    ])
    #expect(plain.json["id_token"].exists == false)
    let path = "\(realm)/protocol/openid-connect/userinfo"
    #expect(send("GET", path, bearer: plain.json["access_token"].string).status == 403)
    let open = token([
      ("grant_type", "password"), ("client_id", "alfresco"), ("username", "susan"),
      ("password", docs.password("susan")),
      ("scope", "openid"),
    ])
    #expect(send("GET", path, bearer: open.json["access_token"].string).json["preferred_username"].string == "susan")
    let wrong = token([("grant_type", "password"), ("client_id", "alfresco"), ("username", "susan"), ("password", "x")])
    #expect(wrong.status == 401)
    #expect(
      token([("grant_type", "password"), ("client_id", "atrium"), ("username", "susan")]).json["error"].string
        == "unauthorized_client")
  }

  @Test func `ordered expiry refuses all tokens`() throws {
    let answer = exchange(try code())
    docs.door.suffer(.expireTokens)
    #expect(send("GET", "\(DocsClient.core)/people/-me-", bearer: answer.json["access_token"].string).status == 401)
    #expect(renew(answer.json["refresh_token"].string ?? "").status == 400)
  }
}
