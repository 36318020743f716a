/// What is drawn where the locale has no Unicode: one ASCII character for each column.
package enum ASCIIForm {
  package static func of(_ text: String) -> Character {
    guard let scalar = text.unicodeScalars.first else { return " " }
    if scalar.isASCII { return Character(scalar) }
    if let known = table[scalar] { return known }
    // An accented Latin letter is drawn as its letter: that is the last word of its Unicode name's "LETTER X".
    if let name = scalar.properties.name, name.hasPrefix("LATIN "), let letter = latinLetter(in: name) { return letter }
    return "?"
  }

  /// A whole text, each character on as many columns as it has; line breaks and tabs stay.
  package static func text(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    var result = ""
    for character in text {
      if character.isNewline || character.isASCII {
        result.append(character)
      } else {
        result.append(of(String(character)))
        if TextWidth.columns(of: character) == 2 { result += " " }
      }
    }
    return result
  }

  private static func latinLetter(in name: String) -> Character? {
    let words = name.split(separator: " ")
    guard let index = words.firstIndex(of: "LETTER"), index + 1 < words.count, words[index + 1].count == 1,
      let letter = words[index + 1].first
    else { return nil }
    return words.contains("SMALL") ? Character(letter.lowercased()) : letter
  }

  private static let table: [Unicode.Scalar: Character] = {
    var table: [Unicode.Scalar: Character] = [
      "…": ".", "·": ".", "•": "*", "●": "*", "○": "o", "▸": ">", "▾": "v", "▲": "^", "▼": "v", "▌": ">", "▐": "<",
      "→": ">", "←": "<", "↑": "^", "↓": "v", "⏎": "/", "✓": "+", "✗": "x", "×": "x", "“": "\"", "”": "\"", "‘": "'",
      "’": "'", "–": "-", "—": "-", "−": "-", "€": "E", "£": "L", "¥": "Y", "ß": "s", "«": "<", "»": ">", "›": ">",
      "‹": "<", "◌": "o", "\u{FFFD}": "?", "\u{A0}": " ", "⚠": "!", "★": "*", "☆": "*", "⋯": ".", "█": "#", "▓": "#",
      "▒": "#", "░": ".", "▏": "|", "▎": "|", "▍": "|", "▋": "#", "▊": "#", "▉": "#",
    ]
    for value in UInt32(0x2500)...0x257F {
      guard let scalar = Unicode.Scalar(value) else { continue }
      table[scalar] = "+"
    }
    for scalar: Unicode.Scalar in ["─", "━", "═", "╌", "┄"] { table[scalar] = "-" }
    for scalar: Unicode.Scalar in ["│", "┃", "║", "╎", "┆"] { table[scalar] = "|" }
    for value in UInt32(0x2400)...0x241F { table[Unicode.Scalar(value) ?? "?"] = "?" }
    for (index, scalar) in "▁▂▃▄▅▆▇".unicodeScalars.enumerated() { table[scalar] = Array("__..--=")[index] }
    return table
  }()
}
