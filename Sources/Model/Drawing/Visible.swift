/// The one gate between what a server said and a terminal: whatever a terminal would act on becomes visible instead.
package enum Visible {
  /// One line of harmless text: control characters as `␛`-style pictures, line breaks as `⏎`, bidirectional controls,
  /// zero-width characters, tags and private-use scalars as `�`-style stand-ins; at most two marks on a letter; joined
  /// emoji, whose width terminals disagree on, as their first picture and `+`.
  package static func line(_ text: some StringProtocol) -> String {
    if isPlain(text) { return String(text) }
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for character in text { append(character, to: &result) }
    return result
  }

  /// The same for text of several lines: line feeds stay, tabs become spaces to the next eighth column.
  package static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line(expandingTabs($0)) }
  }

  /// One line as commands print it: what a terminal would act on as escapes that can be told apart, everything else as
  /// in `line`.
  package static func printed(_ text: some StringProtocol) -> String {
    isPlain(text) ? String(text) : line(escaped(String(text)))
  }

  /// The same for text of several lines, with tabs as in `lines`.
  package static func printedLines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { printed(expandingTabs($0)) }
  }

  /// Escapes as ASCII: `\u001b`, for messages and tables where a terminal may read them.
  package static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isActedOn) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isActedOn(scalar) {
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: max(0, 4 - hex.utf8.count)) + hex
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether a terminal acts on a scalar instead of drawing it: C0, DEL, C1, bidirectional controls, line separators.
  package static func isActedOn(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  private static func isPlain(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  private static func append(_ character: Character, to result: inout String) {
    if character.isNewline {
      result += "⏎"
      return
    }
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return }
    if scalars.count == 1 {
      result += shown(first)
      return
    }
    if scalars.contains(where: { $0.value == 0x200D }), first.properties.isEmoji {
      result.unicodeScalars.append(first)
      result += "+"
      return
    }
    result += shown(first)
    var marks = 0
    for scalar in scalars.dropFirst() {
      if HangulJamo.joins(scalar), HangulJamo.carries(first), scalar.value != 0x1160, marks < 2 {
        marks += 1
        result.unicodeScalars.append(scalar)
        continue
      }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .spacingMark:
        // A variation selector asks for another width than most terminals draw.
        guard scalar.value != 0xFE0F, scalar.value != 0xFE0E, marks < 2 else { continue }
        marks += 1
        result.unicodeScalars.append(scalar)
      case .modifierSymbol where (0x1F3FB...0x1F3FF).contains(scalar.value):
        continue  // Skin tones: drawn as one or as two pictures, depending on the terminal.
      default:
        result += shown(scalar)
      }
    }
  }

  private static func shown(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20: return String(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
    case 0x7F: return "␡"
    case 0x80...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x061C, 0xFEFF, 0x00AD, 0xE0000...0xE0FFF:
      return "\u{FFFD}"
    // Letters without a shape, and signs that one terminal draws on one column and the next on two.
    case 0x115F, 0x3164, 0xFFA0, 0x3248...0x324F, 0x4DC0...0x4DFF: return "\u{FFFD}"
    case _ where HangulJamo.joins(scalar): return "\u{FFFD}"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return "\u{FFFD}"
    case .nonspacingMark, .enclosingMark: return "\u{25CC}" + String(scalar)  // A mark alone stands on a dotted circle.
    default: return String(scalar)
    }
  }

  private static func expandingTabs(_ line: Substring) -> String {
    guard line.contains("\t") else { return String(line) }
    var result = ""
    var column = 0
    for character in line {
      if character == "\t" {
        let gap = 8 - column % 8
        result += String(repeating: " ", count: gap)
        column += gap
      } else {
        result.append(character)
        column += TextWidth.columns(of: character)
      }
    }
    return result
  }
}
