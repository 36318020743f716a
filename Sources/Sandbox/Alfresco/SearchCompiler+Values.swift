import JSON

/// Fields that are compared as a whole.
extension SearchCompiler {
  func value(_ term: AFTSTerm, _ field: String) -> CompiledQuery? {
    let raw = Self.unmarked(term.text)
    switch field {
    case "ID": return .leaf { $0.node.id == Self.bareID(raw) ? 1 : 0 }
    case "PARENT", "PRIMARYPARENT": return .leaf { $0.node.parent == Self.bareID(raw) ? 1 : 0 }
    case "ANCESTOR": return ancestor(Self.bareID(raw))
    case "PATH": return path(raw)
    case "TYPE", "CLASS": return type(raw, isExact: false)
    case "EXACTTYPE": return type(raw, isExact: true)
    case "ASPECT", "EXACTASPECT": return .leaf { $0.node.aspects.contains(Self.prefixed(raw)) ? 1 : 0 }
    case "SITE": return site(raw)
    case "cm:categories": return .leaf { $0.node.categories.contains(Self.bareID(raw)) ? 1 : 0 }
    case "OWNER": return .leaf { $0.node.owner == raw ? 1 : 0 }
    case "READER": return .leaf { repository.canRead(raw, $0.node) ? 1 : 0 }
    case "EXISTS", "ISNOTNULL": return .leaf { Self.values($0.node, Self.prefixed(raw)).isEmpty ? 0 : 1 }
    case "ISNULL", "ISUNSET": return .leaf { Self.values($0.node, Self.prefixed(raw)).isEmpty ? 1 : 0 }
    default: break
    }
    let wildcard = Wildcard(raw.lowercased())
    let words = SearchText.pattern(term.text).map { index.matches($0) }
    return .leaf { candidate in
      let values = Self.values(candidate.node, field)
      if values.contains(where: { wildcard.matches($0.lowercased()) }) { return 1 }
      guard !term.isExact, !words.isEmpty else { return 0 }
      let numbered = values.map { SearchText.words($0).map { index.vocabulary[$0] ?? -1 } }
      return numbered.contains { WordSet.occurrences(of: words, in: $0) > 0 } ? 1 : 0
    }
  }

  /// A UUID out of a node reference or by itself.
  private static func bareID(_ text: String) -> String { String(text.split(separator: "/").last ?? "") }

  private static func prefixed(_ name: String) -> String {
    if name.hasPrefix("{"), let close = name.firstIndex(of: "}") {
      return "cm:\(name[name.index(after: close)...])"
    }
    return name.contains(":") ? name : "cm:\(name)"
  }

  private func ancestor(_ id: String) -> CompiledQuery {
    .leaf { candidate in
      guard candidate.node.id != id else { return 0 }
      return repository.isInside(candidate.node, id) ? 1 : 0
    }
  }

  private func type(_ raw: String, isExact: Bool) -> CompiledQuery {
    let wanted = Self.prefixed(raw)
    return .leaf { candidate in
      let fits = isExact ? candidate.node.type == wanted : NodeTypes.isKind(candidate.node.type, of: wanted)
      return fits ? 1 : 0
    }
  }

  private func site(_ raw: String) -> CompiledQuery {
    switch raw {
    case "_EVERYTHING_", "_REPOSITORY_": return .leaf { _ in 1 }
    case "_ALL_SITES_": return .leaf { repository.site(of: $0.node) == nil ? 0 : 1 }
    case "_SHARED_FILES_": return ancestor(repository.shared)
    default:
      guard let guid = repository.site(raw)?.guid else { return .leaf { _ in 0 } }
      return .leaf { repository.isInside($0.node, guid) ? 1 : 0 }
    }
  }

  /// A QName path: `/app:company_home/st:sites/cm:x//*`; steps may be `*`, and `//` skips any number of them.
  private func path(_ raw: String) -> CompiledQuery {
    let pattern = PathPattern(raw)
    return .leaf { candidate in
      let steps = (repository.ancestors(of: candidate.node) + [candidate.node]).map(Self.step)
      return pattern.matches(steps) ? 1 : 0
    }
  }

  private static func step(_ node: RepoNode) -> String {
    switch (node.parent == nil, node.type) {
    case (true, _): "app:company_home"
    case (_, "st:sites"): "st:sites"
    default: "cm:\(ISO9075.encode(node.name))"
    }
  }

  /// The values of a property, or of a field that stands for one.
  static func values(_ node: RepoNode, _ field: String) -> [String] {
    switch field {
    case "cm:creator": return [node.creator]
    case "cm:modifier": return [node.modifier]
    case "cm:name": return [node.name]
    case "cm:created": return [node.created.alfresco]
    case "cm:modified": return [node.modified.alfresco]
    case "content.mimetype", "cm:content.mimetype": return [node.mimeType].compactMap(\.self)
    case "content.encoding": return node.content.map { [MimeTypes.encoding($0)] } ?? []
    case "cm:content": return node.content == nil ? [] : [node.mimeType ?? ""]
    default: break
    }
    switch node.properties[field] {
    case .string(let text): return [text]
    case .array(let parts): return parts.compactMap { if case .string(let text) = $0 { text } else { nil } }
    case .bool(let flag): return [String(flag)]
    case .integer(let number): return [String(number)]
    default: return []
    }
  }
}

/// A path with wildcards.
struct PathPattern: Sendable, Equatable {
  private enum Step: Sendable, Equatable {
    case named(String)
    case anything
    /// Any number of steps, also none.
    case deep
    /// The node itself, after `//`.
    case here
  }
  private let steps: [Step]

  init(_ text: String) {
    var steps: [Step] = []
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix("//") {
        steps.append(.deep)
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("/") {
        rest = rest.dropFirst()
      }
      let name = rest.prefix { $0 != "/" }
      rest = rest.dropFirst(name.count)
      switch name {
      case "": break
      case "*": steps.append(.anything)
      case ".": steps.append(.here)
      default: steps.append(.named(String(name)))
      }
    }
    self.steps = steps
  }

  func matches(_ path: [String]) -> Bool { Self.match(steps[...], path[...]) }

  private static func match(_ steps: ArraySlice<Step>, _ path: ArraySlice<String>) -> Bool {
    guard let first = steps.first else { return path.isEmpty }
    let rest = steps.dropFirst()
    switch first {
    case .deep: return path.indices.contains { match(rest, path[$0...]) } || match(rest, path[path.endIndex...])
    case .here: return rest.isEmpty ? path.isEmpty : match(rest, path)
    case .anything: return !path.isEmpty && match(rest, path.dropFirst())
    case .named(let name):
      guard let step = path.first, step == name || (name.hasSuffix(":*") && step.hasPrefix(name.dropLast())) else {
        return false
      }
      return match(rest, path.dropFirst())
    }
  }
}

/// Names as XML paths carry them: a blank is `_x0020_`, a leading digit `_x0037_`.
enum ISO9075 {
  static func encode(_ name: String) -> String {
    var encoded = ""
    for (index, scalar) in name.unicodeScalars.enumerated() {
      let isDigit = (0x30...0x39).contains(scalar.value)
      let isPlain =
        scalar.properties.isAlphabetic || scalar == "_" || (index > 0 && (isDigit || scalar == "-" || scalar == "."))
      encoded += isPlain ? String(scalar) : escaped(scalar)
    }
    return encoded
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "_x\(String(repeating: "0", count: 4 - digits.count))\(digits)_"
    }.joined()
  }
}
