import JSON
import Model
import Store
import Wire

/// Custom APIs that keep offline data: their collections and items carry tags (reference, section 6.5).
extension MobileClient {
  /// Asks for the synchronisation library's form.
  static let syncAgent = (name: "Oracle-Mobile-Sync-Agent", value: "true")

  /// What an answer of a custom API says that it is.
  enum ResourceKind: String, Sendable { case item, collection, file }

  /// A GET of a custom API, kept where data offline is in use.
  ///
  /// The header asks for the synchronisation library's form; an API that does not know it answers as always, and is then
  /// kept as one piece (trap 23).
  func customAnswer(
    _ path: [String], query: [(name: String, value: String)], wanted: MobileSyncPolicy? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws(ServiceError) -> MobileAnswer {
    var call = customCall("GET", path, query: query)
    call.headers = headers
    guard let store = try await storeForReading(call.operation) else { return try await json(call) }
    call.headers.append(MobileClient.syncAgent)
    let list = MobileEdit.Target.item(path + [""]).listPath
    let asked = call
    let isList = try keeping(call.operation) { () throws(OfflineError) in try store.list(list) } != nil
    let hasEdits = try !store.edits(of: list, call.operation).isEmpty
    if query.isEmpty, isList || hasEdits && !offline.isOnline {
      let page = ListPage(offset: 0, limit: .max, order: nil, text: nil)
      let answer = try await keptList(list, page, call.operation, wanted: wanted) {
        [self] () async throws(ServiceError) in try await json(asked)
      }
      return try await noted(try demanded(answer, call.operation), list, in: store)
    }
    let target = MobileEdit.Target.item(path)
    let edits = try store.edits(of: target, call.operation)
    let row = try keeping(call.operation) { () throws(OfflineError) in try store.row(target.key, of: target.listPath) }
    if query.isEmpty, !edits.isEmpty || row != nil {
      return try await itemAnswer(asked, target, wanted)
    }
    return try await noted(try await kept(asked, wanted: wanted), list, in: store)
  }

  /// An answer in the library's form is kept element by element from then on.
  private func noted(
    _ answer: MobileAnswer, _ list: String, in store: MobileStore
  ) async throws(ServiceError) -> MobileAnswer {
    guard answer.freshness == .live, answer.resourceKind == .collection else { return answer }
    let rows = answer.syncRows
    let now = offline.surroundings.clock.now()
    try keeping("keep \(list)") { () throws(OfflineError) in
      try store.keep(rows, of: list, .whole(rows.count), at: now)
    }
    return answer
  }

  /// One item: with its edits, from the service, or from its collection's row.
  private func itemAnswer(
    _ call: MobileCall, _ target: MobileEdit.Target, _ wanted: MobileSyncPolicy?
  ) async throws(ServiceError) -> MobileAnswer {
    let operation = call.operation
    let answer = try await read(
      call.path, operation, wanted: wanted,
      kept: { store throws(ServiceError) in
        let edits = try store.edits(of: target, operation)
        let base = try keeping(operation) { () throws(OfflineError) in try store.row(target.key, of: target.listPath) }
        let list = try keeping(operation) { () throws(OfflineError) in try store.list(target.listPath) }
        guard let row = edits.laid(over: base) else {
          guard !edits.isEmpty else { return nil }
          throw ServiceError(.notFound, operation, detail: "it is to be deleted when the server can be reached")
        }
        let moment = list?.set.synced
        return Kept(moment: moment ?? edits.first?.edit.queued ?? offline.started, own: list?.own) {
          () throws(ServiceError) in
          var headers = HTTPHeaders()
          if let tag = row.tag { headers["ETag"] = tag }
          return try MobileAnswer(kept: row.node.encoded(), operation, moment, headers: headers)
        }
      }, live: { [self] () async throws(ServiceError) in try await json(call) },
      keep: { store, answer throws(OfflineError) in
        guard let row = MobileRow.of(answer.root, key: target.key, tag: answer.headers["ETag"]) else { return }
        try store.keep(row, of: target.listPath)
      })
    return try demanded(answer, operation)
  }

  // MARK: Calls

  func itemCall(_ method: String, _ path: [String], _ body: JSONNode?, ifMatch tag: String?) -> MobileCall {
    var call = customCall(method, path, query: [], data: body)
    call.headers.append(MobileClient.syncAgent)
    if let tag { call.headers.append((name: "If-Match", value: tag)) }
    return call
  }

  /// A GET in the library's form, straight from the service.
  func syncAnswer(_ path: [String]) async throws(ServiceError) -> MobileAnswer {
    try await json(itemCall("GET", path, nil, ifMatch: nil))
  }

  func liveItem(_ path: [String]) async throws(ServiceError) -> OfflineRow {
    let answer = try await json(itemCall("GET", path, nil, ifMatch: nil))
    return MobileRow.of(answer.root, key: path.last, tag: answer.headers["ETag"])
      ?? OfflineRow(key: path.last ?? "", tag: answer.headers["ETag"], properties: [])
  }

  /// - Returns: The item with its key: from `Location`, from the body's own address, or a made-up one (6.5).
  func createItem(_ path: [String], _ body: JSONNode) async throws(ServiceError) -> OfflineRow {
    let answer = try await json(itemCall("POST", path, body, ifMatch: nil))
    let place = answer.headers["Location"].map { String($0.prefix { $0 != "?" }) }
    let key = place?.split(separator: "/").last.map { URLForm.unescape($0) }
    let own = ["id", "no", "uri"].compactMap { answer.root[$0].text }.first
    let found = key ?? own ?? MobileHeaders.Identity.uuid(offline.surroundings.randomBytes(16))
    let sent = JSONNode.Member.all(of: body)
    return MobileRow.of(answer.root, key: found, tag: answer.headers["ETag"])
      ?? OfflineRow(key: found, tag: answer.headers["ETag"], properties: sent)
  }

  func updateItem(_ path: [String], _ body: JSONNode, ifMatch tag: String?) async throws(ServiceError) -> OfflineRow {
    let answer = try await json(itemCall("PUT", path, body, ifMatch: tag))
    return MobileRow.of(answer.root, key: path.last, tag: answer.headers["ETag"])
      ?? OfflineRow(key: path.last ?? "", tag: answer.headers["ETag"], properties: .all(of: body))
  }

  func deleteItem(_ path: [String], ifMatch tag: String?) async throws(ServiceError) {
    _ = try await demand(itemCall("DELETE", path, nil, ifMatch: tag))
  }

  // MARK: Changes

  /// Changes an item, now or later; members that are not named keep their values.
  func change(
    _ path: [String], _ members: [JSONNode.Member], ifMatch: String? = nil, savesIfOffline: Bool? = nil,
    resolution: MobileSyncPolicy.ConflictResolution? = nil
  ) async throws(ServiceError) -> MobileChange<OfflineRow> {
    let words = "change \(path.joined(separator: "/"))"
    let draft = Draft(
      operation: .update, target: .item(path),
      content: { base throws(ServiceError) in
        guard let base else {
          throw ServiceError(
            .offline, words, detail: "nothing of it is kept here, so what else it holds is not known",
            remedy: "Look at it while there is a server.")
        }
        return MobileEdit.Content(
          row: base.changed(members).properties, base: base.properties, resolution: resolution)
      }, tag: ifMatch, savesIfOffline: savesIfOffline, words: words)
    let change = try await submit(
      draft,
      live: { () async throws(ServiceError) in
        let current = try await liveItem(path)
        return try await updateItem(path, .object(current.changed(members).properties), ifMatch: ifMatch ?? current.tag)
      })
    if case .sent(let row) = change { await note(row, of: draft.target.listPath) }
    return change
  }

  func make(
    in path: [String], _ body: JSONNode, savesIfOffline: Bool? = nil
  ) async throws(ServiceError) -> MobileChange<OfflineRow> {
    let key = "+" + MobileHeaders.Identity.uuid(offline.surroundings.randomBytes(16)).prefix(8)
    let draft = Draft(
      operation: .create, target: .item(path + [key]),
      content: { _ throws(ServiceError) in MobileEdit.Content(row: .all(of: body)) }, savesIfOffline: savesIfOffline,
      words: "create in \(path.joined(separator: "/"))")
    let change = try await submit(draft, live: { () async throws(ServiceError) in try await createItem(path, body) })
    if case .sent(let row) = change { await note(row, of: draft.target.listPath) }
    return change
  }

  func discardItem(
    _ path: [String], ifMatch: String? = nil, savesIfOffline: Bool? = nil
  ) async throws(ServiceError) -> MobileChange<Void> {
    let draft = Draft(
      operation: .delete, target: .item(path),
      content: { base throws(ServiceError) in MobileEdit.Content(base: base?.properties ?? []) }, tag: ifMatch,
      savesIfOffline: savesIfOffline, words: "delete \(path.joined(separator: "/"))")
    let change = try await submit(
      draft,
      live: { () async throws(ServiceError) in
        // The tag that is known, so that nobody else's change goes with it (trap 14).
        var tag = ifMatch
        if tag == nil { tag = try await liveItem(path).tag }
        try await deleteItem(path, ifMatch: tag)
      })
    if case .sent = change, offline.isInUse, let store = try? await openStore(draft.words) {
      try? store.remove(draft.target.key, of: draft.target.listPath)
    }
    return change
  }

  private func note(_ row: OfflineRow, of path: String) async {
    guard offline.isInUse, let store = try? await openStore("keep \(path)"), (try? store.list(path)) ?? nil != nil
    else { return }
    try? store.keep(row, of: path)
  }
}

extension MobileAnswer {
  /// What the custom API says; by the shape of the answer where it says nothing, as Oracle's library guesses.
  var resourceKind: MobileClient.ResourceKind? {
    headers["Oracle-Mobile-Sync-Resource-Type"].flatMap { MobileClient.ResourceKind(rawValue: $0.lowercased()) }
  }

  /// The items of a collection with the keys that their addresses end in.
  var syncRows: [OfflineRow] {
    let (uris, etags) = (root["uris"], root["etags"])
    return root["items"].elements.enumerated().compactMap { index, element in
      let key = uris[index].string?.split(separator: "/").last.map { URLForm.unescape($0) }
      return MobileRow.of(element, key: key, tag: etags[index].string)
    }
  }
}

extension JSONNode.Member {
  static func all(of node: JSONNode) -> [JSONNode.Member] {
    guard case .object(let members) = node else { return [] }
    return members
  }
}

extension [JSONNode.Member] {
  static func all(of node: JSONNode) -> [JSONNode.Member] { JSONNode.Member.all(of: node) }
}
