internal import CCrypto

/// Reads and writes through libcrypto's memory buffers.
enum PEM {
  static func read<Value>(_ text: String, _ body: (OpaquePointer) -> Value?) -> Value? {
    let bytes = Array(text.utf8)
    guard let buffer = BIO_new_mem_buf(bytes, Int32(clamping: bytes.count)) else { return nil }
    defer { BIO_free(buffer) }
    // libcrypto does not copy the bytes.
    return withExtendedLifetime(bytes) { body(buffer) }
  }

  static func write(_ body: (OpaquePointer) -> Int32) throws(CryptoError) -> String {
    guard let buffer = BIO_new(BIO_s_secmem()) else { throw .last(.failed, "there is no memory for a PEM text") }
    defer { BIO_free(buffer) }
    guard body(buffer) == 1 else { throw .last(.failed, "the key cannot be written") }
    return text(in: buffer)
  }

  static func text(in buffer: OpaquePointer) -> String {
    var start: UnsafeMutablePointer<CChar>?
    let count = ccrypto_bio_data(buffer, &start)
    return String(decoding: UnsafeRawBufferPointer(start: start, count: max(0, count)), as: UTF8.self)
  }

  static func withPassphrase<Value>(_ passphrase: [UInt8]?, _ body: (ccrypto_passphrase) -> Value) -> Value {
    guard let passphrase else { return body(ccrypto_passphrase()) }
    return passphrase.withUnsafeBytes { bytes in
      body(ccrypto_passphrase(bytes: bytes.baseAddress, count: Int32(clamping: bytes.count)))
    }
  }

  static func privateKey(_ text: String, _ passphrase: [UInt8]?) throws(CryptoError) -> KeyHandle {
    let raw = read(text) { buffer in withPassphrase(passphrase) { ccrypto_read_private_key(buffer, $0) } }
    return try KeyHandle(raw, orThrow: .unreadable, "this is no private key in PEM, or its passphrase is another one")
  }

  static func publicKey(_ text: String) throws(CryptoError) -> KeyHandle {
    try KeyHandle(read(text, ccrypto_read_public_key), orThrow: .unreadable, "this is no public key in PEM")
  }

  static func privateText(_ key: KeyHandle, _ passphrase: [UInt8]?) throws(CryptoError) -> String {
    try write { buffer in withPassphrase(passphrase) { ccrypto_write_private_key(buffer, key.raw, $0) } }
  }

  static func publicText(_ key: KeyHandle) throws(CryptoError) -> String {
    try write { PEM_write_bio_PUBKEY($0, key.raw) }
  }
}
