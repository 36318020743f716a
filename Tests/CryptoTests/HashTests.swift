import Crypto
import LockedMemory
import Testing

/// Vectors of FIPS 180-4, RFC 2202 and RFC 4231.
@Suite struct HashTests {
  @Test(arguments: [
    (Hash.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      .sha512,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ]) func `abc has the digest of the standard`(_ hash: Hash, _ digest: String) {
    #expect(Hex.encode(hash.digest(Array("abc".utf8))) == digest)
    #expect(hash.byteCount * 2 == digest.utf8.count)
    var stream = HashStream(hash)
    stream.update(Array("a".utf8))
    stream.update([])
    stream.update(Array("bc".utf8))
    #expect(Hex.encode(stream.finish()) == digest)
    stream.update(Array("abc".utf8))
    #expect(Hex.encode(stream.finish()) == digest, "a stream begins anew")
  }

  @Test func `nothing has a digest too`() {
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    #expect(Hex.encode(Hash.sha256.digest([])) == digest)
  }

  @Test(arguments: [
    (Hash.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    (
      .sha512,
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    ),
  ]) func `HMAC follows the RFC`(_ hash: Hash, _ code: String) {
    let message = Array("what do ya want for nothing?".utf8)
    #expect(Hex.encode(HMAC.authenticate(message, key: Array("Jefe".utf8), using: hash)) == code)
    #expect(Hex.encode(HMAC.authenticate(message, key: LockedBytes(Array("Jefe".utf8)), using: hash)) == code)
  }

  @Test func `HMAC takes keys longer than a block and empty ones`() {
    let long = HMAC.authenticate(
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), key: Array(repeating: 0xAA, count: 131),
      using: .sha256)
    #expect(Hex.encode(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    let empty = HMAC.authenticate([], key: [], using: .sha256)
    #expect(Hex.encode(empty) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }
}
