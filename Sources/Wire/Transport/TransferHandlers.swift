import Curl
import FoundationEssentials
import Model

/// An exchange as it came off the wire: what is known of it even when it failed.
struct WireAnswer: Sendable {
  var head = ResponseHead()
  var body: [UInt8] = []
  /// The beginning of a body that went elsewhere.
  var captured: ArraySlice<UInt8>?
  /// Length of the whole body.
  var size: Int64 = 0
  var info = CurlInfo()
  var failure: TransportError?
}

/// What collecting and streaming have in common: the head, the upload, and reasons of our own to stop.
///
/// `@unchecked Sendable`: used on the engine's thread only; `pump` is set before the transfer starts.
class TransferHandler: @unchecked Sendable {
  let request: HTTPRequest
  let silence: Duration
  var pump: SourcePump?
  fileprivate(set) var head = ResponseHead()
  fileprivate(set) var failure: TransportError?

  init(_ request: HTTPRequest, silence: Duration) {
    self.request = request
    self.silence = silence
  }

  fileprivate func add(_ line: UnsafeRawBufferPointer) -> ResponseHead.Progress {
    let progress = head.add(line)
    if progress == .tooLarge { failure = TransportError(.tooLarge, "its headers are larger than we accept") }
    if progress == .unreadable { failure = TransportError(.unreadable, "its headers are not HTTP") }
    return progress
  }

  fileprivate func isTooLarge(_ bytes: Int64) -> Bool {
    guard bytes > Int64(request.maxBytes) else { return false }
    failure = TransportError(.tooLarge, "it is larger than \(request.maxBytes) bytes")
    return true
  }

  func supply(_ buffer: UnsafeMutableRawBufferPointer) -> CurlSupply {
    pump?.supply(buffer) ?? .end
  }

  func sent(_ bytes: Int64) {
    guard let onUpload = request.onUpload else { return }
    onUpload(bytes, total)
  }

  private var total: Int64? {
    switch request.body {
    case .none: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .source(let source): source.count
    }
  }

  /// Our own reasons come before libcurl's view of them.
  fileprivate func answer(_ outcome: CurlOutcome, body: [UInt8], failure later: TransportError?) -> WireAnswer {
    let end = TransportError(outcome, silence: silence)
    let cancelled = end.flatMap { $0.code == .cancelled ? $0 : nil }
    return WireAnswer(
      head: head, body: body, size: Int64(body.count), info: outcome.info,
      failure: failure ?? later ?? pump?.failure ?? cancelled ?? end)
  }

  /// Hands the answer over once nobody reads the source any more; a cancelled one does not wait for that.
  fileprivate func conclude(_ answer: WireAnswer, _ done: @escaping @Sendable (WireAnswer) -> Void) {
    guard let pump, answer.failure?.code != .cancelled else {
      self.pump = nil
      return done(answer)
    }
    self.pump = nil
    pump.stop { done(answer) }
  }
}

/// Keeps the body in memory.
final class CollectingHandler: TransferHandler, CurlTransferHandler, @unchecked Sendable {
  private var body: [UInt8] = []
  private let done: @Sendable (WireAnswer) -> Void

  init(_ request: HTTPRequest, silence: Duration, done: @escaping @Sendable (WireAnswer) -> Void) {
    self.done = done
    super.init(request, silence: silence)
  }

  func receive(header line: UnsafeRawBufferPointer) -> CurlVerdict {
    switch add(line) {
    case .reading:
      return .go
    case .tooLarge, .unreadable:
      return .stop
    case .complete:
      guard request.method != "HEAD", let length = head.headers.contentLength else { return .go }
      if isTooLarge(length) { return .stop }
      body.reserveCapacity(min(Int(length), 1 << 20))
      return .go
    }
  }

  func receive(body bytes: UnsafeRawBufferPointer) -> CurlVerdict {
    if isTooLarge(Int64(body.count + bytes.count)) { return .stop }
    body.append(contentsOf: bytes)
    return .go
  }

  func roundEnded() {}

  func finished(_ outcome: CurlOutcome) {
    conclude(answer(outcome, body: body, failure: nil), done)
  }
}

/// Hands the body on while it arrives.
final class StreamingHandler: TransferHandler, CurlTransferHandler, @unchecked Sendable {
  /// Set before the transfer starts.
  var delivery: BodyDelivery?

  func receive(header line: UnsafeRawBufferPointer) -> CurlVerdict {
    switch add(line) {
    case .reading: return .go
    case .tooLarge, .unreadable: return .stop
    case .complete:
      delivery?.begin(
        HTTPResponse(status: head.status, headers: head.headers, url: request.url, version: head.version))
      return .go
    }
  }

  func receive(body bytes: UnsafeRawBufferPointer) -> CurlVerdict { delivery?.write(bytes) ?? .stop }

  func roundEnded() { delivery?.flush() }

  func finished(_ outcome: CurlOutcome) {
    delivery?.end(outcome)
    delivery = nil
  }

  /// The end, on the delivery's queue; the engine has let go of the transfer by then.
  func conclude(_ consumer: BodyConsumer, _ outcome: CurlOutcome, _ done: @escaping @Sendable (WireAnswer) -> Void) {
    var answer = answer(outcome, body: consumer.collected, failure: consumer.failure)
    if consumer.isStreaming {
      answer.captured = consumer.captured[...]
      answer.size = consumer.size
    }
    conclude(answer, done)
  }
}
