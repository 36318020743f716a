/// How many terminal columns text takes. Terminals disagree on the rare cases; `Visible` replaces those by one stand-in
/// before they reach a cell, so that what is measured here is what is drawn.
package enum TextWidth {
  /// Columns of one grapheme: 0, 1 or 2.
  package static func columns(of character: Character) -> Int {
    if character.isASCII { return character.asciiValue.map { $0 >= 0x20 && $0 != 0x7F ? 1 : 0 } ?? 1 }
    var scalars = character.unicodeScalars.makeIterator()
    guard let first = scalars.next() else { return 0 }
    if isWide(first) { return 2 }
    while let next = scalars.next() {
      // Flags are two regional indicators; a variation selector 16 asks for the picture form.
      if next.value == 0xFE0F || (0x1F1E6...0x1F1FF).contains(next.value) { return 2 }
    }
    return isZero(first) ? 0 : 1
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

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool { WideRanges.contains(scalar) }

  private static func isZero(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
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
