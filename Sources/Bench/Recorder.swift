import Model
import Synchronization
import Wire

/// A transport that remembers what was answered and, once told to, answers the same without asking anybody.
final class Recorder: Transport {
  private struct State {
    var answers: [String: HTTPResponse] = [:]
    var isReplaying = false
  }

  private let inner: any Transport
  private let state = Mutex(State())

  init(_ inner: any Transport) { self.inner = inner }

  func replay() { state.withLock { $0.isReplaying = true } }

  /// The body of the answer to the one address that contains this.
  func body(of part: String) -> [UInt8]? {
    state.withLock { $0.answers.first { $0.key.contains(part) }?.value.body }
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let address = request.url.absoluteString
    let known = state.withLock { $0.isReplaying ? $0.answers[address] : nil }
    if let known { return known }
    let answer = try await inner.send(request)
    state.withLock { $0.answers[address] = answer }
    return answer
  }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    try await inner.download(request, to: sink, head: head, progress: progress)
  }
}
