internal import CCrypto
import LockedMemory

/// Keys from passwords at a cost in time and memory: RFC 7914.
package enum Scrypt {
  /// Memory above which a derivation is refused, as its parameters may come from a file.
  package static let maxMemory = 1 << 30

  /// - Parameters:
  ///   - n: Cost, a power of two; 2^17 with `r` 8 takes 128 MiB.
  ///   - length: Bytes of the key.
  package static func derive(
    password: [UInt8], salt: [UInt8], n: Int, r: Int, p: Int, length: Int
  ) throws(CryptoError) -> [UInt8] {
    try Derivation.array(length) { fill(password, salt, n, r, p, $0) }
  }

  /// The same into memory that is locked and wiped.
  package static func deriveLocked(
    password: [UInt8], salt: [UInt8], n: Int, r: Int, p: Int, length: Int
  ) throws(CryptoError) -> LockedBytes {
    try Derivation.locked(length) { fill(password, salt, n, r, p, $0) }
  }

  private static func fill(
    _ password: [UInt8], _ salt: [UInt8], _ n: Int, _ r: Int, _ p: Int, _ key: UnsafeMutableRawBufferPointer
  ) -> CryptoError? {
    guard n > 1, n & (n - 1) == 0, r > 0, p > 0, r < 1 << 10, p < 1 << 10, n <= maxMemory / (128 * r), !key.isEmpty
    else {
      return CryptoError(.badParameter, "scrypt does not take these costs: n \(n), r \(r), p \(p), \(key.count) bytes")
    }
    let memory = UInt64(128 * r * (n + p + 2) + (1 << 20))
    let status = password.withUnsafeBytes { password in
      EVP_PBE_scrypt(
        password.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Derivation.empty, password.count, salt, salt.count,
        UInt64(n), UInt64(r), UInt64(p), memory, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
    }
    return status == 1 ? nil : .last(.failed, "scrypt failed")
  }
}

/// Keys from passwords at a cost in time: RFC 8018, with HMAC.
package enum PBKDF2 {
  package static func derive(
    password: [UInt8], salt: [UInt8], iterations: Int, using hash: Hash = .sha256, length: Int
  ) throws(CryptoError) -> [UInt8] {
    try Derivation.array(length) { key in
      guard 1...100_000_000 ~= iterations, !key.isEmpty else {
        return CryptoError(.badParameter, "PBKDF2 does not take \(iterations) iterations for \(key.count) bytes")
      }
      let status = password.withUnsafeBytes { password in
        PKCS5_PBKDF2_HMAC(
          password.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Derivation.empty, Int32(password.count), salt,
          Int32(salt.count), Int32(iterations), hash.algorithm, Int32(key.count),
          key.baseAddress?.assumingMemoryBound(to: UInt8.self))
      }
      return status == 1 ? nil : .last(.failed, "PBKDF2 failed")
    }
  }
}

/// Where a derived key goes.
private enum Derivation {
  /// For empty passwords: libcrypto takes a null pointer for another way of calling.
  static var empty: UnsafePointer<CChar> {
    StaticString("").utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { $0 }
  }

  static func array(
    _ length: Int, _ fill: (UnsafeMutableRawBufferPointer) -> CryptoError?
  ) throws(CryptoError) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: max(0, length))
    if let error = key.withUnsafeMutableBytes({ fill($0) }) { throw error }
    return key
  }

  static func locked(
    _ length: Int, _ fill: (UnsafeMutableRawBufferPointer) -> CryptoError?
  ) throws(CryptoError) -> LockedBytes {
    var error: CryptoError?
    let key = LockedBytes(count: max(0, length)) { error = fill($0) }
    if let error { throw error }
    return key
  }
}
