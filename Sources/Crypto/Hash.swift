internal import CCrypto
import LockedMemory

/// The hash functions in use here: FIPS 180-4.
package enum Hash: Sendable, CaseIterable {
  /// For HMAC-SHA1 of OAuth 1.0a and for file checksums; not for signatures.
  case sha1
  case sha256, sha512

  package var byteCount: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  package func digest(_ message: [UInt8]) -> [UInt8] {
    let done = make { EVP_Digest(message, message.count, $0, nil, algorithm, nil) }
    // An empty digest would compare equal to another one; better not to go on.
    precondition(done.status == 1, "libcrypto has no \(self)")
    return done.bytes
  }

  var algorithm: OpaquePointer? {
    switch self {
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    }
  }

  fileprivate func make(_ fill: (UnsafeMutablePointer<UInt8>?) -> Int32) -> (bytes: [UInt8], status: Int32) {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let status = bytes.withUnsafeMutableBufferPointer { fill($0.baseAddress) }
    return (bytes, status)
  }
}

/// A digest of what comes in pieces: files, streams. Stays where it was made.
package struct HashStream: ~Copyable {
  private let hash: Hash
  private let context: OpaquePointer?

  package init(_ hash: Hash) {
    let context = EVP_MD_CTX_new()
    precondition(EVP_DigestInit_ex(context, hash.algorithm, nil) == 1, "libcrypto has no \(hash)")
    self.hash = hash
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let status = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(status == 1, "libcrypto lost its digest")
  }

  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// The digest of all so far; the stream then begins anew.
  package mutating func finish() -> [UInt8] {
    let done = hash.make {
      EVP_DigestFinal_ex(context, $0, nil) == 1 ? EVP_DigestInit_ex(context, hash.algorithm, nil) : 0
    }
    precondition(done.status == 1, "libcrypto lost its digest")
    return done.bytes
  }
}

/// Message authentication with a shared key: RFC 2104.
package enum HMAC {
  package static func authenticate(_ message: [UInt8], key: [UInt8], using hash: Hash) -> [UInt8] {
    key.withUnsafeBytes { authenticate(message, key: $0, using: hash) }
  }

  package static func authenticate(_ message: [UInt8], key: LockedBytes, using hash: Hash) -> [UInt8] {
    key.withBytes { authenticate(message, key: $0, using: hash) }
  }

  private static func authenticate(_ message: [UInt8], key: UnsafeRawBufferPointer, using hash: Hash) -> [UInt8] {
    let done = hash.make {
      ccrypto_hmac(hash.algorithm, key.baseAddress, Int32(key.count), message, message.count, $0)
    }
    precondition(done.status == 1, "libcrypto has no HMAC with \(hash)")
    return done.bytes
  }
}
