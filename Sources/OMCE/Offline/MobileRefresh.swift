import JSON
import Model
import Store
import Wire

/// Fetches again what has expired, at the start or from time to time, where the profile wants it
/// (`periodicRefreshPolicy`; reference, section 1.3).
extension MobileClient {
  /// Begins once a process, when the store is first read with a server in reach.
  func beginRefreshing() {
    guard let settings = offline.settings, settings.periodicRefresh != .none, offline.isOnline,
      offline.takesRefresh()
    else { return }
    Task { [weak self] in
      repeat {
        try? await self?.refreshExpired()
        guard settings.periodicRefresh == .periodically, self != nil else { return }
        // Between two rounds nothing holds the client, so that this ends with it.
        try? await Task.sleep(for: .seconds(max(1, settings.periodicRefreshInterval)))
      } while self != nil && !Task.isCancelled
    }
  }

  /// Every kept thing that its policy calls old is as the service has it now.
  func refreshExpired() async throws(ServiceError) {
    let operation = "refresh what has expired"
    let store = try await openStore(operation)
    let (lists, answers, payloads) = try keeping(operation) { () throws(OfflineError) in
      (try store.lists(), try store.answerPaths(), try store.payloadKeys())
    }
    let sync = MobileSync(self)
    for (path, list, _) in lists {
      guard let kept = list.set.synced, isExpired(ServerPath.ofList(path), kept, list.own) else { continue }
      try await sync.fetch(path, withContents: false)
    }
    for (path, payload) in payloads where isExpired(ServerPath.ofPayload(path), payload.kept, nil) {
      try await sync.fetch(path)
    }
    for (path, kept) in answers where isExpired(path, kept, nil) {
      let answer = try await json(MobileCall("GET", path, module: "Synchronization", operation))
      try keeping(operation) { () throws(OfflineError) in
        let own = try store.answer(path)?.own
        try store.keep(answer.kept(at: offline.surroundings.clock.now(), own: own), of: path)
      }
    }
  }

  private func isExpired(_ path: String, _ kept: Timestamp, _ own: SyncPolicyPart?) -> Bool {
    offline.policy(for: path, own: own)
      .isExpired(kept: kept, started: offline.started, now: offline.surroundings.clock.now())
  }
}
