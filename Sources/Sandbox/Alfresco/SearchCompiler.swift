/// A node that is tried against a query.
struct SearchCandidate {
  let node: RepoNode
  let document: SearchIndex.Document
}

/// A query ready to be tried: its words looked up, its dates resolved.
indirect enum CompiledQuery {
  /// The score of a candidate; 0 where it does not fit.
  case leaf((SearchCandidate) -> Double)
  case all([CompiledQuery])
  case any([CompiledQuery])
  case not(CompiledQuery)
  case boosted(CompiledQuery, Double)

  func score(_ candidate: SearchCandidate) -> Double {
    switch self {
    case .leaf(let check): return check(candidate)
    case .all(let parts):
      var sum = 0.0
      for part in parts {
        let score = part.score(candidate)
        if score == 0 { return 0 }
        sum += score
      }
      return sum
    case .any(let parts): return parts.reduce(0) { $0 + $1.score(candidate) }
    case .not(let part): return part.score(candidate) == 0 ? 0.001 : 0
    case .boosted(let part, let factor): return part.score(candidate) * max(factor, 0.001)
    }
  }
}

/// Turns queries into something that can be tried against nodes.
struct SearchCompiler {
  let repository: Repository
  let index: SearchIndex
  let now: SandboxTime
  var namespace = "cm"
  var defaultField = "TEXT"
  /// Named groups of fields that can be used like a field.
  var templates: [String: [String]] = [:]

  /// nil where the only condition is one that this engine drops.
  func compile(_ query: AFTSQuery) throws(AlfrescoFault) -> CompiledQuery? {
    switch query {
    case .everything: return .leaf { _ in 1 }
    case .term(let term): return try compile(term)
    case .range(let range): return try compile(range)
    case .not(let part): return try compile(part).map { .not($0) }
    case .boosted(let part, let factor): return try compile(part).map { .boosted($0, factor) }
    case .all(let parts):
      var compiled: [CompiledQuery] = []
      for part in parts { if let part = try compile(part) { compiled.append(part) } }
      return compiled.isEmpty ? nil : .all(compiled)
    case .any(let parts):
      var compiled: [CompiledQuery] = []
      for part in parts { if let part = try compile(part) { compiled.append(part) } }
      return compiled.isEmpty ? nil : .any(compiled)
    }
  }

  /// The fields behind a name: the members of a template, or itself with its prefix.
  func fields(_ name: String?) -> [String] {
    let name = name ?? defaultField
    if let template = templates[name] { return template.flatMap { fields($0) } }
    if name.hasPrefix("%(") {
      return name.dropFirst(2).split { $0 == " " || $0 == "," }.flatMap { fields(String($0)) }
    }
    return [AFTSFields.qualified(name, namespace: namespace)]
  }

  private func compile(_ term: AFTSTerm) throws(AlfrescoFault) -> CompiledQuery? {
    var parts: [CompiledQuery] = []
    for field in fields(term.field) { if let part = try leaf(term, field) { parts.append(part) } }
    return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .any(parts)
  }

  private func leaf(_ term: AFTSTerm, _ field: String) throws(AlfrescoFault) -> CompiledQuery? {
    switch AFTSFields.kind(field) {
    case .unsupported: return nil
    case .text(let parts):
      if term.isExact {
        guard field == "cm:name" || field == "TAG" else {
          throw .unavailable(
            "Exact term search is not supported unless you configure the field \(field) as BOTH or FALSE")
        }
        let wanted = Self.unmarked(term.text).lowercased()
        if field == "TAG" { return .leaf(tagged(Wildcard(wanted))) }
        return .leaf { $0.node.sortKey == wanted ? 3 : 0 }
      }
      return text(term, parts)
    case .date:
      guard let (start, length) = SearchDates.moment(term.text, now: now) else {
        throw .failed("Invalid date \(term.text)")
      }
      let end = start.milliseconds + length
      return .leaf { candidate in
        let time = Self.date(candidate.node, field)
        return time >= start.milliseconds && time < end ? 1 : 0
      }
    case .number:
      guard let wanted = Int64(term.text) else { throw .failed("For input string: \"\(term.text)\"") }
      return .leaf { size($0.node) == wanted ? 1 : 0 }
    case .value: return value(term, field)
    }
  }

  // MARK: Words

  private func text(_ term: AFTSTerm, _ parts: [AFTSFields.Part]) -> CompiledQuery {
    let pattern = SearchText.pattern(term.text)
    let phrase = pattern.map { index.matches($0, isFuzzy: term.isFuzzy) }
    guard !phrase.isEmpty else { return .leaf { _ in 0 } }
    let tag = parts.contains(.tag) ? tagged(Wildcard(Self.unmarked(term.text).lowercased())) : nil
    return .leaf { candidate in
      let document = candidate.document
      var score = tag?(candidate) ?? 0
      for part in parts {
        let (words, weight): ([Int32], Double) =
          switch part {
          case .name: (document.name, 3)
          case .title: (document.title, 2)
          case .description: (document.description, 1.5)
          case .content: (document.content, 1)
          case .tag: ([], 0)
          }
        let count = Double(WordSet.occurrences(of: phrase, in: words, slop: term.slop))
        if count > 0 { score += weight * count * 2.2 / (count + 0.3 + 0.9 * Double(words.count) / 60) }
      }
      return score
    }
  }

  private func tagged(_ wanted: Wildcard) -> (SearchCandidate) -> Double {
    let ids = Set(repository.extras.tagNames.filter { wanted.matches($0.value) }.keys)
    let tags = repository.extras.tags
    return { candidate in
      guard !ids.isEmpty, let mine = tags[candidate.node.id] else { return 0 }
      return mine.contains(where: ids.contains) ? 2 : 0
    }
  }

  static func unmarked(_ text: String) -> String {
    text.replacing(String(SearchText.literalStar), with: "*").replacing(String(SearchText.literalMark), with: "?")
  }

  // MARK: Ranges

  private func compile(_ range: AFTSRange) throws(AlfrescoFault) -> CompiledQuery? {
    let field = fields(range.field).first ?? defaultField
    switch AFTSFields.kind(field) {
    case .date:
      let lower = try bound(range.lower, isUpper: false, range.includesLower)
      let upper = try bound(range.upper, isUpper: true, range.includesUpper)
      return .leaf { candidate in
        let time = Self.date(candidate.node, field)
        return time >= lower && time < upper ? 1 : 0
      }
    case .number:
      guard let lower = range.lower.uppercased() == "MIN" ? Int64.min : Int64(range.lower),
        let upper = range.upper.uppercased() == "MAX" ? Int64.max : Int64(range.upper)
      else { throw .failed("Invalid range \(range.lower) to \(range.upper)") }
      return .leaf { candidate in
        guard let size = size(candidate.node) else { return 0 }
        let isAbove = range.includesLower ? size >= lower : size > lower
        return isAbove && (range.includesUpper ? size <= upper : size < upper) ? 1 : 0
      }
    case .unsupported: return nil
    case .text, .value:
      let lower = range.lower.uppercased() == "MIN" ? "" : range.lower.lowercased()
      let upper = range.upper.uppercased() == "MAX" ? "\u{10FFFF}" : range.upper.lowercased()
      return .leaf { candidate in
        let text = (field == "cm:name" ? candidate.node.name : Self.values(candidate.node, field).first)?.lowercased()
        guard let text else { return 0 }
        let isAbove = range.includesLower ? text >= lower : text > lower
        return isAbove && (range.includesUpper ? text <= upper : text < upper) ? 1 : 0
      }
    }
  }

  /// The first millisecond inside, or the first beyond.
  private func bound(_ text: String, isUpper: Bool, _ isIncluded: Bool) throws(AlfrescoFault) -> Int64 {
    if text.uppercased() == "MIN" || text == "*" && !isUpper { return .min }
    if text.uppercased() == "MAX" || text == "*" { return .max }
    guard let (start, length) = SearchDates.moment(text, now: now) else { throw .failed("Invalid date \(text)") }
    return isUpper == isIncluded ? start.milliseconds + length : start.milliseconds
  }

  private static func date(_ node: RepoNode, _ field: String) -> Int64 {
    (field == "cm:created" ? node.created : node.modified).milliseconds
  }

  private func size(_ node: RepoNode) -> Int64? { node.content.map { Int64($0.length(repository.corpus)) } }
}
