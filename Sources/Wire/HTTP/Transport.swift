public import Model

/// Carries requests to servers and brings back what they say.
///
/// Both functions end early when their task is cancelled, and the cancellation reaches the wire. Any status is an
/// answer, not an error.
public protocol Transport: Sendable {
  /// Collects the body, up to the request's `maxBytes`.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse

  /// Streams the body into the sink.
  ///
  /// - Parameters:
  ///   - head: Sees each final head before its body. What it returns goes to the sink's `begin`, with the offset of a
  ///     partial answer; nil collects the body into the response instead, as a rule for an error's.
  ///   - progress: Bytes received so far and in all.
  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse
}

public typealias HeadHandler = @Sendable (_ response: HTTPResponse) throws -> ContentHead?

extension Transport {
  /// Streams a 2xx body as its headers describe it and collects any other.
  public func download(
    _ request: HTTPRequest, to sink: any ByteSink, progress: @escaping Progress = { _, _ in }
  ) async throws(TransportError) -> HTTPResponse {
    try await download(request, to: sink, head: { $0.isSuccess ? $0.contentHead : nil }, progress: progress)
  }
}
