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

  init(_ reply: JSONReply, _ operation: String) throws(ServiceError) {
    let root = reply.root["d"].exists ? reply.root["d"] : reply.root
    guard let id = root["ApplicationConnectionId"].text else {
      throw ServiceError(.unreadable, operation, detail: "the answer names no connection id")
    }
    self.id = id
    user = root["UserName"].string
    tag = root["ETag"].text
    settings = root.members.filter { !$0.key.hasPrefix("__") && $0.value.kind != .object }.map {
      let isBlank = $0.value.string.map { $0.allSatisfy { $0 == " " } } ?? false
      return JSONNode.Member(key: $0.key, value: isBlank ? .null : $0.value.node())
    }
    raw = reply.raw
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
    let registration = try Registration(try JSONReply(response, operation), operation)
    session.connected(as: registration.id)
    return registration
  }

  private func register(version: String, _ operation: String) async throws(ServiceError) -> HTTPResponse {
    session.connected(as: nil)
    session.use(version: version)
    let body: JSONNode = [
      "DeviceType": "Unknown", "DeviceModel": "Terminal", "UserLocale": "en_GB", "TimeZone": "UTC",
    ]
    return try await exchange(
      try request(
        "POST", server.connections(version: version), operation, headers: ["Content-Type": "application/json"],
        body: .bytes(body.encoded())), operation)
  }

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
    return try Registration(try await read(try registrationAddress(operation), operation), operation)
  }

  /// Changes settings of the registration; those not named keep their value.
  public func updateRegistration(_ settings: [JSONNode.Member]) async throws(ServiceError) {
    let operation = "change the registration"
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    let request = try request(
      "POST", try registrationAddress(operation), operation,
      headers: ["Content-Type": "application/json", "X-HTTP-METHOD": "MERGE"],
      body: .bytes(JSONNode.object(settings).encoded()))
    let response = try await exchange(request, operation)
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
