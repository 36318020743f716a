import JSON
import Model
import Store
import Wire

extension UnwiredBackend {
  /// Sends what waits, then fetches what has changed, set by set; all that came is kept in one transaction.
  ///
  /// - Throws: `.conflict` at the end while an edit waits for a person's decision.
  public func synchronize(progress: @escaping Progress) async throws(ServiceError) -> ActionOutcome {
    var profile = SynchronizationProfile()
    profile.asyncReplay = try connection.settings.flag("asyncReplay") ?? false
    return try await synchronize(profile, progress: progress)
  }

  /// - Throws: `.cancelled` when the profile does not proceed.
  func synchronize(
    _ profile: SynchronizationProfile, progress: @escaping Progress
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = "synchronise \(connection.name)"
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    let store = try await offline.store(operation)
    guard client.isReady else { throw ServiceError(.signInNeeded, operation) }
    let groups = profile.groups ?? ["default", "system"]
    let isSuspended = try keeping(operation) { () throws(OfflineError) in try Subscription(of: store).isSuspended }
    let wanted = isSuspended ? WantedSets.named([]) : try sets(of: groups, operation)
    watchStorage(store, profile.leastStorage)
    told.post(.status(.starting, nil))
    guard profile.proceeds(groups) else { throw .cancelled(operation) }
    do throws(ServiceError) {
      return try await during(operation) { () async throws(ServiceError) -> ActionOutcome in
        let (sent, failure) = try await upload(profile, store, operation)
        told.post(.status(.downloading, nil))
        let changed =
          try await wanted.isNothing
          ? isSuspended ? "nothing was fetched, as the subscription is suspended" : "nothing was fetched"
          : fetch(wanted, into: store, operation, progress)
        told.post(.status(.finishing, nil))
        let settings = try await changedSettings(store, operation)
        if let failure { throw failure }
        try refuseStuck(in: store, operation)
        return ActionOutcome(
          "\(Self.words(sent: sent)); \(changed).\(settings)",
          location: Location(connection: connection.name, path: ["data"]))
      }
    } catch {
      told.post(.status(.error, error))
      throw error
    }
  }

  /// - Returns: How many were sent; with an asynchronous replay also what kept the others from it.
  private func upload(
    _ profile: SynchronizationProfile, _ store: OfflineStore, _ operation: String
  ) async throws(ServiceError) -> (sent: Int, failure: ServiceError?) {
    guard !connection.isReadOnly else { return (0, nil) }
    told.post(.status(.uploading, nil))
    do throws(ServiceError) {
      return (try await Replay(self, store, operation).run().sent, nil)
    } catch {
      // Without any answer there is nothing to fetch either.
      guard profile.asyncReplay, error.status != nil, error.code != .signInNeeded else { throw error }
      return (0, error)
    }
  }

  /// Tells when the disk that the store lies on runs low, and when it no longer does.
  private func watchStorage(_ store: OfflineStore, _ least: Int64) {
    guard let free = Files.freeBytes(at: store.path) else { return }
    let (isLow, wasLow) = described.isStorageLow.withLock { known in
      defer { known = free < least }
      return (free < least, known)
    }
    if isLow { told.post(.storageSpaceLow(free)) } else if wasLow { told.post(.storageSpaceRecovered) }
  }

  /// What the server has set anew since the last synchronisation, in words (`onApplicationSettingsChanged`).
  private func changedSettings(_ store: OfflineStore, _ operation: String) async throws(ServiceError) -> String {
    // All that was to be synchronised has been: a registration that cannot be read changes nothing about that.
    guard let now = try? await application.refreshSettings() else { return "" }
    let names = try keeping(operation) { () throws(OfflineError) -> [String] in
      let kept = try store.fact("settings").map { ApplicationSettings(kept: $0) }
      let names = kept.map { now.changes(since: $0) } ?? []
      if kept != now { try store.keep(now.kept, named: "settings") }
      return names
    }
    if let policy = now.passwordPolicy { try await surroundings.stores.adopt(policy) }
    return names.isEmpty ? "" : " Settings changed on the server: \(names.joined(separator: ", "))."
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
    _ wanted: WantedSets, into store: OfflineStore, _ operation: String, _ progress: @escaping Progress
  ) async throws(ServiceError) -> String {
    let metadata = try await metadata()
    var names = try await client.entitySets().names
    if case .new(let configured) = wanted {
      let known = try keeping(operation) { () throws(OfflineError) in try store.sets() }.filter { $0.set.synced != nil }
      names = (configured ?? names).filter { name in !known.contains { $0.set.name == name } }
    } else if case .named(let sets) = wanted {
      if let missing = sets.first(where: { !names.contains($0) }) {
        throw ServiceError(
          .configuration, operation, detail: "the service has no set “\(missing)”",
          remedy: "Correct sets or groups in the configuration; there are \(names.joined(separator: ", ")).")
      }
      names = sets
    }
    var parameters = try keeping(operation) { () throws(OfflineError) in try PersonalizationParameters(of: store) }
    parameters.add(described.session.withLock { $0 })
    let lock = try await OfflineLock.hold(store, operation)
    defer { withExtendedLifetime(lock) {} }
    var downloads: [OfflineDownload] = []
    var rows = 0
    for name in names {
      let fetch = SetFetch(client, store, operation, parameters[name], told)
      let seen = rows
      let download = try await fetch.download(name, metadata, at: surroundings.clock.now()) { count in
        progress(Int64(seen + count), nil)
      }
      rows += download.count
      downloads.append(download)
    }
    let complete = downloads
    do throws(OfflineError) {
      try store.keep(complete)
    } catch {
      told.post(.rolledBack)
      throw error.serviceError(operation)
    }
    told.post(.committed)
    let what = rows == 0 ? "nothing has changed" : rows == 1 ? "1 row came" : "\(rows) rows came"
    return "\(what) in \(names.count) \(names.count == 1 ? "set" : "sets")"
  }
}

/// Fetches one set: what has changed where the server can tell, everything else.
struct SetFetch {
  private let client: UnwiredClient
  private let store: OfflineStore
  private let operation: String
  /// Keys and values that parameterise the load.
  private let parameters: [String: String]
  private let told: EventChannel<SynchronizationEvent>

  init(
    _ client: UnwiredClient, _ store: OfflineStore, _ operation: String, _ parameters: [String: String],
    _ told: EventChannel<SynchronizationEvent>
  ) {
    self.client = client
    self.store = store
    self.operation = operation
    self.parameters = parameters
    self.told = told
  }

  func download(
    _ name: String, _ metadata: ODataMetadata?, at moment: Timestamp, _ seen: (Int) -> Void
  ) async throws(ServiceError) -> OfflineDownload {
    var set = try keeping(operation) { () throws(OfflineError) in try store.madeSet(named: name) }
    let version = metadata?.version ?? .v2
    // What was loaded under other keys is no base for changes.
    let isSame = PersonalizationParameters.read(set.description["parameters"]) == parameters
    set.description = KeptSet.description(metadata?.type(ofSet: name), version)
    if !parameters.isEmpty { set.description["parameters"] = PersonalizationParameters.node(parameters) }
    told.post(.importing(name))
    if isSame, let link = set.deltaLink, let changes = try await changes(set, link, at: moment, seen) { return changes }
    let first = path(name, version == .v2 ? [(name: "$format", value: "json")] : [])
    var download = OfflineDownload(set, isWhole: true, of: store)
    download.set.deltaLink = nil
    _ = try await pages(first, version, into: &download, seen)
    download.set.synced = moment
    told.post(.importSucceeded(name, rows: download.count))
    return download
  }

  private func path(_ name: String, _ options: [(name: String, value: String)]) -> String {
    let more = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    let fields = (options + more).map { "\($0.name)=\(URLForm.escape($0.value))" }
    return fields.isEmpty ? name : "\(name)?\(fields.joined(separator: "&"))"
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
    if !namesDeleted { try await removeGone(from: &download, link, version) }
    // Without a new link the old one has to do.
    if download.set.deltaLink == nil { download.set.deltaLink = link }
    download.set.synced = moment
    told.post(.importSucceeded(set.name, rows: download.count))
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
        if told.isHeard { told.post(.imported(EntityReference(set: download.set.name, key: row.key))) }
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

  /// For a server whose JSON does not say what was deleted: when it has other rows than are kept, its Atom may say it, and
  /// else the keys tell.
  private func removeGone(
    from download: inout OfflineDownload, _ link: String, _ version: ODataVersion
  ) async throws(ServiceError) {
    let name = download.set.name
    // A count would be of the whole set, not of what the keys let through.
    let count = parameters.isEmpty ? try await client.count(of: name) : nil
    if try count == expected(after: download) { return }
    if version == .v2, let gone = try await client.tombstones(link) {
      let kept = KeptSet(download.set)
      for key in gone.compactMap({ EntityKey(address: $0) }) { download.remove(named(key, kept).text) }
      if try count == nil ? !gone.isEmpty : count == expected(after: download) { return }
    }
    let kept = KeptSet(download.set)
    guard let keys = kept.type?.keys, !keys.isEmpty else { return }
    var present: [String] = []
    let columns = (name: "$select", value: keys.joined(separator: ","))
    var link: String? = path(name, version == .v2 ? [(name: "$format", value: "json"), columns] : [columns])
    while let next = link {
      let page = try await client.page(next)
      present += page.entities.compactMap { EntityKey($0, names: keys)?.text }
      link = page.next == next ? nil : page.next
    }
    do throws(OfflineError) { try download.keepOnly(present) } catch { throw error.serviceError(operation) }
  }

  private func expected(after download: OfflineDownload) throws(ServiceError) -> Int {
    try keeping(operation) { () throws(OfflineError) in try store.count(after: download) }
  }
}

/// The sets that groups stand for.
enum WantedSets: Sendable, Equatable {
  case all, named([String])
  /// Those that have never been synchronised, of the configured ones where some are.
  case new([String]?)

  var isNothing: Bool { self == .named([]) }
}

extension UnwiredBackend {
  /// `default` is every configured set, `initialSync` those of them that have never come, `system` none, since it only goes
  /// up; others as the configuration's `groups` say.
  ///
  /// - Throws: `.configuration` for a group that nobody knows.
  func sets(of groups: [String], _ operation: String) throws(ServiceError) -> WantedSets {
    var names: [String] = []
    let table = try connection.settings.table("groups")
    for group in groups where group != "system" {
      if group == "default" { return sets.map { .named($0) } ?? .all }
      if group == "initialSync" { return .new(sets) }
      guard let more = try table?.texts(group) else {
        throw ServiceError(
          .configuration, operation, detail: "there is no synchronisation group “\(group)”",
          remedy: "Name its sets under groups in the configuration; default, initialSync and system are always there.")
      }
      names += more.filter { !names.contains($0) }
    }
    return .named(names)
  }
}
