import Model

/// Says whether rows meet the terms of a filter.
struct FilterMatching {
  let columns: [Column]
  let world: World
  /// Whether a word may also stand there nearly: one letter in four wrong, missing or too many.
  var isNear = false

  func matches(_ row: Row, _ query: FilterQuery) -> Bool {
    query.terms.allSatisfy { term in
      let holds =
        term.column.map { isMet(term.test, row, $0) } ?? columns.indices.contains { isMet(term.test, row, $0) }
      return holds != term.isNegated
    }
  }

  private func isMet(_ test: FilterTerm.Test, _ row: Row, _ column: Int) -> Bool {
    guard column < row.values.count else { return false }
    let value = row.values[column]
    switch test {
    case .contains(let word): return contains(value, column, word)
    case .equals(let text):
      return value.exactText.lowercased() == text
        || CellForm(value, in: columns[column], world).text.lowercased() == text
    case .within(let bounds): return bounds.number(of: value, world.zone).map(bounds.contains) ?? false
    }
  }

  private func contains(_ value: Value, _ column: Int, _ word: String) -> Bool {
    switch value {
    case .null: return false
    case .text(let text), .date(let text), .decimal(let text):
      return TextSearch.contains(text, word) || (isNear && TextSearch.nearlyContains(text, word))
    default:
      return TextSearch.contains(value.exactText, word)
        || TextSearch.contains(CellForm(value, in: columns[column], world).text, word)
    }
  }
}

extension TextSearch {
  /// Longest text that is searched for what is nearly there.
  private static let longest = 300

  /// Whether some part of the text differs from the needle in at most one letter of four (Sellers' algorithm).
  static func nearlyContains(_ text: String, _ needle: String) -> Bool {
    let wanted = Array(needle.unicodeScalars)
    let allowed = wanted.count / 4
    guard allowed > 0 else { return false }
    // Distance of each beginning of the needle to the best part of the text that ends here.
    var distances = Array(0...wanted.count)
    for scalar in text.lowercased().unicodeScalars.prefix(longest) {
      var diagonal = distances[0]
      for index in wanted.indices {
        let above = distances[index + 1]
        distances[index + 1] = min(
          diagonal + (wanted[index] == scalar ? 0 : 1), above + 1, distances[index] + 1)
        diagonal = above
      }
      if distances[wanted.count] <= allowed { return true }
    }
    return false
  }
}
