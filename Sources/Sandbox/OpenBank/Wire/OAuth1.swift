import Crypto
import HTTPServer

/// OAuth 1.0a, three-legged; reference obp.md, section 1.2.
///
/// Every signature is checked. The base string stands on the server's configured address, not on the request's `Host`, unless
/// none is configured. Checks run in the order of the reference, and the first that fails decides the plain-text answer.
struct OAuth1: Sendable {
  /// A failed check: status and plain text.
  struct Refusal: Error, Sendable {
    let status: Int
    let text: String

    init(_ status: Int, _ text: String) { (self.status, self.text) = (status, text) }
  }

  enum Step: Sendable {
    case initiate, token, call

    var required: [String] {
      let common = [
        "oauth_consumer_key", "oauth_nonce", "oauth_signature_method", "oauth_timestamp", "oauth_signature",
      ]
      return switch self {
      case .initiate: ["oauth_callback"] + common
      case .token: common + ["oauth_token", "oauth_verifier"]
      case .call: common + ["oauth_token"]
      }
    }
  }

  let bank: BankService
  let profile: OBPProfile

  /// `/oauth/…` and the pages of the sign-in.
  func handle(_ request: SandboxRequest) -> ServerResponse {
    switch (request.method, request.segments.joined(separator: "/")) {
    case ("POST", "oauth/initiate"): return answer { () throws(Refusal) in try initiate(request) }
    case ("POST", "oauth/token"): return answer { () throws(Refusal) in try exchange(request) }
    default: return OAuthPages(bank: bank, profile: profile).handle(request)
    }
  }

  /// The session of a signed API call.
  func session(of request: SandboxRequest, authorization: String, isOld: Bool) throws(OBPError) -> BankSession {
    do throws(Refusal) {
      let header = try OAuthHeader(authorization)
      let consumer = try check(header, .call, request)
      let token = header["oauth_token"]
      guard let session = bank.state.read({ $0.sessions[token] }), session.expires > request.now,
        case .oauth(let secret) = session.kind, session.consumer.id == consumer.id
      else { throw Refusal(401, "Invalid or expired access token: \(token)") }
      try checkSignature(header, request, consumer, tokenSecret: secret)
      return session
    } catch {
      // New-style endpoints filter texts without a code.
      guard isOld || error.text.hasPrefix("OBP-") else {
        throw OBPError(400, "OBP-50005: An unspecified or internal error occurred.")
      }
      throw OBPError(error.status, error.text)
    }
  }

  private func answer(_ body: () throws(Refusal) -> String) -> ServerResponse {
    let type = "application/x-www-form-urlencoded"
    do throws(Refusal) {
      return .text(try body(), type: type)
    } catch {
      return .text(error.text, status: error.status, type: type)
    }
  }

  private func initiate(_ request: SandboxRequest) throws(Refusal) -> String {
    let header = try OAuthHeader(request.header("Authorization") ?? "")
    let consumer = try check(header, .initiate, request)
    try checkSignature(header, request, consumer, tokenSecret: "")
    var random = bank.state.makeRandom("request-token")
    let (token, secret) = (Self.key(&random), Self.key(&random))
    let made = OAuthRequestToken(
      secret: secret, consumer: consumer, callback: header["oauth_callback"],
      expires: request.now.adding(seconds: 1_800))
    bank.state.write { $0.requestTokens[token] = made }
    return "oauth_token=\(token)&oauth_token_secret=\(secret)&oauth_callback_confirmed=true"
  }

  private func exchange(_ request: SandboxRequest) throws(Refusal) -> String {
    let header = try OAuthHeader(request.header("Authorization") ?? "")
    let consumer = try check(header, .token, request)
    let token = header["oauth_token"]
    guard let known = bank.state.read({ $0.requestTokens[token] }), known.expires > request.now,
      known.consumer.id == consumer.id, let user = known.user, known.verifier == header["oauth_verifier"]
    else { throw Refusal(401, "Invalid or expired request token: \(token)") }
    try checkSignature(header, request, consumer, tokenSecret: known.secret)
    var random = bank.state.makeRandom("access-token")
    let (access, secret) = (Self.key(&random), Self.key(&random))
    let session = BankSession(
      user: user, consumer: consumer, expires: request.now.adding(seconds: profile.tokenLifetime),
      kind: .oauth(secret: secret))
    bank.state.write { contents in
      contents.requestTokens[token] = nil
      contents.sessions[access] = session
    }
    return "oauth_token=\(access)&oauth_token_secret=\(secret)"
  }

  /// Tokens and their secrets: 40 characters `[0-9A-Z]`.
  private static func key(_ random: inout SeededRandom) -> String {
    random.text(40, from: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
  }
}

extension OAuth1 {
  /// Everything but token and signature.
  private func check(
    _ header: OAuthHeader, _ step: Step, _ request: SandboxRequest
  ) throws(Refusal) -> BankConsumer {
    let missing = step.required.filter { header[$0].isEmpty }
    guard missing.isEmpty else {
      throw Refusal(400, "the following parameters are missing : \(missing.joined(separator: ", "))")
    }
    guard !header.hasDuplicates else { throw Refusal(400, "Duplicated oauth protocol parameters") }
    guard ["", "1", "1.0"].contains(header["oauth_version"]) else { throw Refusal(400, "OAuth version not supported") }
    guard Self.hash(header["oauth_signature_method"]) != nil else {
      throw Refusal(400, "Unsupported signature method, please use hmac-sha1 or hmac-sha256")
    }
    guard let consumer = bank.data.consumer(key: header["oauth_consumer_key"]), consumer.isEnabled else {
      throw Refusal(401, "OBP-20009: Invalid consumer credentials")
    }
    try checkTime(header["oauth_timestamp"], now: request.now)
    if step != .call { try checkNonce(header, consumer) }
    return consumer
  }

  /// The window is meant to be three minutes, but servers compare seconds with milliseconds: fifty hours.
  private func checkTime(_ text: String, now: SandboxTime) throws(Refusal) {
    guard let seconds = Int64(text) else { throw Refusal(400, "oauth_timestamp value: \(text) is an invalid date") }
    guard seconds > 0 else { throw Refusal(400, "oauth_timestamp value: \(text) is invalid") }
    guard abs(seconds - now.seconds) <= 180_000 else {
      throw Refusal(400, "oauth_timestamp value: \(text) is in and invalid time range")
    }
  }

  private func checkNonce(_ header: OAuthHeader, _ consumer: BankConsumer) throws(Refusal) {
    let parts = [consumer.id, header["oauth_nonce"], header["oauth_timestamp"], header["oauth_token"]]
    let isNew = bank.state.write { $0.nonces.insert(parts.joined(separator: " ")).inserted }
    guard isNew else { throw Refusal(401, "Nonce already used") }
  }

  private func checkSignature(
    _ header: OAuthHeader, _ request: SandboxRequest, _ consumer: BankConsumer, tokenSecret: String
  ) throws(Refusal) {
    let base = Self.baseString(
      method: request.method, address: (profile.hostname ?? request.origin) + request.path,
      parameters: header.signed + request.server.query)
    guard let hash = Self.hash(header["oauth_signature_method"]) else { throw Refusal(401, "Invalid signature") }
    let key = "\(PercentCoding.encode(consumer.secret))&\(PercentCoding.encode(tokenSecret))"
    let signature = HMAC.authenticate(Array(base.utf8), key: Array(key.utf8), using: hash)
    let expected = PercentCoding.encode(Base64.encode(signature))
    guard constantTimeEquals(Array(expected.utf8), Array(header.rawSignature.utf8)) else {
      throw Refusal(401, "Invalid signature")
    }
  }

  /// `METHOD&address&parameters`, each part encoded; scheme and host in lower case, the path as it is.
  static func baseString(method: String, address: String, parameters: [ServerRequest.Field]) -> String {
    let start = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let origin = start.prefix(3).joined(separator: "/").lowercased()
    let path = start.count > 3 ? "/" + start[3] : ""
    let pairs = parameters.map { (name: PercentCoding.encode($0.name), value: PercentCoding.encode($0.value)) }
    let sorted = pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    let joined = sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return [method.uppercased(), origin + path, joined].map { PercentCoding.encode($0) }.joined(separator: "&")
  }

  private static func hash(_ method: String) -> Hash? {
    switch method.uppercased() {
    case "HMAC-SHA1": .sha1
    case "HMAC-SHA256": .sha256
    default: nil
    }
  }
}

/// The parameters of an `Authorization: OAuth …` header, read the way the server reads them: all white space goes, parts are
/// split at commas, quotes are dropped, unknown names are ignored.
struct OAuthHeader: Sendable {
  private static let names: Set<String> = [
    "oauth_consumer_key", "oauth_nonce", "oauth_signature_method", "oauth_timestamp", "oauth_version",
    "oauth_signature", "oauth_callback", "oauth_token", "oauth_verifier",
  ]

  private var values: [String: String] = [:]
  /// Percent-encoded, as received.
  private(set) var rawSignature = ""
  private(set) var hasDuplicates = false

  init(_ header: String) throws(OAuth1.Refusal) {
    let text = header.hasPrefix("OAuth") ? header.dropFirst(5) : ""
    for part in text.filter({ !$0.isWhitespace && $0 != "\"" }).split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(halves[0])
      guard halves.count == 2, Self.names.contains(name) else { continue }
      if values[name] != nil { hasDuplicates = true }
      if name == "oauth_signature" { rawSignature = String(halves[1]) }
      values[name] = FormFields.parse("v=\(halves[1])").first?.value
    }
  }

  /// A decoded value; empty where there is none.
  subscript(name: String) -> String { values[name] ?? "" }

  /// What takes part in the signature.
  var signed: [ServerRequest.Field] {
    values.filter { $0.key != "oauth_signature" }.map { (name: $0.key, value: $0.value) }
  }
}
