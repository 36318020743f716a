import FoundationEssentials
public import Model
public import Wire

/// Where and as whom an application signs in at an identity service in front of a repository.
public struct AuthConfiguration: Sendable, Hashable {
  /// As the service names itself: `https://idp/realms/alfresco`.
  public var issuer: String
  public var clientID: String
  /// Of confidential clients only.
  public var clientSecret: Secret?
  public var scope: String
  /// Whom the tokens are for, where the service must be told (Auth0).
  public var audience: String?

  public init(
    issuer: String, clientID: String, clientSecret: Secret? = nil, scope: String = "openid profile email",
    audience: String? = nil
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.scope = scope
    self.audience = audience
  }

  /// The issuer of a Keycloak realm.
  public init(baseURL: String, realm: String, clientID: String, clientSecret: Secret? = nil) {
    let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
    self.init(issuer: "\(base)/realms/\(realm)", clientID: clientID, clientSecret: clientSecret)
  }
}

/// Which sign-in a repository offers.
public enum AvailableAuthType: String, Sendable, Hashable {
  case basic
  /// An identity service with OpenID Connect.
  case openID
}

/// A sign-in under way: where a person has to go, and what must come back.
public struct AuthorizationVisit: Sendable {
  public let page: URL
  public let redirect: String
  let state: String
  let nonce: String
  let pkce: PKCE
}

/// Signs in at an identity service and keeps the session going, for programs that use this kit without Atrium.
///
/// Every function comes as `async`; `run` gives any of them a completion that arrives on the main actor. Nothing is
/// stored: the session is a value of the caller's, whose tokens are `Secret`.
public struct AlfrescoAuth: CompletionCaller {
  /// What a sign-in obtained. Times are absolute, whatever the server sent.
  public struct Session: Sendable {
    public internal(set) var access: Secret
    public internal(set) var refresh: Secret?
    public internal(set) var identity: Secret?
    /// Nil when the server does not say.
    public internal(set) var expires: Timestamp?
    public internal(set) var refreshExpires: Timestamp?

    /// For an `AlfrescoSession`.
    public var credential: AlfrescoCredential { .bearer(access) }

    init(_ tokens: OAuthTokens, before: Session? = nil) {
      access = tokens.access
      refresh = tokens.refresh ?? before?.refresh
      identity = tokens.id ?? before?.identity
      expires = tokens.expires
      refreshExpires = tokens.refreshExpires
    }
  }

  public let configuration: AuthConfiguration
  private let transport: any Transport
  private let clock: any WallClock

  public init(_ configuration: AuthConfiguration, transport: any Transport, clock: any WallClock) {
    self.configuration = configuration
    self.transport = transport
    self.clock = clock
  }

  /// OpenID Connect where the issuer answers, else a name and a password where the repository does.
  ///
  /// - Throws: `.notOffered` when neither is there.
  public func availableAuthType(repository address: String) async throws(ServiceError) -> AvailableAuthType {
    do throws(ServiceError) {
      _ = try await client()
      return .openID
    } catch {
      guard [.notOffered, .notFound, .unreachable, .unreadable].contains(error.code) else { throw error }
    }
    let repository = try AlfrescoClient(address: address, transport: transport)
    do throws(ServiceError) {
      _ = try await repository.version()
      return .basic
    } catch {
      throw ServiceError(
        .notOffered, "find out how to sign in", detail: "neither an identity service nor a repository answers",
        remedy: "Check both addresses.", cause: error)
    }
  }

  // MARK: Code with PKCE

  /// Begins a sign-in on the service's page, which leads back to `redirect`.
  ///
  /// - Parameter randomBytes: So many unpredictable bytes.
  public func begin(
    redirect: String, randomBytes: @Sendable (Int) -> [UInt8]
  ) async throws(ServiceError) -> AuthorizationVisit {
    let client = try await client()
    let pkce = PKCE(randomBytes: randomBytes)
    let (state, nonce) = (Self.word(randomBytes(16)), Self.word(randomBytes(16)))
    let extra = configuration.audience.map { [(name: "audience", value: $0), (name: "prompt", value: "login")] } ?? []
    let page = try Self.words("begin to sign in") { () throws(OAuthError) in
      try client.authorizationURL(
        redirect: redirect, scope: configuration.scope, state: state, nonce: nonce, pkce: pkce, extra: extra)
    }
    return AuthorizationVisit(page: page, redirect: redirect, state: state, nonce: nonce, pkce: pkce)
  }

  /// Ends it with the address that the page led to.
  ///
  /// - Throws: `.signInRefused` when it belongs to another sign-in, or the person said no.
  public func finish(_ visit: AuthorizationVisit, with answer: URL) async throws(ServiceError) -> Session {
    let client = try await client()
    let fields = URLForm.decode(answer.query(percentEncoded: true) ?? "")
    do throws(OAuthError) {
      let code = try AuthorizationAnswer(
        fields, state: visit.state, issuer: client.provider.issuer
      ).code
      let tokens = try await client.redeem(code: code, redirect: visit.redirect, pkce: visit.pkce)
      if let identity = tokens.id { _ = try await client.verify(identity, nonce: visit.nonce) }
      return Session(tokens)
    } catch {
      throw error.serviceError("sign in")
    }
  }

  // MARK: Other ways in, and on

  /// The password grant, where the service allows it to this client.
  public func signIn(user: String, password: Secret) async throws(ServiceError) -> Session {
    let client = try await client()
    do throws(OAuthError) {
      return Session(try await client.password(user: user, password: password, scope: configuration.scope))
    } catch {
      throw error.serviceError("sign in as \(user)")
    }
  }

  /// A code that a person enters on another device; `show` is called once, with the code and where to enter it.
  public func signInElsewhere(
    show: @Sendable (DeviceGrant) async -> Void
  ) async throws(ServiceError) -> Session {
    let client = try await client()
    do throws(OAuthError) {
      let grant = try await client.startDevice(scope: configuration.scope, audience: configuration.audience)
      await show(grant)
      return Session(try await client.awaitDevice(grant))
    } catch {
      throw error.serviceError("sign in")
    }
  }

  /// A new access token; keep the session that comes back, since the service may have replaced the refresh token.
  ///
  /// - Throws: `.signInNeeded` when the session has ended.
  public func refresh(_ session: Session) async throws(ServiceError) -> Session {
    let operation = "renew the sign-in"
    guard let refresh = session.refresh else { throw ServiceError(.signInNeeded, operation) }
    let client = try await client()
    do throws(OAuthError) {
      return Session(try await client.refresh(refresh), before: session)
    } catch {
      guard !error.needsSignIn else {
        throw ServiceError(.signInNeeded, operation, detail: error.detail, cause: error)
      }
      throw error.serviceError(operation)
    }
  }

  /// Ends the session at the service, so that the next sign-in asks for the password again.
  public func logout(_ session: Session) async throws(ServiceError) {
    let client = try await client()
    do throws(OAuthError) {
      if client.provider.endSession != nil, let refresh = session.refresh {
        try await client.endSession(refresh: refresh)
      } else if client.provider.endSession != nil, let identity = session.identity {
        try await client.endSession(identity: identity)
      } else if let refresh = session.refresh {
        try await client.revoke(refresh, hint: "refresh_token")
      }
    } catch {
      guard !error.needsSignIn else { return }
      throw error.serviceError("sign out")
    }
  }

  private func client() async throws(ServiceError) -> OAuth2Client {
    try await OpenIDVisit.client(
      issuer: configuration.issuer, clientID: configuration.clientID, secret: configuration.clientSecret,
      transport: transport, clock: clock)
  }

  private static func words<Value>(
    _ operation: String, _ work: () throws(OAuthError) -> Value
  ) throws(ServiceError) -> Value {
    do throws(OAuthError) { return try work() } catch { throw error.serviceError(operation) }
  }

  private static func word(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
