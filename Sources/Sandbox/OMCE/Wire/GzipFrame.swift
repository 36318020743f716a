import HTTPServer

/// JSON in the frame of gzip (RFC 1952), its deflate blocks stored rather than compressed (RFC 1951, 3.2.4): enough to
/// see that a client undoes the encoding.
enum GzipFrame {
  static func wrapping(_ response: ServerResponse) -> ServerResponse {
    guard case .bytes(let bytes) = response.body, !bytes.isEmpty,
      response.header("Content-Type")?.hasPrefix("application/json") == true
    else { return response }
    var framed = response.adding("Content-Encoding", "gzip").adding("Vary", "Accept-Encoding")
    framed.body = .bytes(frame(bytes))
    return framed
  }

  static func frame(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var start = 0
    repeat {
      let end = min(bytes.count, start + 0xFFFF)
      let count = UInt16(end - start)
      out.append(end == bytes.count ? 1 : 0)
      out += little(UInt32(count), 2) + little(UInt32(~count), 2) + bytes[start..<end]
      start = end
    } while start < bytes.count
    return out + little(checksum(bytes), 4) + little(UInt32(truncatingIfNeeded: bytes.count), 4)
  }

  private static func little(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  /// CRC-32 with the polynomial of RFC 1952.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
  }
}
