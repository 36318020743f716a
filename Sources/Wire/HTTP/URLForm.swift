/// Percent-encoding for queries, paths and posted forms.
public enum URLForm {
  /// `a=1&b=x%20y`; a blank is `%20`, which every reader of forms takes.
  public static func encode(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
  }

  /// RFC 3986: letters, digits, `-._~` stay, every other byte becomes `%XX` in upper case.
  public static func escape(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default: bytes += [0x25, hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  /// Reads `a=1&b=x+y`; `+` is a blank, a broken escape stays as it is.
  public static func decode(_ text: some StringProtocol) -> [(name: String, value: String)] {
    text.split(separator: "&").map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (unescape(parts[0], plus: true), parts.count > 1 ? unescape(parts[1], plus: true) : "")
    }
  }

  /// Resolves `%XX`; invalid UTF-8 is repaired.
  public static func unescape(_ text: some StringProtocol, plus: Bool = false) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == 0x25, let high = rest.first.flatMap(digit), let low = rest.dropFirst().first.flatMap(digit) {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(plus && byte == 0x2B ? 0x20 : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
