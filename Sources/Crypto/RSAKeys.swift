internal import CCrypto

/// An RSA key pair.
package struct RSAPrivateKey: Sendable {
  private let key: KeyHandle

  private init(_ key: KeyHandle) throws(CryptoError) {
    guard key.isA("RSA"), key.bits >= 2048 else {
      throw CryptoError(.badParameter, "the key is not RSA of at least 2048 bits")
    }
    self.key = key
  }

  /// A new key. Takes a tenth of a second for 2048 bits, and several times that for 4096.
  package static func generate(bits: Int = 2048) throws(CryptoError) -> RSAPrivateKey {
    guard 2048...8192 ~= bits else { throw CryptoError(.badParameter, "RSA keys have 2048 to 8192 bits, not \(bits)") }
    return try RSAPrivateKey(KeyHandle(ccrypto_generate_rsa(bits), orThrow: .failed, "no RSA key could be made"))
  }

  /// - Parameter passphrase: For a text that is encrypted; nobody is asked.
  package init(pem: String, passphrase: [UInt8]? = nil) throws(CryptoError) {
    try self.init(PEM.privateKey(pem, passphrase))
  }

  /// PKCS #8; encrypted with AES-256 when there is a passphrase.
  package func pem(passphrase: [UInt8]? = nil) throws(CryptoError) -> String { try PEM.privateText(key, passphrase) }

  package var publicKey: RSAPublicKey {
    get throws(CryptoError) { try RSAPublicKey(modulus: key.number("n"), exponent: key.number("e")) }
  }

  /// - Parameter algorithm: `.rs256` or `.ps256`.
  package func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm = .rs256) throws(CryptoError) -> [UInt8] {
    guard algorithm != .es256 else { throw CryptoError(.badParameter, "an RSA key cannot sign by ES256") }
    return try key.sign(message, algorithm)
  }
}

/// The public half of an RSA key pair.
package struct RSAPublicKey: Sendable {
  /// Big-endian, without leading zeros.
  package let modulus: [UInt8]
  package let exponent: [UInt8]
  private let key: KeyHandle

  /// - Parameter modulus: Of 1024 to 16384 bits, big-endian; servers still publish keys of 1024.
  package init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    guard 128...2048 ~= modulus.drop(while: { $0 == 0 }).count, 1...8 ~= exponent.drop(while: { $0 == 0 }).count else {
      throw CryptoError(.badParameter, "an RSA key needs a modulus of 1024 to 16384 bits and an exponent of up to 64")
    }
    let raw = ccrypto_rsa_public_key(modulus, Int32(modulus.count), exponent, Int32(exponent.count))
    try self.init(KeyHandle(raw, orThrow: .badParameter, "these numbers are no RSA key"))
  }

  package init(pem: String) throws(CryptoError) { try self.init(PEM.publicKey(pem)) }

  init(_ key: KeyHandle) throws(CryptoError) {
    guard key.isA("RSA") else { throw CryptoError(.badParameter, "the key is not RSA") }
    self.key = key
    modulus = try key.number("n")
    exponent = try key.number("e")
  }

  package func pem() throws(CryptoError) -> String { try PEM.publicText(key) }

  /// Members of the JSON Web Key, as text: RFC 7518, section 6.3.
  package var jwk: [(name: String, value: String)] {
    [("kty", "RSA"), ("n", Base64URL.encode(modulus)), ("e", Base64URL.encode(exponent))]
  }

  package func verify(
    _ signature: [UInt8], of message: [UInt8], _ algorithm: SignatureAlgorithm = .rs256
  ) -> Bool {
    algorithm != .es256 && key.verify(signature, of: message, algorithm)
  }
}

extension RSAPublicKey: Equatable {
  package static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool {
    left.modulus == right.modulus && left.exponent == right.exponent
  }
}
