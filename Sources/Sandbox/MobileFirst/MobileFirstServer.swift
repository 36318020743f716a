import Crypto
import HTTPServer
import JSON
import Synchronization

/// The authorization server: registered clients, their security checks, codes and tokens.
final class MobileFirstServer: Sendable {
  /// A registered app on one device.
  struct Client: Sendable {
    let id: String
    var key: ClientKey
    var registration: JSONNode
    var application: String
    var lastActivity: SandboxTime
    var states: [String: SecurityCheck.State] = [:]
    /// What the enrolment adapter has set.
    var enrolledPIN: String?
    /// The last notice that was shown to its user.
    var noticeSeen = 0

    /// The user whom a check has found out.
    func user(at now: SandboxTime) -> String? {
      for state in states.values {
        if case .passed(let user?, _, _)? = SecurityCheck.current(state, at: now) { return user }
      }
      return nil
    }
  }

  struct Code: Sendable {
    let client: String
    let elements: [String]
    let redirect: String
    let expires: SandboxTime
  }

  struct Token: Sendable {
    /// The id of an app's registration or of a confidential client.
    let client: String
    let elements: [String]
    let user: String?
    let expires: SandboxTime
    /// How often a resource was opened with it.
    var calls = 0

    func covers(_ wanted: [String]) -> Bool {
      elements.contains("*")
        || wanted.allSatisfy { want in
          elements.contains { $0 == want || ($0.contains("*") && Wildcard($0).matches(want)) }
        }
    }
  }

  struct State: Sendable {
    var clients: [String: Client] = [:]
    var codes: [String: Code] = [:]
    var tokens: [String: Token] = [:]
    var refreshTokens: [String: Token] = [:]
    /// Conflicts still to be answered.
    var conflicts = 0
    var users = AdapterUsers()
    var knobs = MobileFirstKnobs()
  }

  let setting: DoorSetting
  let secrets: MobileFirstSecrets
  private let state = Mutex(State())
  private let signingKey = Mutex<RSAPrivateKey?>(nil)

  static let application = "com.example.app"

  init(_ setting: DoorSetting) {
    self.setting = setting
    secrets = MobileFirstSecrets(setting)
  }

  func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0) }
  }

  var knobs: MobileFirstKnobs { withState { $0.knobs } }

  func set(_ name: String, to value: String) -> Bool {
    withState { state in
      guard name == "conflicts" else { return state.knobs.set(name, to: value) }
      guard let number = Int(value), number >= 0 else { return false }
      state.conflicts = number
      return true
    }
  }

  func suffer(_ event: DoorEvent) {
    withState { state in
      switch event {
      case .expireTokens:
        state.codes = [:]
        state.tokens = [:]
        state.refreshTokens = [:]
        for id in state.clients.keys { state.clients[id]?.states = [:] }
      case .conflict: state.conflicts += 1
      case .reset: state = State()
      }
    }
  }

  /// The answer of a server whose state was changed by another request at the same time.
  func conflict() -> ServerResponse? {
    let strikes = withState { state in
      guard state.conflicts > 0 else { return false }
      state.conflicts -= 1
      return true
    }
    return strikes ? ServerResponse(status: 409, headers: [("MFP-Conflict", "true")], body: .bytes([])) : nil
  }

  /// The key that signs access tokens, made when first needed.
  func serverKey() throws -> RSAPrivateKey {
    try signingKey.withLock { key in
      if let key { return key }
      let made = try RSAPrivateKey.generate(bits: 2_048)
      key = made
      return made
    }
  }

  /// A new access token, remembered as valid.
  func issueToken(_ token: Token) throws -> String {
    let key = try serverKey()
    var jwk: JSONNode = ["kty": "RSA"]
    for (name, value) in try key.publicKey.jwk { jwk[name] = .string(value) }
    jwk["kid"] = .string(token.client)
    let header: JSONNode = ["alg": "RS256", "jwk": jwk]
    let payload: JSONNode = [
      "iss": "com.ibm.mfp", "sub": .string(token.client), "aud": "com.ibm.mfp",
      "exp": .integer(token.expires.milliseconds), "scope": .string(MobileFirstScope.text(token.elements)),
      "jti": .string(Hex.encode(RandomBytes.make(8))),
    ]
    let text = try JWS.sign(header: header.encoded(), payload: payload.encoded(), key: key)
    withState { $0.tokens[text] = token }
    return text
  }

  /// What a token stands for, while it is valid.
  func token(_ text: String, at now: SandboxTime) -> Token? {
    withState { state in
      guard let token = state.tokens[text] else { return nil }
      guard now < token.expires else {
        state.tokens[text] = nil
        return nil
      }
      return token
    }
  }

  /// The same for a call of a resource, which a knob may bound.
  func spend(_ text: String, at now: SandboxTime) -> Token? {
    guard let token = token(text, at: now) else { return nil }
    return withState { state in
      let most = state.knobs.callsPerToken
      guard most == 0 || token.calls < most else {
        state.tokens[text] = nil
        return nil
      }
      state.tokens[text]?.calls += 1
      return token
    }
  }

  /// The client that a signed assertion proves; nil where it is unsigned, foreign or too old.
  ///
  /// Times in assertions are milliseconds. The audience is not compared: clients in the field send a broken one.
  func client(provenBy assertion: String?, id: String?, at now: SandboxTime) -> Client? {
    guard let assertion, let parts = SignedParts(compact: assertion),
      let subject = parts.payload["sub"].string ?? parts.header["jwk"]["kid"].string, id == nil || id == subject,
      let client = withState({ $0.clients[subject] }), parts.isSigned(by: client.key),
      let expires = parts.payload["exp"].double, expires > Double(now.milliseconds)
    else { return nil }
    return client
  }
}

extension ServerResponse {
  static func mobileFirst(_ node: JSONNode, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Pragma", "no-cache")],
      body: .bytes(node.encoded()))
  }

  static func mobileFirst(errorCode: String, _ text: String, status: Int = 400) -> ServerResponse {
    .mobileFirst(["errorCode": .string(errorCode), "errorMsg": .string(text)], status: status)
  }

  /// The answer that makes a client forget its registration.
  static let unknownClient = ServerResponse.mobileFirst(errorCode: "INVALID_CLIENT_ID", "Invalid client ID")

  static func oauth(_ error: String, _ text: String, status: Int = 400) -> ServerResponse {
    .mobileFirst(["error": .string(error), "error_description": .string(text)], status: status)
  }
}
