import Crypto
public import FoundationEssentials
public import Model

/// Speaks to an authorisation server for one client: RFC 6749 and its relatives, over any transport.
public struct OAuth2Client: Sendable {
  /// How the client says who it is.
  public enum Authentication: Sendable {
    /// A public client: its id in the form.
    case none
    /// `Authorization: Basic`, id and secret form-encoded as RFC 6749 section 2.3.1 asks.
    case basic(Secret)
    /// Id and secret in the form.
    case form(Secret)
  }

  public let provider: OAuthProvider
  public let clientID: String
  public let authentication: Authentication
  /// Sent with every request to the token endpoint.
  public let headers: HTTPHeaders
  private let transport: any Transport
  private let clock: any WallClock

  public init(
    _ provider: OAuthProvider, clientID: String, authentication: Authentication = .none, headers: HTTPHeaders = [:],
    transport: any Transport, clock: any WallClock
  ) {
    self.provider = provider
    self.clientID = clientID
    self.authentication = authentication
    self.headers = headers
    self.transport = transport
    self.clock = clock
  }

  // MARK: Grants

  /// The address at which a person allows the access.
  ///
  /// - Parameters:
  ///   - state: Comes back with the answer; unpredictable.
  ///   - extra: More fields, such as `prompt` or `audience`.
  public func authorizationURL(
    redirect: String, scope: String, state: String, nonce: String?, pkce: PKCE,
    extra: [(name: String, value: String)] = []
  ) throws(OAuthError) -> URL {
    guard let base = provider.authorization else { throw OAuthError(.notOffered, "there is no sign-in page") }
    var fields = [
      (name: "response_type", value: "code"), (name: "client_id", value: clientID),
      (name: "redirect_uri", value: redirect), (name: "scope", value: scope), (name: "state", value: state),
    ]
    if let nonce { fields.append((name: "nonce", value: nonce)) }
    fields += [
      (name: "code_challenge", value: pkce.challenge), (name: "code_challenge_method", value: PKCE.method),
    ]
    return try Self.appending(fields + extra, to: base)
  }

  public func redeem(code: Secret, redirect: String, pkce: PKCE) async throws(OAuthError) -> OAuthTokens {
    try await tokens(
      "authorization_code",
      [("code", code.reveal()), ("redirect_uri", redirect), ("code_verifier", pkce.verifier.reveal())])
  }

  /// Keeps the old refresh token where the server sends no new one.
  public func refresh(_ token: Secret, scope: String? = nil) async throws(OAuthError) -> OAuthTokens {
    let scopes = scope.map { [(name: "scope", value: $0)] } ?? []
    var tokens = try await tokens("refresh_token", [("refresh_token", token.reveal())] + scopes)
    if tokens.refresh == nil { tokens.refresh = token }
    return tokens
  }

  public func password(user: String, password: Secret, scope: String?) async throws(OAuthError) -> OAuthTokens {
    let scopes = scope.map { [(name: "scope", value: $0)] } ?? []
    return try await tokens("password", [("username", user), ("password", password.reveal())] + scopes)
  }

  public func clientCredentials(scope: String?) async throws(OAuthError) -> OAuthTokens {
    try await tokens("client_credentials", scope.map { [(name: "scope", value: $0)] } ?? [])
  }

  /// A signed statement of another issuer in exchange for a token: RFC 7523.
  public func exchange(assertion: Secret, scope: String? = nil) async throws(OAuthError) -> OAuthTokens {
    let scopes = scope.map { [(name: "scope", value: $0)] } ?? []
    return try await tokens(
      "urn:ietf:params:oauth:grant-type:jwt-bearer", [("assertion", assertion.reveal())] + scopes)
  }

  // MARK: Signing out

  /// Withdraws a token: RFC 7009. Servers answer 200 for unknown ones, too.
  public func revoke(_ token: Secret, hint: String) async throws(OAuthError) {
    guard let url = provider.revocation else { throw OAuthError(.notOffered, "tokens cannot be withdrawn here") }
    let response = try await post(url, [("token", token.reveal()), ("token_type_hint", hint)], "withdraw a token")
    guard response.isSuccess else { throw OAuthError(response) }
  }

  /// Ends the session behind a refresh token without a browser, as Keycloak offers it.
  public func endSession(refresh: Secret) async throws(OAuthError) {
    guard let url = provider.endSession else { throw OAuthError(.notOffered, "sessions cannot be ended here") }
    let response = try await post(url, [("refresh_token", refresh.reveal())], "end the session")
    guard response.isSuccess else { throw OAuthError(response) }
  }

  /// Ends the session that an identity token was given out in: OpenID Connect RP-Initiated Logout, without a browser.
  public func endSession(identity: Secret) async throws(OAuthError) {
    guard let url = provider.endSession else { throw OAuthError(.notOffered, "sessions cannot be ended here") }
    let fields = [(name: "id_token_hint", value: identity.reveal()), (name: "client_id", value: clientID)]
    let response = try await get(try Self.appending(fields, to: url), "end the session")
    guard response.status < 400 else { throw OAuthError(response) }
  }

  // MARK: Requests

  func tokens(_ grant: String, _ fields: [(name: String, value: String)]) async throws(OAuthError) -> OAuthTokens {
    let response = try await post(provider.token, [("grant_type", grant)] + fields, "get a token")
    return try OAuthTokens(response, now: clock.now())
  }

  func post(
    _ url: URL, _ fields: [(name: String, value: String)], _ label: String
  ) async throws(OAuthError) -> HTTPResponse {
    var fields = fields
    var headers = headers
    headers["Accept"] = headers["Accept"] ?? "application/json"
    switch authentication {
    case .none:
      fields.append(("client_id", clientID))
    case .form(let secret):
      fields += [("client_id", clientID), ("client_secret", secret.reveal())]
    case .basic(let secret):
      let pair = "\(URLForm.escape(clientID)):\(URLForm.escape(secret.reveal()))"
      headers["Authorization"] = "Basic \(Base64.encode(Array(pair.utf8)))"
    }
    var request = HTTPRequest.form(url, fields, headers: headers, label: label)
    request.maxBytes = 1 << 20
    do { return try await transport.send(request) } catch { throw OAuthError(error) }
  }

  func get(_ url: URL, _ label: String) async throws(OAuthError) -> HTTPResponse {
    var request = HTTPRequest.get(url, headers: ["Accept": "application/json"], label: label)
    request.maxBytes = 1 << 20
    do { return try await transport.send(request) } catch { throw OAuthError(error) }
  }

  var now: Timestamp { clock.now() }

  static func appending(_ fields: [(name: String, value: String)], to base: URL) throws(OAuthError) -> URL {
    let text = base.absoluteString
    let mark = text.contains("?") ? "&" : "?"
    guard let url = URL(string: "\(text)\(mark)\(URLForm.encode(fields))") else {
      throw OAuthError(.unreadable, "the sign-in page has no valid address")
    }
    return url
  }
}
