import JSON
import Model
import Store

extension UnwiredBackend {
  /// Sends what waits, then fetches what has changed, set by set; all that came is kept in one transaction.
  ///
  /// - Throws: `.conflict` at the end while an edit waits for a person's decision.
  public func synchronize(progress: @escaping Progress) async throws(ServiceError) -> ActionOutcome {
    let operation = "synchronise \(connection.name)"
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    let store = try await offline.store(operation)
    guard client.isReady else { throw ServiceError(.signInNeeded, operation) }
    return try await during(operation) { () async throws(ServiceError) -> ActionOutcome in
      let sent = connection.isReadOnly ? 0 : try await Replay(self, store, operation).run().sent
      let changed = try await fetch(into: store, operation, progress)
      try refuseStuck(in: store, operation)
      return ActionOutcome(
        "\(Self.words(sent: sent)); \(changed).", location: Location(connection: connection.name, path: ["data"]))
    }
  }

  /// Sends what waits and fetches nothing: the group `system` of the native protocol.
  func sendWaiting(_ operation: String) async throws(ServiceError) -> ActionOutcome {
    try await changing(operation) { () async throws(ServiceError) -> ActionOutcome in
      let store = try await offline.store(operation)
      let sent = try await Replay(self, store, operation).run().sent
      try refuseStuck(in: store, operation)
      return ActionOutcome("\(Self.words(sent: sent)).")
    }
  }

  private static func words(sent: Int) -> String { sent == 1 ? "Sent 1 edit" : "Sent \(sent) edits" }

  /// - Throws: `.conflict` while an edit waits for a person's decision.
  private func refuseStuck(in store: OfflineStore, _ operation: String) throws(ServiceError) {
    let left = try keeping(operation) { () throws(OfflineError) in try store.edits() }.filter { $0.state != .draft }
    guard let stuck = left.first(where: { $0.state != .waiting }) else { return }
    let error = conflict(stuck, operation)
    let others = left.count - 1
    guard others > 0 else { throw error }
    throw ServiceError(
      .conflict, operation, detail: "\(error.detail ?? ""); \(others) more \(others == 1 ? "waits" : "wait")",
      remedy: error.remedy)
  }

  private func fetch(
    into store: OfflineStore, _ operation: String, _ progress: @escaping Progress
  ) async throws(ServiceError) -> String {
    let metadata = try await metadata()
    var names = try await client.entitySets().names
    if let sets {
      if let missing = sets.first(where: { !names.contains($0) }) {
        throw ServiceError(
          .configuration, operation, detail: "the service has no set “\(missing)”",
          remedy: "Correct sets in the configuration; there are \(names.joined(separator: ", ")).")
      }
      names = sets
    }
    let lock = try await OfflineLock.hold(store, operation)
    defer { withExtendedLifetime(lock) {} }
    var downloads: [OfflineDownload] = []
    var rows = 0
    for name in names {
      var fetch = SetFetch(client, store, operation)
      let seen = rows
      let download = try await fetch.download(name, metadata, at: surroundings.clock.now()) { count in
        progress(Int64(seen + count), nil)
      }
      rows += download.count
      downloads.append(download)
    }
    let complete = downloads
    try keeping(operation) { () throws(OfflineError) in try store.keep(complete) }
    let what = rows == 0 ? "nothing has changed" : rows == 1 ? "1 row came" : "\(rows) rows came"
    return "\(what) in \(names.count) \(names.count == 1 ? "set" : "sets")"
  }
}

/// Fetches one set: what has changed where the server can tell, everything else.
struct SetFetch {
  private let client: UnwiredClient
  private let store: OfflineStore
  private let operation: String

  init(_ client: UnwiredClient, _ store: OfflineStore, _ operation: String) {
    self.client = client
    self.store = store
    self.operation = operation
  }

  mutating func download(
    _ name: String, _ metadata: ODataMetadata?, at moment: Timestamp, _ seen: (Int) -> Void
  ) async throws(ServiceError) -> OfflineDownload {
    var set = try keeping(operation) { () throws(OfflineError) in try store.madeSet(named: name) }
    let version = metadata?.version ?? .v2
    set.description = KeptSet.description(metadata?.type(ofSet: name), version)
    if let link = set.deltaLink, let changes = try await changes(set, link, at: moment, seen) { return changes }
    let first = version == .v2 ? "\(name)?$format=json" : name
    var download = OfflineDownload(set, isWhole: true, of: store)
    download.set.deltaLink = nil
    _ = try await pages(first, version, into: &download, seen)
    download.set.synced = moment
    return download
  }

  /// Nil when the server no longer knows the link: then everything has to be read again.
  private func changes(
    _ set: OfflineSet, _ link: String, at moment: Timestamp, _ seen: (Int) -> Void
  ) async throws(ServiceError) -> OfflineDownload? {
    var download = OfflineDownload(set, isWhole: false, of: store)
    let version = KeptSet(set).version
    let namesDeleted: Bool
    do throws(ServiceError) {
      namesDeleted = try await pages(link, version, into: &download, seen)
    } catch {
      guard let status = error.status, [400, 404, 410].contains(status) else { throw error }
      return nil
    }
    if !namesDeleted { try await removeGone(from: &download, version) }
    // Without a new link the old one has to do.
    if download.set.deltaLink == nil { download.set.deltaLink = link }
    download.set.synced = moment
    return download
  }

  /// Reads page after page; true when the server named what was deleted.
  private func pages(
    _ first: String, _ version: ODataVersion, into download: inout OfflineDownload, _ seen: (Int) -> Void
  ) async throws(ServiceError) -> Bool {
    let kept = KeptSet(download.set)
    var link: String? = first
    var namesDeleted = version == .v4
    while let next = link {
      let page = try await client.page(next, tracksChanges: version == .v4)
      var rows: [OfflineRow] = []
      for entity in page.entities {
        guard let row = kept.row(entity) else {
          throw ServiceError(
            .unreadable, operation, detail: "a row of “\(download.set.name)” has no key",
            remedy: "Leave this set out: name the others under sets in the configuration.")
        }
        rows.append(row)
      }
      do throws(OfflineError) { try download.add(rows) } catch { throw error.serviceError(operation) }
      if let deleted = page.deleted {
        namesDeleted = true
        for key in deleted.compactMap({ EntityKey(address: $0) }) { download.remove(named(key, kept).text) }
      }
      seen(download.count)
      link = page.next
      if let delta = page.delta { download.set.deltaLink = delta }
      if page.next == next { throw ServiceError(.unreadable, operation, detail: "the server's pages go in a circle") }
    }
    return namesDeleted
  }

  /// An address may leave the name of a lone key out.
  private func named(_ key: EntityKey, _ kept: KeptSet) -> EntityKey {
    guard key.parts.count > 1, let names = kept.type?.keys, names.count == key.parts.count else { return key }
    return EntityKey(
      parts: names.map { name in (name, key.parts.first { $0.name == name }?.value ?? "") })
  }

  /// For a server that does not say what was deleted: when it has fewer rows than are kept, the keys tell which.
  private func removeGone(
    from download: inout OfflineDownload, _ version: ODataVersion
  ) async throws(ServiceError) {
    let name = download.set.name
    let expected = try keeping(operation) { [download] () throws(OfflineError) in try store.count(after: download) }
    if try await client.count(of: name) == expected { return }
    let kept = KeptSet(download.set)
    guard let keys = kept.type?.keys, !keys.isEmpty else { return }
    var present: [String] = []
    let columns = keys.joined(separator: ",")
    var link: String? = version == .v2 ? "\(name)?$format=json&$select=\(columns)" : "\(name)?$select=\(columns)"
    while let next = link {
      let page = try await client.page(next)
      present += page.entities.compactMap { EntityKey($0, names: keys)?.text }
      link = page.next == next ? nil : page.next
    }
    do throws(OfflineError) { try download.keepOnly(present) } catch { throw error.serviceError(operation) }
  }
}
