/// Zeros, packed as tightly as deflate can: 13 bits for 258 of them.
package enum GzipBomb {
  /// 300 MB in 490 kB.
  package static let zeros = make(bytes: 300 << 20)

  private static func make(bytes total: Int) -> [UInt8] {
    var bits = BitWriter(bytes: [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03])
    bits.write(0b1, count: 1)  // the last block
    bits.write(0b01, count: 2)  // with the fixed codes
    bits.write(0b0000_1100, count: 8)  // a zero: 00110000, first bit first
    for _ in 0..<total / 258 {
      bits.write(0b1010_0011, count: 8)  // length 258: 11000101
      bits.write(0, count: 5)  // distance 1
    }
    bits.write(0, count: 7)  // the end
    return bits.finish()
  }

  private struct BitWriter {
    var bytes: [UInt8]
    private var pending = 0
    private var count = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Lowest bit first.
    mutating func write(_ value: Int, count added: Int) {
      pending |= value << count
      count += added
      while count >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: pending))
        pending >>= 8
        count -= 8
      }
    }

    mutating func finish() -> [UInt8] {
      if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
      return bytes
    }
  }
}
