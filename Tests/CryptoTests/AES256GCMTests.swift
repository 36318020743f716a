import Crypto
import LockedMemory
import Testing

/// Vectors of the specification of GCM that NIST has: cases 13, 14 and 16.
@Suite struct AES256GCMTests {
  struct Vector: CustomTestStringConvertible {
    let name, key, nonce, plain, authenticated, sealed: String
    var testDescription: String { name }
  }

  static let zeroKey = String(repeating: "0", count: 64)
  static let vectors = [
    Vector(
      name: "case 13", key: zeroKey, nonce: String(repeating: "0", count: 24), plain: "", authenticated: "",
      sealed: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      name: "case 14", key: zeroKey, nonce: String(repeating: "0", count: 24), plain: String(repeating: "0", count: 32),
      authenticated: "", sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      name: "case 16", key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plain: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      authenticated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      sealed: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: vectors) func `seals and opens the vectors of the standard`(_ vector: Vector) throws {
    let key = try #require(Hex.decode(vector.key))
    let nonce = try #require(Hex.decode(vector.nonce))
    let plain = try #require(Hex.decode(vector.plain))
    let authenticated = try #require(Hex.decode(vector.authenticated))
    let sealed = try AES256GCM.seal(plain, key: key, nonce: nonce, authenticating: authenticated)
    #expect(Hex.encode(sealed) == vector.sealed)
    #expect(try AES256GCM.open(sealed, key: key, nonce: nonce, authenticating: authenticated) == plain)
    let locked = LockedBytes(key)
    #expect(try AES256GCM.seal(plain, key: locked, nonce: nonce, authenticating: authenticated) == sealed)
    #expect(try AES256GCM.open(sealed, key: locked, nonce: nonce, authenticating: authenticated) == plain)
  }

  @Test func `any change is noticed`() throws {
    let (key, nonce) = (RandomBytes.make(32), RandomBytes.make(12))
    let context = Array("row 1".utf8)
    let sealed = try AES256GCM.seal(Array("12.50 EUR".utf8), key: key, nonce: nonce, authenticating: context)
    func code(_ sealed: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ context: [UInt8]) -> CryptoError.Code? {
      #expect(throws: CryptoError.self) {
        try AES256GCM.open(sealed, key: key, nonce: nonce, authenticating: context)
      }?.code
    }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(code(changed, key, nonce, context) == .notAuthentic)
    }
    for count in 0..<sealed.count { #expect(code(Array(sealed[..<count]), key, nonce, context) == .notAuthentic) }
    #expect(code(sealed, RandomBytes.make(32), nonce, context) == .notAuthentic)
    #expect(code(sealed, key, RandomBytes.make(12), context) == .notAuthentic)
    #expect(code(sealed, key, nonce, Array("row 2".utf8)) == .notAuthentic)
  }

  @Test func `keys and nonces of another length are refused`() {
    for (key, nonce) in [(16, 12), (31, 12), (33, 12), (0, 12), (32, 11), (32, 16), (32, 0)] {
      let error = #expect(throws: CryptoError.self) {
        try AES256GCM.seal([1], key: RandomBytes.make(key), nonce: RandomBytes.make(nonce))
      }
      #expect(error?.code == .badParameter)
    }
  }
}
