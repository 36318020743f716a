public import Model
import Synchronization

/// Keeps the latest exchanges, with their secrets taken out before anything is kept.
public final class ExchangeLog: Sendable {
  public struct Limits: Sendable {
    public var exchanges = 1000
    /// Bytes of all of them together.
    public var totalBytes = 32 << 20
    /// Bytes kept of one body.
    public var bodyBytes = 256 << 10

    public init() {}
  }

  public typealias Observer = @Sendable (Exchange) -> Void

  private struct State {
    var lastID = 0
    var kept: [Exchange] = []
    var cost = 0
    var observers: [Int: Observer] = [:]
    var lastObserver = 0
  }

  public let redactor: Redactor
  public let limits: Limits
  private let clock: any WallClock
  private let state = Mutex(State())

  public init(redactor: Redactor = Redactor(), clock: any WallClock, limits: Limits = Limits()) {
    self.redactor = redactor
    self.clock = clock
    self.limits = limits
  }

  /// Oldest first.
  public var exchanges: [Exchange] { state.withLock { $0.kept } }

  /// Nil once it has made way for later ones.
  public func exchange(_ id: Int) -> Exchange? { state.withLock { $0.kept.first { $0.id == id } } }

  public func clear() {
    state.withLock {
      $0.kept = []
      $0.cost = 0
    }
  }

  /// Calls back when an exchange starts and when it ends, from whatever thread brought the news.
  ///
  /// - Returns: The subscription; it ends with it.
  public func observe(_ observer: @escaping Observer) -> Subscription {
    let number = state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = observer
      return state.lastObserver
    }
    return Subscription { [weak self] in self?.state.withLock { $0.observers[number] = nil } }
  }

  /// Ends an observation when it is let go.
  public final class Subscription: Sendable {
    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  // MARK: Filling it

  /// Notes a request that goes out now.
  ///
  /// - Returns: The number under which its end is reported.
  package func begin(_ request: HTTPRequest, headers: HTTPHeaders, connection: String) -> Int {
    let url = redactor.url(request.url.absoluteString)
    let headers = redactor.headers(headers)
    let body = Self.body(of: request, limits, redactor)
    let started = clock.now()
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let exchange = Exchange(
      id: id, connection: connection, label: request.label.map(redactor.text), started: started, method: request.method,
      url: url, requestHeaders: headers, requestBody: body)
    keep(exchange)
    return id
  }

  /// Notes an answer; `body` is what was kept of it, `size` its whole length.
  package func end(_ id: Int, _ response: HTTPResponse, body: ArraySlice<UInt8>, size: Int64) {
    let headers = redactor.headers(response.headers)
    let kept = captured(body, size: size)
    update(id) { exchange in
      exchange.state = .answered
      exchange.status = response.status
      exchange.version = response.version
      exchange.responseHeaders = headers
      exchange.responseBody = kept
      exchange.timings = response.timings
      exchange.remoteAddress = response.remoteAddress
    }
  }

  package func end(_ id: Int, _ failure: TransportError) {
    let reason = redactor.text(failure.detail)
    update(id) { $0.state = .failed(reason) }
  }

  private func captured(_ bytes: ArraySlice<UInt8>, size: Int64) -> Exchange.Body {
    var body = Exchange.Body()
    body.size = size
    body.isCut = bytes.count > limits.bodyBytes || Int64(bytes.count) < size
    body.bytes = redactor.body(bytes.prefix(limits.bodyBytes), isCut: body.isCut)
    return body
  }

  private static func body(of request: HTTPRequest, _ limits: Limits, _ redactor: Redactor) -> Exchange.Body {
    var body = Exchange.Body()
    switch request.body {
    case .none:
      break
    case .bytes(let bytes):
      body.size = Int64(bytes.count)
      body.isCut = bytes.count > limits.bodyBytes
      body.bytes = redactor.body(bytes.prefix(limits.bodyBytes), isCut: body.isCut)
    case .source(let source):
      body.size = source.count ?? 0
      body.isCut = true
    }
    return body
  }

  private func keep(_ exchange: Exchange) {
    let observers = state.withLock { state in
      state.kept.append(exchange)
      state.cost += exchange.cost
      trim(&state)
      return Array(state.observers.values)
    }
    for observer in observers { observer(exchange) }
  }

  private func update(_ id: Int, _ change: (inout Exchange) -> Void) {
    let news = state.withLock { state -> (Exchange, [Observer])? in
      guard let index = state.kept.lastIndex(where: { $0.id == id }) else { return nil }
      state.cost -= state.kept[index].cost
      change(&state.kept[index])
      state.cost += state.kept[index].cost
      let exchange = state.kept[index]
      trim(&state)
      return (exchange, Array(state.observers.values))
    }
    guard let (exchange, observers) = news else { return }
    for observer in observers { observer(exchange) }
  }

  /// The oldest go first; one alone may exceed the limit.
  private func trim(_ state: inout State) {
    while state.kept.count > 1, state.kept.count > limits.exchanges || state.cost > limits.totalBytes {
      state.cost -= state.kept.removeFirst().cost
    }
  }
}
