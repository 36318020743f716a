import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// Asks the repository directly, as a signed-in person.
struct DocsClient {
  let door: AlfrescoDoor
  let clock = MovingClock(DoorSetting.present.adding(days: 1))
  var user: String? = "susan"

  static let core = "/alfresco/api/-default-/public/alfresco/versions/1"
  static let search = "/alfresco/api/-default-/public/search/versions/1/search"
  static let tickets = "/alfresco/api/-default-/public/authentication/versions/1/tickets"

  init(documents: Int = 20) {
    door = AlfrescoDoor(DoorSetting(options: SandboxOptions(documents: documents), clock: clock.clock))
  }

  func password(_ user: String) -> String {
    RepoPerson.all(seed: SandboxOptions.standardSeed).first { $0.id == user }?.password ?? ""
  }

  func send(
    _ method: String, _ target: String, _ body: [UInt8] = [], headers: [(String, String)] = []
  ) -> ServerResponse {
    var fields: [ServerRequest.Field] = headers.map { (name: $0.0, value: $0.1) }
    if let user, !fields.contains(where: { $0.name == "Authorization" }) {
      let credentials = Array("\(user):\(password(user))".utf8)
      fields.append(("Authorization", "Basic \(base64(credentials))"))
    }
    fields.append(("Host", "127.0.0.1:8080"))
    let request = ServerRequest(method: method, target: target, headers: fields, body: RequestBody(body))
    return door.handle(SandboxRequest(request, now: clock.clock.now))
  }

  func get(_ path: String, headers: [(String, String)] = []) -> ServerResponse {
    send("GET", "\(Self.core)/\(path)", headers: headers)
  }

  func post(_ path: String, _ body: JSONNode) -> ServerResponse {
    send("POST", "\(Self.core)/\(path)", body.encoded(), headers: [("Content-Type", "application/json")])
  }

  func put(_ path: String, _ body: JSONNode) -> ServerResponse {
    send("PUT", "\(Self.core)/\(path)", body.encoded(), headers: [("Content-Type", "application/json")])
  }

  func delete(_ path: String) -> ServerResponse { send("DELETE", "\(Self.core)/\(path)") }

  func find(_ query: String, _ more: [(String, JSONNode)] = []) -> ServerResponse {
    var body: JSONNode = ["query": ["query": .string(query)]]
    for (key, value) in more { body[key] = value }
    return send("POST", Self.search, body.encoded(), headers: [("Content-Type", "application/json")])
  }

  func upload(_ parent: String, _ name: String, _ content: [UInt8], _ fields: [(String, String)] = []) -> ServerResponse
  {
    var body: [UInt8] = []
    for (key, value) in fields {
      body += Array("--xyz\r\nContent-Disposition: form-data; name=\"\(key)\"\r\n\r\n\(value)\r\n".utf8)
    }
    body += Array(
      "--xyz\r\nContent-Disposition: form-data; name=\"filedata\"; filename=\"\(name)\"\r\nContent-Type: text/plain\r\n\r\n"
        .utf8)
    body += content + Array("\r\n--xyz--\r\n".utf8)
    return send(
      "POST", "\(Self.core)/nodes/\(parent)/children", body,
      headers: [("Content-Type", "multipart/form-data; boundary=xyz")])
  }

  /// The id of what stands at a path below Company Home.
  func id(at path: String) throws -> String {
    let escaped = PercentCoding.encode(path, keeping: "/")
    return try #require(get("nodes/-root-?relativePath=\(escaped)").json["entry"]["id"].string)
  }
}

extension ServerResponse {
  /// The body as JSON; absent where it is none.
  var json: JSONValue { (try? JSONDocument(bodyBytes).root) ?? .absent }
  /// The entries of a list.
  var entries: [JSONValue] { json["list"]["entries"].elements.map { $0["entry"] } }
  var names: [String] { entries.compactMap { $0["name"].string } }
}

func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for index in 0..<4 { text.append(index <= group.count ? alphabet[value >> (18 - 6 * index) & 63] : "=") }
  }
  return text
}
