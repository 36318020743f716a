import Model
import Wire

extension OpenBankSession {
  private static let operation = "sign in"
  /// Signs in and keeps what was obtained (`validate:` of OBPKit).
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    if method == .none {
      throw ServiceError(
        .signInNeeded, OpenBankSession.operation, detail: "this connection is anonymous",
        remedy: "Set auth.method and auth.consumerKey for this connection.")
    }
    let token = try await validating { () async throws(ServiceError) in try await self.obtain(request) }
    try await keep(token)
    return state(of: token)
  }

  private func obtain(_ request: SignInRequest) async throws(ServiceError) -> OpenBankToken {
    switch method {
    case .none, .direct: return try await directLogin(request)
    case .oauth1:
      let signIn = OAuth1SignIn(
        connection: connection.name, settings: settings, signer: try await signer(), transport: transport,
        surroundings: surroundings)
      return try await signIn.signIn(request.page)
    case .oidc: return try await openID(request.page)
    }
  }

  /// A renewal where the old sign-in still holds, else the provider's page.
  private func openID(_ page: SignInRequest.Page) async throws(ServiceError) -> OpenBankToken {
    var clientSecret: Secret?
    if let source = settings.clientSecret { clientSecret = try await surroundings.secrets.resolve(source) }
    let signIn = OpenIDSignIn(
      connection: connection.name, origin: settings.server.authOrigin, issuer: try await issuer(),
      clientID: settings.clientID ?? "", clientSecret: clientSecret, scope: settings.scope,
      redirectPort: settings.redirectPort, transport: transport,
      surroundings: surroundings)
    if let old = try await last(), let refresh = old.companion {
      do {
        return try await signIn.renew(old, with: refresh)
      } catch {
        guard error.code == .signInNeeded else { throw error }
      }
    }
    return try await signIn.signIn(page)
  }

  /// The configured issuer, else the first that the server itself names.
  private func issuer() async throws(ServiceError) -> String {
    if let issuer = settings.issuer { return issuer }
    let call = OpenBankCall("GET", to: settings.server.root + "/well-known", "ask for identity providers")
    let response = try await call.send(over: transport)
    let suffix = "/.well-known/openid-configuration"
    guard response.isSuccess,
      let named = try OpenBankAnswer(response, call.operation).root["well_known_uris"][0]["url"].string,
      named.hasSuffix(suffix)
    else {
      throw ServiceError(
        .configuration, OpenBankSession.operation, detail: "this server names no identity provider",
        remedy: "Set auth.issuer for this connection.")
    }
    return String(named.dropLast(suffix.utf8.count))
  }

  /// Forgets the token. DirectLogin and OAuth 1.0a know no call that ends one at the server.
  public func signOut() async throws(ServiceError) { try await invalidate() }

  func state(of token: OpenBankToken?) -> SignInState {
    SignInState(
      isSignedIn: token != nil, user: token?.user, expires: token?.expires, method: method.rawValue)
  }

  /// A locked user or an unknown consumer key is no reason to ask for the password again.
  private func directLogin(_ request: SignInRequest) async throws(ServiceError) -> OpenBankToken {
    guard let key = settings.consumerKey else { throw ServiceError(.configuration, OpenBankSession.operation) }
    let consumerKey = try await surroundings.secrets.resolve(key)
    let login = DirectLogin(server: settings.server, transport: transport)
    let prompt = PasswordPrompt(
      connection: connection, surroundings: surroundings,
      message: "Your user name and password at \(settings.server.authOrigin).")
    return try await prompt.signIn(request, isWorthAnotherTry: { $0.serverCode == "OBP-20004" }) {
      (user, password) async throws(ServiceError) in
      try await login.signIn(.init(user: user, password: password, consumerKey: consumerKey))
    }
  }
}
