import Crypto
import JSON
import Model

extension AuthorizationManager {
  private var memoryName: String { "\(keeperPrefix)/tokens" }
  private var registrationName: String { "\(keeperPrefix)/registration" }

  /// What a registration is good for: this server, this application.
  private func subject(_ application: ApplicationIdentity) -> String {
    "\(server.address) \(application.id)$\(application.platform)"
  }

  /// Takes up what an earlier run kept; once.
  func load() async throws(ServiceError) {
    guard !state.withLock({ $0.isLoaded }) else { return }
    let memory = try await surroundings.keeper.secret(named: memoryName).flatMap { SessionMemory($0) }
    var registration: ClientRegistration?
    if case .registered(let application) = client {
      registration = try await surroundings.keeper.secret(named: registrationName)
        .flatMap { ClientRegistration($0, subject: subject(application)) }
    }
    let now = surroundings.clock.now()
    state.withLock { state in
      guard !state.isLoaded else { return }
      state.isLoaded = true
      if state.registration == nil { state.registration = registration }
      guard var memory else { return }
      // Tokens belong to the registration they were made for; what has ended and cannot be renewed goes.
      if case .registered(let application) = client, registration?.told != application.changeable {
        memory.tokens = [:]
      }
      memory.tokens = memory.tokens.filter { $0.value.isAlive(at: now) || $0.value.refreshToken != nil }
      state.memory = memory
    }
  }

  func save() async throws(ServiceError) {
    try await surroundings.keeper.keep(state.withLock { $0.memory.secret }, named: memoryName)
  }

  /// The registration, made now if there is none; of another version or device name, the server is told first.
  func registration(_ application: ApplicationIdentity) async throws(ServiceError) -> ClientRegistration {
    guard let known = state.withLock({ $0.registration }) else { return try await register(application) }
    guard known.told != application.changeable else { return known }
    do throws(ServiceError) {
      try await server.update(known.clientID, try signed(application, known.deviceID, known.key))
    } catch {
      // The server does not know this client, or not with this key: everything is forgotten, and made anew.
      guard error.serverCode == Self.unknownClient || error.status == 403 || error.status == 404 else { throw error }
      try await forgetRegistration()
      return try await register(application)
    }
    return try await keep(known.telling(application.changeable))
  }

  private func register(_ application: ApplicationIdentity) async throws(ServiceError) -> ClientRegistration {
    let key = try makeKey()
    let deviceID = Hex.encode(surroundings.randomBytes(16))
    let id = try await server.register(try signed(application, deviceID, key))
    return try await keep(
      ClientRegistration(
        clientID: id, key: key, deviceID: deviceID, subject: subject(application), told: application.changeable))
  }

  private func keep(_ registration: ClientRegistration) async throws(ServiceError) -> ClientRegistration {
    state.withLock { $0.registration = registration }
    try await surroundings.keeper.keep(try registration.secret(), named: registrationName)
    return registration
  }

  private func signed(
    _ application: ApplicationIdentity, _ deviceID: String, _ key: RSAPrivateKey
  ) throws(ServiceError) -> JSONNode {
    do throws(CryptoError) {
      return try Assertion.registration(application, deviceID: deviceID, key: key)
    } catch {
      throw ServiceError(.failed, "sign the registration", detail: "\(error)", cause: error)
    }
  }

  /// Forgets key, client id and tokens.
  public func forgetRegistration() async throws(ServiceError) {
    state.withLock { state in
      state.registration = nil
      state.memory = SessionMemory()
    }
    try await surroundings.keeper.remove(named: registrationName)
    try await surroundings.keeper.remove(named: memoryName)
  }

  /// Forgets all tokens.
  public func forgetTokens() async throws(ServiceError) {
    state.withLock { $0.memory.tokens = [:] }
    try await save()
  }

  /// Forgets one scope's token.
  public func forgetToken(for scope: Scope) async throws(ServiceError) {
    state.withLock { $0.memory.tokens[scope] = nil }
    try await save()
  }

  /// The client id, once registered.
  public var clientID: String? {
    if case .confidential(let id, _) = client { return id }
    return state.withLock { $0.registration?.clientID }
  }

  /// Asks the server whether it still knows this client; false when there is no registration to ask about.
  func isRegistered() async throws(ServiceError) -> Bool {
    guard case .registered(let application) = client else { return true }
    guard let registration = state.withLock({ $0.registration }) else { return false }
    let assertion = try assertion(registration, application, id: nil)
    return try await server.knows(clientID: registration.clientID, assertion: assertion)
  }

  /// Scopes with a living token, and until when.
  public var heldTokens: [AccessToken] {
    let now = surroundings.clock.now()
    return state.withLock { state in
      state.memory.tokens.values.filter { $0.isAlive(at: now) }.sorted { "\($0.scope)" < "\($1.scope)" }
    }
  }

  func learntScope(_ resource: String) -> Scope? { state.withLock { $0.memory.learnt.scope(of: resource) } }

  func learn(_ scope: Scope, for resource: String) async throws(ServiceError) {
    let isNew = state.withLock { $0.memory.learnt.learn(scope, for: resource) }
    if isNew { try await save() }
  }
}
