import Model
import Store
import Synchronization

/// Whether there is a server, and where its answers are kept.
final class MobileOffline: Sendable {
  /// Nil when the profile says nothing of it: then nothing is kept unless somebody asks.
  let settings: SyncSettings?
  let surroundings: Surroundings
  /// When this process began to look at the backend.
  let started: Timestamp
  private let access: OfflineAccess
  private let state = Mutex(State())

  private struct State {
    var isOpen = false
    /// The vault could not be opened when it was only wanted: nobody is asked again.
    var isRefused = false
    var tidied: Set<String> = []
    var wasUnreachable = false
    var isTestingOffline = false
    var isRefreshing = false
    var hits = 0
    var misses = 0
  }

  init(connection: String, settings: SyncSettings?, surroundings: Surroundings) {
    self.settings = settings
    self.surroundings = surroundings
    started = surroundings.clock.now()
    access = OfflineAccess(connection: connection, surroundings: surroundings)
  }

  var isOnline: Bool { !surroundings.isOffline && !state.withLock { $0.isTestingOffline } }

  /// Whether the store is open.
  var isInUse: Bool { state.withLock { $0.isOpen } }

  /// Acts as if there were no server (`setOfflineMode:`).
  func testOffline(_ isOn: Bool) { state.withLock { $0.isTestingOffline = isOn } }
  var isTestingOffline: Bool { state.withLock { $0.isTestingOffline } }

  func policy(for path: String, own: SyncPolicyPart? = nil) -> MobileSyncPolicy {
    (settings ?? SyncSettings()).policy(for: path, own: own)
  }

  /// The store, for what cannot do without.
  ///
  /// - Throws: `.vaultLocked` without a vault, or while it is locked.
  func store(_ scope: String, _ operation: String) async throws(ServiceError) -> MobileStore {
    let store = MobileStore(store: try await access.store(operation), scope: scope)
    state.withLock {
      $0.isOpen = true
      $0.isRefused = false
    }
    try tidy(store, operation)
    return store
  }

  /// The store for a read: nil when nothing is to be kept, or cannot be.
  ///
  /// - Throws: Offline only, where the store is all there is.
  func storeForReading(_ scope: String, _ operation: String) async throws(ServiceError) -> MobileStore? {
    if !isOnline { return try await store(scope, operation) }
    let isWanted = state.withLock { $0.isOpen || (settings != nil && !$0.isRefused) }
    guard isWanted else { return nil }
    do throws(ServiceError) {
      return try await store(scope, operation)
    } catch {
      // What only makes things handier must not stand in the way.
      state.withLock {
        $0.isOpen = false
        $0.isRefused = true
      }
      return nil
    }
  }

  /// Once a process: what the profile wants gone at the start.
  private func tidy(_ store: MobileStore, _ operation: String) throws(ServiceError) {
    guard state.withLock({ $0.tidied.insert(store.scope).inserted }), let settings else { return }
    try keeping(operation) { () throws(OfflineError) in
      if settings.purgesOnStartup { return try store.purge() }
      try evict(store)
    }
  }

  /// Removes what has expired, where its policy says so; pinned things stay.
  private func evict(_ store: MobileStore) throws(OfflineError) {
    let pinned = Set(try store.pins().map(\.path))
    for (path, list, _) in try store.lists() where !pinned.contains(path) {
      guard let kept = list.set.synced, isGone(ServerPath.ofList(path), kept, list.own) else { continue }
      try store.forget(path)
    }
    for (path, kept) in try store.answerPaths() where isGone(path, kept, nil) { try store.forgetAnswer(path) }
    for (path, payload) in try store.payloadKeys()
    where !pinned.contains(path) && isGone(ServerPath.ofPayload(path), payload.kept, nil) {
      try store.forgetPayload(path)
    }
  }

  private func isGone(_ path: String, _ kept: Timestamp, _ own: SyncPolicyPart?) -> Bool {
    let policy = policy(for: path, own: own)
    return policy.eviction == .onExpiryAtStartup
      && policy.isExpired(kept: kept, started: started, now: surroundings.clock.now())
  }

  /// True for the first who asks.
  func takesRefresh() -> Bool {
    state.withLock { state in
      defer { state.isRefreshing = true }
      return !state.isRefreshing
    }
  }

  func count(isHit: Bool) { state.withLock { if isHit { $0.hits += 1 } else { $0.misses += 1 } } }
  var counts: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }

  /// - Returns: True at the first answer after the server could not be reached.
  func note(isReachable: Bool) -> Bool {
    state.withLock { state in
      defer { state.wasUnreachable = !isReachable }
      return isReachable && state.wasUnreachable
    }
  }

  /// Whether the profile's bound still leaves room.
  func hasRoom(_ store: MobileStore) -> Bool {
    settings?.maxStoreSize.map { !store.isLarger(thanMegabytes: $0) } ?? true
  }
}

/// Paths of the server by the short names that the store and the locations use: `storage/C`, `custom/tasks/items`.
enum ServerPath {
  static func ofList(_ path: String) -> String {
    let plain = path.prefix { $0 != "?" }
    let names = plain.split(separator: "/").map(String.init)
    switch (names.first, names.count) {
    case ("storage", 1): return MobileClient.storagePath
    case ("storage", _): return "\(MobileClient.storagePath)/\(names.dropFirst().joined(separator: "/"))/objects"
    case ("custom", _): return "/mobile/\(plain)"
    default: return "/mobile/platform/location/\(plain)"
    }
  }

  /// Of `storage/C/ID`.
  static func ofPayload(_ path: String) -> String {
    let names = path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    guard names.count == 3, names[0] == "storage" else { return "/mobile/\(path)" }
    return "\(MobileClient.storagePath)/\(names[1])/objects/\(names[2])"
  }
}
