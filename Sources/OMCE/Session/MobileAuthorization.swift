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

  private struct State {
    var credential: MobileCredential?
    var isLoaded = false
    /// For renewals within this process, as the server's tokens cannot be refreshed (reference, section 2.8).
    var renewal: (user: String, password: Secret)?
  }

  /// A token is taken for dead this long before it ends.
  private static let leeway: Int64 = 30

  init(connection: Connection, settings: OMCESettings, transport: any Transport, surroundings: Surroundings) {
    self.connection = connection
    self.settings = settings
    self.transport = transport
    self.surroundings = surroundings
  }

  var profile: MobileProfile { settings.profile }

  /// Names the backend that credentials are tied to.
  var backend: String { "\(profile.baseURL) \(profile.basic?.mobileBackendID ?? profile.oauth?.clientID ?? "")" }

  /// Whether a credential is at hand (`authorized`); the server was not asked.
  public var isAuthorized: Bool { state.withLock { $0.credential != nil } }
  /// Nil for anonymous users.
  public var userName: String? { state.withLock { $0.credential?.user } }

  /// The credential to send, from memory or, once, from the keeper; nil when there is none or it has expired.
  func credential() async throws(ServiceError) -> MobileCredential? {
    let known = state.withLock { $0.isLoaded ? Optional($0.credential) : nil }
    if let known { return usable(known) }
    let kept = try await surroundings.keeper.secret(named: keptName)
    let credential = kept.flatMap { MobileCredential(kept: $0, backend: backend) }
    let current = state.withLock { state in
      if !state.isLoaded {
        state.isLoaded = true
        state.credential = credential
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
    state.withLock { $0 = State(credential: credential, isLoaded: true, renewal: renewal) }
    try await surroundings.keeper.keep(credential.kept, named: keptName)
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
  }

  private var keptName: String { "\(connection.name)/session" }
}
