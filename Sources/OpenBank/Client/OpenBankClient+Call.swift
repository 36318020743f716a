import FoundationEssentials
import Model
import Wire

extension OpenBankClient {
  /// Sends a request that a person wrote; the body of the answer goes to the sink, whatever its status.
  ///
  /// - Throws: `.signInNeeded` for a 401 that nobody expected, with nothing written.
  public func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    let operation = "\(call.method) \(call.path)"
    let path = call.path.hasPrefix("/") ? call.path : "/" + call.path
    var authorized = OpenBankCall(call.method, to: server.root + OpenBankClient.sendable(path), operation)
    authorized.headers = call.headers
    let isAnonymous = call.isPublic || session.method == .none
    let token = try await authorize(&authorized, for: isAnonymous ? .anybody : .user)
    var request = try authorized.request()
    if let body = call.body {
      request.body = .source(body)
      if request.headers["Content-Type"] == nil { request.headers["Content-Type"] = "application/json" }
    }
    let endsSession = { @Sendable (status: Int) in status == 401 && token != nil && !call.accepts(401) }
    let response: HTTPResponse
    do {
      response = try await transport.download(
        request, to: sink, head: { endsSession($0.status) ? nil : $0.contentHead }, progress: { _, _ in })
    } catch {
      throw error.serviceError(operation)
    }
    if endsSession(response.status) { throw await refusal(response, token, .user, operation) }
    return RawReply(
      status: response.status, version: response.version,
      headers: response.headers.fields.map { (name: $0.name, value: $0.value) })
  }

  /// Escapes what cannot stand in an address, and leaves what a person escaped already.
  private static func sendable(_ path: String) -> String {
    var text = ""
    for scalar in path.unicodeScalars {
      let isPlain =
        scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
      text += isPlain ? String(scalar) : URLForm.escape(String(scalar))
    }
    return text
  }
}
