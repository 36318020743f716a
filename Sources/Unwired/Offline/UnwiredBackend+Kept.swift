import JSON
import Model
import Store

// What is kept on this machine, with the edits that wait laid over it.
extension UnwiredBackend {
  static let sync = Action("sync", "Synchronise")

  func keptSets(_ location: Location, _ operation: String) async throws(ServiceError) -> Listing {
    let store = try await offline.store(operation)
    let kept = try keeping(operation) { () throws(OfflineError) in try store.sets() }
    let edits = try keeping(operation) { () throws(OfflineError) in try store.edits() }
    let columns = [
      Column("name", "Set", rank: 0), Column("rows", "Rows", .integer), Column("synced", "Synchronised", .time),
      Column("pending", "Pending", .integer),
    ]
    let shown = kept.filter { $0.set.synced != nil && (sets?.contains($0.set.name) ?? true) }
    let rows = shown.map { set, count in
      Row(
        location.appending(set.name),
        [
          .text(set.name), .integer(Int64(count)), .optional(set.synced),
          .integer(Int64(edits.count { $0.set == set.name })),
        ], opening: .listing)
    }
    let hint = "Nothing has been synchronised yet: atrium sync \(connection.name)."
    return Listing(
      location, title: client.server.application, columns: columns, rows: rows, total: .exact(rows.count),
      notices: rows.isEmpty ? [hint] : [], actions: [Self.sync],
      freshness: .offline(shown.compactMap(\.set.synced).min()))
  }

  /// A set that has been synchronised.
  func keptSet(_ name: String, in store: OfflineStore, _ operation: String) throws(ServiceError) -> KeptSet {
    let set = try keeping(operation) { () throws(OfflineError) in try store.set(named: name) }
    guard let set, set.synced != nil else {
      throw ServiceError(
        .notFound, operation, detail: "“\(name)” has not been synchronised",
        remedy: "Synchronise first: atrium sync \(connection.name).")
    }
    return KeptSet(set)
  }

  func keptRows(
    _ name: String, _ location: Location, _ query: ListQuery, _ operation: String
  ) async throws(ServiceError) -> Listing {
    let store = try await offline.store(operation)
    let kept = try keptSet(name, in: store, operation)
    let offset = try RowCursor(query.cursor).seen
    let overlay = try keeping(operation) { () throws(OfflineError) in try waiting(on: name, kept, store) }
    let page = try keeping(operation) { () throws(OfflineError) in
      try store.page(of: kept.set, search(query, kept, offset), over: overlay)
    }
    let columns = columns(kept, page.rows)
    let end = offset + page.rows.count
    return Listing(
      location, title: name, columns: columns,
      rows: page.rows.map { row in
        Row(location.appending(row.key), columns.map { kept.value($0.id, row[$0.id]) }, opening: .item)
      }, next: end < page.total && !page.rows.isEmpty ? String(end) : nil, total: .exact(page.total),
      sortedBy: query.sort.flatMap { sort in columns.contains { $0.id == sort.column } ? sort : nil },
      filteredBy: Set(query.filters.map(\.column)),
      actions: [EntityActions.create(kept.type, isReadOnly: connection.isReadOnly), Self.sync],
      freshness: .offline(kept.set.synced))
  }

  private func search(_ query: ListQuery, _ kept: KeptSet, _ offset: Int) -> OfflineQuery {
    OfflineQuery(
      sort: query.sort.map { .init($0.column, kept.reading($0.column), isDescending: $0.isDescending) },
      filters: query.filters.map { .init($0.column, kept.reading($0.column), contains: $0.text) }, offset: offset,
      limit: max(1, query.limit ?? 100))
  }

  private func columns(_ kept: KeptSet, _ rows: [OfflineRow]) -> [Column] {
    if let type = kept.type, !type.properties.isEmpty { return EntityValues.columns(type, []) }
    var names: [String] = []
    for row in rows {
      for member in row.properties where !names.contains(member.key) { names.append(member.key) }
    }
    return names.enumerated().map { Column($0.element, $0.element, rank: $0.offset, isSortable: true) }
  }

  func waiting(
    on name: String, _ kept: KeptSet, _ store: OfflineStore
  ) throws(OfflineError) -> OfflineOverlay {
    let edits = try store.edits().filter { $0.set == name }
    var overlay = OfflineOverlay()
    var seen: Set<String> = []
    for edit in edits where seen.insert(edit.key).inserted {
      let base = try store.row(edit.key, in: kept.set)
      let row = edits.about(name, edit.key).laid(over: base, key: edit.key)
      if base == nil, let row {
        overlay.added.append(row)
      } else if base != nil {
        overlay.changed.updateValue(row, forKey: edit.key)
      }
    }
    return overlay
  }

  func keptItem(
    _ name: String, _ key: String, _ location: Location, _ operation: String
  ) async throws(ServiceError) -> Item {
    let store = try await offline.store(operation)
    let kept = try keptSet(name, in: store, operation)
    let edits = try keeping(operation) { () throws(OfflineError) in try store.edits() }.about(name, key)
    let base = try keeping(operation) { () throws(OfflineError) in try store.row(key, in: kept.set) }
    guard let row = edits.laid(over: base, key: key) else {
      if base == nil { throw .notFound(location) }
      throw ServiceError(
        .notFound, operation, detail: "it is to be deleted at the next synchronisation",
        remedy: "Drop that edit to have it back: atrium rm \(connection.name):/pending/\(edits.last?.id ?? 0).")
    }
    let entity = Entity(properties: row.properties, tag: row.tag)
    var sections = [
      Item.Section(
        kept.type?.name ?? name,
        row.properties.map { member in
          Field(
            member.key, member.key, kept.value(member.key, member.value),
            EntityValues.kind(kept.type?.property(member.key)?.type))
        })
    ]
    if let tag = row.tag, row["etag"] == nil {
      sections.append(Item.Section("Version", [Field("etag", "Tag", .text(tag))]))
    }
    let title = "\(name) \(key)"
    return Item(
      location, title: title, sections: sections,
      related: [
        Link(
          "The same on the server", Location(connection: connection.name, path: ["live", name, key]), opening: .item)
      ],
      actions: [
        EntityActions.edit(entity, kept.type, isReadOnly: connection.isReadOnly),
        EntityActions.delete(title, isReadOnly: connection.isReadOnly),
      ], freshness: .offline(kept.set.synced),
      notices: edits.isEmpty ? [] : ["\(edits.count) \(edits.count == 1 ? "edit waits" : "edits wait") to be sent."])
  }
}
