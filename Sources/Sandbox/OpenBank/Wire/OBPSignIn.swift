import Crypto
import HTTPServer
import JSON

/// An identity server that the bank trusts.
struct BankIdentity: Sendable {
  /// Path of the discovery document.
  let discovery: String
  /// The name of the user that an access token stands for; nil for one that is not good any more.
  let user: @Sendable (_ token: String, _ now: SandboxTime) -> String?
}

/// Finds out who asks, and hands out DirectLogin tokens; reference obp.md, sections 1.1 and 1.3.
struct OBPSignIn: Sendable {
  let bank: BankService
  let profile: OBPProfile
  var identity: BankIdentity?

  /// The session a request claims, nil for an anonymous one.
  ///
  /// - Throws: What the server answers to a dead token, which depends on the endpoint's kind and the server's generation.
  func session(of request: SandboxRequest, isOld: Bool) throws(OBPError) -> BankSession? {
    let authorization = request.header("Authorization")
    if profile.generation == .low, let authorization, authorization.contains("OAuth") {
      return try OAuth1(bank: bank, profile: profile).session(of: request, authorization: authorization, isOld: isOld)
    }
    if let token = request.bearerToken { return try session(bearer: token, at: request.now) }
    if let own = request.header("DirectLogin") {
      return try session(parameters: Self.parameters(own), at: request.now, isOld: isOld)
    }
    guard let authorization else { return nil }
    guard authorization.contains("DirectLogin") else { throw .unknownHeader }
    return try session(parameters: Self.parameters(authorization), at: request.now, isOld: isOld)
  }

  /// The bank only verifies: whoever the identity server names is let in, and somebody it has never seen becomes a user
  /// without accounts.
  private func session(bearer token: String, at now: SandboxTime) throws(OBPError) -> BankSession {
    guard let identity else { throw OBPError(401, "OBP-20201: OAuth2 is not allowed on this instance.") }
    guard token.split(separator: ".").count == 3 else { throw OBPError(401, "OBP-20204: Bad JWT.") }
    guard let name = identity.user(token, now) else {
      throw OBPError(401, "OBP-20206: The token's signature is not valid, or it has expired.")
    }
    let user = bank.data.user(named: name) ?? bank.data.stranger(named: name)
    let expires = now.adding(seconds: profile.tokenLifetime)
    return BankSession(user: user, consumer: bank.data.consumers[0], expires: expires, kind: .bearer)
  }

  private func session(
    parameters: [String: String], at now: SandboxTime, isOld: Bool
  ) throws(OBPError) -> BankSession {
    let token = parameters["token"] ?? ""
    let session = bank.state.read { $0.sessions[token] }
    if let session, session.expires > now, case .directLogin = session.kind { return session }
    throw .deadToken(token, status: isOld || profile.generation == .high ? 401 : 400)
  }

  /// `POST /my/logins/direct`.
  func directLogin(_ request: SandboxRequest) throws(OBPError) -> String {
    let parameters = try loginParameters(request)
    let missing = ["username", "password", "consumer_key"].filter { parameters[$0, default: ""].isEmpty }
    guard missing.isEmpty else {
      throw OBPError(400, "OBP-20002: Missing DirectLogin parameters: \(missing.joined(separator: ", "))")
    }
    let (username, password) = (parameters["username", default: ""], parameters["password", default: ""])
    let key = parameters["consumer_key", default: ""]
    guard [username, password, key].allSatisfy({ $0.utf8.count <= 512 }) else {
      throw OBPError(400, "OBP-20010: Value too long.")
    }
    guard Self.isUsername(username), Self.isPassword(password), Self.isKey(key) else {
      throw OBPError(400, "OBP-20011: Invalid value characters.")
    }
    let user = try check(username, password)
    guard let consumer = bank.data.consumer(key: key), consumer.isEnabled else { throw .badConsumer }
    return makeToken(for: user, consumer, at: request.now)
  }

  /// Checks a password and counts failures: the fifth wrong one in a row locks.
  func check(_ username: String, _ password: String) throws(OBPError) -> BankUser {
    let failures = bank.state.read { $0.failedLogins[username, default: 0] }
    guard let user = bank.data.user(named: username) else { throw .badLogin }
    guard !user.isLocked, failures < 5 else { throw .locked }
    guard constantTimeEquals(Array(user.password.utf8), Array(password.utf8)) else {
      bank.state.write { $0.failedLogins[username, default: 0] += 1 }
      throw .badLogin
    }
    bank.state.write { $0.failedLogins[username] = nil }
    return user
  }

  private func loginParameters(_ request: SandboxRequest) throws(OBPError) -> [String: String] {
    if let own = request.header("DirectLogin") { return Self.parameters(own) }
    guard let authorization = request.header("Authorization") else {
      throw OBPError(400, "OBP-20082: Missing DirectLogin or Authorization header.")
    }
    guard authorization.contains("DirectLogin") else {
      throw OBPError(400, "OBP-20083: Missing DirectLogin word at the value of Authorization header.")
    }
    return Self.parameters(authorization)
  }

  /// A JWT signed with a key made from the seed (HS256); clients treat it as opaque.
  private func makeToken(for user: BankUser, _ consumer: BankConsumer, at now: SandboxTime) -> String {
    var random = bank.state.makeRandom("token")
    var keyRandom = bank.data.setting.random("bank/jwt")
    let claims: JSONNode = ["jti": .string(random.uuid()), "iat": .integer(now.seconds), "sub": .string(user.id)]
    let header: JSONNode = ["alg": "HS256"]
    let signed = "\(Base64URL.encode(header.encoded())).\(Base64URL.encode(claims.encoded()))"
    let key = Array(keyRandom.secret(64).utf8)
    let signature = HMAC.authenticate(Array(signed.utf8), key: key, using: .sha256)
    let token = "\(signed).\(Base64URL.encode(signature))"
    let expires = now.adding(seconds: profile.tokenLifetime)
    bank.state.write {
      $0.sessions[token] = BankSession(user: user, consumer: consumer, expires: expires, kind: .directLogin)
    }
    return token
  }

  /// `DirectLogin a="b", c=d`: parts are split at commas, one quote is trimmed from each end.
  private static func parameters(_ header: String) -> [String: String] {
    let text = header.range(ofPrefix: "DirectLogin").map { header[$0...] } ?? header[...]
    var parameters: [String: String] = [:]
    for part in text.split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { continue }
      var value = halves[1].drop { $0 == " " }
      while value.last == " " { value.removeLast() }
      if value.first == "\"" { value.removeFirst() }
      if value.last == "\"" { value.removeLast() }
      parameters[halves[0].filter { $0 != " " }] = String(value)
    }
    return parameters
  }

  private static func isUsername(_ text: String) -> Bool {
    text.utf8.allSatisfy { isLetterOrDigit($0) || "-._@ ".utf8.contains($0) }
  }

  private static func isPassword(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
  }

  private static func isKey(_ text: String) -> Bool {
    text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: false
    }
  }
}

extension String {
  /// Where what follows a leading word begins; nil where the text begins otherwise.
  fileprivate func range(ofPrefix word: String) -> Index? {
    hasPrefix(word) ? index(startIndex, offsetBy: word.count) : nil
  }
}
