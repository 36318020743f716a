extension JSONEscapes {
  /// Appends the text in quotes. Control characters are always escaped, as RFC 8259 demands.
  static func append(_ text: String, to bytes: inout [UInt8], escapingTerminalControls: Bool) {
    bytes.append(UInt8(ascii: "\""))
    if escapingTerminalControls, text.unicodeScalars.contains(where: steersTerminal) {
      for scalar in text.unicodeScalars {
        steersTerminal(scalar) ? appendUnicodeEscape(scalar, to: &bytes) : appendScalar(scalar, to: &bytes)
      }
    } else {
      appendEscaping(text, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies runs that need no escape in one go.
  private static func appendEscaping(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { source in
      var runStart = 0
      for position in source.indices where needsEscape(source[position]) {
        bytes.append(contentsOf: source[runStart..<position])
        appendScalar(Unicode.Scalar(source[position]), to: &bytes)
        runStart = position + 1
      }
      bytes.append(contentsOf: source[runStart...])
    }
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func appendScalar(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\"": bytes.append(contentsOf: #"\""#.utf8)
    case "\\": bytes.append(contentsOf: #"\\"#.utf8)
    case "\n": bytes.append(contentsOf: #"\n"#.utf8)
    case "\r": bytes.append(contentsOf: #"\r"#.utf8)
    case "\t": bytes.append(contentsOf: #"\t"#.utf8)
    case "\u{8}": bytes.append(contentsOf: #"\b"#.utf8)
    case "\u{C}": bytes.append(contentsOf: #"\f"#.utf8)
    case "\0"..<" ": appendUnicodeEscape(scalar, to: &bytes)
    default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  private static func appendUnicodeEscape(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
      let digits = String(unit, radix: 16)
      bytes.append(contentsOf: #"\u"#.utf8)
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
      bytes.append(contentsOf: digits.utf8)
    }
  }

  /// DEL and C1 controls, marks and overrides of the writing direction (UAX 9), separators that break lines.
  private static func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
