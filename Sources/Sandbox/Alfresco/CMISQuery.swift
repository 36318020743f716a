/// A simple CMIS statement: `select … from TYPE [where …] [order by …]`.
struct CMISQuery {
  private indirect enum Condition {
    case compare(property: String, operation: String, value: String)
    case like(property: String, pattern: String)
    case contains(String)
    case inFolder(String)
    case inTree(String)
    case all([Condition])
    case any([Condition])
    case not(Condition)
  }

  private let type: String
  private let condition: Condition?
  let order: [SearchRequest.Sort]

  init(_ text: String) throws(AlfrescoFault) {
    var reader = CMISReader(try CMISReader.tokens(text))
    guard reader.take("SELECT") else { throw CMISReader.fault("select expected") }
    while !reader.isAtEnd, !reader.peek("FROM") { _ = reader.next() }
    guard reader.take("FROM"), let type = reader.next() else { throw CMISReader.fault("from expected") }
    self.type = type
    condition = reader.take("WHERE") ? try Self.disjunction(&reader) : nil
    order = reader.take("ORDER") ? try Self.order(&reader) : []
    guard reader.isAtEnd else { throw CMISReader.fault("unexpected \(reader.next() ?? "")") }
  }

  private static func order(_ reader: inout CMISReader) throws(AlfrescoFault) -> [SearchRequest.Sort] {
    guard reader.take("BY") else { throw CMISReader.fault("by expected") }
    var sorts: [SearchRequest.Sort] = []
    repeat {
      guard let property = reader.next() else { throw CMISReader.fault("property expected") }
      let isDescending = reader.take("DESC")
      if !isDescending { _ = reader.take("ASC") }
      sorts.append(SearchRequest.Sort(field: field(property), isAscending: !isDescending))
    } while reader.take(",")
    return sorts
  }

  private static func disjunction(_ reader: inout CMISReader) throws(AlfrescoFault) -> Condition {
    var parts = [try conjunction(&reader)]
    while reader.take("OR") { parts.append(try conjunction(&reader)) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private static func conjunction(_ reader: inout CMISReader) throws(AlfrescoFault) -> Condition {
    var parts = [try predicate(&reader)]
    while reader.take("AND") { parts.append(try predicate(&reader)) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private static func predicate(_ reader: inout CMISReader) throws(AlfrescoFault) -> Condition {
    if reader.take("NOT") { return .not(try predicate(&reader)) }
    if reader.take("(") {
      let inner = try disjunction(&reader)
      guard reader.take(")") else { throw CMISReader.fault(") expected") }
      return inner
    }
    for (word, make) in [
      ("CONTAINS", Condition.contains), ("IN_FOLDER", Condition.inFolder), ("IN_TREE", Condition.inTree),
    ] where reader.take(word) {
      guard reader.take("("), let value = reader.string(), reader.take(")") else {
        throw CMISReader.fault("\(word)('…') expected")
      }
      return make(value)
    }
    guard let property = reader.next() else { throw CMISReader.fault("condition expected") }
    if reader.take("NOT") {
      guard reader.take("LIKE"), let pattern = reader.string() else { throw CMISReader.fault("like expected") }
      return .not(.like(property: property, pattern: pattern))
    }
    if reader.take("LIKE") {
      guard let pattern = reader.string() else { throw CMISReader.fault("pattern expected") }
      return .like(property: property, pattern: pattern)
    }
    guard let operation = reader.next(), ["=", "<>", "<", ">", "<=", ">="].contains(operation) else {
      throw CMISReader.fault("comparison expected")
    }
    _ = reader.take("TIMESTAMP")
    guard let value = reader.string() ?? reader.next() else { throw CMISReader.fault("value expected") }
    return .compare(property: property, operation: operation, value: value)
  }

  // MARK: Trying

  func compile(_ compiler: SearchCompiler) throws(AlfrescoFault) -> CompiledQuery {
    let wanted: CompiledQuery
    switch type.lowercased() {
    case "cmis:document": wanted = .leaf { $0.node.isFile ? 1 : 0 }
    case "cmis:folder": wanted = .leaf { $0.node.isFolder ? 1 : 0 }
    default:
      guard NodeTypes.all.contains(type) else { throw CMISReader.fault("unknown type \(type)") }
      let type = type
      wanted = .leaf { NodeTypes.isKind($0.node.type, of: type) ? 1 : 0 }
    }
    guard let condition else { return wanted }
    return .all([wanted, try compile(condition, compiler)])
  }

  private func compile(_ condition: Condition, _ compiler: SearchCompiler) throws(AlfrescoFault) -> CompiledQuery {
    switch condition {
    case .all(let parts):
      var compiled: [CompiledQuery] = []
      for part in parts { compiled.append(try compile(part, compiler)) }
      return .all(compiled)
    case .any(let parts):
      var compiled: [CompiledQuery] = []
      for part in parts { compiled.append(try compile(part, compiler)) }
      return .any(compiled)
    case .not(let part): return .not(try compile(part, compiler))
    case .contains(let text):
      let query: AFTSQuery
      do { query = try AFTSParser.parse(text, isAndDefault: true) } catch { throw CMISReader.fault(error.message) }
      return try compiler.compile(query) ?? .any([])
    case .inFolder(let id):
      let id = Self.bare(id)
      return .leaf { $0.node.parent == id ? 1 : 0 }
    case .inTree(let id):
      let id = Self.bare(id)
      return .leaf { $0.node.id != id && compiler.repository.isInside($0.node, id) ? 1 : 0 }
    case .like(let property, let pattern):
      let wildcard = Wildcard(pattern.lowercased().replacing("%", with: "*").replacing("_", with: "?"))
      return .leaf { candidate in
        Self.values(candidate.node, property, compiler).contains { wildcard.matches($0.lowercased()) } ? 1 : 0
      }
    case .compare(let property, let operation, let value):
      return .leaf { candidate in
        Self.values(candidate.node, property, compiler).contains { Self.holds($0, operation, value) } ? 1 : 0
      }
    }
  }

  private static func bare(_ id: String) -> String {
    String((id.split(separator: "/").last ?? "").prefix { $0 != ";" })
  }

  private static func holds(_ left: String, _ operation: String, _ right: String) -> Bool {
    if let a = Int64(left), let b = Int64(right) { return compared(a, operation, b) }
    if let a = SandboxTime(iso: left), let b = SandboxTime(iso: right) {
      return compared(a.milliseconds, operation, b.milliseconds)
    }
    return compared(left, operation, right)
  }

  private static func compared<Value: Comparable>(_ left: Value, _ operation: String, _ right: Value) -> Bool {
    switch operation {
    case "=": left == right
    case "<>": left != right
    case "<": left < right
    case ">": left > right
    case "<=": left <= right
    default: left >= right
    }
  }

  private static func field(_ property: String) -> String {
    switch property.split(separator: ".").last.map(String.init) ?? property {
    case "cmis:name": "cm:name"
    case "cmis:createdBy": "cm:creator"
    case "cmis:lastModifiedBy": "cm:modifier"
    case "cmis:creationDate": "cm:created"
    case "cmis:lastModificationDate": "cm:modified"
    case "cmis:contentStreamLength": "content.size"
    case "cmis:contentStreamMimeType": "content.mimetype"
    case let other: other
    }
  }

  private static func values(_ node: RepoNode, _ property: String, _ compiler: SearchCompiler) -> [String] {
    switch property.split(separator: ".").last.map(String.init) ?? property {
    case "cmis:objectId": [node.id]
    case "cmis:objectTypeId": [node.isFolder ? "cmis:folder" : "cmis:document"]
    case "cmis:contentStreamLength": node.content.map { [String($0.length(compiler.repository.corpus))] } ?? []
    case "cmis:parentId": [node.parent].compactMap(\.self)
    case let other: SearchCompiler.values(node, field(other))
    }
  }
}

/// The tokens of a statement; keywords in any case, strings with their opening quote kept as a mark.
private struct CMISReader {
  private var tokens: ArraySlice<String>

  init(_ tokens: [String]) { self.tokens = tokens[...] }

  static func fault(_ text: String) -> AlfrescoFault { .failed("Failed to parse the CMIS query: \(text)") }

  static func tokens(_ text: String) throws(AlfrescoFault) -> [String] {
    var tokens: [String] = []
    var rest = text[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest = rest.dropFirst()
      } else if first == "'" {
        var value = "'"
        rest = rest.dropFirst()
        while let character = rest.first, character != "'" {
          if character == "\\", rest.count > 1 { rest = rest.dropFirst() }
          value.append(rest.first ?? character)
          rest = rest.dropFirst()
        }
        guard !rest.isEmpty else { throw fault("unclosed string") }
        rest = rest.dropFirst()
        tokens.append(value)
      } else if let symbol = ["<=", ">=", "<>", "=", "<", ">", "(", ")", ","].first(where: { rest.hasPrefix($0) }) {
        tokens.append(symbol)
        rest = rest.dropFirst(symbol.count)
      } else {
        let word = rest.prefix { !$0.isWhitespace && !"'<>=(),".contains($0) }
        tokens.append(String(word))
        rest = rest.dropFirst(word.count)
      }
    }
    return tokens
  }

  var isAtEnd: Bool { tokens.isEmpty }
  func peek(_ word: String) -> Bool { tokens.first?.uppercased() == word }
  mutating func next() -> String? { tokens.popFirst() }

  mutating func take(_ word: String) -> Bool {
    guard peek(word) else { return false }
    tokens.removeFirst()
    return true
  }

  mutating func string() -> String? {
    guard let first = tokens.first, first.hasPrefix("'") else { return nil }
    tokens.removeFirst()
    return String(first.dropFirst())
  }
}
