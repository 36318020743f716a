import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// A device that registers and reads and writes through the proxy.
final class FieldClient {
  let door: UnwiredDoor
  let clock = MovingClock(DoorSetting.present)
  private let password: String
  var connection: String?
  var cookies: [String] = []
  var token: String?
  var app = "SUP101"

  init() {
    let setting = DoorSetting(options: SandboxOptions(), clock: clock.clock)
    door = UnwiredDoor(setting)
    password = UnwiredServer(setting).password
  }

  func send(
    _ method: String, _ target: String, _ body: String = "", _ headers: [(String, String)] = [], isSigned: Bool = true
  ) -> ServerResponse {
    var fields: [ServerRequest.Field] = headers.map { (name: $0.0, value: $0.1) }
    fields.append(("Host", "127.0.0.1:8080"))
    if isSigned { fields.append(("Authorization", "Basic \(base64(Array("supuser:\(password)".utf8)))")) }
    if let connection { fields.append(("X-SMP-APPCID", connection)) }
    if !cookies.isEmpty { fields.append(("Cookie", cookies.joined(separator: "; "))) }
    if let token, method != "GET" { fields.append(("X-CSRF-Token", token)) }
    if !fields.contains(where: { $0.name == "Accept" }) { fields.append(("Accept", "application/json")) }
    if !fields.contains(where: { $0.name == "Content-Type" }) { fields.append(("Content-Type", "application/json")) }
    let request = ServerRequest(method: method, target: target, headers: fields, body: RequestBody(Array(body.utf8)))
    return door.handle(SandboxRequest(request, now: clock.clock.now))
  }

  static func connections(_ version: String = "latest", _ app: String = "SUP101") -> String {
    "/odata/applications/\(version)/\(app)/Connections"
  }

  @discardableResult
  func register() throws -> ServerResponse {
    let answer = send("POST", Self.connections("latest", app), "{\"DeviceType\":\"iOS\"}")
    let id: String = try #require(answer.json["d"]["ApplicationConnectionId"].string)
    connection = id
    return answer
  }

  func get(_ path: String, _ headers: [(String, String)] = []) -> ServerResponse {
    send("GET", "/\(app)/\(path)", "", headers)
  }

  /// Fetches what writes need.
  func fetchToken() throws {
    let answer = get("", [("X-CSRF-Token", "Fetch")])
    let fetched: String = try #require(answer.header("X-CSRF-Token"))
    token = fetched
    cookies = answer.headers.filter { $0.name == "Set-Cookie" }.map { String($0.value.prefix { $0 != ";" }) }
  }
}
