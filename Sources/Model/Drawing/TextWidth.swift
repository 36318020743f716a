/// How many terminal columns text takes. Terminals disagree on the rare cases; `Visible` replaces those by one stand-in
/// before they reach a cell, so that what is measured here is what is drawn.
package enum TextWidth {
  /// Columns of one grapheme: 0, 1 or 2, and more only where scripts join letters that have cells of their own.
  package static func columns(of character: Character) -> Int {
    if character.isASCII { return character.asciiValue.map { $0 >= 0x20 && $0 != 0x7F ? 1 : 0 } ?? 1 }
    return character.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
  }

  /// A grapheme as terminals draw it: each scalar that has columns of its own, with the marks that stand on it. Vowel
  /// signs, conjuncts and flags are one grapheme and several of these.
  package static func drawn(_ character: Character) -> [(text: String, columns: Int)] {
    let scalars = character.unicodeScalars
    guard scalars.count > 1 else { return [(String(character), columns(of: character))] }
    var parts: [(text: String, columns: Int)] = []
    for scalar in scalars {
      let width = columns(of: scalar)
      if width == 0, let last = parts.indices.last {
        parts[last].text.unicodeScalars.append(scalar)
      } else {
        parts.append((String(scalar), width))
      }
    }
    return parts
  }

  /// Columns of a text.
  package static func columns(of text: some StringProtocol) -> Int {
    var ascii = 0
    for byte in text.utf8 {
      if byte < 0x20 || byte >= 0x7F { return text.reduce(0) { $0 + columns(of: $1) } }
      ascii += 1
    }
    return ascii
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    // A mark first: those of Chinese and Japanese stand in the wide ranges and take no column all the same.
    if isZero(scalar) { return 0 }
    return WideRanges.contains(scalar) ? 2 : 1
  }

  private static func isZero(_ scalar: Unicode.Scalar) -> Bool {
    if HangulJamo.joins(scalar) { return true }
    return switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }
}

/// Korean letters that are drawn into the syllable before them.
enum HangulJamo {
  /// Whether it is a vowel or a final consonant: alone it would take no column, or be drawn over its neighbour.
  static func joins(_ scalar: Unicode.Scalar) -> Bool {
    (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
  }

  /// Whether vowels and final consonants are drawn into it: a first consonant or a syllable.
  static func carries(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115E, 0xA960...0xA97C, 0xAC00...0xD7A3: true
    default: false
    }
  }
}

extension StringProtocol {
  /// The part of the text that fits into so many columns, with an ellipsis where something was cut off.
  package func fitted(columns: Int, ellipsis: Character = "…") -> String {
    if TextWidth.columns(of: self) <= columns { return String(self) }
    guard columns > 0 else { return "" }
    let room = columns - TextWidth.columns(of: ellipsis)
    return prefix(columns: room) + String(ellipsis)
  }

  /// As much of the front as fits into so many columns.
  package func prefix(columns: Int) -> String {
    var width = 0
    var text = ""
    for character in self {
      width += TextWidth.columns(of: character)
      if width > columns { break }
      text.append(character)
    }
    return text
  }

  /// Filled up with spaces, or cut, to exactly so many columns.
  package func padded(columns: Int, rightAligned: Bool = false, ellipsis: Character = "…") -> String {
    let text = fitted(columns: columns, ellipsis: ellipsis)
    let fill = String(repeating: " ", count: Swift.max(0, columns - TextWidth.columns(of: text)))
    return rightAligned ? fill + text : text + fill
  }
}
