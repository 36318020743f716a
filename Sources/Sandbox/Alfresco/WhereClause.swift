/// The `where` parameter of a list: predicates joined by AND or by OR, in one pair of parentheses (reference 4.7).
struct WhereClause: Sendable, Equatable {
  enum Comparison: String, Sendable {
    case equal = "=", notEqual = "!=", less = "<", lessOrEqual = "<=", more = ">", moreOrEqual = ">="
    case inside = "IN", between = "BETWEEN", matches = "MATCHES", exists = "EXISTS"
  }
  struct Predicate: Sendable, Equatable {
    let name: String
    let comparison: Comparison
    let values: [String]
    let isNegated: Bool
  }

  var predicates: [Predicate] = []
  var isAlternative = false

  init() {}

  init(_ text: String?) throws(AlfrescoFault) {
    guard let text else { return }
    var reader = WhereReader(text)
    self = try reader.clause()
  }

  /// The only value compared with `name` by `=`.
  func equal(_ name: String) -> String? {
    predicates.first { $0.name == name && $0.comparison == .equal }?.values.first
  }

  func flag(_ name: String) -> Bool? { equal(name).map { $0.lowercased() == "true" } }

  /// Throws where a predicate asks for something that the resource does not know.
  func allow(_ names: Set<String>) throws(AlfrescoFault) {
    for predicate in predicates where !names.contains(predicate.name) {
      throw .invalidQuery("Unexpected property: \(predicate.name)")
    }
  }
}

private struct WhereReader {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func clause() throws(AlfrescoFault) -> WhereClause {
    var clause = WhereClause()
    try expect("(")
    clause.predicates.append(try predicate())
    var joint: String?
    while !peek(")") {
      let word = try word().uppercased()
      guard word == "AND" || word == "OR", joint == nil || joint == word else {
        throw .invalidQuery("Unexpected \(word)")
      }
      joint = word
      clause.predicates.append(try predicate())
    }
    try expect(")")
    skipBlanks()
    guard position == scalars.count else { throw .invalidQuery("Text after the closing parenthesis") }
    clause.isAlternative = joint == "OR"
    return clause
  }

  private mutating func predicate() throws(AlfrescoFault) -> WhereClause.Predicate {
    var name = try word()
    var isNegated = false
    if name.uppercased() == "NOT" {
      isNegated = true
      name = try word()
    }
    if name.uppercased() == "EXISTS" {
      try expect("(")
      let path = try word()
      try expect(")")
      return .init(name: path, comparison: .exists, values: [], isNegated: isNegated)
    }
    let comparison = try comparison()
    var values: [String] = []
    switch comparison {
    case .inside, .between, .matches:
      try expect("(")
      repeat { values.append(try value()) } while take(",")
      try expect(")")
    default: values = [try value()]
    }
    guard comparison != .between || values.count == 2 else { throw .invalidQuery("BETWEEN needs two values") }
    return .init(name: name, comparison: comparison, values: values, isNegated: isNegated)
  }

  private mutating func comparison() throws(AlfrescoFault) -> WhereClause.Comparison {
    skipBlanks()
    for operation in ["<=", ">=", "!=", "=", "<", ">"] where take(operation) {
      guard let comparison = WhereClause.Comparison(rawValue: operation) else { break }
      return comparison
    }
    let word = try word()
    guard let comparison = WhereClause.Comparison(rawValue: word.uppercased()) else {
      throw .invalidQuery("Unexpected \(word)")
    }
    return comparison
  }

  private mutating func value() throws(AlfrescoFault) -> String {
    skipBlanks()
    guard position < scalars.count, scalars[position] == "'" else { return try word() }
    position += 1
    var text = String.UnicodeScalarView()
    while position < scalars.count, scalars[position] != "'" {
      if scalars[position] == "\\", position + 1 < scalars.count { position += 1 }
      text.append(scalars[position])
      position += 1
    }
    guard position < scalars.count else { throw .invalidQuery("Unclosed string") }
    position += 1
    return String(text)
  }

  private mutating func word() throws(AlfrescoFault) -> String {
    skipBlanks()
    var text = String.UnicodeScalarView()
    while position < scalars.count, !" ()=<>!,'".unicodeScalars.contains(scalars[position]) {
      text.append(scalars[position])
      position += 1
    }
    guard !text.isEmpty else { throw .invalidQuery("Unexpected end or character at \(position)") }
    return String(text)
  }

  private mutating func skipBlanks() {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
  }

  private mutating func peek(_ text: String) -> Bool {
    skipBlanks()
    return scalars[position...].starts(with: text.unicodeScalars)
  }

  private mutating func take(_ text: String) -> Bool {
    guard peek(text) else { return false }
    position += text.unicodeScalars.count
    return true
  }

  private mutating func expect(_ text: String) throws(AlfrescoFault) {
    guard take(text) else { throw .invalidQuery("\(text) expected at \(position)") }
  }
}
