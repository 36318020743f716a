import Crypto
import JSON
public import Model

/// Who signed in, as the authorisation server states it under its signature: OpenID Connect Core, section 3.1.3.7.
public struct IDToken: Sendable {
  public let subject: String
  /// The best name the token gives: preferred, full, e-mail, subject.
  public let displayName: String
  public let expires: Timestamp
  private let document: JSONDocument

  /// Clocks may differ by so much.
  private static let leeway: Int64 = 60

  /// Checks the signature against the server's keys, then issuer, audience, lifetime and nonce.
  ///
  /// - Parameters:
  ///   - keys: The server's key set, as it came (RFC 7517).
  ///   - nonce: What the sign-in was started with; nil to skip, as after a refresh.
  public init(
    _ token: Secret, keys: [UInt8], issuer: String, clientID: String, nonce: String?, now: Timestamp
  ) throws(OAuthError) {
    guard let jws = JWS(token.reveal()), let header = try? JSONDocument(jws.header).root,
      let document = try? JSONDocument(jws.payload)
    else { throw OAuthError(.unreadable, "the identity token is no signed token") }
    let claims = document.root
    try Self.verify(jws, header, keys)
    guard claims["iss"].string == issuer else { throw Self.wrong("issuer") }
    let audience = claims["aud"].string.map { [$0] } ?? claims["aud"].elements.compactMap(\.string)
    guard audience.contains(clientID) else { throw Self.wrong("audience") }
    if audience.count > 1 || claims["azp"].exists {
      guard claims["azp"].string == clientID else { throw Self.wrong("authorised party") }
    }
    guard let end = claims["exp"].double, abs(end) < 1e11, Int64(end) > now.milliseconds / 1000 - Self.leeway else {
      throw Self.wrong("end of life")
    }
    if let start = claims["nbf"].double ?? claims["iat"].double {
      guard abs(start) < 1e11, Int64(start) <= now.milliseconds / 1000 + Self.leeway else {
        throw Self.wrong("start of life")
      }
    }
    if let nonce {
      guard constantTimeEquals(Array((claims["nonce"].string ?? "").utf8), Array(nonce.utf8)) else {
        throw Self.wrong("nonce")
      }
    }
    guard let subject = claims["sub"].string, !subject.isEmpty else { throw Self.wrong("subject") }
    self.document = document
    self.subject = subject
    displayName =
      ["preferred_username", "name", "email"].lazy.compactMap { claims[$0].string }.first { !$0.isEmpty } ?? subject
    expires = Timestamp(seconds: Int64(end))
  }

  /// A claim that is a text.
  public func claim(_ name: String) -> String? { document.root[name].string }

  private static func wrong(_ what: String) -> OAuthError {
    OAuthError(.mismatch, "the identity token has the wrong \(what)")
  }

  /// Only signatures with a key pair count; `none` and shared-key algorithms do not.
  private static func verify(_ jws: JWS, _ header: JSONValue, _ keys: [UInt8]) throws(OAuthError) {
    guard let algorithm = header["alg"].string.flatMap({ SignatureAlgorithm(rawValue: $0) }) else {
      throw OAuthError(.mismatch, "the identity token is signed in a way we do not accept")
    }
    guard let set = try? JSONDocument(keys).root["keys"] else {
      throw OAuthError(.unreadable, "the keys of the sign-in service cannot be read")
    }
    let id = header["kid"].string
    let candidates = set.elements.filter { key in
      (id == nil || key["kid"].string == id) && (key["use"].string ?? "sig") == "sig"
        && (key["alg"].string ?? algorithm.rawValue) == algorithm.rawValue
    }
    guard candidates.contains(where: { isSigned(jws, by: $0, algorithm) }) else { throw wrong("signature") }
  }

  private static func isSigned(_ jws: JWS, by key: JSONValue, _ algorithm: SignatureAlgorithm) -> Bool {
    func bytes(_ name: String) -> [UInt8] { key[name].string.flatMap { Base64URL.decode($0) } ?? [] }
    switch (algorithm, key["kty"].string) {
    case (.rs256, "RSA"), (.ps256, "RSA"):
      guard let key = try? RSAPublicKey(modulus: bytes("n"), exponent: bytes("e")) else { return false }
      return jws.isSigned(by: key, algorithm)
    case (.es256, "EC"):
      guard let key = try? ECPublicKey(x: bytes("x"), y: bytes("y")) else { return false }
      return jws.isSigned(by: key)
    default:
      return false
    }
  }
}

extension OAuth2Client {
  /// Fetches the server's keys and checks an identity token with them.
  public func verify(_ token: Secret, nonce: String?) async throws(OAuthError) -> IDToken {
    guard let url = provider.keys else { throw OAuthError(.notOffered, "the sign-in service shows no keys") }
    let response = try await get(url, "fetch the keys of the sign-in service")
    guard response.isSuccess else { throw OAuthError(response) }
    return try IDToken(
      token, keys: response.body, issuer: provider.issuer, clientID: clientID, nonce: nonce, now: now)
  }
}
