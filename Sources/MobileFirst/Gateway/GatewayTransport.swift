import FoundationEssentials
import Model
import Synchronization
public import Wire

/// A transport that gets past a gateway on the way: recognises its page, signs in, and sends the request again.
///
/// The gateway's cookies go with every further request to the same origin, and to no other.
public final class GatewayTransport: Transport {
  private let transport: any Transport
  private let handler: any GatewayHandler
  private let cookies = Mutex(GatewayCookies())
  /// One sign-in at a time; who waited tries again first.
  private let gate = Gate()

  /// Most sign-ins for one request.
  public static let mostRounds = 5

  public init(_ transport: any Transport, handler: any GatewayHandler) {
    self.transport = transport
    self.handler = handler
  }

  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try await run(request) { (request) async throws(TransportError) in try await transport.send(request) }
  }

  /// A page that may be the gateway's is looked at before it goes to the sink.
  public func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    let isPage: @Sendable (HTTPResponse) -> Bool = { $0.headers.mediaType == "text/html" }
    var response = try await run(request) { (request) async throws(TransportError) in
      try await transport.download(
        request, to: sink, head: { isPage($0) ? nil : try head($0) }, progress: progress)
    }
    guard isPage(response) else { return response }
    do {
      guard let content = try head(response) else { return response }
      try sink.begin(content, at: 0)
      try response.body.withUnsafeBytes { try sink.write($0) }
    } catch {
      throw TransportError(.interrupted, "what came could not be taken", cause: error)
    }
    progress(Int64(response.body.count), Int64(response.body.count))
    response.body = []
    return response
  }

  private func run(
    _ request: HTTPRequest, _ send: (HTTPRequest) async throws(TransportError) -> HTTPResponse
  ) async throws(TransportError) -> HTTPResponse {
    var round = 0
    var failure: String?
    while true {
      let known = cookies.withLock { $0.version }
      if round > 0, case .source(let source) = request.body {
        do { try source.rewind() } catch {
          throw TransportError(.interrupted, "the gateway wants the bytes again, and they cannot be", cause: error)
        }
      }
      let response = try await send(cookies.withLock { $0.added(to: request) })
      cookies.withLock { $0.take(response, isGateway: false) }
      guard handler.recognizes(response) else { return response }
      guard round < Self.mostRounds else { return response }
      round += 1
      guard await gate.enter() else { throw TransportError(.cancelled, "cancelled") }
      defer { gate.leave() }
      // Somebody else may have signed in meanwhile.
      if cookies.withLock({ $0.version }) != known { continue }
      failure = try await pass(response, failure)
    }
  }

  /// Sends the form; returns why it did not do, nil when it did.
  private func pass(_ page: HTTPResponse, _ failure: String?) async throws(TransportError) -> String? {
    let form: GatewayForm
    do throws(ServiceError) {
      form = try await handler.form(page, failure: failure)
    } catch {
      throw TransportError(.interrupted, error.reason, cause: error)
    }
    guard let target = URL(string: form.address, relativeTo: page.url)?.absoluteURL,
      GatewayCookies.origin(target) == GatewayCookies.origin(page.url)
    else { throw TransportError(.badRequest, "the gateway's form would be sent to another place: \(form.address)") }
    var request = HTTPRequest.form(
      target, form.fields.map { (name: $0.name, value: $0.value.reveal()) }, label: "sign in at the gateway")
    request.followsRedirects = false
    let answer = try await transport.send(cookies.withLock { $0.added(to: request) })
    cookies.withLock { $0.take(answer, isGateway: true) }
    return handler.recognizes(answer) || answer.status >= 400 ? "The gateway did not let us in." : nil
  }
}

/// Session cookies of a gateway, by origin. Attributes do not matter here: they are kept for the process alone, and go
/// back to where they came from.
private struct GatewayCookies: Sendable {
  private var values: [String: [String: Secret]] = [:]
  /// Grows with every sign-in.
  private(set) var version = 0

  static func origin(_ url: URL) -> String {
    "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? (url.scheme == "https" ? 443 : 80))"
  }

  func added(to request: HTTPRequest) -> HTTPRequest {
    guard let own = values[Self.origin(request.url)], !own.isEmpty else { return request }
    var request = request
    let text = own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.reveal())" }.joined(separator: "; ")
    request.headers["Cookie"] = request.headers["Cookie"].map { "\($0); \(text)" } ?? text
    return request
  }

  mutating func take(_ response: HTTPResponse, isGateway: Bool) {
    for line in response.headers.values(for: "Set-Cookie") {
      let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, !pair[0].isEmpty else { continue }
      values[Self.origin(response.url), default: [:]][String(pair[0])] = Secret(String(pair[1]))
    }
    if isGateway { version += 1 }
  }
}
