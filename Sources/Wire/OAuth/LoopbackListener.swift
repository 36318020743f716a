import Crypto
import Dispatch
import HTTPServer
public import Model
import Synchronization

/// Waits on this machine for the browser that comes back from a sign-in page: RFC 8252, section 7.3.
///
/// Takes one GET of the expected path that carries the expected value; everything else is answered 404 and changes
/// nothing. The page it answers holds nothing of the request.
public final class LoopbackListener: Sendable {
  public typealias Fields = [(name: String, value: String)]

  /// What the browser must bring to be believed: `state`, or `oauth_token` in OAuth 1.
  public struct Expectation: Sendable {
    let name: String
    let value: String
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The address to register and to send along.
  public let redirectURL: String
  private let server: HTTPServer
  private let gate: Gate

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: 0 takes any free one.
  ///   - address: `127.0.0.1` or `::1`.
  /// - Throws: `.configuration` where the port is taken, or the address is another: then others could reach it.
  public init(
    port: UInt16 = 0, address: String = "127.0.0.1", path: String = "/callback", expecting expectation: Expectation
  ) throws(ServiceError) {
    guard ["127.0.0.1", "::1"].contains(address) else {
      throw ServiceError(.configuration, "wait for the browser", detail: "\(address) is not this machine alone")
    }
    let gate = Gate(path: path, expectation: expectation)
    do throws(HTTPServerError) {
      server = try HTTPServer(port: port, address: address, maxBodyBytes: 0, idleSeconds: 10) { gate.answer($0) }
    } catch {
      throw ServiceError(
        .configuration, "wait for the browser", detail: error.description,
        remedy: "Choose another port for the redirect, or leave it out to take any.", cause: error)
    }
    self.gate = gate
    redirectURL = server.origin + path
    gate.hosts = Self.hosts(port: server.port)
  }

  /// The query of the redirect; cancelling the task ends the wait.
  ///
  /// - Parameter limit: Gives up after so long.
  public func fields(within limit: Duration = .seconds(300)) async throws(OAuthError) -> Fields {
    let gate = gate
    let timer = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      gate.end(.failure(OAuthError(.expired, "nobody came back from the sign-in page in time")))
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await gate.result.value()
    } onCancel: {
      gate.end(.failure(OAuthError(.cancelled, "it was cancelled")))
    }
    return try result.get()
  }

  /// Stops listening, a moment later where a browser is still reading its page.
  public func stop() {
    gate.end(.failure(OAuthError(.cancelled, "it was cancelled")))
    let server = server
    guard gate.hasAnswered else { return server.stop() }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) { server.stop() }
  }

  deinit { stop() }

  /// What a browser may call us; another name means that some page's name was made to lead here.
  private static func hosts(port: UInt16) -> Set<String> {
    ["127.0.0.1:\(port)", "[::1]:\(port)", "localhost:\(port)"]
  }

  /// Decides on each request; runs on the server's threads.
  private final class Gate: Sendable {
    let result = OneShot<Result<Fields, OAuthError>>()
    private let path: String
    private let expectation: Expectation
    private let state = Mutex((hosts: Set<String>(), isOpen: true, hasAnswered: false))

    init(path: String, expectation: Expectation) {
      self.path = path
      self.expectation = expectation
    }

    var hosts: Set<String> {
      get { state.withLock { $0.hosts } }
      set { state.withLock { $0.hosts = newValue } }
    }

    var hasAnswered: Bool { state.withLock { $0.hasAnswered } }

    func end(_ outcome: Result<Fields, OAuthError>) {
      state.withLock { $0.isOpen = false }
      result.fulfil(outcome)
    }

    func answer(_ request: ServerRequest) -> ServerResponse {
      guard request.method == "GET", request.path == path,
        hosts.contains((request.header("Host") ?? "").lowercased()),
        request.query.filter({ $0.name == expectation.name }).count == 1,
        constantTimeEquals(Array((request.queryValue(expectation.name) ?? "").utf8), Array(expectation.value.utf8)),
        takeTurn()
      else { return page(404, "Not here", "This address waits for one sign-in, and this is not it.") }
      result.fulfil(.success(request.query.map { ($0.name, $0.value) }))
      return page(200, "Back to the terminal", "You may close this window and go on in the terminal.")
    }

    /// True for the first who asks.
    private func takeTurn() -> Bool {
      state.withLock { state in
        guard state.isOpen else { return false }
        state.isOpen = false
        state.hasAnswered = true
        return true
      }
    }

    private func page(_ status: Int, _ title: String, _ text: String) -> ServerResponse {
      let html = """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>\(title)</title>
        <body style="font:16px sans-serif;margin:4em"><h1>\(title)</h1><p>\(text)</p></body></html>

        """
      return ServerResponse(
        status: status,
        headers: [
          ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"), ("Connection", "close"),
          ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
          ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ], body: .bytes(Array(html.utf8)))
    }
  }
}
