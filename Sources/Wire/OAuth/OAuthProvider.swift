public import FoundationEssentials
import JSON

/// Where an authorisation server answers what; an endpoint that it does not name is not offered.
public struct OAuthProvider: Sendable {
  public var issuer: String
  public var token: URL
  public var authorization: URL?
  public var device: URL?
  public var userInfo: URL?
  public var endSession: URL?
  public var revocation: URL?
  public var keys: URL?
  public var methods: [String] = []

  /// A server known by its token endpoint alone.
  public init(token: URL, issuer: String = "") {
    self.token = token
    self.issuer = issuer
  }

  /// Asks an issuer for its endpoints.
  ///
  /// Keycloak dropped `/auth` from its paths and some put it back: where the issuer is unknown as given, the other
  /// spelling is tried once.
  ///
  /// - Throws: `.mismatch` where the answer names another issuer.
  public static func discover(_ issuer: String, over transport: any Transport) async throws(OAuthError) -> OAuthProvider
  {
    let first = try await fetch(issuer, transport)
    guard first.status == 404, let other = alternative(issuer) else { return try read(first, issuer: issuer) }
    let second = try await fetch(other, transport)
    return second.status == 404 ? try read(first, issuer: issuer) : try read(second, issuer: other)
  }

  private static func fetch(_ issuer: String, _ transport: any Transport) async throws(OAuthError) -> HTTPResponse {
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    guard let url = URL(string: base + "/.well-known/openid-configuration") else {
      throw OAuthError(.notOffered, "“\(issuer)” is not an address")
    }
    var request = HTTPRequest.get(url, headers: ["Accept": "application/json"], label: "find the sign-in service")
    request.maxBytes = 1 << 20
    do { return try await transport.send(request) } catch { throw OAuthError(error) }
  }

  /// With `/auth` put before `/realms/`, or taken away.
  static func alternative(_ issuer: String) -> String? {
    if issuer.contains("/auth/realms/") {
      return issuer.replacing("/auth/realms/", with: "/realms/", maxReplacements: 1)
    }
    return issuer.contains("/realms/") ? issuer.replacing("/realms/", with: "/auth/realms/", maxReplacements: 1) : nil
  }

  private static func read(_ response: HTTPResponse, issuer: String) throws(OAuthError) -> OAuthProvider {
    guard response.isSuccess else {
      guard response.status == 404 else { throw OAuthError(response) }
      throw OAuthError(.notOffered, "there is no sign-in service at \(issuer)", status: 404)
    }
    guard let root = try? JSONDocument(response.body).root, let named = root["issuer"].string else {
      throw OAuthError(.unreadable, "that is no OpenID configuration", status: response.status)
    }
    guard named == issuer else {
      throw OAuthError(.mismatch, "the sign-in service calls itself \(named), not \(issuer)", status: response.status)
    }
    func endpoint(_ key: String) -> URL? { root[key].string.flatMap { URL(string: $0) } }
    guard let token = endpoint("token_endpoint") else {
      throw OAuthError(.notOffered, "the sign-in service gives out no tokens", status: response.status)
    }
    var provider = OAuthProvider(token: token, issuer: named)
    provider.authorization = endpoint("authorization_endpoint")
    provider.device = endpoint("device_authorization_endpoint")
    provider.userInfo = endpoint("userinfo_endpoint")
    provider.endSession = endpoint("end_session_endpoint")
    provider.revocation = endpoint("revocation_endpoint")
    provider.keys = endpoint("jwks_uri")
    provider.methods = root["code_challenge_methods_supported"].elements.compactMap(\.string)
    return provider
  }
}
