/// JSON Web Signature in its compact form, `header.payload.signature`: RFC 7515.
///
/// Header and payload are bytes: what they say, the algorithm included, is for the caller to write and to check.
package struct JWS: Sendable, Equatable {
  package let header: [UInt8]
  package let payload: [UInt8]
  package let signature: [UInt8]
  /// What is signed: header and payload as they stand in the text.
  package let signed: [UInt8]

  /// Takes a compact text apart without checking its signature; nil when it is none.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
      let payload = Base64URL.decode(String(parts[1])), let signature = Base64URL.decode(String(parts[2]))
    else { return nil }
    self.header = header
    self.payload = payload
    self.signature = signature
    signed = Array("\(parts[0]).\(parts[1])".utf8)
  }

  /// - Parameter header: JSON with `alg` "RS256".
  package static func sign(header: [UInt8], payload: [UInt8], key: RSAPrivateKey) throws(CryptoError) -> String {
    try text(header, payload) { message throws(CryptoError) in try key.sign(message, .rs256) }
  }

  /// - Parameter header: JSON with `alg` "ES256".
  package static func sign(header: [UInt8], payload: [UInt8], key: ECPrivateKey) throws(CryptoError) -> String {
    try text(header, payload) { message throws(CryptoError) in try key.sign(message) }
  }

  package func isSigned(by key: RSAPublicKey, _ algorithm: SignatureAlgorithm = .rs256) -> Bool {
    key.verify(signature, of: signed, algorithm)
  }

  package func isSigned(by key: ECPublicKey) -> Bool { key.verify(signature, of: signed) }

  private static func text(
    _ header: [UInt8], _ payload: [UInt8], _ sign: ([UInt8]) throws(CryptoError) -> [UInt8]
  ) throws(CryptoError) -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return signed + "." + Base64URL.encode(try sign(Array(signed.utf8)))
  }
}
