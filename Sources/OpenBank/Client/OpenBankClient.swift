import JSON
import Model
import Synchronization
import Wire

/// Speaks to one server of the Open Bank Project on behalf of one session; usable without the browser.
///
/// Every call exists as `async` and with a completion that arrives on the main actor. Nothing is repeated here: a
/// payment goes out once, whatever comes back.
public final class OpenBankClient: Sendable {
  public let session: OpenBankSession
  let transport: any Transport
  private let spoken: Mutex<OpenBankServer>
  private let views = Mutex<[AccountID: [ViewSummary]]>([:])
  let book = EndpointBook()
  let trials = TrialLog()
  let rights = RightsBook()
  private let allowance = Mutex<RateLimit?>(nil)
  let standing = VersionStanding()

  init(session: OpenBankSession, transport: any Transport) {
    self.session = session
    self.transport = transport
    spoken = Mutex(session.settings.server)
  }

  /// A client for a connection as configuration gives it.
  public convenience init(
    connection: Connection, transport: any Transport, surroundings: Surroundings
  ) throws(ServiceError) {
    let settings = try OpenBankSettings(connection.settings)
    let session = OpenBankSession(
      connection: connection, settings: settings, transport: transport, surroundings: surroundings)
    self.init(session: session, transport: transport)
  }

  /// The server and the version that calls go to.
  public var server: OpenBankServer { spoken.withLock { $0 } }
  public var version: APIVersion { server.version }

  /// Whether nobody has said yet which version to speak: neither the address nor an answer.
  var needsVersion: Bool { spoken.withLock { !$0.namesVersion } }

  func speak(_ version: APIVersion) { spoken.withLock { $0 = $0.speaking(version) } }

  /// Who may make a call.
  enum Audience: Sendable {
    /// Sent without authorisation always.
    case anybody
    /// Sent with the token where there is one.
    case anybodyKnownOrNot
    /// Needs somebody who is signed in.
    case user
  }

  /// Sends a call with authorisation and reads its answer.
  ///
  /// - Parameters:
  ///   - path: Below the version, as encoded names; see `path(_:)`.
  ///   - version: Another version than the session's, for the few calls that lost an ability later.
  ///   - expected: Statuses that count as done; by default 200…299.
  ///   - isWriting: Whether a GET changes something, so that it must not be repeated.
  func send(
    _ path: String, method: String = "GET", query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [], body: JSONNode? = nil, for audience: Audience = .user,
    version: APIVersion? = nil, expected: Set<Int>? = nil, isWriting: Bool = false, _ operation: String
  ) async throws(ServiceError) -> OpenBankAnswer {
    try await settleVersion()
    let attempt = { () async throws(ServiceError) -> OpenBankAnswer in
      try await self.exchange(
        path, method: method, query: query, headers: headers, body: body, for: audience, version: version,
        expected: expected, isWriting: isWriting, operation)
    }
    do {
      return try await attempt()
    } catch {
      // Only what reads is asked again, in a version that the server has.
      guard method == "GET", !isWriting, version == nil, VersionStanding.isDoubted(by: error),
        try await leaveUnknownVersion()
      else { throw error }
      return try await attempt()
    }
  }

  /// The same without asking first which version there is.
  func exchange(
    _ path: String, method: String = "GET", query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [], body: JSONNode? = nil, for audience: Audience,
    version: APIVersion?, expected: Set<Int>? = nil, isWriting: Bool = false, _ operation: String
  ) async throws(ServiceError) -> OpenBankAnswer {
    let server = version.map { self.server.speaking($0) } ?? self.server
    var call = OpenBankCall(method, to: server.root + path, operation)
    call.query = query
    call.headers = headers
    call.body = body
    call.isWriting = isWriting
    let token = try await authorize(&call, for: audience)
    let response = try await call.send(over: transport)
    let isDone = expected?.contains(response.status) ?? (200...299).contains(response.status)
    if let limit = RateLimit(response.headers) { allowance.withLock { $0 = limit } }
    guard isDone else { throw await refusal(response, token, method, operation) }
    let answer = try OpenBankAnswer(response, operation)
    if method == "GET" { try answer.root.requireData(operation, status: response.status) }
    return answer
  }

  /// What was left of the consumer's allowance when the server last said so; nil where it never did.
  public var rateLimit: RateLimit? { allowance.withLock { $0 } }

  /// Adds what the session has; the last step before sending, since a signature covers everything else.
  func authorize(_ call: inout OpenBankCall, for audience: Audience) async throws(ServiceError) -> OpenBankToken? {
    if audience == .anybody { return nil }
    guard let token = try await session.token() else {
      if audience == .user { throw needsUser(call.operation) }
      return nil
    }
    try await session.authorize(&call, with: token)
    return token
  }

  /// A 401 to a call that carried no token ends no session (reference, trap 4).
  func refusal(
    _ response: HTTPResponse, _ token: OpenBankToken?, _ method: String, _ operation: String
  ) async -> ServiceError {
    let fault = OpenBankFault(response)
    let error = fault.error(operation, token: token, isRead: method == "GET")
    guard error.code == .signInNeeded else { return error }
    if let token { await session.invalidate(token) }
    return session.method == .none ? needsUser(operation) : error
  }

  private func needsUser(_ operation: String) -> ServiceError {
    guard session.method == .none else { return ServiceError(.signInNeeded, operation) }
    return ServiceError(
      .signInNeeded, operation, detail: "this connection is anonymous",
      remedy: "Set auth.method and auth.consumerKey for this connection.")
  }

  /// A path of encoded names: `path("banks", "kiln.01.fi")` is `/banks/kiln.01.fi`.
  static func path(_ names: String...) -> String { names.map { "/" + URLForm.escape($0) }.joined() }
}

extension OpenBankClient {
  /// Views of an account as some list named them; empty when no list did.
  func knownViews(of account: AccountID) -> [ViewSummary] { views.withLock { $0[account] ?? [] } }

  func remember(_ summaries: [ViewSummary], of account: AccountID) {
    if !summaries.isEmpty { views.withLock { $0[account] = summaries } }
  }

  /// Forgets what belongs to whoever was signed in.
  func forgetUser() {
    views.withLock { $0 = [:] }
    rights.forget()
  }
}
