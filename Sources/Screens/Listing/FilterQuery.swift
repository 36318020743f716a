import Model

/// What is typed at a list's filter, read: words, `column:text`, `>100`, `amount<=12.50`, `10..20`,
/// `2026-01..2026-03`, `-word` for what must not be there, and double quotes around what has spaces or signs in it.
struct FilterQuery: Equatable, Sendable {
  let text: String
  private(set) var terms: [FilterTerm] = []
  /// What cannot be understood, and why; such parts are left out.
  private(set) var problems: [String] = []

  var isEmpty: Bool { terms.isEmpty }

  /// Words that are lit where they stand.
  var words: [String] {
    terms.compactMap { term in
      guard !term.isNegated else { return nil }
      switch term.test {
      case .contains(let text), .equals(let text): return text
      case .within: return nil
      }
    }
  }

  /// Whether everything this finds was found by the other, too.
  func narrows(_ wider: FilterQuery) -> Bool {
    terms.count >= wider.terms.count && zip(terms, wider.terms).allSatisfy { $0.continues($1) }
  }

  init(_ text: String, columns: [Column], _ world: World) {
    self.text = text
    let local = world.now.adding(seconds: Int64(world.zone.offset(world.now)) * 60)
    let today = Timestamp(milliseconds: Timestamp(rfc3339: local.dateText)?.milliseconds ?? 0)
    var parser = Parser(columns: columns, today: today)
    for token in FilterQuery.tokens(text) {
      if let term = parser.term(token) { terms.append(term) }
    }
    problems = parser.problems
  }

  /// A part of the text between spaces; what stood in quotes is no sign of anything.
  struct Token {
    var characters: [(character: Character, isQuoted: Bool)] = []
    var isQuoted: Bool { characters.first?.isQuoted == true }
    var text: String { String(characters.map(\.character)) }

    /// Where one of the signs stands outside quotes.
    func first(of signs: Set<Character>) -> Int? {
      characters.firstIndex { !$0.isQuoted && signs.contains($0.character) }
    }

    func text(_ range: Range<Int>) -> String { String(characters[range].map(\.character)) }
  }

  private static func tokens(_ text: String) -> [Token] {
    var tokens: [Token] = []
    var token = Token()
    var isQuoted = false
    for character in text {
      if character == "\"" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        if !token.characters.isEmpty { tokens.append(token) }
        token = Token()
      } else {
        token.characters.append((character, isQuoted))
      }
    }
    return token.characters.isEmpty ? tokens : tokens + [token]
  }
}

/// Reads one part of a filter after the other.
private struct Parser {
  let columns: [Column]
  let today: Timestamp
  var problems: [String] = []

  init(columns: [Column], today: Timestamp) {
    self.columns = columns
    self.today = today
  }

  /// Nil for what is not whole yet or cannot be understood.
  mutating func term(_ token: FilterQuery.Token) -> FilterTerm? {
    if token.isQuoted { return word(token.text) }
    let text = token.text
    guard let first = text.first else { return nil }
    // -12 is a number; -rail is what must not be there.
    let isNegation = first == "!" || (first == "-" && text.dropFirst().first?.isNumber != true)
    guard isNegation else { return plainTerm(token) }
    var rest = token
    rest.characters.removeFirst()
    guard !rest.characters.isEmpty, var term = rest.isQuoted ? word(rest.text) : plainTerm(rest) else { return nil }
    term.isNegated.toggle()
    return term
  }

  private mutating func plainTerm(_ token: FilterQuery.Token) -> FilterTerm? {
    let text = token.text
    guard let sign = token.first(of: [":", "<", ">", "=", "!"]) else {
      return range(text, column: nil) ?? word(text)
    }
    let name = token.text(0..<sign)
    let character = token.characters[sign].character
    // A clock's 12:30, an address, an exclamation: signs that mean nothing.
    if character == ":", name.isEmpty || name.allSatisfy(\.isNumber) || text.contains("://") { return word(text) }
    if character == "!", token.text(sign..<min(sign + 2, text.count)) != "!=" { return word(text) }
    var column: Int?
    if !name.isEmpty {
      guard let found = index(of: name) else {
        let near = Fuzzy.nearest(name.lowercased(), in: columns.map(\.id)).map { "; did you mean “\($0)”?" }
        problems.append("there is no column “\(name)”" + (near ?? ": c shows them; quotes make it a word"))
        return nil
      }
      column = found
    }
    let start = character == ":" ? sign + 1 : sign
    return condition(token.text(start..<token.characters.count), column: column, isWhole: text)
  }

  /// `text`, `>100`, `=x` or a range, on a column or on the leading one of a fitting kind.
  private mutating func condition(_ text: String, column: Int?, isWhole whole: String) -> FilterTerm? {
    let signs = ["!=", "<=", ">=", "<", ">", "="]
    guard let sign = signs.first(where: { text.hasPrefix($0) }) else {
      if text.isEmpty { return nil }
      // `completed:2026-01` is that month by the person's own clock, not a piece of text.
      if let column, Parser.moments.contains(columns[column].kind), let operand = operand(text, column),
        operand.kind == .moment
      {
        return FilterTerm(column: column, test: .within(bounds("=", operand)))
      }
      return range(text, column: column) ?? FilterTerm(column: column, test: .contains(text.lowercased()))
    }
    let right = String(text.dropFirst(sign.count))
    if right.isEmpty { return nil }
    let isEquality = sign == "=" || sign == "!="
    guard let operand = operand(right, column), let target = target(operand, column) else {
      guard isEquality else {
        problems.append("“\(whole)”: compare with a number, a size or a date" + kindNote(column))
        return nil
      }
      return FilterTerm(column: column, isNegated: sign == "!=", test: .equals(right.lowercased()))
    }
    return FilterTerm(column: target, isNegated: sign == "!=", test: .within(bounds(sign, operand)))
  }

  private func bounds(_ sign: String, _ operand: FilterOperand) -> FilterBounds {
    var bounds = FilterBounds(kind: operand.kind)
    let isMoment = operand.kind == .moment
    switch sign {
    case ">":
      bounds.least = operand.end
      bounds.takesLeast = isMoment
    case ">=": bounds.least = operand.start
    case "<":
      bounds.greatest = operand.start
      bounds.takesGreatest = false
    case "<=":
      bounds.greatest = operand.end
      bounds.takesGreatest = !isMoment
    default:
      bounds.least = operand.start
      bounds.greatest = operand.end
      bounds.takesGreatest = !isMoment
    }
    return bounds
  }

  /// `10..20`, `..10`, `2026-01..`; nil when it is no range.
  private func range(_ text: String, column: Int?) -> FilterTerm? {
    guard let dots = text.firstRange(of: "..") else { return nil }
    let (left, right) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
    let from = operand(left, column)
    let to = operand(right, column)
    guard from != nil || left.isEmpty, to != nil || right.isEmpty, let one = from ?? to,
      from == nil || to == nil || from?.kind == to?.kind, let target = target(one, column)
    else { return nil }
    var bounds = FilterBounds(kind: one.kind)
    bounds.least = from?.start
    bounds.greatest = to?.end
    bounds.takesGreatest = one.kind == .number
    return FilterTerm(column: target, test: .within(bounds))
  }

  private func word(_ text: String) -> FilterTerm { FilterTerm(test: .contains(text.lowercased())) }

  private static let numbers: Set<Column.Kind> = [.amount, .size, .integer, .decimal]
  private static let moments: Set<Column.Kind> = [.time, .date]

  private func operand(_ text: String, _ column: Int?) -> FilterOperand? {
    guard !text.isEmpty else { return nil }
    let kinds = column.map { [columns[$0].kind] } ?? columns.map(\.kind)
    let prefersMoment = !kinds.contains { Parser.numbers.contains($0) }
    return FilterOperand(text, prefersMoment: prefersMoment, today: today)
  }

  /// The column a comparison is about: the one named where its kind fits, else the leading one of that kind.
  private func target(_ operand: FilterOperand, _ column: Int?) -> Int? {
    let kinds = operand.kind == .number ? Parser.numbers : Parser.moments
    if let column { return kinds.contains(columns[column].kind) ? column : nil }
    if operand.kind == .number, let amount = LeadingColumn.index(of: [.amount, .size], in: columns) { return amount }
    return LeadingColumn.index(of: kinds, in: columns)
  }

  private func kindNote(_ column: Int?) -> String {
    guard let column, !Parser.numbers.union(Parser.moments).contains(columns[column].kind) else { return "" }
    return "; “\(columns[column].id)” holds text"
  }

  /// By id or title, or by as much of either as names one column alone.
  private func index(of name: String) -> Int? {
    let name = name.lowercased()
    if let index = columns.firstIndex(where: { $0.id.lowercased() == name || $0.title.lowercased() == name }) {
      return index
    }
    let found = columns.indices.filter {
      columns[$0].id.lowercased().hasPrefix(name) || columns[$0].title.lowercased().hasPrefix(name)
    }
    return found.count == 1 ? found[0] : nil
  }
}
