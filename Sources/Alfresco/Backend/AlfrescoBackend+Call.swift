import FoundationEssentials
import Model
import Synchronization
import Wire

extension AlfrescoBackend {
  /// The path is appended to the connection's `url`: `/api/-default-/public/alfresco/versions/1/people/-me-`.
  public func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    let operation = "\(call.method) \(call.path)"
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    guard call.isSafe || !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    try await recall()
    let path = call.path.hasPrefix("/") ? call.path : "/" + call.path
    guard let url = URL(string: client.address + path) else {
      throw ServiceError(.usage, operation, detail: "“\(call.path)” cannot stand in an address")
    }
    var request = HTTPRequest(call.method, url, headers: HTTPHeaders(call.headers), label: operation)
    if let body = call.body { request.body = .source(body) }
    if !call.isPublic, request.headers["Authorization"] == nil {
      guard let credential = try await client.session.credentialToSend() else {
        throw ServiceError(.signInNeeded, operation)
      }
      request.headers["Authorization"] = credential.authorization.reveal()
    }
    return try await client.transport.pass(request, to: sink, call, operation) { [client] in
      client.refusal($0, operation).serverCode
    }
  }
}
