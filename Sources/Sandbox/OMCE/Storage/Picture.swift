/// A small picture made from a seed: coloured squares, mirrored, so that each can be told from the next.
struct Picture: Sendable {
  /// Squares on each side.
  private static let grid = 8
  /// Pixels on each side of a square.
  private static let square = 12

  private let cells: [Bool]
  private let colour: (UInt8, UInt8, UInt8)

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed, "picture")
    let half = (0..<(Self.grid * Self.grid / 2)).map { _ in random.chance(50) }
    cells = (0..<(Self.grid * Self.grid)).map { place in
      let (row, column) = (place / Self.grid, place % Self.grid)
      return half[row * Self.grid / 2 + min(column, Self.grid - 1 - column)]
    }
    colour = (
      UInt8(random.number(in: 40...220)), UInt8(random.number(in: 40...220)), UInt8(random.number(in: 40...220))
    )
  }

  private static let side = grid * square
  private static let pixelCount = side * (1 + side * 3)

  /// Size of `png()`: signature, three chunks of 12 bytes and their content, and 5 bytes a stored block.
  static let pngCount = 8 + 3 * 12 + 13 + 2 + (pixelCount + 65_534) / 65_535 * 5 + pixelCount + 4

  /// PNG (RFC 2083) with its pixels stored, not compressed.
  func png() -> [UInt8] {
    let side = Self.side
    var pixels: [UInt8] = []
    for row in 0..<side {
      pixels.append(0)
      for column in 0..<side {
        let isSet = cells[row / Self.square * Self.grid + column / Self.square]
        pixels += isSet ? [colour.0, colour.1, colour.2] : [245, 245, 240]
      }
    }
    let size = Self.bigEndian(UInt32(side))
    return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
      + Self.chunk("IHDR", size + size + [8, 2, 0, 0, 0]) + Self.chunk("IDAT", Self.stored(pixels))
      + Self.chunk("IEND", [])
  }

  /// Baseline JPEG (ITU T.81) in grey and white: each square of the picture is one 8×8 block of one brightness.
  ///
  /// - Parameter count: The file is filled up to this size with comments; at least 1,000.
  func jpeg(count: Int) -> [UInt8] {
    let side = UInt8(Self.grid * 8)
    var file: [UInt8] = [0xff, 0xd8]
    file += Self.segment(0xdb, [0] + [UInt8](repeating: 1, count: 64))
    file += Self.segment(0xc0, [8, 0, side, 0, side, 1, 1, 0x11, 0])
    // One code table each: brightness steps of 0 bits or 11 bits, and nothing but the end of a block.
    file += Self.segment(0xc4, [0x00, 0, 2] + [UInt8](repeating: 0, count: 14) + [0, 11])
    file += Self.segment(0xc4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
    let scan = Self.segment(0xda, [1, 1, 0x00, 0, 63, 0]) + blocks() + [0xff, 0xd9]
    while file.count + scan.count + 4 < count {
      let room = min(60_000, count - file.count - scan.count - 4)
      file += Self.segment(0xfe, [UInt8](repeating: 0x20, count: room))
    }
    return file + scan
  }

  private func blocks() -> [UInt8] {
    var bits: [UInt8] = []
    var last = 0
    for cell in cells {
      let level = cell ? 0 : 1_100
      let step = level - last
      last = level
      if step == 0 {
        bits += [0, 0]
      } else {
        let magnitude = step > 0 ? step : step + 2_047
        bits += [0, 1] + (0..<11).reversed().map { UInt8(magnitude >> $0 & 1) }
      }
      bits.append(0)
    }
    while bits.count % 8 != 0 { bits.append(1) }
    return stride(from: 0, to: bits.count, by: 8).flatMap { start -> [UInt8] in
      let byte = bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | $1 }
      return byte == 0xff ? [0xff, 0x00] : [byte]
    }
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xff, marker, UInt8(length >> 8), UInt8(length & 255)] + content
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    return bigEndian(UInt32(content.count)) + body + bigEndian(checksum(body))
  }

  /// The zlib form (RFC 1950) of data in stored blocks.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      stream += [
        rest.isEmpty ? 1 : 0, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8),
      ]
      stream += block
    } while !rest.isEmpty
    var (a, b) = (UInt32(1), UInt32(0))
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return stream + bigEndian(b << 16 | a)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes { sum = sum >> 8 ^ checksums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    return ~sum
  }

  /// CRC-32 of each byte.
  private static let checksums: [UInt32] = (0..<256).map { byte in
    var value = UInt32(byte)
    for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
    return value
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }
}
