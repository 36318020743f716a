/// Writes pictures as PNG with stored (uncompressed) blocks, which every decoder reads.
enum PNGWriter {
  /// A picture of a harbour at some hour: sky, sun, water with stripes; a function of `index` alone.
  static func picture(index: Int, width: Int = 160, height: Int = 100) -> [UInt8] {
    var random = SeededRandom(seed: 7, "picture", index: index)
    let hue = random.below(160)
    let sun = (x: random.number(in: 20...(width - 20)), y: random.number(in: 12...(height / 2 - 8)))
    var raw: [UInt8] = []
    raw.reserveCapacity((width * 3 + 1) * height)
    for y in 0..<height {
      raw.append(0)
      for x in 0..<width {
        let distance = (x - sun.x) * (x - sun.x) + (y - sun.y) * (y - sun.y)
        if y < height / 2, distance < 90 {
          raw += [255, 220, UInt8(80 + hue / 2)]
        } else if y < height / 2 {
          raw += [UInt8(60 + y + hue / 4), UInt8(110 + y), UInt8(200 - hue / 3)]
        } else {
          let wave = (x / 6 + y / 2) % 4 == 0 ? 40 : 0
          raw += [UInt8(20 + hue / 5), UInt8(70 + wave), UInt8(120 + wave)]
        }
      }
    }
    return encoded(raw, width: width, height: height)
  }

  private static func encoded(_ raw: [UInt8], width: Int, height: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    bytes += chunk("IHDR", bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0])
    bytes += chunk("IDAT", deflated(raw))
    return bytes + chunk("IEND", [])
  }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 3.2.4).
  private static func deflated(_ raw: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    while start < raw.count {
      let count = min(65_535, raw.count - start)
      stream.append(start + count == raw.count ? 1 : 0)
      stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8((~count >> 8) & 255)]
      stream += raw[start..<start + count]
      start += count
    }
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in raw {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + bigEndian(Int(high << 16 | low))
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + body
    return bigEndian(body.count) + named + bigEndian(Int(CRC32.checksum(named)))
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }
}

/// The checksum of PNG and ZIP (ISO 3309).
struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = Self.table[Int((state ^ UInt32(byte)) & 255)] ^ (state >> 8) }
  }

  var value: UInt32 { state ^ 0xFFFF_FFFF }

  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var crc = CRC32()
    crc.update(bytes)
    return crc.value
  }
}
