import FoundationEssentials
import Model
import Synchronization
import Wire

extension MobileFirstBackend {
  /// The answer of a resource, as its bytes. There are no ranges here, so a broken download begins again.
  public func download(
    _ location: Location, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    let place = try MobileFirstPlace(location)
    let operation = "download \(location)"
    try online(operation)
    let (message, scope) = try self.request(place, location, operation)
    let response = try await protected.download(message, scope: scope, to: sink, progress: progress)
    guard response.isSuccess else { throw refusal(response, operation) }
    return response.contentHead
  }

  public func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply {
    let operation = "\(call.method) \(call.path)"
    try online(operation)
    guard call.isSafe || !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    let target = try url(path: call.path, operation)
    var request = HTTPRequest(call.method, target, headers: HTTPHeaders(call.headers), label: operation)
    if let body = call.body { request.body = .source(body) }
    if call.isPublic || request.headers["Authorization"] != nil {
      return try await transport.pass(request, to: sink, call, operation) { [self] in
        refusal($0, operation).serverCode
      }
    }
    // Once authorization is settled every answer goes to the sink, whatever its status.
    let response = try await protected.download(request, to: sink, collects: { _ in false })
    return RawReply(response)
  }
}
