import Crypto
import HTTPServer
import JSON

/// The token endpoints: grants of the identity server, and exchange of other people's tokens; reference omce.md, sections
/// 2.1 to 2.6.
struct OMCTokens: Sendable {
  /// A refusal as OAuth writes it.
  struct Refusal: Error, Sendable {
    let status: Int
    let error: String
    let description: String

    init(_ status: Int, _ error: String, _ description: String) {
      self.status = status
      self.error = error
      self.description = description
    }

    var response: ServerResponse {
      .json(["error": .string(error), "error_description": .string(description)], status: status)
    }
  }

  static let scopeSuffix = "urn:opc:resource:consumer::all"
  /// Six hours, as policy `Security_TokenExchangeTimeoutSecs` has it.
  static let exchangeLifetime = 21_600

  let server: OMCServer
  let knobs: OMCKnobs

  func handle(_ request: SandboxRequest) -> ServerResponse? {
    switch (request.method, request.segments.joined(separator: "/")) {
    case ("POST", "oauth2/v1/token"):
      return answer { () throws(Refusal) in try grant(request, checksScope: true) }
    case ("POST", "oam/oauth2/tokens") where knobs.servesMCS:
      return answer { () throws(Refusal) in try grant(request, checksScope: false) }
    case ("POST", "mobile/platform/auth/token"):
      return answer { () throws(Refusal) in try exchange(request) }
    case ("GET", "mobile/platform/sso/exchange-token"):
      return answer { () throws(Refusal) in try oldExchange(request) }
    case ("GET", "mobile/platform/sso/token"): return pastePage(request)
    case ("GET", "idp/jwt"): return .text(assertion(for: request) + "\n")
    default: return nil
    }
  }

  private func answer(_ body: () throws(Refusal) -> JSONNode) -> ServerResponse {
    do throws(Refusal) {
      return .json(try body()).adding("Cache-Control", "no-store")
    } catch {
      return error.response
    }
  }

  private func field(_ name: String, _ form: [ServerRequest.Field]) -> String? { form.first { $0.name == name }?.value }

  private func checkClient(_ request: SandboxRequest, _ form: [ServerRequest.Field]) throws(Refusal) {
    let pair = request.basicCredentials
    let id = pair?.user ?? field("client_id", form)
    let secret = pair?.password ?? field("client_secret", form)
    guard id == server.credentials.clientID, let secret,
      constantTimeEquals(Array(secret.utf8), Array(server.credentials.clientSecret.utf8))
    else { throw Refusal(401, "invalid_client", "Client authentication failed.") }
  }

  private func grant(_ request: SandboxRequest, checksScope: Bool) throws(Refusal) -> JSONNode {
    let form = request.form()
    try checkClient(request, form)
    let scopes = (field("scope", form) ?? "").split(separator: " ").map(String.init)
    if checksScope && field("grant_type", form) != "refresh_token" {
      guard scopes.contains(request.origin + Self.scopeSuffix) else {
        throw Refusal(400, "invalid_scope", "The scope must be the backend's base URL and \(Self.scopeSuffix).")
      }
    }
    let asked = scopes.compactMap { $0.hasPrefix("urn:opc:resource:expiry=") ? Int($0.dropFirst(24)) : nil }.first
    let lifetime = checksScope ? asked ?? knobs.tokenLifetime : 604_800
    let principal = try principal(form)
    return server.issue(
      principal, lifetime: lifetime, at: request.now,
      offline: scopes.contains("offline_access") || field("grant_type", form) == "refresh_token")
  }

  private func principal(_ form: [ServerRequest.Field]) throws(Refusal) -> OMCPrincipal {
    switch field("grant_type", form) {
    case "password":
      guard let user = server.user(field("username", form) ?? "", password: field("password", form) ?? "") else {
        throw Refusal(400, "invalid_grant", "The user name or password is not valid.")
      }
      return .user(user)
    case "client_credentials": return .anonymous
    case "refresh_token":
      guard let known = server.takeRefreshToken(field("refresh_token", form) ?? "") else {
        throw Refusal(400, "invalid_grant", "The refresh token is not valid.")
      }
      return known
    default: throw Refusal(400, "unsupported_grant_type", "The grant type is not supported.")
    }
  }
}

extension OMCTokens {
  /// `POST /mobile/platform/auth/token`.
  private func exchange(_ request: SandboxRequest) throws(Refusal) -> JSONNode {
    let form = request.form()
    try checkClient(request, form)
    guard field("grant_type", form) == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
      throw Refusal(400, "unsupported_grant_type", "The grant type is not supported.")
    }
    let user = try check(field("assertion", form) ?? "", request, audiences: ["auth", "auth/token"])
    return server.issue(.user(user), lifetime: Self.exchangeLifetime, at: request.now, offline: false)
  }

  /// `GET /mobile/platform/sso/exchange-token`.
  private func oldExchange(_ request: SandboxRequest) throws(Refusal) -> JSONNode {
    guard request.header("Oracle-Mobile-Backend-ID")?.lowercased() == server.credentials.backendID else {
      throw Refusal(400, "invalid_request", "The header Oracle-Mobile-Backend-ID is missing or names no backend.")
    }
    guard let token = request.bearerToken else { throw Refusal(401, "invalid_request", "There is no token.") }
    let user = try check(token, request, audiences: ["sso", "sso/exchange-token"])
    return server.issue(.user(user), lifetime: Self.exchangeLifetime, at: request.now, offline: false)
  }

  /// Checks signature, issuer, expiry and audience, in the order of the causes that the reference names.
  private func check(
    _ token: String, _ request: SandboxRequest, audiences: [String]
  ) throws(Refusal) -> OMCUser {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let body = Base64URL.decode(parts[1]), let claims = try? JSONDocument(body).root else {
      throw Refusal(400, "invalid_grant", "The assertion is not a JWT.")
    }
    guard constantTimeEquals(Array(parts[2].utf8), Array(signature("\(parts[0]).\(parts[1])").utf8)) else {
      throw Refusal(401, "invalid_grant", "No configured key matches the assertion's signature.")
    }
    guard claims["iss"].string == Self.issuer else {
      throw Refusal(401, "invalid_grant", "The assertion's issuer is not configured.")
    }
    guard (claims["exp"].int).map({ Int64($0) > request.now.seconds }) == true else {
      throw Refusal(401, "invalid_grant", "The assertion has expired.")
    }
    let audience = claims["aud"].string.map { [$0] } ?? claims["aud"].elements.compactMap(\.string)
    let accepted = audiences.map { "\(request.origin)/mobile/platform/\($0)" }
    guard audience.contains(where: accepted.contains) else {
      throw Refusal(401, "invalid_grant", "The assertion is meant for another audience.")
    }
    guard let user = server.user(named: claims["sub"].string ?? "") else {
      throw Refusal(401, "invalid_grant", "The assertion's subject is not a user.")
    }
    return user
  }

  private static let issuer = "https://idp.city.example"

  private func signature(_ text: String) -> String {
    let key = Array(server.credentials.issuerSecret.utf8)
    return Base64URL.encode(HMAC.authenticate(Array(text.utf8), key: key, using: .sha256))
  }

  /// An assertion of the sandbox's own identity provider: `GET /idp/jwt?user=ada[&aud=URL][&seconds=N]`.
  private func assertion(for request: SandboxRequest) -> String {
    let seconds = request.query("seconds").flatMap { Int($0) } ?? 300
    let audience = request.query("aud") ?? "\(request.origin)/mobile/platform/auth/token"
    let claims: JSONNode = [
      "iss": .string(Self.issuer), "sub": .string(request.query("user") ?? "ada"), "aud": .string(audience),
      "exp": .integer(request.now.seconds + Int64(seconds)),
    ]
    let header: JSONNode = ["alg": "HS256", "typ": "JWT"]
    let text = "\(Base64URL.encode(header.encoded())).\(Base64URL.encode(claims.encoded()))"
    return "\(text).\(signature(text))"
  }

  /// The end of a browser sign-in: a page that holds the token to paste.
  private func pastePage(_ request: SandboxRequest) -> ServerResponse {
    guard request.query("clientID") == server.credentials.clientID, let user = server.users.first else {
      return Refusal(401, "invalid_client", "The client is not known.").response
    }
    let token = server.issue(.user(user), lifetime: Self.exchangeLifetime, at: request.now, offline: false)
    let text = Page.escape(String(decoding: token.encoded(pretty: true), as: UTF8.self))
    return Page(title: "Your token", body: "<pre id=\"token\">\(text)</pre>").response()
  }
}
