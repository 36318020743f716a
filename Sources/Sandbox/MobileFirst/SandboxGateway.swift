import HTTPServer
import Synchronization

/// A reverse proxy before the server: whoever has not signed in by its page gets the page, whatever they asked for.
final class SandboxGateway: Sendable {
  private let secrets: MobileFirstSecrets
  private let sessions = Mutex<Set<String>>([])
  private static let cookie = "GATEWAYSESSION"

  init(_ secrets: MobileFirstSecrets) { self.secrets = secrets }

  func reset() { sessions.withLock { $0 = [] } }

  /// The gateway's own answer; nil where the request may pass.
  func answer(_ request: SandboxRequest) -> ServerResponse? {
    if request.method == "POST", request.segments.last == "j_security_check" { return signIn(request) }
    let known = session(of: request)
    return sessions.withLock { known.map($0.contains) ?? false } ? nil : page()
  }

  private func signIn(_ request: SandboxRequest) -> ServerResponse {
    let form = request.form()
    guard form.first("j_username") == MobileFirstSecrets.user, form.first("j_password") == secrets.userPassword else {
      return page("Name or password is wrong.")
    }
    var random = SystemRandomNumberGenerator()
    let session = String(UInt64.random(in: .min ... .max, using: &random), radix: 36)
    sessions.withLock { _ = $0.insert(session) }
    return ServerResponse(status: 302, headers: [("Location", "/")], body: .bytes([]))
      .adding("Set-Cookie", "\(Self.cookie)=\(session); Path=/; HttpOnly")
  }

  private func session(of request: SandboxRequest) -> String? {
    let pairs = (request.header("Cookie") ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
    return pairs.first { $0.hasPrefix(Self.cookie + "=") }.map { String($0.dropFirst(Self.cookie.count + 1)) }
  }

  private func page(_ failure: String = "") -> ServerResponse {
    .text(
      """
      <html><head><title>Gateway</title></head><body><p>\(failure)</p>
      <form method="post" action="j_security_check"><input name="j_username"><input name="j_password" type="password">
      <button>Sign in</button></form></body></html>

      """, type: "text/html; charset=utf-8")
  }
}
