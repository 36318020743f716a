import Model

/// Bytes as rows of offset, hexadecimal and text; made for the rows in view only.
enum HexLines {
  /// Bytes a row that fit into so many columns.
  static func width(_ columns: Int) -> Int { columns >= 76 ? 16 : columns >= 43 ? 8 : 4 }

  static func rows(_ count: Int, width: Int) -> Int { (count + width - 1) / width }

  static func line(_ bytes: [UInt8], row: Int, width: Int) -> Line {
    let start = row * width
    let piece = bytes[start..<min(bytes.count, start + width)]
    var hex = ""
    for (index, byte) in piece.enumerated() {
      if index > 0 { hex += index % 8 == 0 ? "  " : " " }
      hex += digits(UInt64(byte), 2)
    }
    let hexColumns = width * 3 - 1 + (width > 8 ? 1 : 0)
    let text = piece.map { $0 >= 0x20 && $0 < 0x7F ? String(Unicode.Scalar($0)) : "·" }.joined()
    return Line([
      Span(digits(UInt64(start), 8), .dim), Span("  "), Span(hex.padded(columns: hexColumns), .jsonNumber), Span("  "),
      Span(text, .jsonString),
    ])
  }

  private static func digits(_ value: UInt64, _ count: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
