import HTTPServer
import JSON

/// One search over the repository: hits in order, facets, snippets, suggestions.
struct SearchRun {
  struct Hit {
    let node: RepoNode
    let score: Double
  }

  let request: SearchRequest
  let repository: Repository
  let index: SearchIndex
  let user: String
  let now: SandboxTime

  var compiler: SearchCompiler {
    SearchCompiler(
      repository: repository, index: index, now: now, namespace: request.namespace,
      defaultField: request.defaultField, templates: request.templates)
  }

  func answer() throws(AlfrescoFault) -> ServerResponse {
    var (hits, terms) = try hits(for: request.query)
    var spelling: JSONNode?
    if request.isSpellChecked { spelling = try correct(&hits, &terms) }
    let page = request.paging.page(hits)
    let highlighter = request.highlight.map { SearchHighlighter($0, terms: terms, compiler: compiler) }
    let entries = page.items.map { ["entry": entry($0, highlighter)] as JSONNode }
    var context: JSONNode = ["consistency": ["lastTxId": .int(repository.transaction)]]
    if request.body["includeRequest"].bool == true { context["request"] = request.body.node() }
    try SearchFacets(run: self, hits: hits.map(\.node)).add(to: &context)
    if let spelling { context["spellCheck"] = spelling }
    return .alfresco([
      "list": ["pagination": page.pagination, "context": context, "entries": .array(entries)]
    ])
  }

  /// The readable nodes that fit, best first or as sorted.
  func hits(for text: String) throws(AlfrescoFault) -> (hits: [Hit], terms: [AFTSTerm]) {
    let main: CompiledQuery?
    var terms: [AFTSTerm] = []
    var order: [SearchRequest.Sort] = request.sorts
    if request.language == .cmis {
      let statement = try CMISQuery(text)
      main = try statement.compile(compiler)
      order = statement.order
    } else {
      let query = try parse(text)
      terms = query.positiveTerms
      main = try compiler.compile(query)
    }
    guard let main else { return ([], terms) }
    var conditions = [main]
    for filter in request.filters { if let filter = try compiler.compile(parse(filter)) { conditions.append(filter) } }
    let query = CompiledQuery.all(conditions)
    let hits = repository.nodes.values.compactMap { node -> Hit? in
      guard let document = index.documents[node.id] else { return nil }
      let score = query.score(SearchCandidate(node: node, document: document))
      guard score > 0, repository.canRead(user, node) else { return nil }
      // Filters decide, but do not count.
      return Hit(node: node, score: main.score(SearchCandidate(node: node, document: document)))
    }
    return (sorted(hits, order), terms)
  }

  func parse(_ text: String) throws(AlfrescoFault) -> AFTSQuery {
    do {
      return try AFTSParser.parse(text, isAndDefault: request.isAndDefault)
    } catch {
      throw .failed("Solr request failed with 400 /solr/alfresco/afts: \(error.message)")
    }
  }

  private func sorted(_ hits: [Hit], _ sorts: [SearchRequest.Sort]) -> [Hit] {
    let orders = sorts.isEmpty ? [SearchRequest.Sort(field: nil, isAscending: false)] : sorts
    let keyed = hits.map { hit in
      (hit, orders.map { order in order.field.map { key(hit.node, $0) } ?? .number(Int64(hit.score * 1_000_000)) })
    }
    return keyed.sorted { left, right in
      for (index, order) in orders.enumerated() where left.1[index] != right.1[index] {
        return (left.1[index] < right.1[index]) == order.isAscending
      }
      let (a, b) = (left.0.node, right.0.node)
      return a.sortKey != b.sortKey ? a.sortKey < b.sortKey : a.id < b.id
    }.map(\.0)
  }

  private func key(_ node: RepoNode, _ field: String) -> SortValue {
    switch field {
    case "id", "score": .text(node.id)
    default: SortValue(node, AFTSFields.qualified(field, namespace: "cm"), repository)
    }
  }

  private func entry(_ hit: Hit, _ highlighter: SearchHighlighter?) -> JSONNode {
    let writer = NodeEntry(repository: repository, user: user, now: now, include: request.include)
    var entry = writer.entry(hit.node)
    entry["location"] = "nodes"
    if let highlighter {
      var search: JSONNode = ["score": .number(Self.fixed(hit.score))]
      let snippets = highlighter.snippets(of: hit.node, repository.corpus)
      if !snippets.isEmpty { search["highlight"] = .array(snippets) }
      entry["search"] = search
    }
    guard !request.fields.isEmpty, case .object(let members) = entry else { return entry }
    return .object(members.filter { request.fields.contains($0.key) || request.include.contains($0.key) })
  }

  private static func fixed(_ score: Double) -> String {
    let scaled = Int(score * 10_000)
    return "\(scaled / 10_000).\(SandboxTime.padded(scaled % 10_000, 4))"
  }

  /// Replaces unknown words by known ones. Where nothing was found, the results become those of the suggestion.
  private func correct(_ hits: inout [Hit], _ terms: inout [AFTSTerm]) throws(AlfrescoFault) -> JSONNode? {
    let typed = request.body["spellcheck"]["query"].string ?? request.userQuery ?? ""
    var corrected = typed
    var query = request.query
    for token in SearchText.tokens(typed).reversed() {
      guard let better = index.suggestion(for: token.word) else { continue }
      corrected = corrected.replacingScalars(token.range, with: better)
      query = query.replacing(typed.scalars(token.range), with: better)
    }
    guard corrected != typed else { return nil }
    guard hits.isEmpty, query != request.query, request.language == .afts else {
      return ["type": "didYouMean", "suggestions": [.string(corrected)]]
    }
    let again = try self.hits(for: query)
    guard !again.hits.isEmpty else { return nil }
    (hits, terms) = again
    return ["type": "searchInsteadFor", "suggestions": [.string(corrected)]]
  }
}

extension String {
  fileprivate func scalars(_ range: Range<Int>) -> String {
    String(UnicodeScalarView(unicodeScalars.dropFirst(range.lowerBound).prefix(range.count)))
  }

  fileprivate func replacingScalars(_ range: Range<Int>, with text: String) -> String {
    String(UnicodeScalarView(unicodeScalars.prefix(range.lowerBound))) + text
      + String(UnicodeScalarView(unicodeScalars.dropFirst(range.upperBound)))
  }
}
