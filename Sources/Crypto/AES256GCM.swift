internal import CCrypto
import LockedMemory

/// Authenticated encryption: AES-256 in Galois/Counter Mode, NIST SP 800-38D.
///
/// A nonce must never come twice under one key; 12 random bytes are fine for up to 2^32 messages.
package enum AES256GCM {
  package static let keyBytes = 32
  package static let nonceBytes = 12
  package static let tagBytes = 16

  /// - Returns: The ciphertext, as long as `plain`, and the tag of 16 bytes after it.
  package static func seal(
    _ plain: [UInt8], key: [UInt8], nonce: [UInt8], authenticating: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try key.withUnsafeBytes { seal(plain, $0, nonce, authenticating) }.get()
  }

  package static func seal(
    _ plain: [UInt8], key: LockedBytes, nonce: [UInt8], authenticating: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try key.withBytes { seal(plain, $0, nonce, authenticating) }.get()
  }

  /// - Throws: `.notAuthentic` when anything at all was changed; no byte of the text is given out then.
  package static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try key.withUnsafeBytes { open(sealed, $0, nonce, authenticating) }.get()
  }

  package static func open(
    _ sealed: [UInt8], key: LockedBytes, nonce: [UInt8], authenticating: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try key.withBytes { open(sealed, $0, nonce, authenticating) }.get()
  }
}

extension AES256GCM {
  private typealias Outcome = Result<[UInt8], CryptoError>

  private static func seal(
    _ plain: [UInt8], _ key: UnsafeRawBufferPointer, _ nonce: [UInt8], _ authenticating: [UInt8]
  ) -> Outcome {
    withContext(key, nonce, count: max(plain.count, authenticating.count) + tagBytes) { context in
      guard EVP_EncryptInit_ex(context, nil, nil, key.bytes, nonce) == 1 else { return failed("encrypt") }
      var length: Int32 = 0
      guard add(authenticating, { EVP_EncryptUpdate(context, nil, &length, $0, $1) }) else { return failed("encrypt") }
      var sealed = [UInt8](repeating: 0, count: plain.count + tagBytes)
      let done = sealed.withUnsafeMutableBufferPointer { target -> Bool in
        guard let start = target.baseAddress else { return false }
        return EVP_EncryptUpdate(context, start, &length, plain, Int32(plain.count)) == 1
          && EVP_EncryptFinal_ex(context, start + plain.count, &length) == 1
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), start + plain.count) == 1
      }
      return done ? .success(sealed) : failed("encrypt")
    }
  }

  private static func open(
    _ sealed: [UInt8], _ key: UnsafeRawBufferPointer, _ nonce: [UInt8], _ authenticating: [UInt8]
  ) -> Outcome {
    let count = sealed.count - tagBytes
    guard count >= 0 else { return .failure(CryptoError(.notAuthentic, "the ciphertext is shorter than its tag")) }
    return withContext(key, nonce, count: max(sealed.count, authenticating.count)) { context in
      var (tag, length) = (Array(sealed[count...]), Int32(0))
      guard EVP_DecryptInit_ex(context, nil, nil, key.bytes, nonce) == 1,
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1,
        add(authenticating, { EVP_DecryptUpdate(context, nil, &length, $0, $1) })
      else { return failed("decrypt") }
      // One byte more than the text, so that there is an address even for an empty one.
      var plain = [UInt8](repeating: 0, count: count + 1)
      let isAuthentic = plain.withUnsafeMutableBufferPointer { target -> Bool in
        guard let start = target.baseAddress else { return false }
        return EVP_DecryptUpdate(context, start, &length, sealed, Int32(count)) == 1
          && EVP_DecryptFinal_ex(context, start + count, &length) == 1
      }
      guard isAuthentic else {
        plain.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
        ERR_clear_error()
        return .failure(CryptoError(.notAuthentic, "the key is another one, or the data was changed"))
      }
      plain.removeLast()
      return .success(plain)
    }
  }

  private static func withContext(
    _ key: UnsafeRawBufferPointer, _ nonce: [UInt8], count: Int, _ body: (OpaquePointer) -> Outcome
  ) -> Outcome {
    guard key.count == keyBytes, nonce.count == nonceBytes else {
      return .failure(CryptoError(.badParameter, "AES-256-GCM takes a key of 32 bytes and a nonce of 12"))
    }
    guard count < Int32.max else { return .failure(CryptoError(.badParameter, "one message has less than 2 GiB")) }
    guard let context = EVP_CIPHER_CTX_new() else { return failed("begin") }
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, nil, nil, -1) == 1 else { return failed("begin") }
    return body(context)
  }

  private static func add(_ bytes: [UInt8], _ update: (UnsafePointer<UInt8>?, Int32) -> Int32) -> Bool {
    bytes.isEmpty || bytes.withUnsafeBufferPointer { update($0.baseAddress, Int32($0.count)) } == 1
  }

  private static func failed(_ what: String) -> Outcome { .failure(.last(.failed, "AES-256-GCM could not \(what)")) }
}

extension UnsafeRawBufferPointer {
  var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
