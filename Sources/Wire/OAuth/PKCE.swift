import Crypto
public import Model

/// Proof that who redeems a code is who asked for it: RFC 7636, method S256.
public struct PKCE: Sendable {
  public let verifier: Secret
  public let challenge: String
  public static let method = "S256"

  /// - Parameter randomBytes: Unpredictable bytes; 32 of them make the verifier.
  public init(randomBytes: (_ count: Int) -> [UInt8]) {
    self.init(verifier: Base64URL.encode(randomBytes(32)))
  }

  init(verifier: String) {
    self.verifier = Secret(verifier)
    challenge = Base64URL.encode(Hash.sha256.digest(Array(verifier.utf8)))
  }
}
