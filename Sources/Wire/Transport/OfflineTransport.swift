package import Model

/// Stands where a transport would while Atrium is offline: nothing goes out, whatever a back end asks.
package struct OfflineTransport: Transport {
  package init() {}

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse { throw Self.refusal }

  package func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    throw Self.refusal
  }

  private static var refusal: TransportError { TransportError(.offline, "nothing is sent with --offline") }
}
