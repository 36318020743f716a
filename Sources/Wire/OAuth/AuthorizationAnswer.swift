import Crypto
public import Model

/// What a browser brought back from the sign-in page.
public struct AuthorizationAnswer: Sendable {
  public let code: Secret

  /// - Parameters:
  ///   - fields: The query of the redirect.
  ///   - issuer: Compared with `iss` where the server sends it (RFC 9207); empty to skip.
  /// - Throws: The server's refusal, `.mismatch` for another state or issuer.
  public init(_ fields: [(name: String, value: String)], state: String, issuer: String) throws(OAuthError) {
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    guard constantTimeEquals(Array((value("state") ?? "").utf8), Array(state.utf8)) else {
      throw OAuthError(.mismatch, "the answer belongs to another sign-in")
    }
    if let named = value("iss"), !issuer.isEmpty, named != issuer {
      throw OAuthError(.mismatch, "the answer comes from another sign-in service")
    }
    if let error = value("error") {
      throw OAuthError(.refused(String(error.prefix(100))), String((value("error_description") ?? error).prefix(500)))
    }
    guard let code = value("code"), !code.isEmpty else { throw OAuthError(.unreadable, "the answer holds no code") }
    self.code = Secret(code)
  }
}
