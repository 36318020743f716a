/// Cuts text into the words that the index compares: lower case, without accents, one token per ideograph.
enum SearchText {
  /// Stands for a `*` or `?` that was escaped; never part of a word.
  static let literalStar: Unicode.Scalar = "\u{F8F0}"
  static let literalMark: Unicode.Scalar = "\u{F8F1}"

  struct Token: Equatable {
    let word: String
    /// Where the token stands, in scalars of the text.
    let range: Range<Int>
  }

  /// The words of a document, with their places.
  static func tokens(_ text: String, keepingWildcards: Bool = false) -> [Token] {
    var result: [Token] = []
    var word = ""
    var start = 0
    var position = 0
    func finish() {
      if !word.isEmpty { result.append(Token(word: word, range: start..<position)) }
      word = ""
    }
    for scalar in text.unicodeScalars {
      if isIdeograph(scalar) {
        finish()
        result.append(Token(word: String(scalar), range: position..<position + 1))
      } else if scalar.properties.generalCategory == .nonspacingMark {
        // An accent written by itself belongs to the letter before it and is not compared.
      } else if isWordPart(scalar) || (keepingWildcards && (scalar == "*" || scalar == "?")) {
        if word.isEmpty { start = position }
        word += folded(scalar)
      } else {
        finish()
      }
      position += 1
    }
    finish()
    return result
  }

  static func words(_ text: String) -> [String] { tokens(text).map(\.word) }

  /// The words of a query; a wildcard stays part of its word, one that stands alone beside others is dropped.
  static func pattern(_ text: String) -> [String] {
    let words = tokens(text, keepingWildcards: true).map(\.word)
    let meaningful = words.filter { word in word.contains { $0 != "*" && $0 != "?" } }
    return meaningful.isEmpty && words.contains("*") ? ["*"] : meaningful
  }

  static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x2FFFF: true
    default: false
    }
  }

  private static func folded(_ scalar: Unicode.Scalar) -> String {
    let lower = scalar.properties.lowercaseMapping
    guard scalar.value > 127, let first = lower.unicodeScalars.first else { return lower }
    return foldings[first] ?? lower
  }

  private static let foldings: [Unicode.Scalar: String] = {
    let rows = [
      ("a", "àáâãäåāăą"), ("c", "çćĉċč"), ("d", "ďđð"), ("e", "èéêëēĕėęě"), ("g", "ĝğġģ"), ("i", "ìíîïĩīĭį"),
      ("l", "ĺļľŀł"), ("n", "ñńņň"), ("o", "òóôõöøōŏő"), ("r", "ŕŗř"), ("s", "śŝşš"), ("t", "ţťŧ"),
      ("u", "ùúûüũūŭůűų"), ("y", "ýÿŷ"), ("z", "źżž"), ("ss", "ß"), ("ae", "æ"), ("oe", "œ"), ("α", "ά"), ("ε", "έ"),
      ("η", "ή"), ("ι", "ίϊΐ"), ("ο", "ό"), ("υ", "ύϋΰ"), ("ω", "ώ"), ("σ", "ς"),
    ]
    var table: [Unicode.Scalar: String] = [:]
    for (plain, accented) in rows { for scalar in accented.unicodeScalars { table[scalar] = plain } }
    return table
  }()
}
