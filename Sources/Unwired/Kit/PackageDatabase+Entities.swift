import JSON
import Model
import Store

// Rows: found here or on the server, changed here.
extension PackageDatabase {
  /// Every row of a set, with the edits that wait (`findAll`).
  public func findAll(_ set: String) async throws(ServiceError) -> [EntityObject] { try await find(set, ObjectQuery()) }

  /// Nil when there is none (`findByPrimaryKey`).
  public func find(_ set: String, key: String) async throws(ServiceError) -> EntityObject? {
    let operation = "find \(key) in “\(set)”"
    let store = try await store(operation)
    let kept = try backend.keptSet(set, in: store, operation)
    return try keeping(operation) { () throws(OfflineError) in
      let edits = try store.edits().about(set, key)
      return edits.laid(over: try store.row(key, in: kept.set), key: key).map { EntityObject(set, $0, edits) }
    }
  }

  /// Rows that are kept here (`findWithQuery`).
  public func find(_ set: String, _ query: ObjectQuery) async throws(ServiceError) -> [EntityObject] {
    let operation = "find rows of “\(set)”"
    let store = try await store(operation)
    let kept = try backend.keptSet(set, in: store, operation)
    let edits = try keeping(operation) { () throws(OfflineError) in try store.edits() }.filter { $0.set == set }
    let overlay = try keeping(operation) { () throws(OfflineError) in try backend.waiting(on: set, kept, store) }
    var rows: [OfflineRow] = []
    var refusal: ServiceError?
    try keeping(operation) { () throws(OfflineError) in
      try store.visit(kept.set, over: overlay) { row in
        do throws(ServiceError) {
          if try query.matches({ kept.value($0, row[$0]) }, { kept.value($0, $1) }) { rows.append(row) }
        } catch {
          refusal = error
        }
        return refusal == nil
      }
    }
    if let refusal { throw refusal }
    if !query.sortCriteria.isEmpty {
      rows = rows.enumerated().sorted { left, right in
        query.precedes({ kept.value($0, left.element[$0]) }, { kept.value($0, right.element[$0]) })
          ?? (left.offset < right.offset)
      }.map(\.element)
    }
    let page = rows.dropFirst(query.skip).prefix(query.take ?? .max)
    return page.map { row in
      EntityObject(set, row, edits.about(set, row.key)).keeping(query.select, kept.type?.keys ?? [])
    }
  }

  /// The same rows from the server as it is now, without edits that wait.
  public func findOnServer(_ set: String, _ query: ObjectQuery) async throws(ServiceError) -> [EntityObject] {
    do throws(ServiceError) {
      let found = try await search(set, query)
      events.post(.search(set, nil))
      return found
    } catch {
      events.post(.search(set, error))
      throw error
    }
  }

  private func search(_ set: String, _ query: ObjectQuery) async throws(ServiceError) -> [EntityObject] {
    let metadata = try await backend.metadata()
    let (type, version) = (metadata?.type(ofSet: set), metadata?.version ?? .v2)
    var asked = EntityQuery(top: query.take ?? 500, skip: query.skip, orderBy: query.orderBy)
    asked.filter = try query.filter(type, version)
    asked.select = query.select.map { names in (type?.keys ?? []).filter { !names.contains($0) } + names }
    var page = try await application.client.entities(of: set, asked, version: version)
    var entities = page.entities
    while entities.count < query.take ?? .max {
      if let next = page.next {
        page = try await application.client.page(next)
      } else if query.take == nil, page.entities.count == asked.top {
        asked.skip += asked.top
        page = try await application.client.entities(of: set, asked, version: version)
      } else {
        break
      }
      entities += page.entities
    }
    return entities.prefix(query.take ?? .max).compactMap { entity in
      OfflineRow(entity, keys: type?.keys ?? []).map { EntityObject(set, $0, []) }
    }
  }

  /// How many rows match (`getSize`).
  public func size(_ set: String, _ query: ObjectQuery = ObjectQuery()) async throws(ServiceError) -> Int {
    try await find(set, query).count
  }

  /// Rows with changes that the server has not taken yet (`getPendingObjects:skip:take:`).
  public func pendingObjects(
    _ set: String, skip: Int = 0, take: Int = .max
  ) async throws(ServiceError) -> [EntityObject] {
    Array(try await findAll(set).filter(\.isPending).dropFirst(skip).prefix(take))
  }

  /// Those of them that were submitted (`getReplayPendingObjects`).
  public func replayPendingObjects(_ set: String) async throws(ServiceError) -> [EntityObject] {
    try await findAll(set).filter { $0.replayPending != nil }
  }
}

// Changing.
extension PackageDatabase {
  /// Keeps a new row, or what has changed in one (`save`, `create`, `update`); it is pending, and not submitted.
  public func save(_ entity: inout EntityObject) async throws(ServiceError) {
    let operation = "save a row of “\(entity.set)”"
    let made = try await backend.queue(
      entity.set, entity.key, entity.key == nil ? .create : .update, entity.properties, ifMatch: nil, operation,
      as: .draft)
    if let made { entity.key = made.key }
    try await refresh(&entity)
  }

  /// Notes that a row is to be deleted.
  public func delete(_ entity: EntityObject) async throws(ServiceError) {
    guard let key = entity.key else { return }
    _ = try await backend.queue(
      entity.set, key, .delete, [], ifMatch: nil, "delete \(key) from “\(entity.set)”", as: .draft)
  }

  /// Reads it anew from what is kept (`refresh`).
  ///
  /// - Throws: `.notFound` when it has gone, or is to be deleted.
  public func refresh(_ entity: inout EntityObject) async throws(ServiceError) {
    let operation = "read a row of “\(entity.set)”"
    guard let key = entity.key, let found = try await find(entity.set, key: key) else {
      throw ServiceError(.notFound, operation)
    }
    entity = found
  }

  /// Lets the saved changes of a row go up with the next synchronisation (`submitPending`).
  public func submitPending(_ entity: EntityObject) async throws(ServiceError) {
    let operation = "submit a row of “\(entity.set)”"
    let store = try await store(operation)
    for edit in try await edits(operation).about(entity.set, entity.key ?? "") where edit.state == .draft {
      try submit(edit, in: store, operation)
    }
  }

  /// Drops the changes of a row that the server has not taken (`cancelPending`).
  public func cancelPending(_ entity: EntityObject) async throws(ServiceError) {
    let operation = "cancel changes of “\(entity.set)”"
    let store = try await store(operation)
    for edit in try await edits(operation).about(entity.set, entity.key ?? "").reversed() {
      try keeping(operation) { () throws(OfflineError) in _ = try store.drop(edit.id) }
    }
  }
}

extension EntityObject {
  /// With these properties and the keys only.
  fileprivate func keeping(_ names: [String]?, _ keys: [String]) -> EntityObject {
    guard let names else { return self }
    var entity = self
    entity.properties = properties.filter { names.contains($0.key) || keys.contains($0.key) }
    return entity
  }
}
