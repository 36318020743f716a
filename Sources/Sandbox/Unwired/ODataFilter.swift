/// A `$filter` that cannot be read, or that asks for something unknown.
struct ODataSyntaxError: Error, Equatable {
  let message: String
}

/// A `$filter` expression of OData V2 or V4, ready to be tried against rows.
indirect enum ODataFilter: Sendable, Equatable {
  case literal(ODataValue)
  case property(Int)
  case unary(String, ODataFilter)
  case binary(String, ODataFilter, ODataFilter)
  case call(String, [ODataFilter])

  static func parse(_ text: String, for set: ODataSet) throws(ODataSyntaxError) -> ODataFilter {
    var parser = try ODataFilterParser(text, set)
    return try parser.whole()
  }

  func holds(_ row: ODataRow) -> Bool { value(row) == .bool(true) }

  private func value(_ row: ODataRow) -> ODataValue {
    switch self {
    case .literal(let value): return value
    case .property(let index): return row.values[index]
    case .unary("not", let inner): return .bool(inner.value(row) != .bool(true))
    case .unary(_, let inner):
      if case .int(let number) = inner.value(row) { return .int(0 &- number) }
      return .null
    case .binary("and", let left, let right): return .bool(left.holds(row) && right.holds(row))
    case .binary("or", let left, let right): return .bool(left.holds(row) || right.holds(row))
    case .binary(let operation, let left, let right):
      return Self.apply(operation, left.value(row), right.value(row))
    case .call(let name, let arguments): return Self.call(name, arguments.map { $0.value(row) })
    }
  }

  private static func apply(_ operation: String, _ left: ODataValue, _ right: ODataValue) -> ODataValue {
    switch operation {
    case "eq": return .bool(order(left, right) == 0)
    case "ne": return .bool(order(left, right) != 0)
    case "lt", "le", "gt", "ge":
      guard left != .null, right != .null, let order = order(left, right) else { return .bool(false) }
      switch operation {
      case "lt": return .bool(order < 0)
      case "le": return .bool(order <= 0)
      case "gt": return .bool(order > 0)
      default: return .bool(order >= 0)
      }
    default:
      guard case .int(let a) = left, case .int(let b) = right else { return .null }
      switch operation {
      case "add": return .int(a &+ b)
      case "sub": return .int(a &- b)
      case "mul": return .int(a &* b)
      case "div": return b == 0 ? .null : .int(a / b)
      default: return b == 0 ? .null : .int(a % b)
      }
    }
  }

  /// Below, equal or above zero; nil where the values cannot be compared.
  static func order(_ left: ODataValue, _ right: ODataValue) -> Int? {
    func sign<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : a == b ? 0 : 1 }
    return switch (left, right) {
    case (.null, .null): 0
    case (.int(let a), .int(let b)): sign(a, b)
    case (.int(let a), .decimal(let b)): sign(Double(a), b)
    case (.decimal(let a), .int(let b)): sign(a, Double(b))
    case (.decimal(let a), .decimal(let b)): sign(a, b)
    case (.string(let a), .string(let b)): sign(a, b)
    case (.date(let a), .date(let b)): sign(a, b)
    case (.bool(let a), .bool(let b)): sign(a ? 1 : 0, b ? 1 : 0)
    default: nil
    }
  }

  /// How many arguments each function takes.
  static let functions: [String: ClosedRange<Int>] = [
    "substringof": 2...2, "contains": 2...2, "startswith": 2...2, "endswith": 2...2, "indexof": 2...2, "concat": 2...2,
    "tolower": 1...1, "toupper": 1...1, "trim": 1...1, "length": 1...1, "substring": 2...3, "replace": 3...3,
    "year": 1...1, "month": 1...1, "day": 1...1,
  ]

  private static func call(_ name: String, _ values: [ODataValue]) -> ODataValue {
    if case .date(let time)? = values.first {
      switch name {
      case "year": return .int(time.parts.year)
      case "month": return .int(time.parts.month)
      case "day": return .int(time.parts.day)
      default: return .null
      }
    }
    let texts = values.map { if case .string(let text) = $0 { text } else { nil as String? } }
    guard let first = texts[0] else { return .null }
    switch name {
    case "tolower": return .string(first.lowercased())
    case "toupper": return .string(first.uppercased())
    case "trim": return .string(first.trimmedBlanks)
    case "length": return .int(first.count)
    case "substring":
      guard case .int(let start) = values[1] else { return .null }
      let rest = first.dropFirst(max(0, start))
      if values.count > 2, case .int(let count) = values[2] { return .string(String(rest.prefix(max(0, count)))) }
      return .string(String(rest))
    default: break
    }
    guard texts.count > 1, let second = texts[1] else { return .bool(false) }
    switch name {
    case "substringof": return .bool(first.isEmpty || second.contains(first))
    case "contains": return .bool(second.isEmpty || first.contains(second))
    case "startswith": return .bool(first.hasPrefix(second))
    case "endswith": return .bool(first.hasSuffix(second))
    case "concat": return .string(first + second)
    case "indexof":
      return .int(first.firstRange(of: second).map { first.distance(from: first.startIndex, to: $0.lowerBound) } ?? -1)
    default: return .string(first.replacing(second, with: (texts.count > 2 ? texts[2] : nil) ?? ""))
    }
  }
}

extension String {
  fileprivate var trimmedBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

private struct ODataFilterParser {
  private enum Token: Equatable {
    case word(String)
    case literal(ODataValue)
    case open, close, comma
  }

  private var tokens: ArraySlice<Token>
  private let set: ODataSet
  private var depth = 0

  init(_ text: String, _ set: ODataSet) throws(ODataSyntaxError) {
    self.set = set
    tokens = try Self.tokens(text)[...]
  }

  mutating func whole() throws(ODataSyntaxError) -> ODataFilter {
    let expression = try binary(0)
    guard tokens.isEmpty else { throw ODataSyntaxError(message: "Unexpected text after the expression") }
    return expression
  }

  /// Operators by precedence, weakest first.
  private static let levels: [[String]] = [
    ["or"], ["and"], ["eq", "ne"], ["lt", "le", "gt", "ge"], ["add", "sub"], ["mul", "div", "mod"],
  ]

  private mutating func binary(_ level: Int) throws(ODataSyntaxError) -> ODataFilter {
    guard level < Self.levels.count else { return try unary() }
    var left = try binary(level + 1)
    while case .word(let word)? = tokens.first, Self.levels[level].contains(word) {
      tokens.removeFirst()
      left = .binary(word, left, try binary(level + 1))
    }
    return left
  }

  private mutating func unary() throws(ODataSyntaxError) -> ODataFilter {
    depth += 1
    defer { depth -= 1 }
    guard depth < 100 else { throw ODataSyntaxError(message: "Expression nested too deeply") }
    guard let token = tokens.popFirst() else { throw ODataSyntaxError(message: "Expression ends too early") }
    switch token {
    case .literal(let value): return .literal(value)
    case .open:
      let inner = try binary(0)
      guard tokens.popFirst() == .close else { throw ODataSyntaxError(message: "Missing )") }
      return inner
    case .word("not"): return .unary("not", try unary())
    case .word("-"): return .unary("-", try unary())
    case .word(let word): return try named(word)
    case .close, .comma: throw ODataSyntaxError(message: "Unexpected punctuation")
    }
  }

  private mutating func named(_ word: String) throws(ODataSyntaxError) -> ODataFilter {
    guard tokens.first == .open else {
      guard let index = set.index(of: word) else {
        throw ODataSyntaxError(message: "Property \(word) not found in type \(set.type)")
      }
      return .property(index)
    }
    guard let counts = ODataFilter.functions[word] else { throw ODataSyntaxError(message: "Unknown function \(word)") }
    tokens.removeFirst()
    var arguments = [try binary(0)]
    while tokens.first == .comma {
      tokens.removeFirst()
      arguments.append(try binary(0))
    }
    guard tokens.popFirst() == .close else { throw ODataSyntaxError(message: "Missing )") }
    guard counts.contains(arguments.count) else { throw ODataSyntaxError(message: "Wrong arguments for \(word)") }
    return .call(word, arguments)
  }

  private static func tokens(_ text: String) throws(ODataSyntaxError) -> [Token] {
    var tokens: [Token] = []
    var rest = text[...]
    while let first = rest.first {
      switch first {
      case " ", "\t": rest = rest.dropFirst()
      case "(": (tokens, rest) = (tokens + [.open], rest.dropFirst())
      case ")": (tokens, rest) = (tokens + [.close], rest.dropFirst())
      case ",": (tokens, rest) = (tokens + [.comma], rest.dropFirst())
      case "'": tokens.append(.literal(.string(try quoted(&rest))))
      default:
        let word = rest.prefix { !" \t(),'".contains($0) }
        rest = rest.dropFirst(word.count)
        if rest.first == "'", ["datetime", "datetimeoffset", "date", "guid", "time"].contains(word) {
          tokens.append(.literal(try typed(try quoted(&rest))))
        } else {
          tokens.append(try plain(word))
        }
      }
    }
    return tokens
  }

  private static func quoted(_ rest: inout Substring) throws(ODataSyntaxError) -> String {
    rest = rest.dropFirst()
    var value = ""
    while let character = rest.popFirst() {
      guard character == "'" else {
        value.append(character)
        continue
      }
      guard rest.first == "'" else { return value }
      value.append("'")
      rest = rest.dropFirst()
    }
    throw ODataSyntaxError(message: "Unclosed string")
  }

  private static func typed(_ text: String) throws(ODataSyntaxError) -> ODataValue {
    guard let time = SandboxTime(iso: text) else { throw ODataSyntaxError(message: "Invalid literal '\(text)'") }
    return .date(time)
  }

  private static func plain(_ word: Substring) throws(ODataSyntaxError) -> Token {
    switch word {
    case "true": return .literal(.bool(true))
    case "false": return .literal(.bool(false))
    case "null": return .literal(.null)
    default: break
    }
    guard let first = word.first else { throw ODataSyntaxError(message: "Empty word") }
    guard first.isNumber || (first == "-" && word.count > 1) else { return .word(String(word)) }
    let number = word.last.map { "LlMmDdFf".contains($0) } ?? false ? word.dropLast() : word
    if let int = Int(number) { return .literal(.int(int)) }
    if let decimal = Double(number) { return .literal(.decimal(decimal)) }
    if let time = SandboxTime(iso: String(word)) { return .literal(.date(time)) }
    throw ODataSyntaxError(message: "Invalid literal \(word)")
  }
}
