import FoundationEssentials
import JSON
import Model
import Wire

extension MobileAuthorization {
  private static let operation = "sign in"

  /// Signs in by the profile's method and keeps what was obtained (`authenticate…`).
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    if let token = try await externalToken(request) { return try await exchange(token) }
    if settings.isAnonymous && request.user == nil { return try await signInAnonymously() }
    switch profile.method {
    case .basic, .oauth: return try await signInByPassword(request)
    case .tokenExchange, .facebook: return try await exchange(try await askForToken())
    case .sso:
      throw ServiceError(
        .signInNeeded, MobileAuthorization.operation, detail: "this backend signs in on a page of its own",
        remedy: "Open \(profile.baseURL)/mobile/platform/sso/token?format=json in a browser, and give its token with "
          + "atrium login --token-stdin.")
    }
  }

  /// Who we are, from what is known here.
  func state(of credential: MobileCredential?) -> SignInState {
    SignInState(
      isSignedIn: credential != nil, user: credential?.user, expires: credential?.expires,
      method: settings.isAnonymous ? "anonymous" : profile.method.rawValue)
  }

  private func kept(
    _ credential: MobileCredential, renewal: (user: String, password: Secret)? = nil
  ) async throws(ServiceError) -> SignInState {
    try await keep(credential, renewal: renewal)
    return state(of: credential)
  }

  // MARK: Anonymous

  private func signInAnonymously() async throws(ServiceError) -> SignInState {
    if profile.method != .oauth, let basic = profile.basic {
      guard let source = basic.anonymousKey else {
        throw ServiceError(.configuration, MobileAuthorization.operation, detail: "the profile has no anonymousKey")
      }
      let key = try await surroundings.secrets.resolve(source)
      let credential = MobileCredential(form: .anonymousKey, secret: key, backend: backend, namesBackend: true)
      try await check(credential)
      return try await kept(credential)
    }
    let token = try await clientToken(.clientCredentials)
    return try await kept(
      MobileCredential(
        form: .anonymousBearer, secret: token.value, expires: token.expires, backend: backend, namesBackend: false))
  }

  private func clientToken(_ grant: TokenEndpoint.Grant) async throws(ServiceError) -> TokenEndpoint.Token {
    guard let oauth = profile.oauth else {
      throw ServiceError(
        .configuration, MobileAuthorization.operation, detail: "the profile has no clientID and clientSecret")
    }
    let secret = try await surroundings.secrets.resolve(oauth.clientSecret)
    let endpoint = TokenEndpoint(profile: profile, transport: transport, clock: surroundings.clock)
    return try await endpoint.token(grant, clientID: oauth.clientID, clientSecret: secret)
  }

  // MARK: By password

  /// What was entered before in this process renews a token silently, until somebody asks for another user.
  private func signInByPassword(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    if let renewal, request.password == nil, request.user == nil || request.user == renewal.user {
      do {
        return try await signIn(renewal.user, renewal.password)
      } catch {
        guard error.code == .signInRefused else { throw error }
        forgetRenewal()
      }
    }
    let prompt = PasswordPrompt(
      connection: connection, surroundings: surroundings,
      message: "Your user name and password at \(profile.name ?? profile.baseURL).")
    return try await prompt.signIn(request) { (user, password) async throws(ServiceError) in
      try await signIn(user, password)
    }
  }

  private func signIn(_ user: String, _ password: Secret) async throws(ServiceError) -> SignInState {
    guard !user.isEmpty, !password.isEmpty else {
      throw ServiceError(.signInRefused, MobileAuthorization.operation, detail: "user name or password is empty")
    }
    if profile.method == .basic {
      let credential = MobileCredential(
        form: .basic, secret: password, user: user, backend: backend, namesBackend: true)
      try await check(credential)
      return try await kept(credential, renewal: (user, password))
    }
    let token = try await clientToken(.password(user: user, password: password))
    let credential = MobileCredential(
      form: .bearer, secret: token.value, user: user, expires: token.expires, backend: backend, namesBackend: false)
    return try await kept(credential, renewal: (user, password))
  }

  /// Basic credentials are proved by nothing but a call; this one exists for that (reference, section 2.4).
  private func check(_ credential: MobileCredential) async throws(ServiceError) {
    let call = MobileCall("GET", "/mobile/platform/users/login", module: "Authorization", MobileAuthorization.operation)
    let response = try await call.send(over: transport, profile, credential, headers: MobileHeaders(surroundings))
    guard !response.isSuccess else { return }
    let fault = MobileFault(response)
    if response.status == 400 {
      throw fault.error(
        MobileAuthorization.operation, as: .failed,
        remedy: "Check mobileBackendID; it differs for each environment of the backend.")
    }
    throw fault.error(MobileAuthorization.operation, as: response.status == 401 ? .signInRefused : nil)
  }

  // MARK: Third-party tokens

  private func externalToken(_ request: SignInRequest) async throws(ServiceError) -> Secret? {
    if let token = request.token { return token }
    guard profile.method == .tokenExchange || profile.method == .facebook, let source = settings.token else {
      return nil
    }
    return try await surroundings.secrets.resolve(source)
  }

  private func askForToken() async throws(ServiceError) -> Secret {
    let whose = profile.method == .facebook ? "Facebook's token" : "The token of your identity provider"
    let answer = try await surroundings.asker.ask(
      Question(
        connection: connection.name, title: "Sign in to \(connection.name)", message: "\(whose), to be exchanged.",
        kind: .form([FormField("token", "Token", .secret)], submit: "Sign in")))
    guard case .fields(let fields) = answer, let token = fields["token"] else {
      throw .cancelled(MobileAuthorization.operation)
    }
    return token
  }

  private func exchange(_ external: Secret) async throws(ServiceError) -> SignInState {
    guard !external.isEmpty else {
      throw ServiceError(.signInRefused, MobileAuthorization.operation, detail: "the token is empty")
    }
    if profile.method == .facebook { return try await keptFacebook(external) }
    let token = try await exchanged(external)
    return try await kept(
      MobileCredential(
        form: .bearer, secret: token.value, user: ExternalToken(external)?.subject, expires: token.expires,
        backend: backend, namesBackend: false))
  }

  /// No call is made: whether the token is good shows at the first one.
  private func keptFacebook(_ external: Secret) async throws(ServiceError) -> SignInState {
    guard let source = profile.basic?.anonymousKey else {
      throw ServiceError(.configuration, MobileAuthorization.operation, detail: "the profile has no anonymousKey")
    }
    let key = try await surroundings.secrets.resolve(source)
    return try await kept(
      MobileCredential(form: .facebook, secret: external, key: key, backend: backend, namesBackend: true))
  }

  /// Which of the two endpoints takes a token is told by its audience; when that does not tell, the old one comes first
  /// and a 401 leads to the new one (reference, section 2.5).
  private func exchanged(_ external: Secret) async throws(ServiceError) -> TokenEndpoint.Token {
    let audience = ExternalToken(external)?.audience ?? []
    let platform = "\(profile.baseURL)/mobile/platform"
    let namesOld = audience.contains { $0 == "\(platform)/sso" || $0 == "\(platform)/sso/exchange-token" }
    let namesNew = audience.contains { $0 == "\(platform)/auth" || $0 == "\(platform)/auth/token" }
    if namesNew && !namesOld || profile.basic == nil { return try await clientToken(.assertion(external)) }
    if namesOld && !namesNew || ExternalToken(external) == nil || profile.oauth == nil {
      return try await exchangedTheOldWay(external)
    }
    do {
      return try await exchangedTheOldWay(external)
    } catch {
      guard error.status == 401 else { throw error }
      return try await clientToken(.assertion(external))
    }
  }

  private func exchangedTheOldWay(_ external: Secret) async throws(ServiceError) -> TokenEndpoint.Token {
    var call = MobileCall("GET", "/mobile/platform/sso/exchange-token", module: "Authorization", "exchange the token")
    call.query = [(name: "format", value: "json")]
    let credential = MobileCredential(form: .bearer, secret: external, backend: backend, namesBackend: true)
    let response = try await call.send(over: transport, profile, credential, headers: MobileHeaders(surroundings))
    guard response.isSuccess else {
      throw MobileFault(response).error(
        "exchange the token", as: [400, 401, 403].contains(response.status) ? .signInRefused : nil)
    }
    return try TokenEndpoint.token(response, now: surroundings.clock.now())
  }
}

/// What a third party's JWT says of itself; it is not verified, only looked at.
struct ExternalToken: Sendable {
  let audience: [String]
  let subject: String?

  init?(_ token: Secret) {
    let parts = token.reveal().split(separator: ".")
    guard parts.count >= 2 else { return nil }
    var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
    while text.utf8.count % 4 != 0 { text += "=" }
    guard let data = Data(base64Encoded: String(text)), let root = try? JSONDocument(Array(data)).root else {
      return nil
    }
    let claim = root["aud"]
    audience = claim.string.map { [$0] } ?? claim.elements.compactMap(\.string)
    subject = root["sub"].string
  }
}
