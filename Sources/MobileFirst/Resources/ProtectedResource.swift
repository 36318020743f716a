import FoundationEssentials
import Model
import Wire

/// Sends requests to resources behind scopes, and obtains what they ask for on the way.
///
/// The loop of reference/mobilefirst.md section 3, with its bounds: conflicts are sent again at once (then with short,
/// growing pauses), a missing scope is obtained and remembered for the resource, and neither goes on for ever.
public struct ProtectedResource: Sendable {
  public let manager: AuthorizationManager
  let transport: any Transport
  let conflictPause: ConflictPause

  /// Most conflicts, and most times that a token is obtained, for one request.
  public static let mostConflicts = ConflictPause.most
  public static let mostAuthorizations = 5

  public init(
    manager: AuthorizationManager, transport: any Transport, conflictPause: Duration = .milliseconds(20)
  ) {
    self.manager = manager
    self.transport = transport
    self.conflictPause = ConflictPause(step: conflictPause)
  }

  /// The answer, whatever its status, once authorization is no longer the matter.
  ///
  /// - Parameter scope: What the resource is known to need; else what an earlier answer taught, else nothing yet.
  /// - Throws: `.forbidden` when the server lacks nothing that could be obtained, `.conflict` and `.signInRefused` when
  ///   the bounds are reached, and whatever obtaining a token throws.
  public func send(
    _ request: HTTPRequest, scope: Scope? = nil
  ) async throws(ServiceError) -> HTTPResponse {
    try await run(request, scope) { (request) async throws(TransportError) in try await transport.send(request) }
  }

  /// The same with the body streamed into a sink once the authorization is settled.
  ///
  /// - Parameter collects: Answers whose bodies are wanted in the response instead; authorization answers always are.
  public func download(
    _ request: HTTPRequest, scope: Scope? = nil, to sink: any ByteSink,
    collects: @escaping @Sendable (HTTPResponse) -> Bool = { !$0.isSuccess },
    progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> HTTPResponse {
    try await run(request, scope) { (request) async throws(TransportError) in
      try await transport.download(
        request, to: sink,
        head: { response in
          let answer = ResourceAnswer(status: response.status, headers: response.headers)
          return answer.isAuthorizationRequired || collects(response) ? nil : response.contentHead
        }, progress: progress)
    }
  }

  /// What a resource is remembered by.
  static func key(_ request: HTTPRequest) -> String {
    let address = request.url.absoluteString.prefix { $0 != "?" && $0 != "#" }
    return "\(request.method) \(address)"
  }

  private func run(
    _ request: HTTPRequest, _ scope: Scope?, _ send: (HTTPRequest) async throws(TransportError) -> HTTPResponse
  ) async throws(ServiceError) -> HTTPResponse {
    let operation = request.label ?? "\(request.method) \(request.url.path())"
    let resource = Self.key(request)
    try await manager.load()
    var known = scope ?? manager.learntScope(resource)
    // Where the scope is known, the token comes first; where it is not, one we hold may do.
    var token = known == nil ? manager.cachedToken(for: .standard) : nil
    if let known { token = try await manager.accessToken(for: known) }
    var conflicts = 0
    var rounds = 0
    while true {
      if conflicts + rounds > 0 { try rewind(request, operation) }
      let response = try await attempt(request, token, operation, send)
      switch ResourceAnswer(status: response.status, headers: response.headers) {
      case .fine: return response
      case .conflict:
        conflicts += 1
        try await conflictPause.wait(conflicts, operation)
        continue
      case .tokenNeeded:
        if let token { manager.clear(token) }
      // Once a scope has been learnt, that is what is needed, not the default.
      case .scopeNeeded(let named):
        guard let named else { throw ServiceError(.forbidden, operation, status: 403) }
        let needed = Scope(named)
        if let token, token.scope.covers(needed) {
          throw ServiceError(.forbidden, operation, detail: "the token for “\(needed)” does not do", status: 403)
        }
        known = needed
        try await manager.learn(needed, for: resource)
      }
      rounds += 1
      guard rounds <= Self.mostAuthorizations else {
        throw ServiceError(
          .signInRefused, operation, detail: "no token of ours would do after \(rounds - 1) attempts",
          status: response.status, serverCode: "AUTHORIZATION_FAILURE")
      }
      token = try await manager.accessToken(for: known ?? .standard)
    }
  }

  private func attempt(
    _ request: HTTPRequest, _ token: AccessToken?, _ operation: String,
    _ send: (HTTPRequest) async throws(TransportError) -> HTTPResponse
  ) async throws(ServiceError) -> HTTPResponse {
    var request = request
    if let token { request.headers["Authorization"] = token.headerField.reveal() }
    do throws(TransportError) {
      return try await send(request)
    } catch {
      throw error.serviceError(operation)
    }
  }

  private func rewind(_ request: HTTPRequest, _ operation: String) throws(ServiceError) {
    guard case .source(let source) = request.body else { return }
    do {
      try source.rewind()
    } catch {
      throw ServiceError(
        .failed, operation, detail: "the server wants it again, and it cannot be read twice",
        remedy: "Sign in first, or send a file.", cause: error)
    }
  }
}
