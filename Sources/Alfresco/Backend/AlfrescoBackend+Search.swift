import Model

extension AlfrescoBackend {
  public func search(_ request: SearchRequest) async throws(ServiceError) -> Listing {
    let location = searchLocation(request)
    let page = try PageRequest(request.query)
    let filters = try narrowing(request.narrowed)
    let order = request.language == .cmis ? nil : request.query.sort.flatMap { Self.order($0) }
    let answer = try await during("search for “\(request.text)”") { () async throws(ServiceError) -> SearchAnswer in
      let adjust: @Sendable (inout ContentSearch) -> Void = { search in
        search.filters += filters
        search.order = order.map { [$0] } ?? [ContentSearch.Order(nil, isAscending: false)]
      }
      guard let language = ContentSearch.Language(rawValue: request.language.rawValue) else {
        return try await client.search(typed: request.text, page, adjust)
      }
      var search = ContentSearch(request.text, language: language, page: page)
      if language != .cmis { adjust(&search) }
      return try await client.search(search)
    }
    var listing = Listing(
      location, title: "“\(request.text)”", columns: NodeTable.searchColumns,
      rows: answer.page.entries.map { hit in
        NodeTable.row(
          hit.node, at: nodeLocation(hit.node.id),
          [.optional(hit.node.path?.name), hit.score.map { .decimal($0) } ?? .null, .optional(hit.snippet)])
      }, sortedBy: order == nil ? nil : request.query.sort, facets: answer.facets, suggestions: answer.suggestions)
    listing.finish(answer.page, page)
    for hit in answer.page.entries where !hit.matches.isEmpty {
      listing.matches[nodeLocation(hit.node.id)] = hit.matches
    }
    if let total = answer.page.total, total >= Self.window { listing.total = .atLeast(total) }
    if listing.next.flatMap({ Int($0) }).map({ $0 >= Self.window }) == true {
      listing.next = nil
      listing.notices.append("Servers search no further than \(Self.window) results; narrow the search.")
    }
    if page.skip == 0, lag.isBehind(answer.lastTransaction, at: surroundings.clock.now()) {
      listing.notices.append(IndexLag.notice)
    }
    if let instead = answer.searchedInstead {
      listing.notices.append("Nothing holds “\(request.text)”; these are the results for “\(instead)”.")
    }
    return listing
  }

  /// Results that can be asked for on every engine.
  private static let window = 10_000

  /// A search as a place: `/search?q=…`, with its language and narrowing.
  func search(at location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    var request = SearchRequest(location.queryValue("q") ?? "", query: query)
    if let word = location.queryValue("language") {
      guard let language = SearchRequest.Language(rawValue: word) else {
        throw ServiceError(.usage, "open \(location)", detail: "“\(word)” is no language; use afts, cmis or lucene")
      }
      request.language = language
    }
    request.narrowed = location.query.compactMap { pair in
      SearchFacet(rawValue: pair.name).map { SearchRequest.Choice(facet: $0.rawValue, value: pair.value) }
    }
    return try await search(request)
  }

  private func searchLocation(_ request: SearchRequest) -> Location {
    var query = [("q", request.text)]
    if request.language != .words { query.append(("language", request.language.rawValue)) }
    query += request.narrowed.map { ($0.facet, $0.value) }
    return Location(connection: connection.name, path: ["search"], query: query)
  }

  private func narrowing(_ choices: [SearchRequest.Choice]) throws(ServiceError) -> [String] {
    var filters: [String] = []
    for choice in choices {
      guard let filter = SearchFacet(rawValue: choice.facet)?.filter(choice.value) else {
        throw ServiceError(
          .usage, "narrow the search", detail: "there is no “\(choice.value)” under “\(choice.facet)”",
          remedy: "Choose one of the facets that the results show.")
      }
      filters.append(filter)
    }
    return filters
  }

  private static func order(_ sort: Sort) -> ContentSearch.Order? {
    NodeTable.searchField(sort.column).map { ContentSearch.Order($0, isAscending: !sort.isDescending) }
  }
}
