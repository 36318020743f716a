/// Text for use in YAML.
package enum YAMLScalar {
  /// The text so that YAML reads it back as the same text, in every place a scalar can stand: plain where that is safe,
  /// otherwise in double quotes with escapes.
  package static func quoted(_ text: String) -> String {
    isSafePlain(text) ? text : "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  /// Only what no YAML 1.1 or 1.2 reader takes for anything but text: letters, digits and a few marks inside.
  private static func isSafePlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, isLetter(first), CoreSchema.kind(of: text) == .string else {
      return false
    }
    // Words that are booleans or null for readers of YAML 1.1.
    if ["y", "yes", "n", "no", "on", "off", "true", "false", "null"].contains(text.lowercased()) { return false }
    return text.unicodeScalars.allSatisfy { isLetter($0) || "0"..."9" ~= $0 || "-_./+".unicodeScalars.contains($0) }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { "a"..."z" ~= scalar || "A"..."Z" ~= scalar }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": return #"\""#
    case "\\": return #"\\"#
    case "\n": return #"\n"#
    case "\t": return #"\t"#
    case "\r": return #"\r"#
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: break
    default: return String(Character(scalar))
    }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let width = scalar.value > 0xFFFF ? 8 : scalar.value > 0xFF ? 4 : 2
    let marker = [2: "x", 4: "u", 8: "U"][width] ?? "U"
    return "\\" + marker + String(repeating: "0", count: width - digits.count) + digits
  }
}
