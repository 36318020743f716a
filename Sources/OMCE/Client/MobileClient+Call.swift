import Model
import Wire

extension MobileClient {
  /// Sends a request that a person wrote; the body of the answer goes to the sink, whatever its status.
  ///
  /// - Throws: `.signInNeeded` for a 401 that nobody expected, with nothing written.
  public func call(_ raw: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    var call = MobileCall(raw.method, URLForm.typed(raw.path), module: "Call", "\(raw.method) \(raw.path)")
    call.headers = raw.headers
    let credential = raw.isPublic ? nil : try await credential(for: call)
    let isNamed = { (name: String) in raw.headers.contains { $0.name.lowercased() == name } }
    if let body = raw.body {
      call.body = .source(body)
      if !isNamed("content-type") { call.headers.append((name: "Content-Type", value: "application/json")) }
    }
    if !isNamed("accept") { call.headers.append((name: "Accept", value: "*/*")) }
    let request = try call.request(profile, credential, headers: headers)
    do throws(ServiceError) {
      return try await transport.pass(request, to: sink, raw, call.operation, code: { MobileFault($0).code })
    } catch {
      if error.code == .signInNeeded, let credential { await authorization.invalidate(credential) }
      throw error
    }
  }
}
