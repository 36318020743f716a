import Crypto
import JSON
import Model
import Synchronization
import Wire

/// Obtains tokens for scopes: registers the application once, passes the security checks, and keeps what it got.
///
/// One authorization runs at a time; everybody else who wants one waits, and is served from the cache where the one
/// before brought the same.
public final class AuthorizationManager: Sendable {
  /// How the client proves itself.
  public enum Client: Sendable {
    /// An application that registers itself with a key of its own.
    case registered(ApplicationIdentity)
    /// A server with an id and a secret: no registration, no checks.
    case confidential(id: String, secret: SecretSource)
  }

  public let client: Client
  let server: AuthorizationServer
  let surroundings: Surroundings
  let handler: any ChallengeHandler
  /// Before the names of everything kept.
  let keeperPrefix: String
  /// Asks for refresh tokens, where the server gives them.
  let wantsRefresh: Bool
  let makeKey: KeyMaker

  struct State {
    var memory = SessionMemory()
    var registration: ClientRegistration?
    /// The server's clock minus ours, in milliseconds.
    var clockOffset: Int64 = 0
    var isSigningIn = false
    var isSigningOut = false
    /// What the server had to say to everybody who uses this version.
    var notice: String?
    var isLoaded = false
  }

  let state = Mutex(State())
  private let gate = Gate()

  /// - Parameters:
  ///   - address: `https://HOST/mfp`.
  ///   - name: Under which registration and tokens are kept.
  /// - Throws: `.configuration` when the address is none.
  public convenience init(
    address: String, client: Client, name: String, transport: any Transport, surroundings: Surroundings,
    handler: any ChallengeHandler, wantsRefresh: Bool = true
  ) throws(ServiceError) {
    try self.init(
      address: address, client: client, name: name, transport: transport, surroundings: surroundings, handler: handler,
      wantsRefresh: wantsRefresh, makeKey: ClientRegistration.newKey)
  }

  typealias KeyMaker = @Sendable () throws(ServiceError) -> RSAPrivateKey

  /// - Parameter makeKey: A key pair takes its time to find, so tests bring theirs.
  init(
    address: String, client: Client, name: String, transport: any Transport, surroundings: Surroundings,
    handler: any ChallengeHandler, wantsRefresh: Bool, makeKey: @escaping KeyMaker
  ) throws(ServiceError) {
    self.makeKey = makeKey
    server = try AuthorizationServer(address: address, transport: transport)
    self.client = client
    self.surroundings = surroundings
    self.handler = handler
    keeperPrefix = name
    self.wantsRefresh = wantsRefresh
  }

  /// Most rounds of challenges in one authorization.
  static let mostRounds = 5
  static let unknownClient = "INVALID_CLIENT_ID"

  /// How long one answer of the authorization server may take, five seconds at least; the time that a person needs for a
  /// challenge is not counted. Nil, as at first, leaves it to the transport. Mirrors `setLoginTimeout`.
  public var loginTimeout: Duration? {
    get { server.loginTimeout.duration }
    set { server.loginTimeout.duration = newValue.map { max($0, LoginTimeout.least) } }
  }

  /// A token for a scope, from the cache where there is a living one. Mirrors `obtainAccessTokenForScope`.
  ///
  /// - Throws: `.signInRefused` when a check refuses, `.cancelled` when the person gives up, `.signInNeeded` where
  ///   nobody can be asked.
  public func accessToken(for scope: Scope = .standard) async throws(ServiceError) -> AccessToken {
    try await load()
    if let token = cachedToken(for: scope) { return token }
    return try await exclusively("authorize “\(scope)”") { () async throws(ServiceError) -> AccessToken in
      if let token = cachedToken(for: scope) { return token }
      let token = try await obtain(scope)
      state.withLock { $0.memory.keep(token) }
      try await save()
      return token
    }
  }

  /// A living token that is held already.
  public func cachedToken(for scope: Scope) -> AccessToken? {
    let now = surroundings.clock.now()
    return state.withLock { $0.memory.token(for: scope, at: now) }
  }

  /// Drops a token that the server no longer takes; one that came since stays, and so does the means to renew it. Mirrors
  /// `clearAccessToken`.
  public func clear(_ token: AccessToken) {
    state.withLock { state in
      guard state.memory.tokens[token.scope]?.value == token.value else { return }
      state.memory.tokens[token.scope] = AccessToken(
        value: Secret(""), scope: token.scope, expires: Timestamp(milliseconds: 0), refreshToken: token.refreshToken)
    }
  }

  func exclusively<Value: Sendable>(
    _ operation: String, _ work: () async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    guard await gate.enter() else { throw .cancelled(operation) }
    defer { gate.leave() }
    return try await work()
  }

  private func obtain(_ scope: Scope) async throws(ServiceError) -> AccessToken {
    switch client {
    case .confidential(let id, let source):
      let secret = try await surroundings.secrets.resolve(source)
      let basic = Secret("Basic " + Base64.encode(Array("\(id):\(secret.reveal())".utf8)))
      let fields = [(name: "grant_type", value: "client_credentials"), (name: "scope", value: "\(scope)")]
      return try await server.token(fields, authorization: basic, scope: scope, now: surroundings.clock.now())
    case .registered(let application):
      do throws(ServiceError) {
        return try await authorize(scope, application)
      } catch {
        // The server no longer knows this client: register once more, and only once.
        guard error.serverCode == Self.unknownClient else { throw error }
        try await forgetRegistration()
        return try await authorize(scope, application)
      }
    }
  }

  private func authorize(
    _ scope: Scope, _ application: ApplicationIdentity
  ) async throws(ServiceError) -> AccessToken {
    let registration = try await registration(application)
    let passed = try await preauthorize("\(scope)", registration, credentials: nil)
    let refresh = state.withLock { $0.memory.tokens[scope]?.refreshToken }
    var token: AccessToken?
    if let refresh { token = try await refreshed(refresh, scope, registration, application) }
    if token == nil {
      let code = try await server.authorize(clientID: registration.clientID, scope: "\(scope)")
      token = try await grant(code, scope, registration, application)
    }
    guard let token else { throw ServiceError(.signInRefused, "get a token for “\(scope)”") }
    note(passed, until: token.expires)
    return token
  }

  private func grant(
    _ code: String, _ scope: Scope, _ registration: ClientRegistration, _ application: ApplicationIdentity
  ) async throws(ServiceError) -> AccessToken {
    let assertion = try assertion(registration, application, id: code)
    var fields = [
      (name: "grant_type", value: "authorization_code"), (name: "code", value: code),
      (name: "redirect_uri", value: server.redirectAddress), (name: "client_id", value: registration.clientID),
    ]
    fields += AuthorizationServer.assertionFields(assertion)
    if wantsRefresh { fields.append((name: "get_refresh_token", value: "TRUE")) }
    return try await server.token(fields, scope: scope, now: surroundings.clock.now())
  }

  /// Nil when the refresh token is no good any more, which is no failure.
  private func refreshed(
    _ refresh: Secret, _ scope: Scope, _ registration: ClientRegistration, _ application: ApplicationIdentity
  ) async throws(ServiceError) -> AccessToken? {
    let assertion = try assertion(registration, application, id: "get_refresh_token")
    var fields = [
      (name: "grant_type", value: "refresh_token"), (name: "refresh_token", value: refresh.reveal()),
      (name: "redirect_uri", value: server.redirectAddress), (name: "client_id", value: registration.clientID),
    ]
    fields += AuthorizationServer.assertionFields(assertion)
    do throws(ServiceError) {
      return try await server.token(fields, scope: scope, now: surroundings.clock.now())
    } catch {
      guard error.code == .signInRefused, error.serverCode != Self.unknownClient else { throw error }
      return nil
    }
  }

  func assertion(
    _ registration: ClientRegistration, _ application: ApplicationIdentity, id: String?
  ) throws(ServiceError) -> String {
    let now = surroundings.clock.now().milliseconds + state.withLock { $0.clockOffset }
    do throws(CryptoError) {
      return try Assertion.client(registration, application, audience: server.tokenAddress, id: id, now: now)
    } catch {
      throw ServiceError(.failed, "sign an assertion", detail: "\(error)", cause: error)
    }
  }
}
