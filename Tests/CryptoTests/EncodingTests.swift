import Crypto
import Testing

@Suite struct EncodingTests {
  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]) func `base 64 follows the RFC`(_ text: String, _ encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
    let unpadded = encoded.filter { $0 != "=" }
    #expect(Base64URL.encode(Array(text.utf8)) == unpadded)
    #expect(Base64URL.decode(unpadded) == Array(text.utf8))
  }

  @Test func `the two alphabets differ in two symbols`() {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
    #expect(Base64.encode(bytes) == "++//")
    #expect(Base64URL.encode(bytes) == "--__")
    #expect(Base64.decode("--__") == nil)
    #expect(Base64URL.decode("++//") == nil)
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Zg==Zg==", "Zm 9", "Zm9v\n", "Zm9é", "=", "==", "Zm8===",
  ])
  func `text that base 64 does not write is refused`(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test(arguments: ["Z", "Zh", "Zm9", "Zg=="]) func `text that base 64 for URLs does not write is refused`(
    _ text: String
  ) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test func `every byte goes through base 16 and back`() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(Hex.decode("aAfF09") == [0xAA, 0xFF, 0x09])
    for text in ["a", "0g", "é", "0x00 "] { #expect(Hex.decode(text) == nil) }
  }
}
