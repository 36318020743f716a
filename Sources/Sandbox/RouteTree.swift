/// Values by method and path pattern.
///
/// A pattern is a path whose segments are literal, or hold one placeholder: `/banks/{bank}/accounts`, `/Connections('{id}')`.
/// A last segment `{name...}` takes all that follows, joined by `/` and possibly empty. Literal segments win over
/// placeholders, whichever was added first. Segments are compared and handed over percent-decoded. HEAD finds what GET finds
/// unless it has a route of its own.
package struct RouteTree<Value: Sendable>: Sendable {
  /// What looking a request up found.
  package enum Match: Sendable {
    case found(Value, parameters: [String: String])
    /// The path exists, but not with this method.
    case methodNotAllowed(allowed: [String])
    case notFound
  }

  private var root = Node()

  package init() {}

  /// Adds a value for one method or several (`"PUT|POST"`); the last one added for the same method and pattern counts.
  package mutating func add(_ methods: String, _ pattern: String, _ value: Value) {
    let segments = pattern.split(separator: "/").map { Segment(String($0)) }
    for method in methods.split(separator: "|") { root.insert(segments[...], String(method), value) }
  }

  package func find(_ method: String, _ segments: ArraySlice<String>) -> Match {
    var captures: [(name: String, value: String)] = []
    var allowed: Set<String> = []
    if let value = root.find(segments, method, &captures, &allowed) {
      return .found(value, parameters: Dictionary(captures) { $1 })
    }
    return allowed.isEmpty ? .notFound : .methodNotAllowed(allowed: allowed.sorted())
  }
}

extension RouteTree {
  /// One segment of a pattern.
  private enum Segment: Hashable {
    case literal(String)
    case placeholder(prefix: String, name: String, suffix: String)
    case rest(name: String)

    init(_ text: String) {
      guard let open = text.firstIndex(of: "{"), let close = text.lastIndex(of: "}") else {
        self = .literal(text)
        return
      }
      let name = String(text[text.index(after: open)..<close])
      if name.hasSuffix("...") {
        self = .rest(name: String(name.dropLast(3)))
      } else {
        let suffix = String(text[text.index(after: close)...])
        self = .placeholder(prefix: String(text[..<open]), name: name, suffix: suffix)
      }
    }
  }

  /// A segment that holds a placeholder, and what follows it.
  private struct Branch: Sendable {
    let prefix: String
    let name: String
    let suffix: String
    var node: Node

    func fits(_ segment: String) -> Bool {
      segment.count > prefix.count + suffix.count && segment.hasPrefix(prefix) && segment.hasSuffix(suffix)
    }
  }

  /// A place in the tree of patterns.
  private struct Node: Sendable {
    private var values: [String: Value] = [:]
    private var literals: [String: Node] = [:]
    private var branches: [Branch] = []
    private var rest: (name: String, values: [String: Value])?

    mutating func insert(_ segments: ArraySlice<Segment>, _ method: String, _ value: Value) {
      guard let first = segments.first else {
        values[method] = value
        return
      }
      let following = segments.dropFirst()
      switch first {
      case .literal(let text):
        literals[text, default: Node()].insert(following, method, value)
      case .placeholder(let prefix, let name, let suffix):
        let known = branches.firstIndex { $0.prefix == prefix && $0.suffix == suffix && $0.name == name }
        if let known { return branches[known].node.insert(following, method, value) }
        var branch = Branch(prefix: prefix, name: name, suffix: suffix, node: Node())
        branch.node.insert(following, method, value)
        branches.append(branch)
        branches.sort { $0.prefix.count + $0.suffix.count > $1.prefix.count + $1.suffix.count }
      case .rest(let name):
        rest = (name, (rest?.values ?? [:]).merging([method: value]) { $1 })
      }
    }

    func find(
      _ segments: ArraySlice<String>, _ method: String, _ captures: inout [(name: String, value: String)],
      _ allowed: inout Set<String>
    ) -> Value? {
      if let first = segments.first {
        let following = segments.dropFirst()
        if let node = literals[first], let found = node.find(following, method, &captures, &allowed) { return found }
        for branch in branches where branch.fits(first) {
          let value = first.dropFirst(branch.prefix.count).dropLast(branch.suffix.count)
          captures.append((branch.name, String(value)))
          if let found = branch.node.find(following, method, &captures, &allowed) { return found }
          captures.removeLast()
        }
      } else if let found = Self.choose(values, method, &allowed) {
        return found
      }
      guard let rest, let found = Self.choose(rest.values, method, &allowed) else { return nil }
      captures.append((rest.name, segments.joined(separator: "/")))
      return found
    }

    private static func choose(_ values: [String: Value], _ method: String, _ allowed: inout Set<String>) -> Value? {
      if let value = values[method] { return value }
      if method == "HEAD", let value = values["GET"] { return value }
      allowed.formUnion(values.keys)
      return nil
    }
  }
}
