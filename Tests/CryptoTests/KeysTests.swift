import Crypto
import Testing

@Suite struct KeysTests {
  // Made once: an RSA key takes its time.
  static let rsa = Result { try RSAPrivateKey.generate() }
  static let ec = Result { try ECPrivateKey.generate() }
  let message = Array("pay 12.50 EUR".utf8)

  @Test(arguments: [SignatureAlgorithm.rs256, .ps256])
  func `RSA signs and verifies`(_ algorithm: SignatureAlgorithm) throws {
    let key = try Self.rsa.get()
    let publicKey = try key.publicKey
    var signature = try key.sign(message, algorithm)
    #expect(signature.count == 256)
    #expect(publicKey.verify(signature, of: message, algorithm))
    #expect(!publicKey.verify(signature, of: message + [0], algorithm))
    #expect(!publicKey.verify(signature, of: message, algorithm == .rs256 ? .ps256 : .rs256))
    signature[100] ^= 1
    #expect(!publicKey.verify(signature, of: message, algorithm))
    #expect(!publicKey.verify([], of: message, algorithm))
    #expect(!publicKey.verify(signature, of: message, .es256))
  }

  @Test func `RSA keys go through PEM and JWK`() throws {
    let key = try Self.rsa.get()
    let publicKey = try key.publicKey
    #expect(try RSAPrivateKey(pem: key.pem()).publicKey == publicKey)
    #expect(try RSAPublicKey(pem: publicKey.pem()) == publicKey)
    #expect(try RSAPublicKey(modulus: publicKey.modulus, exponent: publicKey.exponent) == publicKey)
    #expect(publicKey.jwk.map(\.name) == ["kty", "n", "e"])
    #expect(publicKey.jwk[2].value == "AQAB")
    #expect(Base64URL.decode(publicKey.jwk[1].value) == publicKey.modulus)
  }

  @Test func `a passphrase guards a key`() throws {
    let key = try Self.ec.get()
    let text = try key.pem(passphrase: Array("correct horse".utf8))
    #expect(text.contains("ENCRYPTED PRIVATE KEY"))
    #expect(try ECPrivateKey(pem: text, passphrase: Array("correct horse".utf8)).publicKey == key.publicKey)
    for wrong in [Array("battery".utf8), [], nil] {
      let error = #expect(throws: CryptoError.self) { try ECPrivateKey(pem: text, passphrase: wrong) }
      #expect(error?.code == .unreadable)
    }
  }

  @Test func `P-256 signs and verifies`() throws {
    let key = try Self.ec.get()
    let publicKey = try key.publicKey
    for _ in 0..<16 {
      // Each signature is another one; some have numbers with leading zeros.
      var signature = try key.sign(message)
      #expect(signature.count == 64)
      #expect(publicKey.verify(signature, of: message))
      #expect(!publicKey.verify(signature, of: message + [0]))
      signature[63] ^= 1
      #expect(!publicKey.verify(signature, of: message))
    }
    #expect(!publicKey.verify([], of: message))
    #expect(!publicKey.verify([UInt8](repeating: 0, count: 64), of: message))
  }

  @Test func `P-256 keys go through PEM and JWK`() throws {
    let key = try Self.ec.get()
    let publicKey = try key.publicKey
    #expect(try ECPublicKey(pem: publicKey.pem()) == publicKey)
    #expect(try ECPublicKey(x: publicKey.x, y: publicKey.y) == publicKey)
    #expect(publicKey.jwk.map(\.name) == ["kty", "crv", "x", "y"])
    #expect(publicKey.jwk[1].value == "P-256")
  }

  @Test func `what is no key is refused`() throws {
    let (rsa, ec) = (try Self.rsa.get(), try Self.ec.get())
    #expect(throws: CryptoError.self) { try RSAPrivateKey(pem: ec.pem()) }
    #expect(throws: CryptoError.self) { try ECPrivateKey(pem: rsa.pem()) }
    #expect(throws: CryptoError.self) { try RSAPublicKey(pem: ec.publicKey.pem()) }
    #expect(throws: CryptoError.self) { try RSAPrivateKey(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n") }
    #expect(throws: CryptoError.self) { try RSAPublicKey(modulus: [1], exponent: [3]) }
    #expect(throws: CryptoError.self) { try RSAPrivateKey.generate(bits: 1024) }
    var y = try ec.publicKey.y
    y[31] ^= 1
    let error = #expect(throws: CryptoError.self) { try ECPublicKey(x: ec.publicKey.x, y: y) }
    #expect(error?.message.hasPrefix("the point does not lie on P-256") == true)
  }
}
