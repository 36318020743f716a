import FoundationEssentials
import JSON
import Model
import Wire

/// Speaks to one Alfresco repository. The calls stand in extensions, one file for each part of the API.
///
/// Every call throws `ServiceError`: `.signInNeeded` on a 401, `.notFound`, `.forbidden`, `.conflict`… with the
/// repository's own text.
public struct AlfrescoClient: CompletionCaller {
  /// `https://HOST/alfresco`, without a slash at the end.
  public let address: String
  public let session: AlfrescoSession
  let transport: any Transport

  /// - Throws: `.configuration` when the address is none.
  public init(address: String, transport: any Transport, session: AlfrescoSession = AlfrescoSession())
    throws(ServiceError)
  {
    var address = address
    while address.hasSuffix("/") { address.removeLast() }
    guard let url = URL(string: address), url.scheme == "https" || url.scheme == "http", url.host() != nil else {
      throw ServiceError(
        .configuration, "use the address “\(address)”", detail: "“\(address)” is not an http or https address")
    }
    self.address = address
    self.transport = transport
    self.session = session
  }

}

/// One request to the repository, before it has an address.
struct Call: Sendable {
  enum API: String, Sendable {
    case alfresco, search, authentication
    /// These two stand outside the versioned APIs.
    case discovery, webScript
  }

  var operation: String
  var method = "GET"
  var api = API.alfresco
  /// Names, not yet escaped.
  var path: [String]
  var query: [(String, String)] = []
  var headers: HTTPHeaders = ["Accept": "application/json"]
  var body = HTTPBody.none
  /// Without credentials.
  var isPublic = false

  init(_ operation: String, _ method: String = "GET", _ path: String..., query: [(String, String)] = []) {
    self.operation = operation
    self.method = method
    self.path = path
    self.query = query
  }

  func carrying(_ node: JSONNode) -> Call {
    var call = self
    call.body = .bytes(node.encoded())
    call.headers["Content-Type"] = "application/json"
    return call
  }

  func querying(_ more: [(String, String)]) -> Call {
    var call = self
    call.query += more
    return call
  }
}

extension Call.API {
  /// What stands before a call's own path.
  fileprivate var root: String {
    switch self {
    case .alfresco, .search, .authentication: "/api/-default-/public/\(rawValue)/versions/1"
    case .discovery: "/api"
    case .webScript: ""
    }
  }
}

extension AlfrescoClient {
  /// Sends a call and reads its answer as JSON.
  func reply(_ call: Call) async throws(ServiceError) -> JSONReply {
    try JSONReply(try await answer(call), call.operation)
  }

  /// Sends a call whose answer has no body that matters.
  func answer(_ call: Call) async throws(ServiceError) -> HTTPResponse {
    let request = try await request(call)
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await transport.send(request)
    } catch {
      throw error.serviceError(call.operation)
    }
    guard response.isSuccess else { throw refusal(response, call.operation) }
    return response
  }

  /// - Throws: `.signInNeeded` before anything is sent when there is no credential.
  func request(_ call: Call) async throws(ServiceError) -> HTTPRequest {
    var text = address + call.api.root
    for name in call.path { text += "/" + URLForm.escape(name) }
    if !call.query.isEmpty { text += "?" + URLForm.encode(call.query.map { (name: $0.0, value: $0.1) }) }
    guard let url = URL(string: text) else {
      throw ServiceError(.usage, call.operation, detail: "“\(text)” is not an address")
    }
    var headers = call.headers
    if !call.isPublic {
      guard let credential = try await session.credentialToSend() else {
        throw ServiceError(.signInNeeded, call.operation)
      }
      headers["Authorization"] = credential.authorization.reveal()
    }
    return HTTPRequest(call.method, url, headers: headers, body: call.body, label: call.operation)
  }

  /// Turns an answer that is no success into words.
  ///
  /// - SeeAlso: the error object of every Alfresco API: `{"error":{"errorKey","statusCode","briefSummary","logId"}}`.
  func refusal(_ response: HTTPResponse, _ operation: String) -> ServiceError {
    let code = ServiceError.Code(status: response.status)
    if response.looksLikeHTML {
      return ServiceError(
        code, operation, detail: "status \(response.status), with a web page instead of an answer",
        status: response.status)
    }
    let error = (try? JSONDocument(response.body))?.root["error"] ?? .absent
    let key = error["errorKey"].string.flatMap { $0.hasPrefix("framework.exception.") ? $0.dropFirst(20) : nil }
    var detail = error["briefSummary"].string.map(Self.withoutNumber) ?? "status \(response.status)"
    // Every other conflict says what it is; this one says it in the repository's own terms.
    let isTaken = response.status == 409 && ["Duplicate child name", "already exists"].contains { detail.contains($0) }
    if isTaken { detail = "the name is taken (\(detail))" }
    if response.status >= 500, let log = error["logId"].string { detail += " (log entry \(log))" }
    return ServiceError(
      code, operation, detail: detail, remedy: isTaken ? "Choose another name." : Self.remedy(response.status),
      status: response.status,
      serverCode: key.map(String.init))
  }

  /// Summaries begin with eight digits: month counted from 00, day, running number.
  static func withoutNumber(_ summary: String) -> String {
    let digits = summary.prefix { $0.isASCII && $0.isNumber }
    guard digits.count == 8, summary.dropFirst(8).first == " " else { return summary }
    return String(summary.dropFirst(9))
  }

  private static func remedy(_ status: Int) -> String? {
    switch status {
    case 413: "Choose a smaller file, or ask the administrator about the limit."
    case 422: "Choose another name: it may not hold \" * \\ > < ? / : | nor end with a dot or a blank."
    case 501: "This is switched off on the server; ask its administrator."
    case 507: "Your space on the server is used up; delete something, or ask for more."
    default: nil
    }
  }
}
