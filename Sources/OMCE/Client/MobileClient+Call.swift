import FoundationEssentials
import Model
import Wire

extension MobileClient {
  /// Sends a request that a person wrote; the body of the answer goes to the sink, whatever its status.
  ///
  /// - Throws: `.signInNeeded` for a 401 that nobody expected, with nothing written.
  public func call(_ raw: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    let path = MobileClient.sendable(raw.path.hasPrefix("/") ? raw.path : "/" + raw.path)
    var call = MobileCall(raw.method, path, module: "Call", "\(raw.method) \(raw.path)")
    call.headers = raw.headers
    let credential = raw.isPublic ? nil : try await credential(for: call)
    if let body = raw.body {
      call.body = .source(body)
      if !raw.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        call.headers.append((name: "Content-Type", value: "application/json"))
      }
    }
    if !raw.headers.contains(where: { $0.name.lowercased() == "accept" }) {
      call.headers.append((name: "Accept", value: "*/*"))
    }
    let request = try call.request(profile, credential, headers: headers)
    let endsSession = { @Sendable (status: Int) in status == 401 && credential != nil && !raw.accepts(401) }
    let response: HTTPResponse
    do {
      response = try await transport.download(
        request, to: sink, head: { endsSession($0.status) ? nil : $0.contentHead }, progress: { _, _ in })
    } catch {
      throw error.serviceError(call.operation)
    }
    if endsSession(response.status), let credential { throw await refusal(response, credential, call.operation) }
    return RawReply(
      status: response.status, version: response.version,
      headers: response.headers.fields.map { (name: $0.name, value: $0.value) })
  }

  /// Escapes what cannot stand in an address, and leaves what a person escaped already.
  private static func sendable(_ path: String) -> String {
    var text = ""
    for scalar in path.unicodeScalars {
      let isPlain =
        scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F
        && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
      text += isPlain ? String(scalar) : URLForm.escape(String(scalar))
    }
    return text
  }
}
