import FoundationEssentials
import Model
import Wire

extension UnwiredBackend {
  /// Where the connection id is kept; it names the registration to the server and outlives a sign-out.
  var registrationName: String { "\(connection.name)/connection-id" }
  /// Where an anonymous registration's token against use by others is kept.
  private var tokenName: String { "\(connection.name)/security-token" }

  /// Registers at the first time, connects later; a registration that an administrator removed is made anew.
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    let operation = "sign in to \(connection.name)"
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    guard client.server.proof == .password else { return try await enter() }
    let prompt = PasswordPrompt(
      connection: connection, surroundings: surroundings,
      message: "Your name and password for “\(client.server.application)” at \(client.server.address).")
    return try await prompt.signIn(request) { (user, password) async throws(ServiceError) -> SignInState in
      client.session.use(user: user, password: password)
      do throws(ServiceError) {
        return try await enter()
      } catch {
        client.session.disconnect()
        throw error
      }
    }
  }

  private func enter() async throws(ServiceError) -> SignInState {
    let kept = try await surroundings.keeper.secret(named: registrationName)?.reveal()
    let registration = try await registration(kept)
    if registration.id != kept {
      try await surroundings.keeper.keep(Secret(registration.id), named: registrationName)
      if let token = client.session.securityToken { try await surroundings.keeper.keep(token, named: tokenName) }
    }
    if let policy = application.applicationSettings?.passwordPolicy { try await surroundings.stores.adopt(policy) }
    return state(registration.user)
  }

  private func registration(_ kept: String?) async throws(ServiceError) -> Registration {
    let operation = "sign in to \(connection.name)"
    var found: Registration?
    if let kept {
      client.session.connected(as: kept)
      if client.session.securityToken == nil, client.server.isAnonymous {
        client.session.keep(securityToken: try await surroundings.keeper.secret(named: tokenName))
      }
      do throws(ServiceError) {
        found = try await application.startConnection(as: kept)
      } catch {
        // Removed by an administrator: it is made anew.
        guard error.code == .notFound else { throw error }
      }
    }
    if found == nil { found = try await application.register() }
    guard let found else { throw ServiceError(.failed, operation) }
    return found
  }

  private func state(_ user: String?) -> SignInState {
    SignInState(
      isSignedIn: client.isReady, user: user ?? client.session.user,
      method: client.server.proof.word)
  }

  public func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    if request.unregisters {
      let kept = try await surroundings.keeper.secret(named: registrationName)
      if client.session.connectionID != nil || kept != nil {
        guard !surroundings.isOffline else { throw ServiceError(.offline, "remove the registration") }
        // A process that only wants to remove it has not signed in yet.
        if !client.isReady { _ = try await signIn(SignInRequest()) }
        try await application.unregister()
      }
      try await forgetRegistration()
    }
    application.stopConnection()
  }

  func forgetRegistration() async throws(ServiceError) {
    try await surroundings.keeper.remove(named: registrationName)
    try await surroundings.keeper.remove(named: tokenName)
  }

  public func signInState(verifying: Bool) async throws(ServiceError) -> SignInState {
    guard client.isReady, verifying, !surroundings.isOffline else { return state(nil) }
    do throws(ServiceError) {
      return state(try await client.registration().user)
    } catch {
      guard [.signInNeeded, .forbidden, .notFound].contains(error.code) else { throw error }
      return SignInState(isSignedIn: false, user: client.session.user)
    }
  }

  /// The path is appended to the address and the relay's prefix; writes carry the token against forged requests.
  public func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    let operation = "\(call.method) \(call.path)"
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    guard call.isSafe || !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    guard call.isPublic || client.isReady else { throw ServiceError(.signInNeeded, operation) }
    let path = call.path.hasPrefix("/") ? call.path : "/" + call.path
    let code: ServerCode = { [client] in client.refusal($0, operation).serverCode }
    var headers = HTTPHeaders(call.headers)
    if call.isPublic {
      guard let url = URL(string: client.server.base + path) else {
        throw ServiceError(.usage, operation, detail: "“\(path)” cannot stand in an address")
      }
      var request = HTTPRequest(call.method, url, headers: headers, label: operation)
      if let body = call.body { request.body = .source(body) }
      return try await client.transport.pass(request, to: sink, call, operation, code: code)
    }
    if headers["Accept"] == nil { headers["Accept"] = "*/*" }
    let address = client.server.base + path
    let body = call.body.map { HTTPBody.source($0) } ?? .none
    var request = try client.request(
      call.method, address, operation, headers: withToken(headers, call), body: body)
    let held = try await client.transport.passUnless(
      UnwiredClient.wantsToken, request, to: sink, call, operation, code: code)
    if let held { return held }
    // Not executed: the server only wants a token first, which counts together with the cookies that come with it.
    try await client.fetchToken(operation)
    do {
      try call.body?.rewind()
    } catch {
      throw ServiceError(.failed, operation, detail: "what is sent cannot be read twice", cause: error)
    }
    request = try client.request(call.method, address, operation, headers: withToken(headers, call), body: body)
    return try await client.transport.pass(request, to: sink, call, operation, code: code)
  }

  private func withToken(_ headers: HTTPHeaders, _ call: RawCall) -> HTTPHeaders {
    guard !call.isSafe else { return headers }
    var headers = headers
    headers.merge(client.tokenHeader)
    return headers
  }
}

extension UnwiredServer.Proof {
  /// As the configuration names it.
  fileprivate var word: String {
    switch self {
    case .password: "basic"
    case .certificate: "certificate"
    case .nothing: "none"
    }
  }
}
