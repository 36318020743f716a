import Crypto
import Testing

/// Vectors of RFC 7914 and RFC 6070.
@Suite struct KeyDerivationTests {
  @Test(arguments: [
    (
      "", "", 16, 1, 1,
      "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
    ),
    (
      "password", "NaCl", 1024, 8, 16,
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    ),
  ]) func `scrypt follows the RFC`(
    _ password: String, _ salt: String, _ n: Int, _ r: Int, _ p: Int, _ key: String
  ) throws {
    let (password, salt) = (Array(password.utf8), Array(salt.utf8))
    #expect(Hex.encode(try Scrypt.derive(password: password, salt: salt, n: n, r: r, p: p, length: 64)) == key)
    let locked = try Scrypt.deriveLocked(password: password, salt: salt, n: n, r: r, p: p, length: 64)
    #expect(locked.withBytes { Hex.encode(Array($0)) } == key)
  }

  @Test(arguments: [
    (1000, 8, 1), (0, 8, 1), (1, 8, 1), (-2, 8, 1), (16, 0, 1), (16, 8, 0), (1 << 24, 8, 1), (.max, 8, 1),
  ])
  func `costs that make no sense or eat the memory are refused`(_ n: Int, _ r: Int, _ p: Int) {
    let error = #expect(throws: CryptoError.self) {
      try Scrypt.derive(password: [1], salt: [2], n: n, r: r, p: p, length: 32)
    }
    #expect(error?.code == .badParameter)
    #expect(throws: CryptoError.self) {
      try Scrypt.deriveLocked(password: [1], salt: [2], n: n, r: r, p: p, length: 32)
    }
  }

  @Test func `PBKDF2 follows the RFCs`() throws {
    let sha1 = try PBKDF2.derive(
      password: Array("password".utf8), salt: Array("salt".utf8), iterations: 4096, using: .sha1, length: 20)
    #expect(Hex.encode(sha1) == "4b007901b765489abead49d926f721d065a429c1")
    let sha256 = try PBKDF2.derive(password: Array("passwd".utf8), salt: Array("salt".utf8), iterations: 1, length: 64)
    #expect(
      Hex.encode(sha256) == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
    #expect(throws: CryptoError.self) { try PBKDF2.derive(password: [1], salt: [2], iterations: 0, length: 32) }
    #expect(throws: CryptoError.self) { try PBKDF2.derive(password: [1], salt: [2], iterations: 1, length: 0) }
    #expect(throws: Never.self) { try PBKDF2.derive(password: [], salt: [], iterations: 1, length: 32) }
  }
}
