/// The backslashes of JSON strings, both ways.
enum JSONEscapes {
  /// The text of a string whose escapes were checked when the document was parsed.
  static func decoded(_ source: UnsafeBufferPointer<UInt8>) -> String {
    // No escape is shorter than what it stands for: \u takes six bytes and gives at most three.
    String(unsafeUninitializedCapacity: source.count) { target in
      var (read, written) = (0, 0)
      while read < source.count {
        guard source[read] == UInt8(ascii: "\\"), read + 1 < source.count else {
          target[written] = source[read]
          (read, written) = (read + 1, written + 1)
          continue
        }
        let scalar: Unicode.Scalar
        (scalar, read) = escape(in: source, at: read)
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          target[written] = byte
          written += 1
        }
      }
      return written
    }
  }

  /// The character that an escape stands for, and where the text goes on.
  private static func escape(in source: UnsafeBufferPointer<UInt8>, at start: Int) -> (Unicode.Scalar, next: Int) {
    switch source[start + 1] {
    case UInt8(ascii: "b"): return ("\u{8}", start + 2)
    case UInt8(ascii: "f"): return ("\u{C}", start + 2)
    case UInt8(ascii: "n"): return ("\n", start + 2)
    case UInt8(ascii: "r"): return ("\r", start + 2)
    case UInt8(ascii: "t"): return ("\t", start + 2)
    case UInt8(ascii: "u"): break
    case let other: return (Unicode.Scalar(other), start + 2)
    }
    guard let first = codeUnit(in: source, at: start) else { return ("\u{FFFD}", start + 2) }
    if UTF16.isLeadSurrogate(first), let second = codeUnit(in: source, at: start + 6), UTF16.isTrailSurrogate(second) {
      let joined = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
      return (Unicode.Scalar(joined) ?? "\u{FFFD}", start + 12)
    }
    return (Unicode.Scalar(first) ?? "\u{FFFD}", start + 6)
  }

  private static func codeUnit(in source: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt16? {
    guard start + 6 <= source.count, source[start] == UInt8(ascii: "\\"), source[start + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return UInt16(String(decoding: source[(start + 2)..<(start + 6)], as: UTF8.self), radix: 16)
  }
}
