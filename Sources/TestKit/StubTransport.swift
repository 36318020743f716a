import FoundationEssentials
package import Model
import Synchronization
package import Wire

/// A transport that answers from a script and remembers what it was asked.
///
/// Answers for the same request are used in order; the last one stays. A key with a query matches only that query, one
/// without matches any.
package final class StubTransport: Transport {
  /// A request as it would have gone out, with its body collected.
  package struct Recorded: Sendable {
    package let request: HTTPRequest
    package let body: [UInt8]
    package var bodyText: String { String(decoding: body, as: UTF8.self) }
    /// `GET /path?query`
    package var line: String { "\(request.method) \(StubTransport.target(request.url))" }
  }

  package typealias Answer = @Sendable (Recorded) throws(TransportError) -> HTTPResponse

  private struct State {
    var answers: [String: [Answer]] = [:]
    var recorded: [Recorded] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Everything asked so far, in order.
  package var requests: [Recorded] { state.withLock { $0.recorded } }

  /// Scripts an answer worked out from the request.
  @discardableResult
  package func on(_ method: String, _ target: String, _ answer: @escaping Answer) -> StubTransport {
    state.withLock { $0.answers["\(method) \(target)", default: []].append(answer) }
    return self
  }

  /// Scripts a fixed answer; a body that looks like JSON is sent as such.
  @discardableResult
  package func on(
    _ method: String, _ target: String, status: Int = 200, headers: HTTPHeaders = [:], body: String = ""
  ) -> StubTransport {
    on(method, target) { recorded throws(TransportError) in
      var headers = headers
      if headers["Content-Type"] == nil, let first = body.first, "{[".contains(first) {
        headers["Content-Type"] = "application/json"
      }
      return HTTPResponse(status: status, headers: headers, body: Array(body.utf8), url: recorded.request.url)
    }
  }

  /// Scripts a failure.
  @discardableResult
  package func on(_ method: String, _ target: String, fails code: TransportError.Code) -> StubTransport {
    on(method, target) { _ throws(TransportError) in throw TransportError(code, "scripted") }
  }

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    guard !Task.isCancelled else { throw TransportError(.cancelled, "it was cancelled") }
    let recorded = Recorded(request: request, body: try Self.collect(request.body))
    let target = Self.target(request.url)
    let path = String(target.prefix { $0 != "?" })
    let answer = state.withLock { state -> Answer? in
      state.recorded.append(recorded)
      let exact = "\(request.method) \(target)"
      let key = state.answers[exact] == nil ? "\(request.method) \(path)" : exact
      guard let answers = state.answers[key], let first = answers.first else { return nil }
      if answers.count > 1 { state.answers[key]?.removeFirst() }
      return first
    }
    guard let answer else { throw TransportError(.unreachable, "nothing is scripted for \(recorded.line)") }
    return try answer(recorded)
  }

  package func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    var response = try await send(request)
    do {
      guard let content = try head(response) else { return response }
      let offset = response.contentRange?.offset ?? 0
      let body = response.body
      try sink.begin(content, at: offset)
      try body.withUnsafeBytes { try sink.write($0) }
      progress(offset + Int64(body.count), content.size)
      response.body = []
      return response
    } catch {
      throw TransportError(.interrupted, "the bytes could not be taken", cause: error)
    }
  }

  private static func collect(_ body: HTTPBody) throws(TransportError) -> [UInt8] {
    switch body {
    case .none: return []
    case .bytes(let bytes): return bytes
    case .source(let source):
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      do {
        while case let count = try buffer.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
          all += buffer[..<count]
        }
      } catch { throw TransportError(.interrupted, "the bytes to send could not be read", cause: error) }
      return all
    }
  }

  /// Path and query as they would stand in the request line.
  private static func target(_ url: URL) -> String {
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    return (path.isEmpty ? "/" : path) + query
  }
}

/// A sink that keeps everything in memory.
package final class MemorySink: ByteSink {
  private struct State {
    var head: ContentHead?
    var offset: Int64 = 0
    var bytes: [UInt8] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var head: ContentHead? { state.withLock { $0.head } }
  package var offset: Int64 { state.withLock { $0.offset } }
  package var bytes: [UInt8] { state.withLock { $0.bytes } }
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package func begin(_ head: ContentHead, at offset: Int64) {
    state.withLock {
      $0.head = head
      $0.offset = offset
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { $0.bytes.append(contentsOf: bytes) }
  }
}
