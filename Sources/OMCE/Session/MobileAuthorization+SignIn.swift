import JSON
import Model
import Wire

extension MobileAuthorization {
  private static let operation = "sign in"

  /// Signs in by the profile's method and keeps what was obtained (`authenticate…`).
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    if let token = try await externalToken(request) {
      return profile.method == .sso ? try await keptPage(token) : try await exchange(token)
    }
    if settings.isAnonymous && request.user == nil { return try await signInAnonymously() }
    switch profile.method {
    case .basic, .oauth: return try await signInByPassword(request)
    case .tokenExchange, .facebook: return try await exchangeWhatIsEntered()
    case .sso: return try await signInByPage()
    }
  }

  /// Who we are, from what is known here.
  func state(of credential: MobileCredential?) -> SignInState {
    let method = settings.isAnonymous ? "anonymous" : profile.method.rawValue
    if credential == nil, let user = offlineUser {
      return SignInState(isSignedIn: true, user: user, method: "\(method), offline")
    }
    return SignInState(
      isSignedIn: credential != nil, user: credential?.user, expires: credential?.expires, method: method)
  }

  /// - Parameter stays: Whether it outlives the process, in the vault (`storeAccessToken:`).
  private func kept(
    _ credential: MobileCredential, renewal: (user: String, password: Secret)? = nil, stays: Bool = true
  ) async throws(ServiceError) -> SignInState {
    if stays { try await keep(credential, renewal: renewal) } else { hold(credential) }
    return state(of: credential)
  }

  // MARK: Anonymous

  func signInAnonymously() async throws(ServiceError) -> SignInState {
    let credential = try await anonymousCredential()
    if credential.form == .anonymousKey { try await check(credential) }
    return try await kept(credential)
  }

  /// What proves the app alone: the backend's anonymous key, or a token for its client.
  func anonymousCredential() async throws(ServiceError) -> MobileCredential {
    if profile.method != .oauth, let basic = profile.basic {
      guard let source = basic.anonymousKey else {
        throw ServiceError(.configuration, MobileAuthorization.operation, detail: "the profile has no anonymousKey")
      }
      let key = try await surroundings.secrets.resolve(source)
      return MobileCredential(form: .anonymousKey, secret: key, backend: backend, namesBackend: true)
    }
    let token = try await clientToken(.clientCredentials)
    return MobileCredential(
      form: .anonymousBearer, secret: token.value, expires: token.expires, backend: backend, namesBackend: false)
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
    do throws(ServiceError) {
      let state = try await signInOnline(user, password)
      try await remember(user, password)
      return state
    } catch {
      guard error.isWithoutServer else { throw error }
      return try await signInOffline(user, password, after: error)
    }
  }

  func signInOnline(_ user: String, _ password: Secret) async throws(ServiceError) -> SignInState {
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
    guard [.tokenExchange, .facebook, .sso].contains(profile.method), let source = settings.token else {
      return nil
    }
    return try await surroundings.secrets.resolve(source)
  }

  /// Asks for a token, shows what it says of itself, and exchanges it when the person agrees.
  private func exchangeWhatIsEntered() async throws(ServiceError) -> SignInState {
    let whose = profile.method == .facebook ? "Facebook's token" : "The token of your identity provider"
    var failure: String?
    while true {
      let fields = try await ask(
        "\(whose), to be exchanged.",
        [
          FormField("token", "Token", .secret),
          FormField("stay", "Stay signed in", .flag, initial: "true", isRequired: false),
        ], failure)
      guard let token = fields["token"], !token.isEmpty else {
        failure = "The token is empty."
        continue
      }
      if let jwt = ExternalToken(token), profile.method == .tokenExchange {
        if let objection = jwt.objection(now: surroundings.clock.now()) {
          failure = objection
          continue
        }
        try await agree(to: jwt)
      }
      return try await exchange(token, stays: fields["stay"]?.reveal() != "false")
    }
  }

  /// Nobody sends a token unseen that was meant for somebody else (reference, trap 5).
  private func agree(to token: ExternalToken) async throws(ServiceError) {
    _ = try await surroundings.asker.ask(
      Question(
        connection: connection.name, title: "Exchange this token?",
        message: token.lines.joined(separator: "\n") + "\nIt goes to \(endpoint(for: token)).",
        kind: .confirmation(accept: "Exchange", isDestructive: false)))
  }

  private func ask(
    _ message: String, _ fields: [FormField], _ failure: String?
  ) async throws(ServiceError) -> [String: Secret] {
    let answer = try await surroundings.asker.ask(
      Question(
        connection: connection.name, title: "Sign in to \(connection.name)", message: message,
        kind: .form(fields, submit: "Sign in"), failure: failure))
    guard case .fields(let values) = answer else { throw .cancelled(MobileAuthorization.operation) }
    return values
  }

  func exchange(_ external: Secret, stays: Bool = true) async throws(ServiceError) -> SignInState {
    guard !external.isEmpty else {
      throw ServiceError(.signInRefused, MobileAuthorization.operation, detail: "the token is empty")
    }
    if profile.method == .facebook { return try await keptFacebook(external, stays: stays) }
    let jwt = ExternalToken(external)
    if let objection = jwt?.objection(now: surroundings.clock.now()) {
      throw ServiceError(
        .signInRefused, MobileAuthorization.operation, detail: objection,
        remedy: "Get another token from your identity provider.")
    }
    let token = try await exchanged(external)
    return try await kept(
      MobileCredential(
        form: .bearer, secret: token.value, user: jwt?.subject, expires: token.expires, backend: backend,
        namesBackend: false), stays: stays)
  }

  // MARK: On a page of the backend

  /// A terminal cannot be the page's browser: the person opens it and brings the token that it ends with (2.6).
  private func signInByPage() async throws(ServiceError) -> SignInState {
    let client = profile.oauth.map { "clientID=\(URLForm.escape($0.clientID))&" } ?? ""
    let page = "\(profile.baseURL)/mobile/platform/sso/token?\(client)format=json"
    var failure: String?
    while true {
      let fields: [String: Secret]
      do throws(ServiceError) {
        fields = try await ask(
          "Open this page in a browser, sign in there, and paste what it shows at the end:\n\(page)",
          [
            FormField("token", "Token", .secret),
            FormField("stay", "Stay signed in", .flag, initial: "true", isRequired: false),
          ], failure)
      } catch {
        guard error.code == .signInNeeded else { throw error }
        throw ServiceError(
          .signInNeeded, MobileAuthorization.operation, detail: "this backend signs in on a page of its own",
          remedy: "Open \(page) in a browser, and give its token with atrium login --token-stdin.")
      }
      do throws(ServiceError) {
        return try await keptPage(fields["token"] ?? Secret(""), stays: fields["stay"]?.reveal() != "false")
      } catch {
        guard error.code == .signInRefused else { throw error }
        failure = error.detail
      }
    }
  }

  /// What the page shows, or the token alone; the first call proves it and tells whose it is.
  private func keptPage(_ shown: Secret, stays: Bool = true) async throws(ServiceError) -> SignInState {
    let text = shown.reveal().drop(while: \.isWhitespace)
    var token = TokenEndpoint.Token(value: Secret(PropertyTree.trimmed(String(text))), expires: nil)
    if text.first == "{" {
      let root = try? JSONDocument(Array(text.utf8)).root
      let seconds = root?["expires_in"].numberText.flatMap { Int64($0) }
      token = TokenEndpoint.Token(
        value: Secret(root?["access_token"].string ?? ""),
        expires: seconds.map { surroundings.clock.now().adding(seconds: $0) })
    }
    guard !token.value.isEmpty else {
      throw ServiceError(.signInRefused, MobileAuthorization.operation, detail: "there is no access_token in it")
    }
    var credential = MobileCredential(
      form: .bearer, secret: token.value, expires: token.expires, backend: backend, namesBackend: false)
    credential.user = try await owner(of: credential)
    return try await kept(credential, stays: stays)
  }

  private func owner(of credential: MobileCredential) async throws(ServiceError) -> String? {
    let call = MobileCall("GET", "/mobile/platform/users/~", module: "Authorization", MobileAuthorization.operation)
    let response = try await call.send(over: transport, profile, credential, headers: MobileHeaders(surroundings))
    guard response.isSuccess else {
      throw MobileFault(response).error(
        MobileAuthorization.operation, as: response.status == 401 ? .signInRefused : nil, hiding: credential.secret)
    }
    return try? JSONDocument(response.body).root["username"].string
  }

  /// No call is made: whether the token is good shows at the first one.
  private func keptFacebook(_ external: Secret, stays: Bool) async throws(ServiceError) -> SignInState {
    guard let source = profile.basic?.anonymousKey else {
      throw ServiceError(.configuration, MobileAuthorization.operation, detail: "the profile has no anonymousKey")
    }
    let key = try await surroundings.secrets.resolve(source)
    return try await kept(
      MobileCredential(form: .facebook, secret: external, key: key, backend: backend, namesBackend: true),
      stays: stays)
  }

  private enum Endpoint { case old, new, either }

  /// Which of the two takes a token is told by its audience, unless the configuration says it (reference, section 2.5).
  private func way(of token: ExternalToken?) -> Endpoint {
    if let forced = settings.exchange { return forced == "auth" ? .new : .old }
    let audience = token?.audience ?? []
    let platform = "\(profile.baseURL)/mobile/platform"
    let namesOld = audience.contains { $0 == "\(platform)/sso" || $0 == "\(platform)/sso/exchange-token" }
    let namesNew = audience.contains { $0 == "\(platform)/auth" || $0 == "\(platform)/auth/token" }
    if namesNew && !namesOld || profile.basic == nil { return .new }
    return namesOld && !namesNew || token == nil || profile.oauth == nil ? .old : .either
  }

  private func endpoint(for token: ExternalToken?) -> String {
    let platform = "\(profile.baseURL)/mobile/platform"
    return switch way(of: token) {
    case .old: "\(platform)/sso/exchange-token"
    case .new: "\(platform)/auth/token"
    case .either: "\(platform)/sso/exchange-token and, if that refuses it, \(platform)/auth/token"
    }
  }

  /// Where the audience does not tell, the old endpoint comes first and a 401 leads to the new one.
  private func exchanged(_ external: Secret) async throws(ServiceError) -> TokenEndpoint.Token {
    switch way(of: ExternalToken(external)) {
    case .new: return try await clientToken(.assertion(external))
    case .old: return try await exchangedTheOldWay(external)
    case .either:
      do throws(ServiceError) {
        return try await exchangedTheOldWay(external)
      } catch {
        guard error.status == 401 else { throw error }
        return try await clientToken(.assertion(external))
      }
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
