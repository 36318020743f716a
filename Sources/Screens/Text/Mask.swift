import Model

/// What privacy mode draws in place of names, numbers and amounts: the same width, the same shape, no content.
package enum Mask {
  /// Letters and digits become `▒`; spaces, points and signs stay, so that columns keep their line.
  package static func masked(_ text: String) -> String {
    var result = ""
    for character in Visible.line(text) {
      if character.isLetter || character.isNumber {
        result += String(repeating: "▒", count: max(1, TextWidth.columns(of: character)))
      } else {
        result.append(character)
      }
    }
    return result
  }
}
