import FoundationEssentials
import JSON
import Model
import Wire

/// Speaks to one SAP Mobile Platform application over its REST services.
public struct UnwiredClient: CompletionCaller {
  public let server: UnwiredServer
  public let session: UnwiredSession
  let transport: any Transport

  public init(server: UnwiredServer, transport: any Transport, session: UnwiredSession = UnwiredSession()) {
    self.server = server
    self.transport = transport
    self.session = session
  }

}

extension UnwiredClient {
  /// Whether requests can be sent: a registration, and a password where that is the proof.
  var isReady: Bool { session.isSignedIn || (server.proof != .password && session.connectionID != nil) }

  func request(
    _ method: String, _ address: String, _ operation: String, headers: HTTPHeaders = [:], body: HTTPBody = .none
  ) throws(ServiceError) -> HTTPRequest {
    guard let url = URL(string: address) else {
      throw ServiceError(.usage, operation, detail: "“\(address)” is not an address")
    }
    var all: HTTPHeaders = ["Accept": "application/json"]
    all.merge(session.headers(isPublic: server.isAnonymous))
    if let configuration = server.securityConfiguration { all["X-SMP-SC"] = configuration }
    if let domain = server.domain { all["X-SUP-DOMAIN"] = domain }
    if let backend = server.backend, address.hasPrefix(server.serviceRoot) { all["X-SMP-BACKEND-URL"] = backend }
    all.merge(headers)
    return HTTPRequest(method, url, headers: all, body: body, label: operation)
  }

  /// Sends, and keeps the cookies of the answer; any status comes back.
  ///
  /// A session that has expired answers 401 although the credentials are right, perhaps in the middle of many edits: then
  /// the request goes once more without the session's cookies. It was not executed, so that is no repeat.
  func exchange(
    _ request: HTTPRequest, _ operation: String, renewing: Bool = true
  ) async throws(ServiceError) -> HTTPResponse {
    do throws(TransportError) {
      var response = try await transport.send(request)
      let hasProof = request.headers["Authorization"] != nil || server.proof == .certificate
      if renewing, response.status == 401, request.headers["Cookie"] != nil, hasProof, request.body.isRepeatable {
        session.forgetCookies()
        var again = request
        again.headers["Cookie"] = session.headers(isPublic: false)["Cookie"]
        response = try await transport.send(again)
      }
      session.take(cookiesOf: response)
      return response
    } catch {
      throw error.serviceError(operation)
    }
  }

  func read(
    _ address: String, _ operation: String, headers: HTTPHeaders = [:]
  ) async throws(ServiceError) -> JSONReply {
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    let response = try await exchange(try request("GET", address, operation, headers: headers), operation)
    guard response.isSuccess else { throw refusal(response, operation) }
    let reply = try JSONReply(response, operation)
    try reply.root.requireData(operation, status: response.status)
    return reply
  }

  /// Turns an answer that is no success into words; gateways answer in JSON, XML, HTML or plain text.
  func refusal(_ response: HTTPResponse, _ operation: String) -> ServiceError {
    let error = (try? JSONDocument(response.body))?.root["error"] ?? .absent
    let text = error["message"]["value"].string ?? error["message"].string
    var remedy: String?
    if response.status == 403 {
      remedy = "Sign in again (atrium login): the registration may be gone; else ask for access."
    }
    return ServiceError(
      ServiceError.Code(status: response.status), operation, detail: text ?? Self.excerpt(response), remedy: remedy,
      status: response.status, serverCode: error["code"].text.flatMap { $0.isEmpty ? nil : $0 })
  }

  private static func excerpt(_ response: HTTPResponse) -> String {
    guard !response.looksLikeHTML else { return "status \(response.status), with a web page instead of an answer" }
    let text = response.text.prefix(200)
    if let start = text.firstRange(of: "<message"), let open = text[start.upperBound...].firstIndex(of: ">") {
      let message = text[text.index(after: open)...].prefix { $0 != "<" }
      if !message.isEmpty { return String(message) }
    }
    return text.isEmpty || text.hasPrefix("<") ? "status \(response.status)" : "status \(response.status): \(text)"
  }
}

extension HTTPBody {
  fileprivate var isRepeatable: Bool {
    if case .source = self { return false }
    return true
  }
}
