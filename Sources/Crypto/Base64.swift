/// Base 64 with padding: RFC 4648, section 4.
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String { Base64Alphabet.standard.encode(bytes, padding: true) }

  /// Nil unless the text is exactly what `encode` would give for some bytes.
  package static func decode(_ text: String) -> [UInt8]? { Base64Alphabet.standard.decode(text, padding: true) }
}

/// Base 64 without padding, safe in URLs: RFC 4648, section 5, as JOSE and PKCE use it.
package enum Base64URL {
  package static func encode(_ bytes: [UInt8]) -> String { Base64Alphabet.url.encode(bytes, padding: false) }

  /// Nil unless the text is exactly what `encode` would give for some bytes.
  package static func decode(_ text: String) -> [UInt8]? { Base64Alphabet.url.decode(text, padding: false) }
}

private struct Base64Alphabet {
  static let standard = Base64Alphabet("+", "/")
  static let url = Base64Alphabet("-", "_")

  private let symbols: [UInt8]
  /// The value of each byte; 64 for what is no symbol.
  private let values: [UInt8]

  private init(_ symbol62: String, _ symbol63: String) {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    symbols = Array((letters + symbol62 + symbol63).utf8)
    var values = [UInt8](repeating: 64, count: 256)
    for (value, symbol) in symbols.enumerated() { values[Int(symbol)] = UInt8(value) }
    self.values = values
  }

  func encode(_ bytes: [UInt8], padding: Bool) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for position in 0...group.count {
        text.append(symbols[Int(bits >> UInt32(18 - 6 * position) & 63)])
      }
      if padding { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count)) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  func decode(_ text: String, padding: Bool) -> [UInt8]? {
    var symbols = Array(text.utf8)
    if padding {
      guard symbols.count % 4 == 0 else { return nil }
      for _ in 0..<2 where symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
    }
    guard symbols.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(symbols.count * 3 / 4)
    var (bits, count) = (UInt32(0), 0)
    for symbol in symbols {
      let value = values[Int(symbol)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    // Bits that are left over must be zero, or two texts would mean the same bytes.
    return bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
  }
}

/// Base 16: written in small letters, read in any.
package enum Hex {
  package static func encode(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[start]), let low = value(digits[start + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
