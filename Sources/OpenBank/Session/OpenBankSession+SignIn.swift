import Model
import Wire

extension OpenBankSession {
  private static let operation = "sign in"
  /// Signs in and keeps what was obtained (`validate:` of OBPKit).
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    switch method {
    case .none:
      throw ServiceError(
        .signInNeeded, OpenBankSession.operation, detail: "this connection is anonymous",
        remedy: "Set auth.method and auth.consumerKey for this connection.")
    case .direct:
      let token = try await directLogin(request)
      try await keep(token)
      return state(of: token)
    case .oauth1, .oidc:
      throw .notOffered(OpenBankSession.operation, "signing in by \(method.rawValue)")
    }
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
