import Crypto

/// Percent-encoding of RFC 3986, the way out; the way in is HTTPServer's `PercentEncoding`.
package enum PercentCoding {
  /// Encodes all but the unreserved characters of RFC 3986, with upper-case hex digits, as OAuth 1.0a signs it.
  package static func encode(_ text: String, keeping kept: String = "") -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: encoded.append(byte)
      case _ where kept.utf8.contains(byte): encoded.append(byte)
      default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Standard Base64, as HTTP Basic carries it; nil for anything else.
  package static func decodeBase64(_ text: Substring) -> [UInt8]? { Base64.decode(String(text)) }

  package static func encodeBase64(_ text: String) -> String { Base64.encode(Array(text.utf8)) }
}
