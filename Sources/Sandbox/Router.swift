import HTTPServer

/// Finds the handler for a method and a path.
///
/// A pattern is a path whose segments are literal, or hold one placeholder: `/banks/{bank}/accounts`, `/Connections('{id}')`.
/// A last segment `{name...}` takes all that follows, joined by `/` and possibly empty. Literal segments win over
/// placeholders, whichever was added first. Segments are compared and handed over percent-decoded.
package struct Router: Sendable {
  package typealias Handler = @Sendable (SandboxRequest) -> ServerResponse

  /// What looking a request up found.
  package enum Match: Sendable {
    case found(Handler, parameters: [String: String])
    /// The path exists, but not with this method.
    case methodNotAllowed(allowed: [String])
    case notFound
  }

  private var root = Node()

  package init() {}

  /// Adds a route for one method or several (`"PUT|POST"`). HEAD is answered by GET unless it has a route of its own.
  package mutating func on(_ methods: String, _ pattern: String, _ handler: @escaping Handler) {
    let segments = pattern.split(separator: "/").map { Segment(String($0)) }
    for method in methods.split(separator: "|") {
      root.insert(segments[...], String(method), handler)
    }
  }

  package func match(method: String, segments: [String]) -> Match {
    var captures: [(name: String, value: String)] = []
    var allowed: Set<String> = []
    if let handler = root.find(segments[...], method, &captures, &allowed) {
      return .found(handler, parameters: Dictionary(captures) { $1 })
    }
    return allowed.isEmpty ? .notFound : .methodNotAllowed(allowed: allowed.sorted())
  }

  /// Answers a request, or says through `otherwise` in the door's own style why not.
  package func respond(
    to request: SandboxRequest, dropping prefix: Int = 0, otherwise: (Match, SandboxRequest) -> ServerResponse
  ) -> ServerResponse {
    let match = match(method: request.method, segments: Array(request.segments.dropFirst(prefix)))
    guard case .found(let handler, let parameters) = match else { return otherwise(match, request) }
    var routed = request
    routed.parameters = parameters
    return handler(routed)
  }
}

extension Router {
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

  /// A place in the tree of patterns.
  private struct Node: Sendable {
    private var handlers: [String: Handler] = [:]
    private var literals: [String: Node] = [:]
    private var placeholders: [(prefix: String, name: String, suffix: String, node: Node)] = []
    private var rest: (name: String, handlers: [String: Handler])?

    mutating func insert(_ segments: ArraySlice<Segment>, _ method: String, _ handler: @escaping Handler) {
      guard let first = segments.first else {
        handlers[method] = handler
        return
      }
      let following = segments.dropFirst()
      switch first {
      case .literal(let text):
        literals[text, default: Node()].insert(following, method, handler)
      case .placeholder(let prefix, let name, let suffix):
        let known = placeholders.firstIndex { $0.prefix == prefix && $0.suffix == suffix && $0.name == name }
        if let known {
          placeholders[known].node.insert(following, method, handler)
        } else {
          var node = Node()
          node.insert(following, method, handler)
          placeholders.append((prefix, name, suffix, node))
          placeholders.sort { $0.prefix.count + $0.suffix.count > $1.prefix.count + $1.suffix.count }
        }
      case .rest(let name):
        rest = (name, (rest?.handlers ?? [:]).merging([method: handler]) { $1 })
      }
    }

    func find(
      _ segments: ArraySlice<String>, _ method: String, _ captures: inout [(name: String, value: String)],
      _ allowed: inout Set<String>
    ) -> Handler? {
      if let first = segments.first {
        let following = segments.dropFirst()
        if let node = literals[first], let found = node.find(following, method, &captures, &allowed) { return found }
        for (prefix, name, suffix, node) in placeholders where Self.fits(first, prefix, suffix) {
          captures.append((name, String(first.dropFirst(prefix.count).dropLast(suffix.count))))
          if let found = node.find(following, method, &captures, &allowed) { return found }
          captures.removeLast()
        }
      } else if let found = Self.choose(handlers, method, &allowed) {
        return found
      }
      guard let rest, let found = Self.choose(rest.handlers, method, &allowed) else { return nil }
      captures.append((rest.name, segments.joined(separator: "/")))
      return found
    }

    private static func fits(_ segment: String, _ prefix: String, _ suffix: String) -> Bool {
      segment.count > prefix.count + suffix.count && segment.hasPrefix(prefix) && segment.hasSuffix(suffix)
    }

    private static func choose(
      _ handlers: [String: Handler], _ method: String, _ allowed: inout Set<String>
    ) -> Handler? {
      if let handler = handlers[method] { return handler }
      if method == "HEAD", let handler = handlers["GET"] { return handler }
      allowed.formUnion(handlers.keys)
      return nil
    }
  }
}
