import Model

extension Transport {
  /// Sends a request that a person wrote, streaming the body into the sink whatever the status.
  ///
  /// - Throws: `.signInNeeded` on a 401 that was not expected and was sent with a credential, before anything reaches
  ///   the sink, so that the service layer can sign in and repeat it.
  package func pass(
    _ request: HTTPRequest, to sink: any ByteSink, _ call: RawCall, _ operation: String
  ) async throws(ServiceError) -> RawReply {
    RawReply(try await pass(request, to: sink, call, operation, holding: { _ in false }))
  }

  /// The same; nil for an answer that is held back from the sink, since the request will go out again in another form.
  package func passUnless(
    _ isHeld: @escaping @Sendable (HTTPResponse) -> Bool, _ request: HTTPRequest, to sink: any ByteSink,
    _ call: RawCall, _ operation: String
  ) async throws(ServiceError) -> RawReply? {
    let response = try await pass(request, to: sink, call, operation, holding: isHeld)
    return isHeld(response) ? nil : RawReply(response)
  }

  private func pass(
    _ request: HTTPRequest, to sink: any ByteSink, _ call: RawCall, _ operation: String,
    holding isHeld: @escaping @Sendable (HTTPResponse) -> Bool
  ) async throws(ServiceError) -> HTTPResponse {
    let isRefused: @Sendable (HTTPResponse) -> Bool = { $0.status == 401 && !call.isPublic && !call.accepts(401) }
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await download(
        request, to: sink, head: { isRefused($0) || isHeld($0) ? nil : $0.contentHead }, progress: { _, _ in })
    } catch {
      throw error.serviceError(operation)
    }
    guard !isRefused(response) else { throw ServiceError(.signInNeeded, operation, status: 401) }
    return response
  }
}

extension RawReply {
  package init(_ response: HTTPResponse) {
    self.init(
      status: response.status, version: response.version,
      headers: response.headers.fields.map { (name: $0.name, value: $0.value) })
  }
}
