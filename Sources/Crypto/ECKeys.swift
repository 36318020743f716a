internal import CCrypto

/// A key pair on the curve P-256.
package struct ECPrivateKey: Sendable {
  private let key: KeyHandle

  private init(_ key: KeyHandle) throws(CryptoError) {
    try ECPublicKey.check(key)
    self.key = key
  }

  package static func generate() throws(CryptoError) -> ECPrivateKey {
    try ECPrivateKey(KeyHandle(ccrypto_generate_p256(), orThrow: .failed, "no key could be made"))
  }

  /// - Parameter passphrase: For a text that is encrypted; nobody is asked.
  package init(pem: String, passphrase: [UInt8]? = nil) throws(CryptoError) {
    try self.init(PEM.privateKey(pem, passphrase))
  }

  /// PKCS #8; encrypted with AES-256 when there is a passphrase.
  package func pem(passphrase: [UInt8]? = nil) throws(CryptoError) -> String { try PEM.privateText(key, passphrase) }

  package var publicKey: ECPublicKey {
    get throws(CryptoError) {
      try ECPublicKey(x: key.number("qx", width: 32), y: key.number("qy", width: 32))
    }
  }

  /// ES256: r and s, 32 bytes each, as JOSE has it.
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let encoded = try key.sign(message, .es256)
    let pair = encoded.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var start = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &start, bytes.count)
    }
    guard let pair else { throw .last(.failed, "signing failed") }
    defer { ECDSA_SIG_free(pair) }
    var (r, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
    guard BN_bn2binpad(ECDSA_SIG_get0_r(pair), &r, 32) == 32, BN_bn2binpad(ECDSA_SIG_get0_s(pair), &s, 32) == 32 else {
      throw .last(.failed, "signing failed")
    }
    return r + s
  }
}

/// The public half of a key pair on P-256.
package struct ECPublicKey: Sendable {
  /// Coordinates of the point, big-endian, 32 bytes each.
  package let x: [UInt8]
  package let y: [UInt8]
  private let key: KeyHandle

  /// - Throws: `.badParameter` when the point does not lie on the curve.
  package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == 32, y.count == 32 else {
      throw CryptoError(.badParameter, "coordinates on P-256 have 32 bytes each")
    }
    let point = [0x04] + x + y
    let raw = ccrypto_p256_public_key(point, point.count)
    try self.init(KeyHandle(raw, orThrow: .badParameter, "the point does not lie on P-256"))
  }

  package init(pem: String) throws(CryptoError) { try self.init(PEM.publicKey(pem)) }

  init(_ key: KeyHandle) throws(CryptoError) {
    try Self.check(key)
    self.key = key
    x = try key.number("qx", width: 32)
    y = try key.number("qy", width: 32)
  }

  static func check(_ key: KeyHandle) throws(CryptoError) {
    var (name, length) = ([CChar](repeating: 0, count: 64), 0)
    guard key.isA("EC"), EVP_PKEY_get_group_name(key.raw, &name, name.count, &length) == 1,
      ["prime256v1", "P-256"].contains(String(decoding: name[..<length].map(UInt8.init), as: UTF8.self))
    else { throw CryptoError(.badParameter, "the key is not on the curve P-256") }
  }

  package func pem() throws(CryptoError) -> String { try PEM.publicText(key) }

  /// Members of the JSON Web Key, as text: RFC 7518, section 6.2.
  package var jwk: [(name: String, value: String)] {
    [("kty", "EC"), ("crv", "P-256"), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y))]
  }

  /// - Parameter signature: r and s, 32 bytes each.
  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == 64, let pair = ECDSA_SIG_new() else { return false }
    defer { ECDSA_SIG_free(pair) }
    // The pair takes the numbers over.
    let r = BN_bin2bn(Array(signature[..<32]), 32, nil)
    let s = BN_bin2bn(Array(signature[32...]), 32, nil)
    guard ECDSA_SIG_set0(pair, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return false
    }
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_ECDSA_SIG(pair, &encoded)
    guard length > 0, let encoded else { return false }
    defer { CRYPTO_free(encoded, #file, #line) }
    return key.verify(Array(UnsafeBufferPointer(start: encoded, count: Int(length))), of: message, .es256)
  }
}

extension ECPublicKey: Equatable {
  package static func == (left: ECPublicKey, right: ECPublicKey) -> Bool { left.x == right.x && left.y == right.y }
}
