internal import CCrypto

/// A key held by libcrypto; freed with the last reference.
// @unchecked Sendable: an EVP_PKEY does not change once made, and libcrypto guards its caches with locks of its own.
final class KeyHandle: @unchecked Sendable {
  let raw: OpaquePointer

  /// Takes over a key that libcrypto made, or explains why it made none.
  init(_ raw: OpaquePointer?, orThrow code: CryptoError.Code, _ message: String) throws(CryptoError) {
    guard let raw else { throw .last(code, message) }
    self.raw = raw
  }

  deinit { EVP_PKEY_free(raw) }

  var bits: Int { Int(EVP_PKEY_get_bits(raw)) }

  func isA(_ type: String) -> Bool { EVP_PKEY_is_a(raw, type) == 1 }

  /// A number of the key, big-endian, filled up to `width` with zeros.
  func number(_ name: String, width: Int = 0) throws(CryptoError) -> [UInt8] {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(raw, name, &number) == 1 else { throw .last(.failed, "the key has no \(name)") }
    defer { BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: max(width, Int(ccrypto_bytes(number))))
    guard BN_bn2binpad(number, &bytes, Int32(bytes.count)) >= 0 else { throw .last(.failed, "\(name) is too long") }
    return bytes
  }

  func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw .last(.failed, "there is no memory to sign") }
    defer { EVP_MD_CTX_free(context) }
    var options: OpaquePointer?
    guard EVP_DigestSignInit(context, &options, EVP_sha256(), nil, raw) == 1,
      algorithm != .ps256 || ccrypto_use_pss(options) == 1
    else { throw .last(.failed, "this key cannot sign by \(algorithm.rawValue)") }
    var length = Int(EVP_PKEY_get_size(raw))
    var signature = [UInt8](repeating: 0, count: length)
    guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
      throw .last(.failed, "signing failed")
    }
    return Array(signature[..<length])
  }

  func verify(_ signature: [UInt8], of message: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
    // A signature that does not hold leaves its reason in the queue, for the next one to trip over.
    defer { ERR_clear_error() }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    var options: OpaquePointer?
    return EVP_DigestVerifyInit(context, &options, EVP_sha256(), nil, raw) == 1
      && (algorithm != .ps256 || ccrypto_use_pss(options) == 1)
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}

/// Signatures by their names in JOSE: RFC 7518, section 3.1. All of them over SHA-256.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  /// RSA with the padding of PKCS #1 v1.5.
  case rs256 = "RS256"
  /// RSA with PSS padding.
  case ps256 = "PS256"
  /// ECDSA on P-256; the signature is r and s, 32 bytes each.
  case es256 = "ES256"
}
