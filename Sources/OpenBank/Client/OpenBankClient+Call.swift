import Model
import Wire

extension OpenBankClient {
  /// Sends a request that a person wrote; the body of the answer goes to the sink, whatever its status.
  ///
  /// - Throws: `.signInNeeded` for a 401 that nobody expected, with nothing written.
  public func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    let operation = "\(call.method) \(call.path)"
    // The path goes behind the address exactly as it is configured, whichever version is spoken elsewhere.
    var authorized = OpenBankCall(
      call.method, to: session.settings.server.address + URLForm.typed(call.path), operation)
    authorized.headers = call.headers
    let isAnonymous = call.isPublic || session.method == .none
    let token = try await authorize(&authorized, for: isAnonymous ? .anybody : .user)
    var request = try authorized.request()
    if let body = call.body {
      request.body = .source(body)
      if request.headers["Content-Type"] == nil { request.headers["Content-Type"] = "application/json" }
    }
    var sent = call
    // Without a token a 401 is the answer, not a session that has ended.
    sent.isPublic = token == nil
    do throws(ServiceError) {
      return try await transport.pass(request, to: sink, sent, operation, code: { OpenBankFault($0).code })
    } catch {
      if error.code == .signInNeeded, let token { await session.invalidate(token) }
      throw error
    }
  }
}
