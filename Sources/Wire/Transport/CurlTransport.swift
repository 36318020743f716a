import Curl
import FoundationEssentials
public import Model

/// Sends requests with libcurl, under one connection's settings; all transports share one thread and its connections.
public final class CurlTransport: Transport {
  private let settings: TransportSettings
  private let log: ExchangeLog?
  private let connection: String
  private let engine: CurlEngine
  /// Where to connect instead of where an address says: `HOST:PORT:HOST:PORT`, as libcurl's CONNECT_TO.
  private let detour: String?

  /// - Parameters:
  ///   - log: Keeps every exchange, each hop of a redirect by itself.
  ///   - connection: What the log calls the other side.
  public init(_ settings: TransportSettings = TransportSettings(), log: ExchangeLog? = nil, connection: String = "") {
    self.settings = settings
    self.log = log
    self.connection = connection
    engine = .shared
    detour = nil
  }

  /// A transport that connects elsewhere than an address says, which stays what it is in requests and in the log.
  package init(_ settings: TransportSettings, log: ExchangeLog?, connection: String, detour: String?) {
    self.settings = settings
    self.log = log
    self.connection = connection
    engine = .shared
    self.detour = detour
  }

  /// A transport whose kept connections nobody else's requests push out.
  package init(alone settings: TransportSettings) {
    self.settings = settings
    log = nil
    connection = ""
    engine = CurlEngine()
    detour = nil
  }

  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try await follow(request, streams: false) { [self] request, curl in
      await run { done in
        let handler = CollectingHandler(request, silence: settings.timeout, done: done)
        return (CurlTransfer(curl, handler: handler), handler)
      }
    }
  }

  public func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    try await follow(request, streams: true) { [self, engine] request, curl in
      await run { done in
        let handler = StreamingHandler(request, silence: settings.timeout)
        let transfer = CurlTransfer(curl, handler: handler)
        let consumer = BodyConsumer(
          sink, maxBytes: request.maxBytes, capturing: log?.limits.bodyBytes ?? 0,
          isForUs: { request.followsRedirects && [301, 302, 303, 307, 308].contains($0.status) }, head: head,
          progress: progress)
        handler.delivery = BodyDelivery(
          consumer, resume: { engine.resume(transfer) }, stop: { engine.cancel(transfer) },
          done: { handler.conclude($0, $1, done) })
        return (transfer, handler)
      }
    }
  }

  /// Makes exchanges until one is not a redirect that we follow.
  private func follow(
    _ request: HTTPRequest, streams: Bool, _ exchange: (HTTPRequest, CurlRequest) async -> WireAnswer
  ) async throws(TransportError) -> HTTPResponse {
    let preparation = RequestPreparation(settings: settings)
    var request = request
    var hop = 0
    while true {
      var curl = try preparation.curlRequest(request, streams: streams)
      curl.detour = detour
      let entry = log?.begin(request, headers: HTTPHeaders(curl.headers), connection: connection) ?? 0
      let response = try response(to: request, await exchange(request, curl), entry: entry)
      guard let next = try Redirects.next(request, response, hop: hop) else { return response }
      request = next
      hop += 1
    }
  }

  /// Starts a transfer and waits for its end; a cancelled task ends it on the wire.
  private func run(
    _ make: (@escaping @Sendable (WireAnswer) -> Void) -> (CurlTransfer, TransferHandler)
  ) async -> WireAnswer {
    let end = OneShot<WireAnswer>()
    let (transfer, handler) = make { end.fulfil($0) }
    if case .source(let source) = handler.request.body {
      handler.pump = SourcePump(source) { [engine] in engine.resume(transfer) }
    }
    return await withTaskCancellationHandler {
      engine.start(transfer)
      return await end.value()
    } onCancel: { [engine] in
      engine.cancel(transfer)
    }
  }

  private func response(
    to request: HTTPRequest, _ answer: WireAnswer, entry: Int
  ) throws(TransportError) -> HTTPResponse {
    let missing = answer.head.isComplete ? nil : TransportError(.unreadable, "the answer has no head")
    if var failure = answer.failure ?? missing {
      failure.exchange = entry
      log?.end(entry, failure)
      throw failure
    }
    let response = HTTPResponse(
      status: answer.head.status, headers: answer.head.headers, body: answer.body, url: request.url,
      version: answer.info.httpVersion.isEmpty ? answer.head.version : answer.info.httpVersion,
      timings: HTTPTimings(answer.info), remoteAddress: answer.info.remoteAddress, exchange: entry)
    log?.end(entry, response, body: answer.captured ?? answer.body[...], size: answer.size)
    return response
  }
}

extension HTTPTimings {
  /// libcurl counts from the start of the transfer; a phase is the time between two of its marks.
  init(_ info: CurlInfo) {
    self.init()
    let secured = max(info.secured, info.connected)
    lookup = .microseconds(info.lookup)
    connect = .microseconds(max(0, info.connected - info.lookup))
    tls = .microseconds(max(0, secured - max(info.connected, info.lookup)))
    wait = .microseconds(max(0, info.firstByte - max(secured, info.lookup)))
    receive = .microseconds(max(0, info.total - info.firstByte))
    total = .microseconds(info.total)
    reusedConnection = info.isReused
  }
}
