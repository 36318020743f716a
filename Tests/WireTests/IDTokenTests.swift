import Crypto
import JSON
import Model
import TestKit
import Testing
import Wire

@Suite struct IDTokenTests {
  private static let now = Timestamp(seconds: 1_796_040_000)

  private static func claims(_ change: (inout JSONNode) -> Void = { _ in }) -> [UInt8] {
    var claims: JSONNode = [
      "iss": "https://idp.example", "sub": "42", "aud": "atrium", "exp": 1_796_040_300, "iat": 1_796_040_000,
      "nonce": "n", "preferred_username": "ada",
    ]
    change(&claims)
    return claims.encoded()
  }

  private static func keys(_ jwk: [(name: String, value: String)], _ more: [(String, String)] = []) -> [UInt8] {
    let members = (jwk + more).map { JSONNode.Member(key: $0.0, value: .string($0.1)) }
    return JSONNode.object([.init(key: "keys", value: [.object(members)])]).encoded()
  }

  private func check(
    _ token: String, _ keys: [UInt8], nonce: String? = "n", now: Timestamp = now
  ) throws(OAuthError) -> IDToken {
    try IDToken(
      Secret(token), keys: keys, issuer: "https://idp.example", clientID: "atrium", nonce: nonce, now: now)
  }

  @Test func `a token signed with RSA or on a curve tells who signed in`() throws {
    let rsa = try RSAPrivateKey.generate()
    let curve = try ECPrivateKey.generate()
    let first = try JWS.sign(header: Array("{\"alg\":\"RS256\",\"kid\":\"1\"}".utf8), payload: Self.claims(), key: rsa)
    let second = try JWS.sign(header: Array("{\"alg\":\"ES256\"}".utf8), payload: Self.claims(), key: curve)
    let one = try check(first, Self.keys(rsa.publicKey.jwk, [("kid", "1"), ("use", "sig")]))
    let two = try check(second, Self.keys(curve.publicKey.jwk))
    #expect(one.subject == "42" && one.displayName == "ada" && two.displayName == "ada")
    #expect(one.expires == Timestamp(seconds: 1_796_040_300) && one.claim("iss") == "https://idp.example")
  }

  @Test(arguments: [
    ("another issuer", "iss", "\"https://evil.example\""), ("another audience", "aud", "\"other\""),
    ("many audiences without us", "aud", "[\"a\",\"b\"]"),
    ("many audiences and no party", "aud", "[\"atrium\",\"b\"]"), ("another party", "azp", "\"other\""),
    ("past its end", "exp", "1796039900"), ("no end", "exp", "null"), ("not yet begun", "nbf", "1796040100"),
    ("another nonce", "nonce", "\"m\""), ("no nonce", "nonce", "null"), ("no subject", "sub", "\"\""),
  ])
  func `a token with a wrong claim is not believed`(name: String, claim: String, value: String) throws {
    let key = try ECPrivateKey.generate()
    let changed = try JSONDocument(value).root.node()
    let payload = Self.claims { $0[claim] = changed }
    let token = try JWS.sign(header: Array("{\"alg\":\"ES256\"}".utf8), payload: payload, key: key)
    let error = #expect(throws: OAuthError.self) { try check(token, Self.keys(key.publicKey.jwk)) }
    #expect(error?.code == .mismatch)
  }

  @Test func `a token signed by another key, or not at all, is not believed`() throws {
    let ours = try ECPrivateKey.generate()
    let theirs = try ECPrivateKey.generate()
    let keys = try Self.keys(ours.publicKey.jwk, [("kid", "1")])
    let forged = try JWS.sign(
      header: Array("{\"alg\":\"ES256\",\"kid\":\"1\"}".utf8), payload: Self.claims(), key: theirs)
    let unknown = try JWS.sign(
      header: Array("{\"alg\":\"ES256\",\"kid\":\"2\"}".utf8), payload: Self.claims(), key: ours)
    let none = "\(Base64URL.encode(Array("{\"alg\":\"none\"}".utf8))).\(Base64URL.encode(Self.claims()))."
    let shared = "\(Base64URL.encode(Array("{\"alg\":\"HS256\"}".utf8))).\(Base64URL.encode(Self.claims())).AAAA"
    for token in [forged, unknown, none, shared] {
      let error = #expect(throws: OAuthError.self) { try check(token, keys) }
      #expect(error?.code == .mismatch)
    }
    #expect(throws: OAuthError.self) { try check("no.token", keys) }
  }

  @Test func `clocks may differ by a minute`() throws {
    let key = try ECPrivateKey.generate()
    let token = try JWS.sign(header: Array("{\"alg\":\"ES256\"}".utf8), payload: Self.claims(), key: key)
    let keys = try Self.keys(key.publicKey.jwk)
    _ = try check(token, keys, now: Timestamp(seconds: 1_796_040_350))
    _ = try check(token, keys, now: Timestamp(seconds: 1_796_039_950))
    #expect(throws: OAuthError.self) { try check(token, keys, now: Timestamp(seconds: 1_796_040_361)) }
  }
}
