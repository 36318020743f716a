import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// A client of the bank's routes without a socket: knows nothing but the wire.
struct BankClient {
  let hall: Hall
  let door: OpenBankDoor
  var version = "v5.1.0"
  var token: String?

  init(_ options: SandboxOptions = SandboxOptions(), clock: SandboxClock = .fixed(BankClient.now)) throws {
    hall = Hall(options, clock: clock)
    door = try #require(hall.doors.compactMap { $0 as? OpenBankDoor }.first)
  }

  static let now = SandboxTime(year: 2026, month: 11, day: 30, hour: 9)

  var consumer: BankConsumer { door.bank.data.consumers[0] }

  func request(
    _ method: String, _ target: String, headers: [ServerRequest.Field] = [], body: String = ""
  ) -> ServerResponse {
    var fields: [ServerRequest.Field] = [("Host", "127.0.0.1:8080")]
    if !body.isEmpty && !headers.contains(where: { $0.name == "Content-Type" }) {
      fields.append(("Content-Type", "application/json"))
    }
    if let token { fields.append(("DirectLogin", "token=\(token)")) }
    return hall.respond(
      to: ServerRequest(
        method: method, target: target, headers: fields + headers, body: RequestBody(Array(body.utf8))))
  }

  func call(
    _ method: String, _ path: String, headers: [ServerRequest.Field] = [], body: String = ""
  ) -> ServerResponse {
    request(method, "/obp/\(version)\(path)", headers: headers, body: body)
  }

  func json(_ path: String, headers: [ServerRequest.Field] = []) throws -> JSONValue {
    let response = call("GET", path, headers: headers)
    #expect(response.status == 200, "\(path): \(response.bodyText.prefix(300))")
    return try JSONDocument(response.bodyBytes).root
  }

  func login(_ username: String, _ password: String, key: String? = nil, old: Bool = false) -> ServerResponse {
    let key = key ?? consumer.key
    let header =
      old
      ? ("Authorization", "DirectLogin username=\"\(username)\", password=\"\(password)\", consumer_key=\"\(key)\"")
      : ("DirectLogin", "username=\(username), password=\(password), consumer_key=\(key)")
    return request("POST", "/my/logins/direct", headers: [header])
  }

  mutating func signIn(as index: Int = 0) throws {
    let user = door.bank.data.users[index]
    let response = login(user.username, user.password)
    #expect(response.status == 201)
    token = try JSONDocument(response.bodyBytes).root["token"].string
  }

  static func signedIn(_ options: SandboxOptions = SandboxOptions(), as index: Int = 0) throws -> BankClient {
    var client = try BankClient(options)
    try client.signIn(as: index)
    return client
  }

  func accounts() throws -> [JSONValue] { Array(try json("/my/accounts")["accounts"].elements) }

  /// `/banks/B/accounts/A` of the n-th own account.
  func accountPath(_ index: Int) throws -> String {
    let account = try accounts()[index]
    return "/banks/\(account["bank_id"].string ?? "")/accounts/\(account["id"].string ?? "")"
  }
}
