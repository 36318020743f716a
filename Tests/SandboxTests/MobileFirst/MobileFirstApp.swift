import Crypto
import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// An app that speaks to the authorization server and keeps nothing but its key.
struct MobileFirstApp {
  let door: MobileFirstDoor
  let secrets: MobileFirstSecrets
  let clock = MovingClock(DoorSetting.present)
  let key: RSAPrivateKey

  /// Making a key takes long, so all clients of the tests share one.
  private static let shared = Result { try RSAPrivateKey.generate() }

  init() throws {
    let setting = DoorSetting(options: SandboxOptions(), clock: clock.clock)
    door = MobileFirstDoor(setting)
    secrets = MobileFirstSecrets(setting)
    key = try Self.shared.get()
  }

  func send(_ method: String, _ target: String, _ body: String = "", _ headers: [(String, String)] = [])
    -> ServerResponse
  {
    let fields: [ServerRequest.Field] = headers.map { (name: $0.0, value: $0.1) } + [("Host", "127.0.0.1:9080")]
    let request = ServerRequest(method: method, target: target, headers: fields, body: RequestBody(Array(body.utf8)))
    return door.handle(SandboxRequest(request, now: clock.clock.now))
  }

  func get(_ target: String, token: String? = nil) -> ServerResponse {
    send("GET", target, "", token.map { [("Authorization", "Bearer \($0)")] } ?? [])
  }

  private func jwk(_ id: String? = nil) throws -> JSONNode {
    var jwk: JSONNode = [:]
    for (name, value) in try key.publicKey.jwk { jwk[name] = .string(value) }
    if let id { jwk["kid"] = .string(id) }
    return jwk
  }

  func registration(app: String = "com.example.app", isForged: Bool = false) throws -> String {
    let header: JSONNode = ["alg": "RS256", "jwk": try jwk()]
    let payload: JSONNode = [
      "device": ["id": "d1", "platform": "linux"],
      "application": ["id": .string(app), "clientPlatform": "ios", "version": "1.0"], "attributes": [:],
    ]
    let text = try JWS.sign(header: header.encoded(), payload: payload.encoded(), key: key)
    let parts = text.split(separator: ".").map(String.init)
    let signed: JSONNode = [
      "header": .string(parts[0]), "payload": .string(parts[1]),
      "signature": .string(isForged ? (parts[2].hasPrefix("A") ? "B" : "A") + parts[2].dropFirst() : parts[2]),
    ]
    return String(decoding: (["signedRegistrationData": signed] as JSONNode).encoded(), as: UTF8.self)
  }

  /// The id of a fresh registration.
  func register() throws -> String {
    let answer = send("POST", "/mfp/api/registration/v1/self", try registration())
    let location = try #require(answer.header("Location"))
    return String(try #require(location.split(separator: "/").last))
  }

  func preauthorize(_ id: String, _ scope: String, _ answers: JSONNode = [:]) -> ServerResponse {
    let body: JSONNode = ["client_id": .string(id), "scope": .string(scope), "challengeResponse": answers]
    return send("POST", "/mfp/api/preauth/v1/preauthorize", String(decoding: body.encoded(), as: UTF8.self))
  }

  func authorize(_ id: String, _ scope: String, _ more: String = "") -> ServerResponse {
    let scope = PercentCoding.encode(scope)
    return get(
      "/mfp/api/az/v1/authorization?response_type=code&client_id=\(id)&redirect_uri=https%3A%2F%2Fmfpredirecturi&scope=\(scope)\(more)"
    )
  }

  func assertion(_ id: String, jti: String? = nil, lifetime: Int = 60) throws -> String {
    let header: JSONNode = ["alg": "RS256", "jwk": try jwk(id)]
    let now = clock.clock.now.milliseconds
    var payload: JSONNode = [
      "iss": "com.example.app$ios$1.0", "sub": .string(id), "aud": "(null)az/v1/token", "iat": .integer(now),
      "exp": .integer(now + Int64(lifetime) * 1_000),
    ]
    if let jti { payload["jti"] = .string(jti) }
    return try JWS.sign(header: header.encoded(), payload: payload.encoded(), key: key)
  }

  func exchange(_ id: String, code: String, jti: String? = nil) throws -> ServerResponse {
    let assertion = try assertion(id, jti: jti ?? code)
    let fields = [
      "grant_type=authorization_code", "code=\(code)", "redirect_uri=https%3A%2F%2Fmfpredirecturi", "client_id=\(id)",
      "client_assertion=\(assertion)", "get_refresh_token=TRUE",
    ]
    return send("POST", "/mfp/api/az/v1/token", fields.joined(separator: "&"))
  }

  static func code(of response: ServerResponse) -> String {
    String(response.header("Location")?.split(separator: "=").last ?? "")
  }

  var login: JSONNode { ["UserLogin": ["username": "susan", "password": .string(secrets.userPassword)]] }

  /// All steps to a token for a scope.
  func token(_ id: String, _ scope: String) throws -> String {
    #expect(preauthorize(id, scope, login).status == 200)
    let code = Self.code(of: authorize(id, scope))
    return try #require(try exchange(id, code: code).json["access_token"].string)
  }
}
