/// Lines of RFC 4180: fields that need it in double quotes, lines ended by CR LF.
struct CSVWriter {
  private var bytes: [UInt8] = []

  mutating func line(_ fields: [String]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      add(field)
    }
    bytes += [13, 10]
  }

  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  private mutating func add(_ field: String) {
    let quote = UInt8(ascii: "\"")
    let needsQuotes = field.utf8.contains { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 10 || $0 == 13 }
    guard needsQuotes else { return bytes.append(contentsOf: field.utf8) }
    bytes.append(quote)
    for byte in field.utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
  }
}
