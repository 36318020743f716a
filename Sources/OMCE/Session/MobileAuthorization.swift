import Model
import Synchronization
import Wire

/// Who the app's user is to the backend (`OMCAuthorization`).
///
/// Unlike its namesake it may be used from any task; a new sign-in replaces the old one.
public final class MobileAuthorization: Sendable {
  let connection: Connection
  let settings: OMCESettings
  let surroundings: Surroundings
  let transport: any Transport
  private let state = Mutex(State())
  /// Chosen while running, over the profile's own.
  private let chosenMethod = Mutex<MobileProfile.Method?>(nil)

  private struct State {
    var credential: MobileCredential?
    var isLoaded = false
    /// For renewals within this process, as the server's tokens cannot be refreshed (reference, section 2.8).
    var renewal: (user: String, password: Secret)?
    /// Who signed in without the server, proved by the verifier.
    var offlineUser: String?
    /// Who was signed in last, for whose data is kept here.
    var lastUser: String?
  }

  /// How somebody is signed in (`authenticationMode`, `OMCAuthenticationMode`).
  public enum Mode: Int, Sendable { case notAuthenticated = 0, online, offline }

  /// A token is taken for dead this long before it ends.
  private static let leeway: Int64 = 30

  init(connection: Connection, settings: OMCESettings, transport: any Transport, surroundings: Surroundings) {
    self.connection = connection
    self.settings = settings
    self.transport = transport
    self.surroundings = surroundings
  }

  var profile: MobileProfile {
    guard let method = chosenMethod.withLock({ $0 }) else { return settings.profile }
    var profile = settings.profile
    profile.method = method
    return profile
  }

  /// How somebody signs in (`authenticationType`); may be changed to any that the profile configures.
  public var authenticationType: MobileProfile.Method {
    get { profile.method }
    set { chosenMethod.withLock { $0 = newValue } }
  }

  /// Whether the profile has what this type needs (`isAuthenticationConfiguredForType:`).
  public func isAuthenticationConfigured(for type: MobileProfile.Method) -> Bool {
    settings.profile.isConfigured(for: type)
  }

  /// Names the backend that credentials are tied to.
  var backend: String { "\(profile.baseURL) \(profile.basic?.mobileBackendID ?? profile.oauth?.clientID ?? "")" }

  /// Whether a credential is at hand (`authorized`); the server was not asked.
  public var isAuthorized: Bool { mode != .notAuthenticated }
  /// Nil for anonymous users (`userName`).
  public var userName: String? { state.withLock { $0.credential?.user ?? $0.offlineUser } }
  public var mode: Mode {
    state.withLock { $0.credential != nil ? .online : $0.offlineUser != nil ? .offline : .notAuthenticated }
  }

  /// The credential to send, from memory or, once, from the keeper; nil when there is none or it has expired.
  func credential() async throws(ServiceError) -> MobileCredential? {
    let known = state.withLock { $0.isLoaded ? Optional($0.credential) : nil }
    if let known { return usable(known) }
    let kept = try await surroundings.keeper.secret(named: keptName)
    let credential = kept.flatMap { MobileCredential(kept: $0, backend: backend) }
    // A token of another backend is never sent to this one, nor kept for it (reference, section 2.5).
    if kept != nil, credential == nil { try? await surroundings.keeper.remove(named: keptName) }
    let current = state.withLock { state in
      if !state.isLoaded {
        state.isLoaded = true
        state.credential = credential
        state.lastUser = credential?.user
      }
      return state.credential
    }
    return usable(current)
  }

  private func usable(_ credential: MobileCredential?) -> MobileCredential? {
    guard let expires = credential?.expires else { return credential }
    return surroundings.clock.now().adding(seconds: MobileAuthorization.leeway) < expires ? credential : nil
  }

  func keep(_ credential: MobileCredential, renewal: (user: String, password: Secret)?) async throws(ServiceError) {
    state.withLock {
      $0 = State(credential: credential, isLoaded: true, renewal: renewal, lastUser: credential.user)
    }
    try await surroundings.keeper.keep(credential.kept, named: keptName)
  }

  /// Holds a credential for this process alone.
  func hold(_ credential: MobileCredential) {
    state.withLock { $0 = State(credential: credential, isLoaded: true, lastUser: credential.user) }
  }

  func goOffline(_ user: String, _ password: Secret) {
    state.withLock {
      $0 = State(isLoaded: true, renewal: (user, password), offlineUser: user, lastUser: user)
    }
  }

  var offlineUser: String? { state.withLock { $0.offlineUser } }

  /// Backend and user whose data is kept: the one who is signed in, or was last.
  func dataScope() async throws(ServiceError) -> String {
    let loaded = state.withLock { $0.isLoaded }
    if !loaded { _ = try await credential() }
    if let user = state.withLock({ $0.credential?.user ?? $0.offlineUser ?? $0.lastUser }) {
      return "\(backend)\n\(user)"
    }
    let verifier = try await verifier()
    if let verifier { state.withLock { $0.lastUser = verifier.user } }
    return "\(backend)\n\(verifier?.user ?? "")"
  }

  var renewal: (user: String, password: Secret)? { state.withLock { $0.renewal } }

  func forgetRenewal() { state.withLock { $0.renewal = nil } }

  /// Forgets the credential that was refused; a newer one, obtained meanwhile, stays.
  func invalidate(_ dead: MobileCredential) async {
    let isCurrent = state.withLock { state in
      guard state.credential == dead else { return false }
      state.credential = nil
      return true
    }
    // A keeper that cannot remove leaves a credential that the server refuses anyway.
    if isCurrent { try? await surroundings.keeper.remove(named: keptName) }
  }

  /// Forgets credentials and token (`logout`). The server knows no call that ends a token.
  public func signOut() async throws(ServiceError) {
    state.withLock { $0 = State(credential: nil, isLoaded: true, renewal: nil) }
    try await surroundings.keeper.remove(named: keptName)
    try await surroundings.keeper.remove(named: verifierName)
  }

  /// Ends the session but keeps what proves the user without the server (`logoutClearCredentials:completionBlock:` with NO).
  public func endSession() async throws(ServiceError) {
    state.withLock { $0 = State(credential: nil, isLoaded: true, renewal: nil, lastUser: $0.lastUser) }
    try await surroundings.keeper.remove(named: keptName)
  }

  var verifierName: String { "\(connection.name)/offline-sign-in" }
  var keptName: String { "\(connection.name)/session" }
}
