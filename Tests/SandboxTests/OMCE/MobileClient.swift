import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// A client of the mobile backend's routes without a socket.
struct MobileClient {
  let hall: Hall
  let door: OMCDoor
  let clock: MovingClock
  var authorization: [ServerRequest.Field] = []

  static let storage = "/mobile/platform/storage/collections"

  init(_ options: SandboxOptions = SandboxOptions()) throws {
    clock = MovingClock(SandboxTime(year: 2026, month: 11, day: 30, hour: 9))
    hall = Hall(options, clock: clock.clock)
    door = try #require(hall.doors.compactMap { $0 as? OMCDoor }.first)
  }

  /// Signed in by HTTP Basic.
  static func basic(_ name: String) throws -> MobileClient {
    var client = try MobileClient()
    let user = try #require(client.door.server.user(named: name))
    client.authorization = [
      ("Authorization", "Basic \(PercentCoding.encodeBase64("\(user.username):\(user.password)"))"),
      ("Oracle-Mobile-Backend-ID", client.keys.backendID),
    ]
    return client
  }

  static func anonymous() throws -> MobileClient {
    var client = try MobileClient()
    client.authorization = [
      ("Authorization", "Basic \(client.keys.anonymousKey)"), ("Oracle-Mobile-Backend-ID", client.keys.backendID),
    ]
    return client
  }

  var keys: OMCCredentials { door.server.credentials }

  func id(_ name: String) -> String { door.server.user(named: name)?.id ?? "" }

  func send(
    _ method: String, _ target: String, headers: [ServerRequest.Field] = [], body: [UInt8]? = nil
  ) -> ServerResponse {
    var fields: [ServerRequest.Field] = [("Host", "127.0.0.1:8080")] + authorization + headers
    if let body { fields.append(("Content-Length", String(body.count))) }
    return hall.respond(
      to: ServerRequest(method: method, target: target, headers: fields, body: RequestBody(body ?? [])))
  }

  func put(_ path: String, _ text: String, headers: [ServerRequest.Field] = []) -> ServerResponse {
    send(
      "PUT", Self.storage + path, headers: [("Content-Type", "text/plain")] + headers, body: Array(text.utf8))
  }

  func json(_ target: String) throws -> JSONValue {
    let response = send("GET", target)
    #expect(response.status == 200, "\(target): \(response.bodyText.prefix(200))")
    return try JSONDocument(response.bodyBytes).root
  }

  func list(_ collection: String, _ query: String = "") throws -> JSONValue {
    try json("\(Self.storage)/\(collection)/objects\(query.isEmpty ? "" : "?\(query)")")
  }

  func token(_ form: String, path: String = "/oauth2/v1/token", secret: String? = nil) -> ServerResponse {
    let pair = PercentCoding.encodeBase64("\(keys.clientID):\(secret ?? keys.clientSecret)")
    return send(
      "POST", path,
      headers: [("Authorization", "Basic \(pair)"), ("Content-Type", "application/x-www-form-urlencoded")],
      body: Array(form.utf8))
  }

  static let scope = "http%3A%2F%2F127.0.0.1%3A8080urn%3Aopc%3Aresource%3Aconsumer%3A%3Aall"
}
