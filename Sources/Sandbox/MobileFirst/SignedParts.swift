import Crypto
import JSON

/// A JSON web signature as this server's clients send it: in three parts, each in either Base64 alphabet, padded or not.
///
/// The signature covers the texts as received, so they are kept.
struct SignedParts: Sendable {
  let header: JSONValue
  let payload: JSONValue
  private let signed: [UInt8]
  private let signature: [UInt8]

  /// nil where a part is no Base64 or no JSON object.
  init?(header: String, payload: String, signature: String) {
    guard let headerBytes = LooseBase64.decode(header),
      let payloadBytes = LooseBase64.decode(payload),
      let signatureBytes = LooseBase64.decode(signature),
      let headerJSON = try? JSONDocument(headerBytes).root, headerJSON.kind == .object,
      let payloadJSON = try? JSONDocument(payloadBytes).root, payloadJSON.kind == .object
    else { return nil }
    self.header = headerJSON
    self.payload = payloadJSON
    self.signature = signatureBytes
    signed = Array("\(header).\(payload)".utf8)
  }

  /// The compact form, the parts joined by dots.
  init?(compact text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    self.init(header: parts[0], payload: parts[1], signature: parts[2])
  }

  func isSigned(by key: ClientKey) -> Bool {
    guard header["alg"].string == "RS256", let key = key.publicKey else { return false }
    return key.verify(signature, of: signed)
  }
}

/// The public key with which a client registered.
struct ClientKey: Sendable, Equatable {
  let modulus: [UInt8]
  let exponent: [UInt8]

  /// nil unless it is an RSA key of 512 bits or more, as the oldest clients in the field have; a leading zero byte of the modulus is accepted.
  init?(jwk: JSONValue) {
    guard jwk["kty"].string == "RSA", let n = jwk["n"].string, let e = jwk["e"].string,
      let modulus = LooseBase64.decode(n), let exponent = LooseBase64.decode(e)
    else { return nil }
    let plain = Array(modulus.drop { $0 == 0 })
    guard plain.count >= 64, !exponent.isEmpty else { return nil }
    self.modulus = plain
    self.exponent = exponent
  }

  var publicKey: RSAPublicKey? { try? RSAPublicKey(modulus: modulus, exponent: exponent) }
}

/// Base64 in either alphabet, padded or not, as clients in the field send it.
enum LooseBase64 {
  static func decode(_ text: String) -> [UInt8]? {
    let bare = text.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
    return Base64URL.decode(String(bare))
  }
}
