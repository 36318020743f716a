import Model
import Wire

extension OpenBankSession {
  private static let operation = "sign in"
  /// The server locks a user after five wrong passwords; we stop asking before that.
  private static let mostTries = 3

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

  private func directLogin(_ request: SignInRequest) async throws(ServiceError) -> OpenBankToken {
    guard let key = settings.consumerKey else { throw ServiceError(.configuration, OpenBankSession.operation) }
    let consumerKey = try await surroundings.secrets.resolve(key)
    let login = DirectLogin(server: settings.server, transport: transport)
    let user = request.user ?? settings.user
    var password = request.password
    // The configured password belongs to the configured user, nobody else.
    if password == nil, user == settings.user, let source = settings.password {
      password = try await surroundings.secrets.resolve(source)
    }
    if let user, let password, !settings.alwaysAsks || request.password != nil {
      return try await login.signIn(.init(user: user, password: password, consumerKey: consumerKey))
    }
    return try await askAndLogIn(login, consumerKey, user: user, password: password)
  }

  private func askAndLogIn(
    _ login: DirectLogin, _ consumerKey: Secret, user: String?, password: Secret?
  ) async throws(ServiceError) -> OpenBankToken {
    var (user, password) = (user, password)
    var refusal: ServiceError?
    for attempt in 1...OpenBankSession.mostTries {
      let answer = try await surroundings.asker.ask(question(user, password, after: refusal))
      guard case .fields(let fields) = answer else { throw .cancelled(OpenBankSession.operation) }
      user = fields["user"]?.reveal() ?? user
      password = fields["password"] ?? password
      do {
        return try await login.signIn(
          .init(user: user ?? "", password: password ?? Secret(""), consumerKey: consumerKey))
      } catch {
        let isWorthAnotherTry = error.serverCode == "OBP-20004" && attempt < OpenBankSession.mostTries
        guard isWorthAnotherTry else { throw error }
        refusal = error
        password = nil
      }
    }
    throw refusal ?? ServiceError(.signInRefused, OpenBankSession.operation)
  }

  private func question(_ user: String?, _ password: Secret?, after refusal: ServiceError?) -> Question {
    let fields = [
      FormField("user", "User name", initial: user ?? ""),
      FormField("password", "Password", .secret, initialSecret: password),
    ]
    return Question(
      connection: connection, title: "Sign in to \(connection)",
      message: "Your user name and password at \(settings.server.authOrigin).",
      kind: .form(fields, submit: "Sign in"), failure: refusal?.reason)
  }
}
