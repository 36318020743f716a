import Model
import Wire

/// OpenID Connect: authorization code with PKCE at the bank's identity provider, and renewal by its refresh token.
///
/// - SeeAlso: Reference, section 1.4. The API server only verifies; it never sees the password.
struct OpenIDSignIn: Sendable {
  let connection: String
  let origin: String
  let issuer: String
  let clientID: String
  let clientSecret: Secret?
  let scope: String
  let redirectPort: UInt16
  let transport: any Transport
  let surroundings: Surroundings
  private static let operation = "sign in"

  func signIn(_ page: SignInRequest.Page) async throws(ServiceError) -> OpenBankToken {
    let visit = OpenIDVisit(
      connection: connection, client: try await client(), scope: scope, redirectPort: redirectPort,
      demandsIdentity: false, surroundings: surroundings)
    let gain: OpenIDVisit.Gain
    switch page {
    case .open, .print:
      gain = try await visit.throughPage(
        "Sign in at your bank's identity provider; its page leads back here by itself.")
    case .device: gain = try await visit.onAnotherDevice()
    case .outOfBand:
      throw .notOffered(OpenIDSignIn.operation, "--oob belongs to OAuth 1.0a; use --no-browser or --device")
    }
    return OpenBankToken(
      form: .bearer, value: OpenIDSignIn.bearer(of: gain.tokens), companion: gain.tokens.refresh,
      user: gain.identity?.displayName, expires: gain.tokens.expires, origin: origin)
  }

  /// A new token for the old sign-in; `.signInNeeded` when that has ended.
  func renew(_ old: OpenBankToken, with refresh: Secret) async throws(ServiceError) -> OpenBankToken {
    let client = try await client()
    do throws(OAuthError) {
      let tokens = try await client.refresh(refresh)
      return OpenBankToken(
        form: .bearer, value: OpenIDSignIn.bearer(of: tokens), companion: tokens.refresh ?? refresh, user: old.user,
        expires: tokens.expires, origin: origin)
    } catch {
      if error.needsSignIn { throw ServiceError(.signInNeeded, OpenIDSignIn.operation, detail: error.detail) }
      throw error.serviceError(OpenIDSignIn.operation)
    }
  }

  private func client() async throws(ServiceError) -> OAuth2Client {
    try await OpenIDVisit.client(
      issuer: issuer, clientID: clientID, secret: clientSecret, transport: transport, clock: surroundings.clock)
  }

  /// The API wants a token that it can read itself: the access token where that is a JWT, else the identity token.
  private static func bearer(of tokens: OAuthTokens) -> Secret {
    let isReadable = tokens.access.reveal().split(separator: ".", omittingEmptySubsequences: false).count == 3
    return isReadable ? tokens.access : tokens.id ?? tokens.access
  }
}
