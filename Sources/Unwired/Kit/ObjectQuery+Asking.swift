import JSON
import Model

// The same query for the server, and for the rows that are kept.
extension ObjectQuery {
  /// As a `$filter`; nil without a condition.
  ///
  /// - Throws: `.usage` for a pattern that OData cannot say.
  func filter(
    _ type: ODataMetadata.EntityType?, _ version: ODataVersion
  ) throws(ServiceError) -> String? {
    guard let test else { return nil }
    return try FilterWriter(type: type, version: version).text(test)
  }

  var orderBy: String? {
    guard !sortCriteria.isEmpty else { return nil }
    return sortCriteria.map { $0.isDescending ? "\($0.name) desc" : $0.name }.joined(separator: ",")
  }

  func matches(
    _ value: @escaping (String) -> Value, _ typed: @escaping (String, JSONNode) -> Value
  ) throws(ServiceError) -> Bool {
    guard let test else { return true }
    return try TestReader(value: value, typed: typed).holds(test)
  }

  /// Whether one row comes before another; nil where the criteria do not tell.
  func precedes(_ left: (String) -> Value, _ right: (String) -> Value) -> Bool? {
    for criterion in sortCriteria {
      let (a, b) = (left(criterion.name), right(criterion.name))
      if a == b { continue }
      // Rows without a value come last, whatever the direction.
      if a.isNull || b.isNull { return b.isNull }
      guard let order = a.order(b), order != 0 else { continue }
      return (order < 0) != criterion.isDescending
    }
    return nil
  }

  static func noPattern(_ text: String) -> ServiceError {
    ServiceError(
      .usage, "read the query", detail: "“\(text)” has a % in its middle",
      remedy: "Use % at the beginning, at the end or both.")
  }
}

private struct FilterWriter {
  let type: ODataMetadata.EntityType?
  let version: ODataVersion

  func text(_ test: ObjectQuery.Test) throws(ServiceError) -> String {
    switch test {
    case .equal(let name, let node): return "\(name) eq \(literal(name, node))"
    case .notEqual(let name, let node): return "\(name) ne \(literal(name, node))"
    case .less(let name, let node): return "\(name) lt \(literal(name, node))"
    case .lessOrEqual(let name, let node): return "\(name) le \(literal(name, node))"
    case .greater(let name, let node): return "\(name) gt \(literal(name, node))"
    case .greaterOrEqual(let name, let node): return "\(name) ge \(literal(name, node))"
    case .between(let name, let low, let high):
      return "(\(name) ge \(literal(name, low)) and \(name) le \(literal(name, high)))"
    case .isIn(let name, let nodes): return try text(.or(nodes.map { .equal(name, $0) }))
    case .like(let name, let pattern): return try like(name, pattern)
    case .and(let tests): return try joined(tests, " and ", empty: "1 eq 1")
    case .or(let tests): return try joined(tests, " or ", empty: "1 eq 2")
    case .not(let test): return "not (\(try text(test)))"
    }
  }

  private func joined(_ tests: [ObjectQuery.Test], _ word: String, empty: String) throws(ServiceError) -> String {
    guard !tests.isEmpty else { return empty }
    var parts: [String] = []
    for test in tests { parts.append(try text(test)) }
    return "(\(parts.joined(separator: word)))"
  }

  private func like(_ name: String, _ pattern: String) throws(ServiceError) -> String {
    switch LikePattern(pattern) {
    case .exactly(let part)?: return "\(name) eq \(ODataLiteral.text(part))"
    case .begins(let part)?: return "startswith(\(name),\(ODataLiteral.text(part)))"
    case .ends(let part)?: return "endswith(\(name),\(ODataLiteral.text(part)))"
    case .contains(let part)?:
      let literal = ODataLiteral.text(part)
      return version == .v2 ? "substringof(\(literal),\(name))" : "contains(\(name),\(literal))"
    case nil: throw ObjectQuery.noPattern(pattern)
    }
  }

  private func literal(_ name: String, _ node: JSONNode) -> String {
    let kind = type?.property(name)?.type
    let value = EntityValues.value(node, type: kind)
    switch value {
    case .null: return "null"
    // Version 2 writes moments without a zone, and means UTC.
    case .time(let moment) where kind == "Edm.DateTime":
      return ODataLiteral.literal(String(moment.rfc3339.dropLast()), type: kind, version: version)
    default: return ODataLiteral.literal(value.exactText, type: kind ?? node.literalType, version: version)
    }
  }
}

/// Looks at one row.
private struct TestReader {
  let value: (String) -> Value
  /// What a value of the query means for a property.
  let typed: (String, JSONNode) -> Value

  func holds(_ test: ObjectQuery.Test) throws(ServiceError) -> Bool {
    switch test {
    case .equal(let name, let node): return equals(name, node)
    case .notEqual(let name, let node): return !equals(name, node)
    case .less(let name, let node): return order(name, node).map { $0 < 0 } ?? false
    case .lessOrEqual(let name, let node): return order(name, node).map { $0 <= 0 } ?? false
    case .greater(let name, let node): return order(name, node).map { $0 > 0 } ?? false
    case .greaterOrEqual(let name, let node): return order(name, node).map { $0 >= 0 } ?? false
    case .between(let name, let low, let high):
      return order(name, low).map { $0 >= 0 } ?? false && order(name, high).map { $0 <= 0 } ?? false
    case .isIn(let name, let nodes): return nodes.contains { equals(name, $0) }
    case .like(let name, let pattern):
      guard let parsed = LikePattern(pattern) else { throw ObjectQuery.noPattern(pattern) }
      let value = value(name)
      return !value.isNull && parsed.matches(value.exactText)
    case .and(let tests):
      for test in tests where try !holds(test) { return false }
      return true
    case .or(let tests):
      for test in tests where try holds(test) { return true }
      return false
    case .not(let test): return try !holds(test)
    }
  }

  private func equals(_ name: String, _ node: JSONNode) -> Bool {
    let (left, right) = (value(name), typed(name, node))
    return left == right || (!left.isNull && left.order(right) == 0)
  }

  private func order(_ name: String, _ node: JSONNode) -> Int? { value(name).order(typed(name, node)) }
}

extension Value {
  /// Below 0, 0 or above for less, equal and greater; nil where one is null. Texts go by their characters' numbers.
  fileprivate func order(_ other: Value) -> Int? {
    func compare<Part: Comparable>(_ a: Part, _ b: Part) -> Int { a < b ? -1 : a == b ? 0 : 1 }
    switch (self, other) {
    case (.null, _), (_, .null): return nil
    case (.integer(let a), .integer(let b)): return compare(a, b)
    case (.time(let a), .time(let b)): return compare(a.milliseconds, b.milliseconds)
    case (.flag(let a), .flag(let b)): return compare(a ? 1 : 0, b ? 1 : 0)
    case (.integer, _), (.decimal, _):
      guard let a = Double(exactText), let b = Double(other.exactText) else { return nil }
      return compare(a, b)
    default:
      let (a, b) = (exactText.unicodeScalars, other.exactText.unicodeScalars)
      return a.lexicographicallyPrecedes(b) ? -1 : a.elementsEqual(b) ? 0 : 1
    }
  }
}

extension JSONNode {
  /// How a value is written for a property that the service does not describe.
  fileprivate var literalType: String? {
    switch self {
    case .string: "Edm.String"
    case .bool: "Edm.Boolean"
    default: nil
    }
  }
}
