import JSON
import Model
import Wire

/// What the server keeps about this application on this device for this user.
///
/// - SeeAlso: reference/unwired.md sections 3.3 and 3.4; the same members in JSON whatever the version.
public struct Registration: Sendable {
  public let id: String
  public let user: String?
  /// Changes when any setting does.
  public let tag: String?
  /// Every setting, in the server's order. Custom ones that are unset come as one blank, and are null here.
  public let settings: [JSONNode.Member]
  public let raw: RawAnswer

  /// Reads an answer in JSON or Atom.
  init(_ response: HTTPResponse, _ operation: String) throws(ServiceError) {
    let members = try response.isXML ? Self.atom(response, operation) : Self.json(response, operation)
    let known = members.filter { !$0.key.hasPrefix("__") }.map { member in
      guard case .string(let text) = member.value, text.allSatisfy({ $0 == " " }) else { return member }
      return JSONNode.Member(key: member.key, value: .null)
    }
    guard case .string(let id)? = known.node("ApplicationConnectionId") else {
      throw ServiceError(.unreadable, operation, detail: "the answer names no connection id")
    }
    self.id = id
    user = known.node("UserName").flatMap(Self.text)
    tag = known.node("ETag").flatMap(Self.text)
    settings = known
    raw = RawAnswer(response)
  }

  private static func json(_ response: HTTPResponse, _ operation: String) throws(ServiceError) -> [JSONNode.Member] {
    let reply = try JSONReply(response, operation)
    let root = reply.root["d"].exists ? reply.root["d"] : reply.root
    return root.members.filter { $0.value.kind != .object }.map { JSONNode.Member(key: $0.key, value: $0.value.node()) }
  }

  private static func atom(_ response: HTTPResponse, _ operation: String) throws(ServiceError) -> [JSONNode.Member] {
    do throws(XMLScanner.Failure) {
      return try AtomDocument(response.body).entries.first?.properties ?? []
    } catch {
      throw ServiceError(
        .unreadable, operation, detail: "\(error.problem) (at byte \(error.offset))", status: response.status,
        cause: error)
    }
  }

  private static func text(_ node: JSONNode) -> String? {
    switch node {
    case .string(let text), .number(let text): text
    case .integer(let number): String(number)
    case .null, .bool, .array, .object: nil
    }
  }

  public subscript(_ name: String) -> JSONNode? {
    settings.first { $0.key == name }.flatMap { $0.value == .null ? nil : $0.value }
  }
}

extension UnwiredClient {
  /// Registers this application and connects as the new registration.
  ///
  /// - Throws: `.signInRefused` for refused credentials, `.forbidden` and `.notFound` with the server's reason; a
  ///   registration that cannot reach the server throws `.unreachable` or `.timedOut`.
  public func register() async throws(ServiceError) -> Registration {
    let operation = "register the application “\(server.application)”"
    var response = try await register(version: server.newest, operation)
    if response.status == 404, server.version == nil {
      response = try await register(version: server.oldest, operation)
    }
    switch response.status {
    case 200...299: break
    case 401:
      let error = refusal(response, operation)
      throw ServiceError(
        .signInRefused, operation, detail: error.detail, status: 401, serverCode: error.serverCode)
    case 404:
      throw ServiceError(
        .notFound, operation, detail: "the server knows no application “\(server.application)”",
        remedy: "Check app in the configuration; capitals matter.", status: 404)
    default: throw refusal(response, operation)
    }
    let registration = try Registration(response, operation)
    session.connected(as: registration.id)
    return registration
  }

  private func register(version: String, _ operation: String) async throws(ServiceError) -> HTTPResponse {
    session.connected(as: nil)
    session.use(version: version)
    let device: [JSONNode.Member] = [
      .init(key: "DeviceType", value: "Unknown"), .init(key: "DeviceModel", value: "Terminal"),
      .init(key: "UserLocale", value: "en_GB"), .init(key: "TimeZone", value: "UTC"),
    ]
    return try await send("POST", server.connections(version: version), device, operation)
  }

  /// Sends settings as JSON, and as Atom to a server that knows nothing else.
  private func send(
    _ method: String, _ address: String, _ settings: [JSONNode.Member], _ operation: String, headers: HTTPHeaders = [:]
  ) async throws(ServiceError) -> HTTPResponse {
    func sent(_ type: String, _ body: [UInt8]) async throws(ServiceError) -> HTTPResponse {
      var all = headers
      all["Content-Type"] = type
      all["Accept"] = Self.bothForms
      return try await exchange(
        try request(method, address, operation, headers: all, body: .bytes(body)), operation)
    }
    let response = try await sent("application/json", JSONNode.object(settings).encoded())
    guard response.status == 415 else { return response }
    return try await sent("application/atom+xml", Array(Self.entry(settings).utf8))
  }

  /// An `applications.Connection` with these properties.
  private static func entry(_ settings: [JSONNode.Member]) -> String {
    let properties = settings.map { setting -> String in
      guard case .string(let text) = setting.value else { return "<d:\(setting.key) m:null=\"true\"/>" }
      let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      return "<d:\(setting.key)>\(escaped)</d:\(setting.key)>"
    }.joined()
    let services = "http://schemas.microsoft.com/ado/2007/08/dataservices"
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <entry xmlns="http://www.w3.org/2005/Atom" xmlns:m="\(services)/metadata" xmlns:d="\(services)">
      <category term="applications.Connection" scheme="\(services)/scheme"/>
      <content type="application/xml"><m:properties>\(properties)</m:properties></content></entry>
      """
  }

  /// JSON rather than Atom, where there is a choice.
  private static let bothForms = "application/json, application/atom+xml;q=0.5"

  /// Connects as an existing registration.
  ///
  /// - Throws: `.notFound` when an administrator removed it, `.signInRefused` for refused credentials.
  public func connect(as id: String) async throws(ServiceError) -> Registration {
    session.connected(as: id)
    let operation = "connect to “\(server.application)”"
    do throws(ServiceError) {
      return try await newestRegistration()
    } catch {
      guard error.code == .signInNeeded else { throw error.during(operation) }
      throw ServiceError(.signInRefused, operation, detail: error.detail, status: error.status)
    }
  }

  private func newestRegistration() async throws(ServiceError) -> Registration {
    session.use(version: server.newest)
    do throws(ServiceError) {
      return try await registration()
    } catch {
      guard error.code == .notFound, server.version == nil else { throw error }
      // Either the registration is gone, or the server is too old for this version of the service.
      session.use(version: server.oldest)
      return try await registration()
    }
  }

  /// The registration as the server has it now.
  public func registration() async throws(ServiceError) -> Registration {
    let operation = "read the registration"
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    let request = try request(
      "GET", try registrationAddress(operation), operation, headers: ["Accept": Self.bothForms])
    let response = try await exchange(request, operation)
    guard response.isSuccess else { throw refusal(response, operation) }
    return try Registration(response, operation)
  }

  /// Changes settings of the registration; those not named keep their value.
  public func updateRegistration(_ settings: [JSONNode.Member]) async throws(ServiceError) {
    let operation = "change the registration"
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    let response = try await send(
      "POST", try registrationAddress(operation), settings, operation, headers: ["X-HTTP-METHOD": "MERGE"])
    guard response.isSuccess else { throw refusal(response, operation) }
  }

  /// Removes the registration from the server; one that is gone already is as good.
  public func unregister() async throws(ServiceError) {
    let operation = "remove the registration"
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    let response = try await exchange(
      try request("DELETE", try registrationAddress(operation), operation), operation)
    guard response.isSuccess || response.status == 404 else { throw refusal(response, operation) }
    session.connected(as: nil)
  }

  private func registrationAddress(_ operation: String) throws(ServiceError) -> String {
    guard let id = session.connectionID else { throw ServiceError(.signInNeeded, operation) }
    return "\(server.connections(version: session.version))('\(URLForm.escape(ODataLiteral.doubled(id)))')"
  }
}

extension HTTPResponse {
  var isXML: Bool { headers["Content-Type"]?.lowercased().contains("xml") == true }
}
