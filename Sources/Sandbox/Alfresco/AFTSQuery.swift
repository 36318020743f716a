/// A parsed search query.
indirect enum AFTSQuery: Sendable, Equatable {
  case everything
  case term(AFTSTerm)
  case range(AFTSRange)
  case all([AFTSQuery])
  case any([AFTSQuery])
  case not(AFTSQuery)
  case boosted(AFTSQuery, Double)

  /// The terms that must or may occur, for highlighting.
  var positiveTerms: [AFTSTerm] {
    switch self {
    case .everything, .range, .not: []
    case .term(let term): [term]
    case .all(let parts), .any(let parts): parts.flatMap(\.positiveTerms)
    case .boosted(let query, _): query.positiveTerms
    }
  }
}

/// A word or phrase, looked for in one field.
struct AFTSTerm: Sendable, Equatable {
  /// nil means the default field.
  var field: String?
  /// Unescaped; an escaped wildcard is a marker of `SearchText`.
  let text: String
  let isPhrase: Bool
  /// `=`: the value itself instead of its words.
  var isExact = false
  /// `word~0.7`
  var isFuzzy = false
  /// Words that may stand between those of a phrase.
  var slop = 0
}

/// Values between two ends; an end of `MIN` or `MAX` is open.
struct AFTSRange: Sendable, Equatable {
  var field: String?
  let lower: String
  let upper: String
  let includesLower: Bool
  let includesUpper: Bool
}

/// The engine could not read the query.
struct AFTSSyntaxError: Error, Equatable {
  let message: String
}
