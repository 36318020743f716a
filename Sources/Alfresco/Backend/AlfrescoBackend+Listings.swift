import Model
import Wire

extension AlfrescoBackend {
  public func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let place = try Place(location)
    if place == .root { return entryPoints(location) }
    if case .search = place { return try await search(at: location, query) }
    return try await during("list \(location)") { () async throws(ServiceError) -> Listing in
      try await listing(place, location, query)
    }
  }

  private func listing(
    _ place: Place, _ location: Location, _ query: ListQuery
  ) async throws(ServiceError) -> Listing {
    let page = try PageRequest(query)
    switch place {
    case .node(let reference): return try await folder(reference, location, query, page)
    case .sites(let selection): return try await sites(selection, location, query, page)
    case .members(let site): return try await members(site, location, page)
    case .activities: return try await activities(nil, location, page)
    case .siteActivities(let site): return try await activities(site, location, page)
    case .requests: return try await requests(location, page)
    case .category(let id): return try await categories(id, location, page)
    case .audit(nil): return try await auditApplications(location)
    case .audit(let application?):
      let answer = try await client.auditEntries(of: application, page)
      return AuditTable.listing(answer, location, title: application, page)
    case .site(let id): return try await siteEntryPoints(id, location)
    case .people: return try await people(location, query, page)
    case .favorites: return try await favorites(location, page)
    case .shared: return try await sharedLinks(location, page)
    case .trash: return try await trash(location, page)
    case .recent: return try await recent(location, query, page)
    case .facet(let reference, let facet): return try await listing(facet, of: reference, location, page)
    case .root, .search, .person, .deleted, .facetEntry, .member, .request, .archive:
      throw ServiceError.noContainer(location)
    }
  }

  private func entryPoints(_ location: Location) -> Listing {
    var points = [
      ("files", "Files"), ("nodes/-my-", "Personal files"), ("sites", "Sites"), ("sites?show=mine", "My sites"),
      ("sites?show=favorites", "Favourite sites"), ("favorites", "Favourites"), ("shared", "Shared links"),
      ("recent", "Recent files"), ("activities", "Activities"), ("requests", "Requests to join"),
      ("categories", "Categories"), ("people", "People"), ("trash", "Trash"),
    ]
    if client.session.isAdministrator { points.append(("audit", "Audit")) }
    let rows = points.compactMap { id, title in
      (try? Location(parsing: "\(connection.name):/\(id)")).map {
        Row($0, [.text(title), .text(id)], opening: .listing)
      }
    }
    return Listing(
      location, title: connection.name, columns: [Column("title", "Place", rank: 0), Column("id", "Id", rank: 9)],
      rows: rows, total: .exact(rows.count))
  }

  private func folder(
    _ reference: NodeReference, _ location: Location, _ query: ListQuery, _ page: PageRequest
  ) async throws(ServiceError) -> Listing {
    let order = query.sort.flatMap { sort in
      NodeTable.orderField(sort.column).map { sort.isDescending ? "\($0) DESC" : $0 }
    }
    let kind = KindFilter(query.filters)
    let answer = try await client.children(
      of: try await address(reference), page, orderBy: order, where: kind?.predicate)
    var listing = Listing(
      location, title: reference.lastName ?? answer.source?.name ?? connection.name, columns: NodeTable.columns,
      rows: answer.entries.map { NodeTable.row($0, at: childLocation($0, of: location, reference)) },
      sortedBy: order == nil ? nil : query.sort, filteredBy: kind == nil ? [] : ["kind"],
      actions: [FolderActions.newFolder(isReadOnly: connection.isReadOnly)])
    listing.finish(answer, page)
    if !answer.hasMore, answer.skipCount + answer.entries.count == Self.mostChildren {
      listing.notices.append("The server considers \(Self.mostChildren) entries of a folder; there may be more.")
      listing.total = .atLeast(Self.mostChildren)
    }
    return listing
  }

  /// `system.filefolderservice.defaultListMaxResults` of the server, as it comes.
  private static let mostChildren = 5000

  private func people(
    _ location: Location, _ query: ListQuery, _ page: PageRequest
  ) async throws(ServiceError) -> Listing {
    // The name shown is first and last name together.
    let fields = ["id": ["id"], "name": ["firstName", "lastName"]]
    let order = query.sort.flatMap { sort in
      fields[sort.column].map { $0.map { sort.isDescending ? "\($0) DESC" : $0 }.joined(separator: ",") }
    }
    let answer = try await client.people(page, orderBy: order)
    let columns = [
      Column("name", "Name", rank: 0, isSortable: true, isPrivate: true),
      Column("id", "Id", rank: 1, isSortable: true, isPrivate: true),
      Column("email", "E-mail", rank: 2, isPrivate: true),
    ]
    var listing = Listing(
      location, title: "People", columns: columns,
      rows: answer.entries.map { person in
        Row(location.appending(person.id), [.text(person.name), .text(person.id), .optional(person.email)])
      }, sortedBy: order == nil ? nil : query.sort)
    listing.finish(answer, page)
    return listing
  }

  private func favorites(_ location: Location, _ page: PageRequest) async throws(ServiceError) -> Listing {
    let answer = try await client.favorites(page)
    var listing = Listing(
      location, title: "Favourites", columns: NodeTable.columns,
      rows: answer.entries.compactMap(\.node).map { NodeTable.row($0, at: nodeLocation($0.id)) })
    listing.finish(answer, page)
    return listing
  }

  private func sharedLinks(_ location: Location, _ page: PageRequest) async throws(ServiceError) -> Listing {
    let answer = try await client.sharedLinks(page)
    var listing = Listing(
      location, title: "Shared links", columns: NodeTable.sharedColumns,
      rows: answer.entries.map { link in
        let id = link.nodeID ?? link.id
        let values: [Value] =
          NodeTable.values(link.node, id: id) + [.text(link.id), .optional(link.sharer), .optional(link.expires)]
        return Row(nodeLocation(id), values, hasContent: true)
      }, notices: answer.skipCount == 0 ? ["Shared links come from the search index, which may lag behind."] : [])
    listing.finish(answer, page)
    return listing
  }

  private func trash(_ location: Location, _ page: PageRequest) async throws(ServiceError) -> Listing {
    let answer = try await client.deletedNodes(page)
    var listing = Listing(
      location, title: "Trash", columns: NodeTable.trashColumns,
      rows: answer.entries.map { node in
        // A folder in the trash is one entry: what was in it comes back with it, and cannot be listed.
        Row(
          location.appending(node.id),
          NodeTable.values(node) + [.optional(node.archived), .optional(node.path?.name)],
          hasContent: node.content != nil)
      })
    listing.finish(answer, page)
    return listing
  }

  /// Files the signed-in person made or changed in the last 30 days, as the web and mobile clients show them.
  private func recent(
    _ location: Location, _ query: ListQuery, _ page: PageRequest
  ) async throws(ServiceError) -> Listing {
    let user: String
    if let known = client.session.user { user = known } else { user = try await client.person().value.id }
    let name = TypedWords.escaped(user)
    var search = ContentSearch("*", page: page)
    search.filters =
      ContentSearch.visibleOnly + [
        "cm:modified:[NOW/DAY-30DAYS TO NOW/DAY+1DAY]", "cm:modifier:\"\(name)\" OR cm:creator:\"\(name)\"",
        "TYPE:'cm:content'",
      ]
    let order = query.sort.flatMap { sort in NodeTable.searchField(sort.column).map { ($0, sort) } }
    search.order = [
      ContentSearch.Order(order?.0 ?? "cm:modified", isAscending: order.map { !$0.1.isDescending } ?? false)
    ]
    search.wantsFacets = false
    let answer = try await client.search(search).page
    var listing = Listing(
      location, title: "Recent files", columns: NodeTable.columns,
      rows: answer.entries.map { NodeTable.row($0.node, at: nodeLocation($0.node.id)) }, sortedBy: order?.1)
    listing.finish(answer, page)
    return listing
  }
}

extension Listing {
  /// Takes over what the answer says of the pages. The next page begins after all that was asked for: entries that
  /// the caller may not read are left out of an answer without being made up for.
  mutating func finish<Entry>(_ answer: Page<Entry>, _ page: PageRequest) {
    next = answer.hasMore ? String(page.skip + page.limit) : nil
    if let count = answer.total, count >= rows.count { total = .exact(count) }
    if answer.total == nil {
      total = answer.hasMore ? .atLeast(page.skip + rows.count) : .exact(page.skip + rows.count)
    }
    raw = answer.raw
  }
}

extension PageRequest {
  /// - Throws: `.usage` for a cursor that is not one of ours.
  init(_ query: ListQuery) throws(ServiceError) {
    let skip = query.cursor.map { Int($0) } ?? 0
    guard let skip, skip >= 0 else {
      throw ServiceError(.usage, "go on listing", detail: "“\(query.cursor ?? "")” is no cursor of this listing")
    }
    self.init(skip: skip, limit: max(1, query.limit ?? 100))
  }
}

/// `--where kind=…` as the server's predicate, when the text fits one kind only.
struct KindFilter {
  let predicate: String

  init?(_ filters: [ListQuery.Filter]) {
    guard let text = filters.first(where: { $0.column == "kind" })?.text.lowercased(), !text.isEmpty else { return nil }
    switch ("folder".contains(text), "file".contains(text)) {
    case (true, false): predicate = "(isFolder=true)"
    case (false, true): predicate = "(isFile=true)"
    default: return nil
    }
  }
}
