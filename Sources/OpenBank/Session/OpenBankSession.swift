import Model
import Synchronization
import Wire

/// Who a connection is to its server: the method, the token, and what is done when it ends.
///
/// `OBPSession` of OBPKit in Swift's words; its `state`, `valid`, `validate:` and `invalidate` are `isValid`, `signIn`
/// and `invalidate`.
public final class OpenBankSession: Sendable {
  /// How one signs in (`authMethod` of OBPKit).
  public enum Method: String, Sendable, CaseIterable { case none, direct, oauth1, oidc }

  public let method: Method
  let connection: Connection
  let settings: OpenBankSettings
  let surroundings: Surroundings
  let transport: any Transport
  private let state = Mutex(State())

  private struct State {
    var token: OpenBankToken?
    var isLoaded = false
    /// The sign-in that is under way: a newer one ends it.
    var validating: Task<Result<OpenBankToken, ServiceError>, Never>?
  }

  /// `state` of OBPKit, whose `invalidating` never comes to be.
  public enum Standing: Sendable, Hashable { case invalid, validating, valid }

  /// How the session stands; the server was not asked.
  public var standing: Standing {
    if isValid { return .valid }
    return state.withLock { $0.validating != nil } ? .validating : .invalid
  }

  init(connection: Connection, settings: OpenBankSettings, transport: any Transport, surroundings: Surroundings) {
    self.connection = connection
    self.settings = settings
    self.transport = transport
    self.surroundings = surroundings
    method = settings.method
  }

  /// Whether a token is at hand; the server was not asked.
  public var isValid: Bool { method == .none || state.withLock { $0.token.map { !$0.value.isEmpty } ?? false } }

  /// The token to send, from memory or, once, from the keeper; nil when there is none or it has ended.
  func token() async throws(ServiceError) -> OpenBankToken? {
    guard method != .none, let token = try await last(), token.isAlive(at: surroundings.clock.now()) else { return nil }
    return token
  }

  /// What the last sign-in obtained, dead or alive: a dead token may still be renewed.
  func last() async throws(ServiceError) -> OpenBankToken? {
    let known = state.withLock { $0.isLoaded ? Optional($0.token) : nil }
    if let known { return known }
    let kept = try await surroundings.keeper.secret(named: keptName)
    let token = kept.flatMap { OpenBankToken(kept: $0, origin: settings.server.authOrigin) }
    return state.withLock { state in
      if !state.isLoaded {
        state.isLoaded = true
        state.token = token
      }
      return state.token
    }
  }

  /// Runs a sign-in; one that is under way ends with `.cancelled`, as `validate:` of OBPKit does it.
  func validating(
    _ signIn: @escaping @Sendable () async throws(ServiceError) -> OpenBankToken
  ) async throws(ServiceError) -> OpenBankToken {
    let task = Task<Result<OpenBankToken, ServiceError>, Never> {
      do throws(ServiceError) { return .success(try await signIn()) } catch { return .failure(error) }
    }
    let older = state.withLock { state in
      defer { state.validating = task }
      return state.validating
    }
    older?.cancel()
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    let isNewest = state.withLock { state in
      guard state.validating == task else { return false }
      state.validating = nil
      return true
    }
    guard isNewest else { throw .cancelled("sign in") }
    return try result.get()
  }

  func keep(_ token: OpenBankToken) async throws(ServiceError) {
    state.withLock { $0 = State(token: token, isLoaded: true) }
    try await surroundings.keeper.keep(token.kept, named: keptName)
  }

  /// Forgets the token that turned out to be dead; a newer one, obtained meanwhile, stays, and so does what renews it.
  func invalidate(_ dead: OpenBankToken) async {
    let rest = dead.form == .bearer && dead.companion != nil ? dead.withoutValue : nil
    let isCurrent = state.withLock { state in
      guard state.token == dead else { return false }
      state.token = rest
      return true
    }
    guard isCurrent else { return }
    // A keeper that fails here leaves a token that the server refuses anyway.
    if let rest {
      try? await surroundings.keeper.keep(rest.kept, named: keptName)
    } else {
      try? await surroundings.keeper.remove(named: keptName)
    }
  }

  /// Forgets the token here and in the keeper.
  public func invalidate() async throws(ServiceError) {
    state.withLock { $0 = State(token: nil, isLoaded: true) }
    try await surroundings.keeper.remove(named: keptName)
  }

  private var keptName: String { "\(connection.name)/session" }
}
