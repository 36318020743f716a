public import JSON
import Model
import Wire

/// A request to a protected resource; its token is found on the way. Mirrors `WLResourceRequest`.
public struct ResourceRequest: Sendable {
  public enum Body: Sendable {
    case none
    case text(String)
    case form([(name: String, value: String)])
    case json(JSONNode)
    case bytes([UInt8], mediaType: String)
    /// The ordered, nameless arguments of a JavaScript adapter's procedure: the array `params`, in the query of a GET,
    /// else in the form.
    case arguments([JSONNode])
  }

  public var method: String
  /// Absolute, or relative to the server's API, such as `/adapters/Bank/balance`.
  public var address: String
  /// Known beforehand; else learnt from the answer.
  public var scope: Scope?
  public var headers: HTTPHeaders = [:]
  public var query: [(name: String, value: String)] = []
  public var body: Body
  /// For everything together, with obtaining the token; nil leaves it to the transport.
  public var timeout: Duration?

  public init(
    _ address: String, method: String = "GET", scope: Scope? = nil, body: Body = .none, timeout: Duration? = nil
  ) {
    self.address = address
    self.method = method.uppercased()
    self.scope = scope
    self.body = body
    self.timeout = timeout
  }

  /// Adds a value to a header, joined by a comma to what stands there.
  public mutating func addHeader(_ name: String, _ value: String) {
    headers[name] = headers[name].map { "\($0),\(value)" } ?? value
  }
}

/// What a resource answered, whatever its status.
public struct ResourceReply: Sendable {
  public let status: Int
  public let headers: HTTPHeaders
  public let bytes: [UInt8]

  public var isSuccess: Bool { (200...299).contains(status) }
  public var text: String { String(decoding: bytes, as: UTF8.self) }
  /// Nil when it is no JSON.
  public var json: JSONNode? { (try? JSONDocument(bytes))?.root.node() }
}

extension ProtectedResource {
  /// - Throws: `.timedOut` with the code `REQUEST_TIMEOUT` after the request's timeout, and what `send` of an HTTP request
  ///   throws.
  public func send(_ request: ResourceRequest) async throws(ServiceError) -> ResourceReply {
    let message = try message(request)
    let scope = request.scope
    let operation = "\(message.method) \(message.url.path())"
    let response = try await within(request.timeout, operation) { () async throws(ServiceError) in
      try await send(message, scope: scope)
    }
    return ResourceReply(status: response.status, headers: response.headers, bytes: response.body)
  }

  private func message(_ request: ResourceRequest) throws(ServiceError) -> HTTPRequest {
    var query = request.query
    var form: [(name: String, value: String)]?
    var body: (bytes: [UInt8], mediaType: String)?
    let carries = ["POST", "PUT"].contains(request.method)
    switch request.body {
    case .none: break
    case .text(let text): body = (Array(text.utf8), "text/plain; charset=UTF-8")
    case .form(let fields): form = fields
    case .json(let node): body = (node.encoded(), "application/json; charset=UTF-8")
    case .bytes(let bytes, let mediaType): body = (bytes, mediaType)
    case .arguments(let arguments):
      let field = (name: "params", value: String(decoding: JSONNode.array(arguments).encoded(), as: UTF8.self))
      if carries { form = [field] } else { query.append(field) }
    }
    if let form { body = (Array(URLForm.encode(form).utf8), "application/x-www-form-urlencoded") }
    let isAbsolute = request.address.hasPrefix("http://") || request.address.hasPrefix("https://")
    let path = request.address.hasPrefix("/") ? String(request.address.dropFirst()) : request.address
    var address = isAbsolute ? request.address : manager.server.endpoint(path)
    if !query.isEmpty { address += (address.contains("?") ? "&" : "?") + URLForm.encode(query) }
    let operation = "\(request.method) \(request.address)"
    var message = HTTPRequest(
      request.method, try manager.server.url(address, operation), headers: request.headers, label: operation)
    // Other methods carry none, as the product's own requests do.
    if let body, carries {
      message.body = .bytes(body.bytes)
      if message.headers["Content-Type"] == nil { message.headers["Content-Type"] = body.mediaType }
    }
    return message
  }
}
