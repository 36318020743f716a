import Model
import Synchronization
import Wire

/// The identity service in front of a repository: who has signed in there, with which tokens, and for how long.
///
/// Tokens are renewed shortly before they end, by one request however many wait for it, and kept before they are used:
/// a service that rotates refresh tokens ends the session of a client that loses one.
///
/// - SeeAlso: Reference, sections 1.5 to 1.9.
final class IdentityService: CredentialSource {
  private let connection: String
  private let issuer: String
  private let clientID: String
  private let clientSecret: SecretSource?
  private let scope: String
  private let audience: String?
  private let redirectPort: UInt16
  private let transport: any Transport
  private let surroundings: Surroundings
  private let state = Mutex(State())

  private typealias Renewal = Task<Result<IdentityTokens, ServiceError>, Never>

  private struct State {
    var held: IdentityTokens?
    var isLoaded = false
    var renewal: Renewal?
    var client: OAuth2Client?
  }

  /// - Throws: `.configuration` naming the setting that is missing or wrong.
  init(connection: Connection, transport: any Transport, surroundings: Surroundings) throws(ServiceError) {
    let settings = connection.settings
    self.connection = connection.name
    self.transport = transport
    self.surroundings = surroundings
    issuer = try settings.requiredText("auth.issuer")
    clientID = try settings.requiredText("auth.clientID")
    clientSecret = try settings.secret("auth.clientSecret")
    audience = try settings.text("auth.audience")
    // Providers that must be told the audience give a refresh token only to those who ask for one.
    scope =
      try settings.text("auth.scope")
      ?? (audience == nil ? "openid profile email" : "openid profile email offline_access")
    let port = try settings.integer("auth.redirectPort") ?? 0
    guard let redirectPort = UInt16(exactly: port) else {
      throw ServiceError(
        .configuration, "read the setting “auth.redirectPort”",
        detail: "“auth.redirectPort” must be 0 to 65535, not \(port)")
    }
    self.redirectPort = redirectPort
  }

  var user: String? { state.withLock { $0.held?.user } }
  var expires: Timestamp? { state.withLock { $0.held?.tokens.expires } }
  /// As far as is known here.
  var isSignedIn: Bool { held?.isUsable(at: now) ?? false }

  private var held: IdentityTokens? { state.withLock { $0.held } }
  private var now: Timestamp { surroundings.clock.now() }
  private var keptName: String { "\(connection)/identity" }

  /// Takes up what an earlier run kept.
  func recall() async throws(ServiceError) {
    guard !state.withLock({ $0.isLoaded }) else { return }
    let kept = try await surroundings.keeper.secret(named: keptName)
    let tokens = kept.flatMap { IdentityTokens(kept: $0, issuer: issuer, clientID: clientID) }
    state.withLock { state in
      guard !state.isLoaded else { return }
      state.isLoaded = true
      state.held = tokens
    }
  }

  /// A token that is alive; nil when somebody has to sign in.
  func credential() async throws(ServiceError) -> AlfrescoCredential? {
    try await recall()
    guard let held, held.isUsable(at: now) else { return nil }
    if !held.tokens.isStale(at: now) { return .bearer(held.tokens.access) }
    do throws(ServiceError) {
      return .bearer(try await renewed(held).tokens.access)
    } catch {
      guard error.code == .signInNeeded else { throw error }
      return nil
    }
  }

  /// A renewal where the last sign-in still holds, else a new one.
  func signIn(_ page: SignInRequest.Page) async throws(ServiceError) -> AlfrescoCredential {
    try await recall()
    if let held, held.canRenew(at: now) {
      do throws(ServiceError) {
        return .bearer(try await renewed(held).tokens.access)
      } catch {
        guard error.code == .signInNeeded else { throw error }
      }
    }
    let visit = OpenIDVisit(
      connection: connection, client: try await client(), scope: scope, redirectPort: redirectPort,
      demandsIdentity: scope.split(separator: " ").contains("openid"), audience: audience, surroundings: surroundings)
    let gain: OpenIDVisit.Gain
    switch page {
    case .open, .print:
      gain = try await visit.throughPage("Sign in on the page of \(issuer); it leads back here by itself.")
    case .device: gain = try await visit.onAnotherDevice()
    case .outOfBand:
      throw .notOffered("sign in", "--oob belongs to OAuth 1.0a; use --no-browser or --device")
    }
    try await keep(IdentityTokens(gain.tokens, user: nil, issuer: issuer, clientID: clientID))
    return .bearer(gain.tokens.access)
  }

  /// Notes whom the repository takes the bearer of the tokens for.
  func belongs(to user: String) async throws(ServiceError) {
    guard var held, held.user != user else { return }
    held.user = user
    try await keep(held)
  }

  func forget() async throws(ServiceError) {
    state.withLock { state in
      state.held = nil
      state.isLoaded = true
    }
    try await surroundings.keeper.remove(named: keptName)
  }

  /// Ends the session at the issuer and forgets its tokens; they are forgotten even when the issuer cannot be told.
  func signOut(isOffline: Bool) async throws(ServiceError) {
    try await recall()
    guard let held else { return }
    try await forget()
    guard !isOffline else { return }
    let client = try await client()
    do throws(OAuthError) {
      try await Self.end(held.tokens, client)
    } catch {
      let failure = error.serviceError("end the session at \(issuer)")
      throw ServiceError(
        failure.code, failure.operation, detail: failure.detail,
        remedy: "Here you are signed out; there the session ends by itself.", status: failure.status,
        serverCode: failure.serverCode, cause: error)
    }
  }
}

extension IdentityService {
  /// One renewal for all who need it, which goes on when one of them is cancelled: its answer must not be lost.
  private func renewed(_ old: IdentityTokens) async throws(ServiceError) -> IdentityTokens {
    let renewal = state.withLock { state -> Renewal in
      if let running = state.renewal { return running }
      // Somebody was faster.
      if let held = state.held, held.tokens.access != old.tokens.access { return Task { .success(held) } }
      let task = Task { [self] in await renew(old) }
      state.renewal = task
      return task
    }
    return try await renewal.value.get()
  }

  private func renew(_ old: IdentityTokens) async -> Result<IdentityTokens, ServiceError> {
    let outcome: Result<IdentityTokens, ServiceError>
    do throws(ServiceError) {
      outcome = .success(try await fetch(old))
    } catch {
      outcome = .failure(error)
    }
    state.withLock { $0.renewal = nil }
    return outcome
  }

  private func fetch(_ old: IdentityTokens) async throws(ServiceError) -> IdentityTokens {
    let operation = "renew the sign-in"
    guard let refresh = old.tokens.refresh else { throw ServiceError(.signInNeeded, operation) }
    let client = try await client()
    var tokens: OAuthTokens
    do throws(OAuthError) {
      tokens = try await client.refresh(refresh)
    } catch {
      guard error.needsSignIn else { throw error.serviceError(operation) }
      try await forget()
      throw ServiceError(.signInNeeded, operation, detail: error.detail, cause: error)
    }
    // A renewal need not bring the identity again, and signing out wants it.
    tokens.id = tokens.id ?? old.tokens.id
    let renewed = IdentityTokens(tokens, user: old.user, issuer: issuer, clientID: clientID)
    // A vault that cannot be written leaves the new tokens in use for as long as this process lives.
    try? await keep(renewed)
    return renewed
  }

  private func keep(_ tokens: IdentityTokens) async throws(ServiceError) {
    state.withLock { state in
      state.held = tokens
      state.isLoaded = true
    }
    try await surroundings.keeper.keep(tokens.kept, named: keptName)
  }

  /// The issuer is asked once for its endpoints.
  private func client() async throws(ServiceError) -> OAuth2Client {
    if let client = state.withLock({ $0.client }) { return client }
    var secret: Secret?
    if let clientSecret { secret = try await surroundings.secrets.resolve(clientSecret) }
    let client = try await OpenIDVisit.client(
      issuer: issuer, clientID: clientID, secret: secret, transport: transport, clock: surroundings.clock)
    state.withLock { $0.client = client }
    return client
  }

  /// Keycloak ends a session by its refresh token; others by the identity token; some only withdraw tokens.
  private static func end(_ tokens: OAuthTokens, _ client: OAuth2Client) async throws(OAuthError) {
    var failure: OAuthError?
    if client.provider.endSession != nil {
      if let refresh = tokens.refresh {
        do throws(OAuthError) {
          return try await client.endSession(refresh: refresh)
        } catch {
          // A session that has ended already is what was wanted.
          if error.needsSignIn { return }
          guard error.status > 0 else { throw error }
          failure = error
        }
      }
      if let id = tokens.id {
        do throws(OAuthError) {
          try await client.endSession(identity: id)
          failure = nil
        } catch {
          failure = error
        }
      }
    }
    if client.provider.revocation != nil, let refresh = tokens.refresh {
      try await client.revoke(refresh, hint: "refresh_token")
    } else if let failure {
      throw failure
    }
  }
}
