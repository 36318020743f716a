internal import CCrypto
import LockedMemory

/// Bytes nobody can guess, from libcrypto's generator, which the kernel seeds.
package enum RandomBytes {
  package static func make(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { fill($0) }
    return bytes
  }

  static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    let status = RAND_bytes(start.assumingMemoryBound(to: UInt8.self), Int32(bytes.count))
    // A key or nonce that is not random is worse than none.
    precondition(status == 1, "libcrypto has no random bytes")
  }
}

extension LockedBytes {
  /// New random bytes, for use as a key.
  package static func random(_ count: Int) -> LockedBytes {
    LockedBytes(count: count) { RandomBytes.fill($0) }
  }
}

/// Whether two byte strings are equal, in a time that depends on their lengths alone.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
