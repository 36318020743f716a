import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// The search API, and the short queries for searching while typing (reference 2.1, 2.11).
  mutating func addSearch() {
    free("POST", "\(Self.search)/search") { server, call in
      let request = try SearchRequest(call.object())
      let (repository, index) = server.searchable()
      return try SearchRun(
        request: request, repository: repository, index: index, user: call.user, now: call.now
      ).answer()
    }
    free("GET", "\(Self.core)/queries/nodes", QueryRoutes.nodes)
    on("GET", "queries/sites") { call, repository in
      let term = try QueryRoutes.term(call, minimum: 2)
      let sites = repository.sites.filter { site in
        let isVisible = site.visibility != .closed || site.role(of: call.user) != nil
        return isVisible && [site.id, site.title, site.text ?? ""].contains { $0.lowercased().contains(term) }
      }.sorted { $0.title < $1.title }
      let page = try call.paging.page(sites)
      return call.list(
        page.map { site in
          var entry: JSONNode = [
            "id": .string(site.id), "guid": .string(site.guid), "title": .string(site.title),
            "visibility": .string(site.visibility.rawValue), "preset": "site-dashboard",
          ]
          if let text = site.text { entry["description"] = .string(text) }
          if let role = site.role(of: call.user) { entry["role"] = .string(role) }
          return entry
        })
    }
    on("GET", "queries/people") { call, repository in
      let term = try QueryRoutes.term(call, minimum: 2)
      let people = repository.people.filter { person in
        [person.id, person.firstName, person.lastName ?? ""].contains { $0.lowercased().contains(term) }
      }.sorted { ($0.firstName, $0.lastName ?? "") < ($1.firstName, $1.lastName ?? "") }
      let page = try call.paging.page(people)
      return call.list(page.map { PersonEntry.full($0, call, repository, isSingle: false) })
    }
  }
}

private enum QueryRoutes {
  static func term(_ call: AlfrescoCall, minimum: Int) throws(AlfrescoFault) -> String {
    guard let term = call.query("term") else { throw .invalidArgument("Query 'term' not supplied") }
    let letters = term.filter { $0.isLetter || $0.isNumber }
    guard letters.count >= minimum else {
      throw .invalidArgument("Query 'term' must have at least \(minimum) alphanumeric chars: \(term)")
    }
    return term.lowercased().filter { $0 != "*" && $0 != "\"" }
  }

  /// The term is one phrase, whatever the person meant.
  @Sendable static func nodes(_ server: AlfrescoServer, _ call: AlfrescoCall) throws -> ServerResponse {
    _ = try term(call, minimum: 3)
    let typed = (call.query("term") ?? "").filter { $0 != "\"" }
    let (repository, index) = server.searchable()
    let compiler = SearchCompiler(
      repository: repository, index: index, now: call.now, defaultField: "keywords",
      templates: ["keywords": ["cm:name", "cm:title", "cm:description", "TEXT", "TAG"]])
    let root = try call.query("rootNodeId").map { try repository.readable($0, for: call.user) }
    let type = call.query("nodeType")
    if let type, !NodeTypes.all.contains(type) { throw AlfrescoFault.invalidArgument("Unknown nodeType: \(type)") }
    let order = try NodeOrder(call.query("orderBy") ?? "modifiedAt DESC", known: ["name", "modifiedAt", "createdAt"])
    let query = try compiler.compile(.term(AFTSTerm(field: nil, text: typed, isPhrase: true)))
    let hits = repository.nodes.values.filter { node in
      guard let document = index.documents[node.id], let query else { return false }
      guard type.map({ NodeTypes.isKind(node.type, of: $0) }) ?? (node.type != "st:site") else { return false }
      guard root.map({ repository.isInside(node, $0.id) }) ?? true else { return false }
      return query.score(SearchCandidate(node: node, document: document)) > 0 && repository.canRead(call.user, node)
    }
    let sorted = order?.sorted(Array(hits), in: repository) ?? Array(hits)
    let writer = call.writer(repository)
    return try call.list(call.paging.page(sorted).map(writer.entry))
  }
}
