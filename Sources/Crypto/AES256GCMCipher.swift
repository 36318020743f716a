internal import CCrypto
import LockedMemory

/// AES-256-GCM for many small messages under one key, whose schedule is made once. A message is stored as its nonce,
/// the ciphertext and the tag, one after the other. Stays on the thread that uses it.
package struct AES256GCMCipher: ~Copyable {
  /// Bytes that a sealed message has more than its text.
  package static let overhead = AES256GCM.nonceBytes + AES256GCM.tagBytes

  private let opener: OpaquePointer
  private let sealer: OpaquePointer

  package init(key: LockedBytes) throws(CryptoError) {
    (opener, sealer) = try Self.contexts(key)
  }

  private static func contexts(_ key: LockedBytes) throws(CryptoError) -> (OpaquePointer, OpaquePointer) {
    guard key.count == AES256GCM.keyBytes else {
      throw CryptoError(.badParameter, "AES-256-GCM takes a key of 32 bytes")
    }
    let (opener, sealer) = (EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new())
    let isReady = key.withBytes { bytes in
      EVP_DecryptInit_ex(opener, EVP_aes_256_gcm(), nil, bytes.bytes, nil) == 1
        && EVP_EncryptInit_ex(sealer, EVP_aes_256_gcm(), nil, bytes.bytes, nil) == 1
    }
    guard isReady, let opener, let sealer else {
      EVP_CIPHER_CTX_free(opener)
      EVP_CIPHER_CTX_free(sealer)
      throw .last(.failed, "AES-256-GCM could not begin")
    }
    return (opener, sealer)
  }

  deinit {
    EVP_CIPHER_CTX_free(opener)
    EVP_CIPHER_CTX_free(sealer)
  }

  /// - Returns: A new random nonce, the ciphertext and the tag.
  package func seal(_ plain: [UInt8], authenticating: [UInt8]) throws(CryptoError) -> [UInt8] {
    let nonceBytes = AES256GCM.nonceBytes
    guard plain.count < Int(Int32.max) - Self.overhead else {
      throw CryptoError(.badParameter, "one message has less than 2 GiB")
    }
    var sealed = [UInt8](repeating: 0, count: plain.count + Self.overhead)
    let isDone = sealed.withUnsafeMutableBytes { target -> Bool in
      RandomBytes.fill(UnsafeMutableRawBufferPointer(rebasing: target[..<nonceBytes]))
      guard let start = target.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
      var length: Int32 = 0
      let text = start + nonceBytes
      return EVP_EncryptInit_ex(sealer, nil, nil, nil, start) == 1
        && EVP_EncryptUpdate(sealer, nil, &length, authenticating, Int32(authenticating.count)) == 1
        && EVP_EncryptUpdate(sealer, text, &length, plain, Int32(plain.count)) == 1
        && EVP_EncryptFinal_ex(sealer, text + plain.count, &length) == 1
        && EVP_CIPHER_CTX_ctrl(sealer, EVP_CTRL_AEAD_GET_TAG, Int32(AES256GCM.tagBytes), text + plain.count) == 1
    }
    guard isDone else { throw .last(.failed, "AES-256-GCM could not encrypt") }
    return sealed
  }

  /// Decrypts into `target`, which has room for as many bytes as `sealed`, and returns the length of the text.
  ///
  /// - Throws: `.notAuthentic` when anything was changed; `target` then holds nothing to be believed.
  package func open(
    _ sealed: UnsafeRawBufferPointer, authenticating: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) -> Int {
    let count = sealed.count - Self.overhead
    guard count >= 0, target.count >= sealed.count, let nonce = sealed.bytes,
      let text = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { throw CryptoError(.notAuthentic, "the ciphertext is shorter than its tag") }
    var length: Int32 = 0
    let cipher = nonce + AES256GCM.nonceBytes
    let tag = UnsafeMutableRawPointer(mutating: cipher + count)
    let isAuthentic =
      EVP_DecryptInit_ex(opener, nil, nil, nil, nonce) == 1
      && EVP_DecryptUpdate(opener, nil, &length, authenticating.bytes, Int32(authenticating.count)) == 1
      && EVP_DecryptUpdate(opener, text, &length, cipher, Int32(count)) == 1
      && EVP_CIPHER_CTX_ctrl(opener, EVP_CTRL_AEAD_SET_TAG, Int32(AES256GCM.tagBytes), tag) == 1
      && EVP_DecryptFinal_ex(opener, text + count, &length) == 1
    guard isAuthentic else {
      OPENSSL_cleanse(text, count)
      ERR_clear_error()
      throw CryptoError(.notAuthentic, "the key is another one, or the data was changed")
    }
    return count
  }
}
