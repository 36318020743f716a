extension YAMLNode {
  /// What a value is by the core schema of YAML 1.2.
  package enum Kind: String, Sendable, CaseIterable {
    case null, bool, int, float, string, sequence, mapping

    /// With its article, for messages: "a list".
    package var noun: String {
      switch self {
      case .null: "empty"
      case .bool: "true or false"
      case .int: "a whole number"
      case .float: "a number"
      case .string: "text"
      case .sequence: "a list"
      case .mapping: "a mapping"
      }
    }
  }

  package var kind: Kind {
    switch content {
    case .scalar(_, .quoted): .string
    case .scalar(let text, .plain): CoreSchema.kind(of: text)
    case .sequence: .sequence
    case .mapping: .mapping
    }
  }

  package var isNull: Bool { kind == .null }

  /// The text of a scalar that is text: `no` and `"5"`, and not `5` or `true`.
  package var string: String? { kind == .string ? scalar?.text : nil }

  /// The text of any scalar but null, so that `port: 8080` and `port: "8080"` read the same.
  package var text: String? { kind == .null ? nil : scalar?.text }

  package var bool: Bool? {
    guard kind == .bool, let text = scalar?.text else { return nil }
    return text.first == "t" || text.first == "T"
  }

  /// A whole number in decimal, `0o17` or `0xff`; nil where it does not fit 64 bits.
  package var int: Int? {
    guard kind == .int, let text = scalar?.text else { return nil }
    if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) }
    if text.hasPrefix("0o") { return Int(text.dropFirst(2), radix: 8) }
    return Int(text)
  }

  /// Any number, with `.inf` and `.nan`.
  package var double: Double? {
    guard let text = scalar?.text else { return nil }
    switch kind {
    case .int: return int.map(Double.init) ?? Double(text)
    case .float: return CoreSchema.double(text)
    default: return nil
    }
  }
}

/// How plain scalars are read: YAML 1.2.2, section 10.3.2.
enum CoreSchema {
  static func kind(of text: String) -> YAMLNode.Kind {
    switch text {
    case "", "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE", "false", "False", "FALSE": .bool
    default: isInt(text) ? .int : isFloat(text) ? .float : .string
    }
  }

  static func double(_ text: String) -> Double? {
    let (isNegative, rest) = (text.hasPrefix("-"), unsigned(text))
    switch rest {
    case ".inf", ".Inf", ".INF": return isNegative ? -.infinity : .infinity
    case ".nan", ".NaN", ".NAN": return .nan
    default: break
    }
    // Swift reads "5." and ".5" only with a digit on both sides.
    let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return Double(text) }
    let fraction = parts[1].first.map(isDigit) == true ? String(parts[1]) : "0" + parts[1]
    return Double((isNegative ? "-" : "") + (parts[0].isEmpty ? "0" : String(parts[0])) + "." + fraction)
  }

  private static func isInt(_ text: String) -> Bool {
    if text.hasPrefix("0x") { return isRun(text.dropFirst(2)) { $0.isHexDigit && $0.isASCII } }
    if text.hasPrefix("0o") { return isRun(text.dropFirst(2)) { "0"..."7" ~= $0 } }
    return isRun(unsigned(text), of: isDigit)
  }

  private static func isFloat(_ text: String) -> Bool {
    if [".nan", ".NaN", ".NAN"].contains(text) { return true }
    let rest = unsigned(text)
    if [".inf", ".Inf", ".INF"].contains(rest) { return true }
    let parts = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    if parts.count == 2, !isRun(unsigned(parts[1]), of: isDigit) { return false }
    let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return mantissa.allSatisfy { $0.allSatisfy(isDigit) } && mantissa.contains { !$0.isEmpty }
  }

  private static func unsigned(_ text: some StringProtocol) -> Substring {
    text.first == "-" || text.first == "+" ? Substring(text.dropFirst()) : Substring(text)
  }

  private static func isDigit(_ character: Character) -> Bool { "0"..."9" ~= character && character.isASCII }

  private static func isRun(_ text: Substring, of holds: (Character) -> Bool) -> Bool {
    !text.isEmpty && text.allSatisfy(holds)
  }
}
