import Crypto
import HTTPServer
import JSON
import Synchronization

/// The realm `alfresco` of an identity service: who signs in, in which session, with which tokens.
///
/// Figures and texts are those of the reference, sections 1.5 to 1.9; refresh tokens rotate.
final class OpenIDIssuer: Sendable {
  struct Client: Sendable {
    let id: String
    let secret: String?
    let mayUsePassword: Bool
    let mayUseDevice: Bool
    let needsChallenge: Bool
    let takesAnyRedirect: Bool
  }

  struct Session: Sendable {
    let id: String
    let user: String
    let started: SandboxTime
    var used: SandboxTime
    /// The browser's cookie; nil for sessions without one.
    let cookie: String?
  }

  /// What a client asked the person for.
  struct AuthorizationRequest: Sendable {
    let client: String
    let redirect: String
    let scope: String
    let state: String?
    let nonce: String?
    let challenge: String?
    let isPlainChallenge: Bool
    let expires: SandboxTime
  }

  struct Code: Sendable {
    let request: AuthorizationRequest
    let session: String
    let expires: SandboxTime
    var isUsed = false
  }

  struct Refresh: Sendable {
    let session: String
    let client: String
    let scope: String
    let isOffline: Bool
    var isUsed = false
  }

  struct Access: Sendable {
    let user: String
    let session: String
    let client: String
    let scope: String
    let expires: SandboxTime
  }

  struct Device: Sendable {
    enum Decision: Sendable { case open, granted(session: String), denied, done }
    let client: String
    let scope: String
    let userCode: String
    let challenge: String?
    let expires: SandboxTime
    var interval: Int
    var polled: SandboxTime?
    var decision = Decision.open
  }

  struct State: Sendable {
    var sessions: [String: Session] = [:]
    var logins: [String: AuthorizationRequest] = [:]
    var codes: [String: Code] = [:]
    var refreshes: [String: Refresh] = [:]
    var accesses: [String: Access] = [:]
    var devices: [String: Device] = [:]
  }

  static let publicClient = "atrium"
  static let accessSeconds = 300
  static let idleSeconds = 1_800
  static let maximumSeconds = 36_000
  static let codeSeconds = 60
  static let loginSeconds = 1_800
  static let deviceSeconds = 600
  static let deviceInterval = 5

  let people: [RepoPerson]
  let clients: [Client]
  private let seed: UInt64
  private let state = Mutex(State())
  private let key = Mutex<RSAPrivateKey?>(nil)

  init(seed: UInt64, people: [RepoPerson]) {
    self.seed = seed
    self.people = people
    var random = SeededRandom(seed: seed, "identity.secret")
    clients = [
      Client(
        id: Self.publicClient, secret: nil, mayUsePassword: false, mayUseDevice: true, needsChallenge: true,
        takesAnyRedirect: false),
      Client(
        id: "alfresco", secret: nil, mayUsePassword: true, mayUseDevice: false, needsChallenge: false,
        takesAnyRedirect: true),
      Client(
        id: "service", secret: random.secret(), mayUsePassword: true, mayUseDevice: true, needsChallenge: false,
        takesAnyRedirect: false),
    ]
  }

  func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0) }
  }

  func endAllSessions() { state.withLock { $0 = State() } }

  func client(_ id: String?) -> Client? { clients.first { $0.id == id } }

  func person(_ user: String, password: String) -> RepoPerson? {
    people.first { $0.id == user.lowercased() && $0.password == password && $0.id != "guest" }
  }

  static func makeToken(_ bytes: Int = 32) -> String { Base64URL.encode(RandomBytes.make(bytes)) }

  // MARK: Sessions

  func openSession(_ user: String, at now: SandboxTime, withCookie: Bool) -> Session {
    let session = Session(
      id: OpenIDTokens.uuid(), user: user, started: now, used: now, cookie: withCookie ? Self.makeToken() : nil)
    withState { $0.sessions[session.id] = session }
    return session
  }

  /// The session, while it is neither idle for too long nor too old.
  static func active(_ id: String, _ state: inout State, at now: SandboxTime) -> Session? {
    guard let session = state.sessions[id] else { return nil }
    let isAlive =
      now < session.used.adding(seconds: idleSeconds) && now < session.started.adding(seconds: maximumSeconds)
    if !isAlive { state.sessions[id] = nil }
    return isAlive ? session : nil
  }

  func endSession(_ id: String) {
    withState { state in
      state.sessions[id] = nil
      state.refreshes = state.refreshes.filter { $0.value.session != id }
    }
  }

  /// The session of the browser that sends the request.
  func browserSession(_ request: SandboxRequest) -> Session? {
    guard let cookie = request.cookie(OpenIDPages.cookie) else { return nil }
    return withState { state in
      guard let id = state.sessions.values.first(where: { $0.cookie == cookie })?.id else { return nil }
      return Self.active(id, &state, at: request.now)
    }
  }

  /// Whose access token it is; the repository asks for each request. A token outlives its session until it expires.
  func user(ofAccessToken token: String, at now: SandboxTime) -> String? {
    access(token, at: now)?.user
  }

  func access(_ token: String, at now: SandboxTime) -> Access? {
    withState { state in
      guard let access = state.accesses[token] else { return nil }
      if now < access.expires { return access }
      state.accesses[token] = nil
      return nil
    }
  }

  // MARK: Keys

  func signingKey() throws -> RSAPrivateKey {
    try key.withLock { key in
      if let key { return key }
      let made = try RSAPrivateKey.generate(bits: 2_048)
      key = made
      return made
    }
  }

  /// A name for the key that changes with it.
  func keyID() throws -> String {
    Base64URL.encode(Array(Hash.sha256.digest(try signingKey().publicKey.modulus).prefix(20)))
  }

  /// A person's subject: the same in every run of a seed.
  func subject(_ user: String) -> String {
    var random = SeededRandom(seed: seed, "identity.subject.\(user)")
    return random.uuid()
  }
}
