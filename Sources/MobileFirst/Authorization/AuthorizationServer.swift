import FoundationEssentials
import JSON
import Model
import Wire

/// The endpoints below `…/mfp/api/`, one call each, without any memory of their own.
struct AuthorizationServer: Sendable {
  /// `https://HOST/mfp`, without a slash at the end.
  let address: String
  let transport: any Transport
  /// Between conflicts; grows by itself.
  var conflictPause = ConflictPause()
  let loginTimeout = LoginTimeout()

  init(address: String, transport: any Transport) throws(ServiceError) {
    var address = address
    while address.hasSuffix("/") { address.removeLast() }
    guard let url = URL(string: address), url.scheme == "https" || url.scheme == "http", url.host() != nil else {
      throw ServiceError(
        .configuration, "use the address “\(address)”", detail: "“\(address)” is not an http or https address")
    }
    self.address = address
    self.transport = transport
  }

  /// Fictitious, and never followed; its scheme is the server's.
  var redirectAddress: String { (address.hasPrefix("http:") ? "http" : "https") + "://mfpredirecturi" }

  func endpoint(_ path: String) -> String { "\(address)/api/\(path)" }

  var tokenAddress: String { endpoint("az/v1/token") }

  func url(_ text: String, _ operation: String) throws(ServiceError) -> URL {
    guard let url = URL(string: text) else {
      throw ServiceError(.usage, operation, detail: "“\(text)” is not an address")
    }
    return url
  }

  func send(_ request: HTTPRequest, _ operation: String) async throws(ServiceError) -> HTTPResponse {
    var conflicts = 0
    while true {
      let response = try await within(loginTimeout.duration, operation) { () async throws(ServiceError) in
        do throws(TransportError) { return try await transport.send(request) } catch {
          throw error.serviceError(operation)
        }
      }
      // Two requests changed this client's state at once; the same one again will do, as at resources.
      guard ResourceAnswer(status: response.status, headers: response.headers) == .conflict else { return response }
      conflicts += 1
      try await conflictPause.wait(conflicts, operation)
    }
  }

  func postJSON(
    _ path: String, _ body: JSONNode, method: String = "POST", _ operation: String
  ) async throws(ServiceError) -> HTTPResponse {
    let target = try url(endpoint(path), operation)
    let headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/json; charset=UTF-8"]
    return try await send(.json(method, target, body.encoded(), headers: headers, label: operation), operation)
  }

  func postForm(
    _ path: String, _ fields: [(name: String, value: String)], authorization: Secret? = nil, _ operation: String
  ) async throws(ServiceError) -> HTTPResponse {
    var headers: HTTPHeaders = ["Accept": "application/json"]
    if let authorization { headers["Authorization"] = authorization.reveal() }
    let target = try url(endpoint(path), operation)
    return try await send(.form(target, fields, headers: headers, label: operation), operation)
  }

  /// Turns a refusal of the authorization server into words; its bodies come in two shapes.
  func refusal(
    _ response: HTTPResponse, _ operation: String, as code: ServiceError.Code? = nil
  ) -> ServiceError {
    let root = (try? JSONDocument(response.body))?.root ?? .absent
    let number = root["errorCode"].text ?? root["error"].string
    let text = root["errorMsg"].string ?? root["error_description"].string ?? root["message"].string
    let fallback = response.looksLikeHTML ? "with a web page instead of an answer" : "without a reason"
    return ServiceError(
      // A success that does not carry what it must is no refusal but another kind of server.
      response.isSuccess ? .unreadable : code ?? ServiceError.Code(status: response.status), operation,
      detail: text ?? "status \(response.status), \(fallback)", status: response.status, serverCode: number)
  }
}
