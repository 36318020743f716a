import Model
import Synchronization

/// Finds the server's own code for a refusal in the beginning of its answer; nil where there is none.
package typealias ServerCode = @Sendable (HTTPResponse) -> String?

extension Transport {
  /// Sends a request that a person wrote, streaming the body into the sink whatever the status.
  ///
  /// - Parameter code: Reads the server's own code out of an answer that was not expected.
  /// - Throws: `.signInNeeded` on a 401 that was not expected and was sent with a credential, before anything reaches
  ///   the sink, so that the service layer can sign in and repeat it.
  package func pass(
    _ request: HTTPRequest, to sink: any ByteSink, _ call: RawCall, _ operation: String, code: @escaping ServerCode
  ) async throws(ServiceError) -> RawReply {
    try await pass(request, to: sink, call, operation, code: code, holding: { _ in false }).reply
  }

  /// The same; nil for an answer that is held back from the sink, since the request will go out again in another form.
  package func passUnless(
    _ isHeld: @escaping @Sendable (HTTPResponse) -> Bool, _ request: HTTPRequest, to sink: any ByteSink,
    _ call: RawCall, _ operation: String, code: @escaping ServerCode
  ) async throws(ServiceError) -> RawReply? {
    let (response, reply) = try await pass(request, to: sink, call, operation, code: code, holding: isHeld)
    return isHeld(response) ? nil : reply
  }

  private func pass(
    _ request: HTTPRequest, to sink: any ByteSink, _ call: RawCall, _ operation: String, code: @escaping ServerCode,
    holding isHeld: @escaping @Sendable (HTTPResponse) -> Bool
  ) async throws(ServiceError) -> (HTTPResponse, reply: RawReply) {
    let isRefused: @Sendable (HTTPResponse) -> Bool = { $0.status == 401 && !call.isPublic && !call.accepts(401) }
    let keeping = BeginningSink(sink)
    var response: HTTPResponse
    do throws(TransportError) {
      response = try await download(
        request, to: keeping, head: { isRefused($0) || isHeld($0) ? nil : $0.contentHead }, progress: { _, _ in })
    } catch {
      throw error.serviceError(operation)
    }
    guard !isRefused(response) else {
      throw ServiceError(.signInNeeded, operation, status: 401, serverCode: code(response))
    }
    guard !call.accepts(response.status), response.body.isEmpty else { return (response, RawReply(response)) }
    response.body = keeping.beginning
    return (response, RawReply(response, serverCode: code(response)))
  }
}

extension RawReply {
  package init(_ response: HTTPResponse, serverCode: String? = nil) {
    self.init(
      status: response.status, version: response.version,
      headers: response.headers.fields.map { (name: $0.name, value: $0.value) }, serverCode: serverCode)
  }
}

/// Passes everything on and remembers the first 64 KiB, enough for any error object.
private final class BeginningSink: ByteSink {
  private static let limit = 64 << 10
  private let sink: any ByteSink
  private let kept = Mutex<[UInt8]>([])

  init(_ sink: any ByteSink) { self.sink = sink }

  var beginning: [UInt8] { kept.withLock { $0 } }

  func begin(_ head: ContentHead, at offset: Int64) throws {
    kept.withLock { $0 = [] }
    try sink.begin(head, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    kept.withLock { $0.append(contentsOf: bytes.prefix(Self.limit - $0.count)) }
    try sink.write(bytes)
  }
}
