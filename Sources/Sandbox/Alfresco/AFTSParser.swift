/// Reads the query language of the server, as far as reference 4.3 lists it.
///
/// Words side by side are joined by the default operator and bind as it does; NOT binds before AND, AND before OR.
struct AFTSParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private let isAndDefault: Bool
  private var depth = 0

  static func parse(_ text: String, isAndDefault: Bool = false) throws(AFTSSyntaxError) -> AFTSQuery {
    var parser = AFTSParser(text, isAndDefault: isAndDefault)
    let query = try parser.disjunction(field: nil)
    parser.skipBlanks()
    guard parser.isAtEnd else { throw parser.unexpected() }
    return query
  }

  private init(_ text: String, isAndDefault: Bool) {
    scalars = Array(text.unicodeScalars)
    self.isAndDefault = isAndDefault
  }

  // MARK: Operators

  private mutating func disjunction(field: String?) throws(AFTSSyntaxError) -> AFTSQuery {
    depth += 1
    defer { depth -= 1 }
    guard depth < 200 else { throw AFTSSyntaxError(message: "query nested too deeply") }
    var parts = [try conjunction(field: field)]
    while true {
      if takeOperator("OR", "||") {
        parts.append(try conjunction(field: field))
      } else if !isAndDefault, startsOperand() {
        parts.append(try conjunction(field: field))
      } else {
        return parts.count == 1 ? parts[0] : combined(parts)
      }
    }
  }

  /// Parts joined by OR; what is marked with `+` or `-` decides for all.
  private func combined(_ parts: [AFTSQuery]) -> AFTSQuery {
    let negative = parts.filter { if case .not = $0 { true } else { false } }
    let positive = parts.filter { if case .not = $0 { false } else { true } }
    guard !isAndDefault, !negative.isEmpty, !positive.isEmpty else { return .any(parts) }
    return .all([positive.count == 1 ? positive[0] : .any(positive)] + negative)
  }

  private mutating func conjunction(field: String?) throws(AFTSSyntaxError) -> AFTSQuery {
    var parts = [try unary(field: field)]
    while true {
      if takeOperator("AND", "&&") {
        parts.append(try unary(field: field))
      } else if isAndDefault, startsOperand(), !peekOperator("OR", "||") {
        parts.append(try unary(field: field))
      } else {
        return parts.count == 1 ? parts[0] : .all(parts)
      }
    }
  }

  private mutating func unary(field: String?) throws(AFTSSyntaxError) -> AFTSQuery {
    skipBlanks()
    if takeOperator("NOT", "!") || take("-") { return .not(try unary(field: field)) }
    if take("+") || take("|") { return try unary(field: field) }
    return try boost(primary(field: field))
  }

  private mutating func boost(_ query: AFTSQuery) throws(AFTSSyntaxError) -> AFTSQuery {
    guard take("^") else { return query }
    guard let factor = Double(number()) else { throw AFTSSyntaxError(message: "number expected after ^") }
    return .boosted(query, factor)
  }

  // MARK: Operands

  private mutating func primary(field: String?) throws(AFTSSyntaxError) -> AFTSQuery {
    skipBlanks()
    if take("(") {
      let inner = try disjunction(field: field)
      skipBlanks()
      guard take(")") else { throw unexpected() }
      return inner
    }
    let isExact = take("=")
    if !isExact { _ = take("~") }
    if let name = try fieldName() { return try value(of: name, isExact: isExact) }
    return try operand(field: field, isExact: isExact)
  }

  /// What follows a field's colon: a group, a range, a phrase or a word.
  private mutating func value(of field: String, isExact: Bool) throws(AFTSSyntaxError) -> AFTSQuery {
    skipBlanks()
    if take("(") {
      let inner = try disjunction(field: field)
      skipBlanks()
      guard take(")") else { throw unexpected() }
      return inner
    }
    let isExact = take("=") || isExact
    return try operand(field: field, isExact: isExact)
  }

  private mutating func operand(field: String?, isExact: Bool) throws(AFTSSyntaxError) -> AFTSQuery {
    guard !isAtEnd, !peekWord("AND"), !peekWord("OR"), !peekWord("NOT") else { throw unexpected() }
    switch scalars[position] {
    case "[", "<": return try range(field: field)
    case "\"", "'": return try phrase(field: field, isExact: isExact)
    default: break
    }
    let text = try word(allowingColon: field.map(AFTSFields.takesColons) ?? false)
    if text.unicodeScalars.elementsEqual("*".unicodeScalars), field == nil, !isExact { return .everything }
    if let split = text.firstRange(of: ".."), split.lowerBound > text.startIndex, split.upperBound < text.endIndex {
      return .range(
        AFTSRange(
          field: field, lower: String(text[..<split.lowerBound]), upper: String(text[split.upperBound...]),
          includesLower: true, includesUpper: true))
    }
    var term = AFTSTerm(field: field, text: text, isPhrase: false, isExact: isExact)
    if take("~") {
      _ = number()
      term.isFuzzy = true
    }
    return .term(term)
  }

  private mutating func phrase(field: String?, isExact: Bool) throws(AFTSSyntaxError) -> AFTSQuery {
    let text = try quoted()
    var term = AFTSTerm(field: field, text: Self.markEscapedWildcards(text), isPhrase: true, isExact: isExact)
    if take("~") { term.slop = Int(number()) ?? 0 }
    return .term(term)
  }

  /// A phrase is unescaped once before wildcards are looked for, so a literal star needs two backslashes.
  private static func markEscapedWildcards(_ text: String) -> String {
    text.replacing("\\*", with: String(SearchText.literalStar)).replacing("\\?", with: String(SearchText.literalMark))
  }

  private mutating func range(field: String?) throws(AFTSSyntaxError) -> AFTSQuery {
    let includesLower = scalars[position] == "["
    position += 1
    let lower = try bound()
    skipBlanks()
    guard takeWord("TO") else { throw unexpected() }
    let upper = try bound()
    skipBlanks()
    guard !isAtEnd, scalars[position] == "]" || scalars[position] == ">" else { throw unexpected() }
    let includesUpper = scalars[position] == "]"
    position += 1
    return .range(
      AFTSRange(
        field: field, lower: lower, upper: upper, includesLower: includesLower, includesUpper: includesUpper))
  }

  private mutating func bound() throws(AFTSSyntaxError) -> String {
    skipBlanks()
    guard !isAtEnd else { throw unexpected() }
    if scalars[position] == "\"" || scalars[position] == "'" { return try quoted() }
    let start = position
    while !isAtEnd, !scalars[position].properties.isWhitespace, !"]>".unicodeScalars.contains(scalars[position]) {
      position += 1
    }
    guard position > start else { throw unexpected() }
    return String(String.UnicodeScalarView(scalars[start..<position]))
  }

  // MARK: Words

  /// A field and its colon: `name:`, `cm:name:`, `@cm:name:`, `{uri}name:`, `%(cm:name cm:title):`. Nothing moves where none stands.
  private mutating func fieldName() throws(AFTSSyntaxError) -> String? {
    let start = position
    if take("%") {
      guard take("(") else { throw unexpected() }
      var list = String.UnicodeScalarView()
      while !isAtEnd, scalars[position] != ")" {
        list.append(scalars[position])
        position += 1
      }
      guard take(")"), take(":") else { throw unexpected() }
      return "%(\(String(list)))"
    }
    _ = take("@")
    var prefix = ""
    if take("{") {
      while !isAtEnd, scalars[position] != "}" { position += 1 }
      guard take("}") else { throw unexpected() }
      prefix = "cm:"
    }
    guard let first = identifier(), take(":") else {
      position = start
      return nil
    }
    if !prefix.isEmpty || AFTSFields.isSpecial(first) { return prefix + first }
    let middle = position
    if let second = identifier(), take(":") { return "\(first):\(second)" }
    position = middle
    return first
  }

  private mutating func identifier() -> String? {
    var text = String.UnicodeScalarView()
    while !isAtEnd {
      let scalar = scalars[position]
      if scalar == "\\", position + 1 < scalars.count {
        position += 1
        text.append(scalars[position])
      } else if scalar.properties.isAlphabetic || "0123456789_.-".unicodeScalars.contains(scalar) {
        text.append(scalar)
      } else {
        break
      }
      position += 1
    }
    return text.isEmpty ? nil : String(text)
  }

  private mutating func word(allowingColon: Bool) throws(AFTSSyntaxError) -> String {
    var text = String.UnicodeScalarView()
    while !isAtEnd {
      let scalar = scalars[position]
      if scalar == "\\" {
        text.append(try escaped())
        continue
      }
      guard Self.isInWord(scalar) || (allowingColon && (scalar == ":" || scalar == "/")) else { break }
      text.append(scalar)
      position += 1
    }
    guard !text.isEmpty else { throw unexpected() }
    return String(text)
  }

  private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    SearchText.isWordPart(scalar) || scalar.properties.generalCategory == .nonspacingMark
      || "*?.,-_$#@".unicodeScalars.contains(scalar)
  }

  /// The character behind a backslash; `\u00e9` is one by its number, an escaped wildcard becomes its marker.
  private mutating func escaped() throws(AFTSSyntaxError) -> Unicode.Scalar {
    position += 1
    guard !isAtEnd else { throw unexpected() }
    let scalar = scalars[position]
    position += 1
    if scalar == "u", position + 4 <= scalars.count {
      let digits = String(String.UnicodeScalarView(scalars[position..<position + 4]))
      if let value = UInt32(digits, radix: 16), let named = Unicode.Scalar(value) {
        position += 4
        return named
      }
    }
    if scalar == "*" { return SearchText.literalStar }
    return scalar == "?" ? SearchText.literalMark : scalar
  }

  private mutating func quoted() throws(AFTSSyntaxError) -> String {
    let quote = scalars[position]
    position += 1
    var text = String.UnicodeScalarView()
    while !isAtEnd, scalars[position] != quote {
      if scalars[position] == "\\", position + 1 < scalars.count { position += 1 }
      text.append(scalars[position])
      position += 1
    }
    guard !isAtEnd else { throw AFTSSyntaxError(message: "missing closing \(quote)") }
    position += 1
    return String(text)
  }

  private mutating func number() -> String {
    var text = ""
    while !isAtEnd, "0123456789.".unicodeScalars.contains(scalars[position]) {
      text.unicodeScalars.append(scalars[position])
      position += 1
    }
    return text
  }

  // MARK: Looking ahead

  private var isAtEnd: Bool { position >= scalars.count }

  private mutating func skipBlanks() {
    while !isAtEnd, scalars[position].properties.isWhitespace { position += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard !isAtEnd, scalars[position] == scalar else { return false }
    position += 1
    return true
  }

  /// A word in any case that is not the beginning of a longer one.
  private func peekWord(_ word: String) -> Bool {
    let end = position + word.unicodeScalars.count
    guard end <= scalars.count else { return false }
    let text = String(String.UnicodeScalarView(scalars[position..<end]))
    return text.uppercased() == word && (end == scalars.count || !Self.isInWord(scalars[end]) && scalars[end] != ":")
  }

  private mutating func takeWord(_ word: String) -> Bool {
    guard peekWord(word) else { return false }
    position += word.unicodeScalars.count
    return true
  }

  private mutating func peekOperator(_ word: String, _ symbol: String) -> Bool {
    skipBlanks()
    return peekWord(word) || scalars[position...].starts(with: symbol.unicodeScalars)
  }

  private mutating func takeOperator(_ word: String, _ symbol: String) -> Bool {
    skipBlanks()
    if takeWord(word) { return true }
    guard scalars[position...].starts(with: symbol.unicodeScalars) else { return false }
    position += symbol.unicodeScalars.count
    return true
  }

  private mutating func startsOperand() -> Bool {
    skipBlanks()
    guard !isAtEnd else { return false }
    return scalars[position] != ")" && !peekOperator("OR", "||") && !peekOperator("AND", "&&")
  }

  private func unexpected() -> AFTSSyntaxError {
    guard !isAtEnd else { return AFTSSyntaxError(message: "no viable alternative at end of input") }
    return AFTSSyntaxError(message: "no viable alternative at character '\(scalars[position])', position \(position)")
  }
}
