/// Words as somebody types them, made into a query that cannot fail, whatever characters they hold.
///
/// Inside double quotes only `*`, `?`, `"` and `\` mean something to the query parser, so every piece is quoted: that
/// takes the meaning from `and or not to`, `-x`, `=x`, `a:b` and all other operators.
struct TypedWords: Sendable, Hashable {
  struct Piece: Sendable, Hashable {
    /// Without the quotes it was typed in.
    let text: String
    /// Typed in quotes: looked for as it stands, not as a beginning.
    let isPhrase: Bool
  }

  let pieces: [Piece]

  init(_ text: String) {
    var pieces: [Piece] = []
    var current = ""
    var quoted = false
    func close(_ isPhrase: Bool) {
      if TypedWords.isSearchable(current) { pieces.append(Piece(text: current, isPhrase: isPhrase)) }
      current = ""
    }
    for character in text {
      if character == "\"" {
        close(quoted)
        quoted.toggle()
      } else if character.isWhitespace, !quoted {
        close(false)
      } else {
        current.append(character.isWhitespace ? " " : character)
      }
    }
    // A quote that was never closed is a phrase that goes to the end.
    close(quoted)
    self.pieces = pieces
  }

  /// Nothing to look for: no letter or digit was typed.
  var isEmpty: Bool { pieces.isEmpty }

  /// The query in AFTS.
  ///
  /// - Parameter plain: Leaves words that are operators without a wildcard: some engines fail on `"not*"`.
  func afts(plain: Bool = false) -> String {
    let parts = pieces.map { piece in
      let star = piece.isPhrase || piece.text.hasSuffix("*") || (plain && Self.isReserved(piece.text)) ? "" : "*"
      return "\"\(Self.escaped(piece.text))\(star)\""
    }
    return "keywords:(\(parts.joined(separator: " AND ")))"
  }

  /// Whether some piece is an operator word, so that `afts(plain: true)` says something else.
  var holdsReservedWord: Bool { pieces.contains { !$0.isPhrase && Self.isReserved($0.text) } }

  /// For the inside of double quotes; control characters, which no index holds, become blanks.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": result += "\\" + String(Character(scalar))
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isReserved(_ word: String) -> Bool { ["and", "or", "not", "to"].contains(word.lowercased()) }

  private static func isSearchable(_ text: String) -> Bool { text.contains { $0.isLetter || $0.isNumber } }
}
