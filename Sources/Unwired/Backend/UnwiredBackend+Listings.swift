import Model

extension UnwiredBackend {
  public func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let place = try UnwiredPlace(location)
    let operation = "list \(location)"
    switch place {
    case .root: return entryPoints(location)
    case .kept: return try await keptSets(location, operation)
    case .keptSet(let set): return try await keptRows(set, location, query, operation)
    case .pending: return try await edits(location, operation)
    case .live: return try await during(operation) { () async throws(ServiceError) in try await sets(location) }
    case .set(let name):
      return try await during(operation) { () async throws(ServiceError) in
        try await rows(name, path: name, location, query, isWhole: true)
      }
    case .relation(let set, let key, let name):
      return try await during(operation) { () async throws(ServiceError) in
        let metadata = try await metadata()
        let type = metadata?.type(ofSet: set)
        let key = EntityKey(text: key, names: type?.keys ?? []).predicate(type, metadata?.version ?? .v2)
        return try await rows(nil, path: "\(set)\(key)/\(name)", location, query, isWhole: false)
      }
    case .parameters: return try await parameters(location, operation)
    case .connection, .entity, .keptRow, .edit, .parameter: throw ServiceError.noContainer(location)
    }
  }

  private func entryPoints(_ location: Location) -> Listing {
    let points: [(String, String, Row.Opening)] = [
      ("connection", "This registration", .item), ("live", "Data on the server", .listing),
      ("data", "Synchronised data", .listing), ("pending", "Pending changes", .listing),
      ("personalisation", "Personalisation keys", .listing),
    ]
    let rows = points.map { Row(location.appending($0.0), [.text($0.1), .text($0.0)], opening: $0.2) }
    return Listing(
      location, title: connection.name, columns: [Column("title", "Place", rank: 0), Column("id", "Id", rank: 9)],
      rows: rows, total: .exact(rows.count))
  }

  private func sets(_ location: Location) async throws(ServiceError) -> Listing {
    let answer = try await client.entitySets()
    let names = answer.names.filter { sets?.contains($0) ?? true }
    let missing = (sets ?? []).filter { !answer.names.contains($0) }
    return Listing(
      location, title: client.server.application, columns: [Column("name", "Set", rank: 0)],
      rows: names.map { Row(location.appending($0), [.text($0)], opening: .listing) }, total: .exact(names.count),
      notices: missing.isEmpty ? [] : ["The service has no \(missing.joined(separator: ", "))."], raw: answer.raw)
  }

  /// - Parameters:
  ///   - set: Nil for the rows of a relation, whose set only their addresses tell.
  ///   - isWhole: New rows can be created here.
  private func rows(
    _ set: String?, path: String, _ location: Location, _ query: ListQuery, isWhole: Bool
  ) async throws(ServiceError) -> Listing {
    let metadata = try await metadata()
    let version = metadata?.version ?? .v2
    let type = set.flatMap { metadata?.type(ofSet: $0) }
    let cursor = try RowCursor(query.cursor)
    let conditions = RowConditions(query, type, version)
    let limit = max(1, query.limit ?? 100)
    let page: EntityPage
    if let link = cursor.link {
      page = try await client.page(link)
    } else {
      page = try await client.entities(
        of: path,
        EntityQuery(top: limit, skip: cursor.seen, orderBy: conditions.orderBy, filter: conditions.filter),
        version: version)
    }
    let seen = cursor.seen + page.entities.count
    // The rows of a relation say by their addresses which set they are of.
    let described = type ?? page.entities.first.flatMap(home).flatMap { metadata?.type(ofSet: $0) }
    let columns = EntityValues.columns(described, page.entities)
    var listing = Listing(
      location, title: location.path.last ?? path, columns: columns,
      rows: page.entities.map { row($0, set, described, columns) },
      total: page.total.map { .exact($0) } ?? .unknown, sortedBy: conditions.orderBy == nil ? nil : query.sort,
      filteredBy: conditions.applied, raw: page.raw)
    if let next = page.next {
      listing.next = RowCursor(seen: seen, link: next).text
    } else if let total = page.total, seen < total, !page.entities.isEmpty {
      listing.next = RowCursor(seen: seen, link: nil).text
    } else if page.total == nil, page.entities.count >= limit {
      listing.next = RowCursor(seen: seen, link: nil).text
    }
    if isWhole { listing.actions = [EntityActions.create(type, isReadOnly: connection.isReadOnly)] }
    return listing
  }

  private func home(of entity: Entity) -> String? {
    entity.address.flatMap(client.relative).map { String($0.prefix { $0 != "(" }) }
  }

  private func row(
    _ entity: Entity, _ set: String?, _ type: ODataMetadata.EntityType?, _ columns: [Column]
  ) -> Row {
    let values = columns.map { EntityValues.value(entity[$0.id], type: type?.property($0.id)?.type) }
    let address = entity.address.flatMap(client.relative)
    let home = set ?? home(of: entity)
    let key = EntityKey(entity, names: type?.keys ?? []) ?? address.flatMap { EntityKey(address: $0) }
    guard let home, let key else {
      // Without a key it cannot be opened, only seen.
      return Row(Location(connection: connection.name, path: ["live"]), values, opening: .nothing)
    }
    return Row(Location(connection: connection.name, path: ["live", home, key.text]), values, opening: .item)
  }
}

/// How far a listing of rows has come: rows seen, and the server's own link to the next where it gave one.
struct RowCursor {
  let seen: Int
  let link: String?

  init(seen: Int, link: String?) {
    self.seen = seen
    self.link = link
  }

  /// - Throws: `.usage` for a text that is no cursor of ours.
  init(_ text: String?) throws(ServiceError) {
    guard let text else {
      self.init(seen: 0, link: nil)
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard let first = parts.first, let seen = Int(first), seen >= 0 else {
      throw ServiceError(.usage, "go on listing", detail: "“\(text)” is no cursor of this listing")
    }
    self.init(seen: seen, link: parts.count > 1 ? String(parts[1]) : nil)
  }

  var text: String { link.map { "\(seen):\($0)" } ?? String(seen) }
}

/// Sorting and filtering as the service can do them: by properties it described, and texts in any case.
struct RowConditions {
  let orderBy: String?
  let filter: String?
  /// Columns whose filters are in `filter`.
  let applied: Set<String>

  init(_ query: ListQuery, _ type: ODataMetadata.EntityType?, _ version: ODataVersion) {
    orderBy = query.sort.flatMap { sort in
      guard type?.property(sort.column) != nil else { return nil }
      return sort.isDescending ? "\(sort.column) desc" : sort.column
    }
    var conditions: [String] = []
    var applied: Set<String> = []
    for filter in query.filters where type?.property(filter.column)?.type == "Edm.String" {
      let text = ODataLiteral.text(filter.text.lowercased())
      let name = "tolower(\(filter.column))"
      conditions.append(version == .v2 ? "substringof(\(text),\(name)) eq true" : "contains(\(name),\(text))")
      applied.insert(filter.column)
    }
    filter = conditions.isEmpty ? nil : conditions.joined(separator: " and ")
    self.applied = applied
  }
}
