import HTTPServer

/// The filter in front of a protected resource (reference 1.1.2 and 4).
struct ResourceGuard: Sendable {
  private let server: MobileFirstServer

  init(_ server: MobileFirstServer) { self.server = server }

  /// Why the request may not pass; nil when it may.
  func refusal(_ request: SandboxRequest, scope: String) -> ServerResponse? {
    if scope.isEmpty, !server.knobs.isEnabled { return nil }
    if let conflict = server.conflict() { return conflict }
    guard let text = request.bearerToken else { return challenge(401, "Bearer") }
    guard let token = server.spend(text, at: request.now) else {
      return challenge(401, "Bearer error=\"invalid_token\"")
    }
    let wanted = MobileFirstScope.elements(scope)
    guard !token.covers(wanted) else { return nil }
    return challenge(403, "Bearer error=\"insufficient_scope\", scope=\"\(MobileFirstScope.text(wanted))\"")
  }

  private func challenge(_ status: Int, _ value: String) -> ServerResponse {
    ServerResponse(status: status, headers: [("WWW-Authenticate", value)], body: .bytes([]))
  }
}
