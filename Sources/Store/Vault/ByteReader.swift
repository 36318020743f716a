/// Reads fixed fields out of bytes whose length has been checked.
struct ByteReader {
  private let all: [UInt8]
  private var position: Int

  init(_ bytes: [UInt8], from position: Int = 0) {
    all = bytes
    self.position = position
  }

  var left: Int { all.count - position }

  /// The next bytes; fewer where there are not so many.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let end = min(all.count, position + max(0, count))
    defer { position = end }
    return Array(all[position..<end])
  }

  mutating func uint32() -> UInt32 { bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }
  mutating func uint64() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension FixedWidthInteger {
  /// Its bytes, the highest first.
  var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
