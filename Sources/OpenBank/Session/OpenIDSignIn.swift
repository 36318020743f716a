import JSON
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

  func signIn() async throws(ServiceError) -> OpenBankToken {
    let client = try await client()
    let state = URLForm.escape(OpenBankSession.nonce(surroundings.randomBytes))
    let nonce = OpenBankSession.nonce(surroundings.randomBytes)
    let pkce = PKCE(randomBytes: surroundings.randomBytes)
    let listener = try LoopbackListener(port: redirectPort, expecting: .init("state", state))
    defer { listener.stop() }
    let visit = BrowserVisit(
      connection: connection, asker: surroundings.asker,
      message: "Sign in at your bank's identity provider; its page leads back here by itself.")
    do {
      let page = try client.authorizationURL(
        redirect: listener.redirectURL, scope: scope, state: state, nonce: nonce, pkce: pkce)
      let fields = try await visit.fields(from: page.absoluteString, back: listener, OpenIDSignIn.operation)
      let answer = try AuthorizationAnswer(fields, state: state, issuer: client.provider.issuer)
      let tokens = try await client.redeem(code: answer.code, redirect: listener.redirectURL, pkce: pkce)
      return try await token(tokens, client, nonce: nonce)
    } catch let error as OAuthError {
      throw error.serviceError(OpenIDSignIn.operation)
    } catch let error as ServiceError {
      throw error
    } catch {
      throw ServiceError(.failed, OpenIDSignIn.operation, cause: error)
    }
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
    do throws(OAuthError) {
      let provider = try await OAuthProvider.discover(issuer, over: transport)
      return OAuth2Client(
        provider, clientID: clientID, authentication: clientSecret.map { .basic($0) } ?? .none, transport: transport,
        clock: surroundings.clock)
    } catch {
      throw error.serviceError("find the sign-in service")
    }
  }

  /// The identity token is verified before anything of it is believed.
  private func token(
    _ tokens: OAuthTokens, _ client: OAuth2Client, nonce: String
  ) async throws(OAuthError) -> OpenBankToken {
    var user: String?
    if let id = tokens.id { user = try await client.verify(id, nonce: nonce).displayName }
    return OpenBankToken(
      form: .bearer, value: OpenIDSignIn.bearer(of: tokens), companion: tokens.refresh, user: user,
      expires: tokens.expires, origin: origin)
  }

  /// The API wants a token that it can read itself: the access token where that is a JWT, else the identity token.
  private static func bearer(of tokens: OAuthTokens) -> Secret {
    let isReadable = tokens.access.reveal().split(separator: ".", omittingEmptySubsequences: false).count == 3
    return isReadable ? tokens.access : tokens.id ?? tokens.access
  }
}
