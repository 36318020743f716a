import JSON
import Model
import Store
import Wire

/// Reads by policy: from the store, from the service, or from one where the other has nothing.
extension MobileClient {
  /// The store for reads of whoever is signed in, or was last; nil when nothing is kept.
  func storeForReading(_ operation: String) async throws(ServiceError) -> MobileStore? {
    guard offline.settings != nil || !offline.isOnline || offline.isInUse else { return nil }
    let store = try await offline.storeForReading(try await authorization.dataScope(), operation)
    if store != nil { beginRefreshing() }
    return store
  }

  func openStore(_ operation: String) async throws(ServiceError) -> MobileStore {
    try await offline.store(try await authorization.dataScope(), operation)
  }

  /// What is kept of something, and what was set for it alone.
  struct Kept {
    let moment: Timestamp
    var expires: Timestamp?
    var own: SyncPolicyPart?
    /// Made only when it is wanted.
    let answer: () throws(ServiceError) -> MobileAnswer
  }

  /// Reads something by its policy; nil where a policy that asks the store alone finds nothing there.
  ///
  /// - Parameters:
  ///   - path: The server's, by which the policy is found.
  ///   - wanted: A policy of the call itself, before all others.
  func read(
    _ path: String, _ operation: String, wanted: MobileSyncPolicy? = nil,
    kept: (MobileStore) throws(ServiceError) -> Kept?,
    live: @escaping @Sendable () async throws(ServiceError) -> MobileAnswer,
    keep: @escaping @Sendable (MobileStore, MobileAnswer) throws(OfflineError) -> Void
  ) async throws(ServiceError) -> MobileAnswer? {
    guard let store = try await storeForReading(operation) else { return try await live() }
    let found = try kept(store)
    let policy = try policy(for: path, found?.own, in: store, wanted)
    let plan = FetchPlan(policy.fetch, holding(found, policy), isOnline: offline.isOnline)
    offline.count(isHit: found != nil && plan != .service)
    let fetch = { @Sendable [offline, observers] () async throws(ServiceError) -> MobileAnswer in
      let answer = try await live()
      guard !policy.isNotKept, answer.mayBeKept, offline.hasRoom(store) else { return answer }
      // A read succeeds whether or not it can be kept.
      if (try? keep(store, answer)) != nil { observers.tell(changed: path) }
      return answer
    }
    switch plan {
    case .kept: return try found?.answer()
    case .keptThenRefresh:
      Task { _ = try? await fetch() }
      return try found?.answer()
    case .service: return try await fetch()
    case .serviceElseKept:
      do throws(ServiceError) {
        return try await fetch()
      } catch {
        guard error.isWithoutServer, let found else { throw error }
        return try found.answer()
      }
    case .nothing:
      if FetchPlan.schedules(policy.fetch), offline.isOnline { Task { _ = try? await fetch() } }
      return nil
    case .unavailable: throw notKept(operation)
    }
  }

  /// The policy of a thing of the service: the call's, its own, what is kept with it, or the profile's.
  func policy(
    for path: String, _ own: SyncPolicyPart? = nil, in store: MobileStore?, _ wanted: MobileSyncPolicy? = nil
  ) throws(ServiceError) -> MobileSyncPolicy {
    if let wanted { return wanted }
    let chosen = try keeping("look for a policy") { () throws(OfflineError) in try store?.ownPolicy(of: path) }
    return offline.policy(for: path, own: chosen ?? own)
  }

  private func holding(_ found: Kept?, _ policy: MobileSyncPolicy) -> FetchPlan.Holding {
    guard let found else { return .nothing }
    let now = offline.surroundings.clock.now()
    if let expires = found.expires { return now < expires ? .fresh : .expired }
    return policy.isExpired(kept: found.moment, started: offline.started, now: now) ? .expired : .fresh
  }

  func notKept(_ operation: String) -> ServiceError {
    ServiceError(
      .offline, operation, detail: "nothing of it is kept here",
      remedy: "Synchronise while there is a server: atrium sync \(authorization.connection.name).")
  }

  /// The same where nothing is no answer.
  func demanded(_ answer: MobileAnswer?, _ operation: String) throws(ServiceError) -> MobileAnswer {
    guard let answer else { throw notKept(operation) }
    return answer
  }

  /// A single answer, kept under its path and query.
  func kept(_ call: MobileCall, wanted: MobileSyncPolicy? = nil) async throws(ServiceError) -> MobileAnswer {
    try demanded(try await keptIfAny(call, wanted: wanted), call.operation)
  }

  func keptIfAny(_ call: MobileCall, wanted: MobileSyncPolicy? = nil) async throws(ServiceError) -> MobileAnswer? {
    let path = call.path + (call.query.isEmpty ? "" : "?" + URLForm.encode(call.query))
    let operation = call.operation
    return try await read(
      call.path, operation, wanted: wanted,
      kept: { store throws(ServiceError) in
        guard let answer = try keeping(operation, { () throws(OfflineError) in try store.answer(path) }) else {
          return nil
        }
        return Kept(moment: answer.kept, expires: answer.expires, own: answer.own) { () throws(ServiceError) in
          try MobileAnswer(kept: answer.bytes, operation, answer.kept, mediaType: answer.mediaType)
        }
      },
      live: { [self] () async throws(ServiceError) in try await unlessUnchanged(call, path) },
      keep: { [offline] store, answer throws(OfflineError) in
        let own = try store.answer(path)?.own
        try store.keep(answer.kept(at: offline.surroundings.clock.now(), own: own), of: path)
      })
  }

  /// The service's answer; what is kept of it, as new, where the service says that it has not changed.
  private func unlessUnchanged(_ call: MobileCall, _ path: String) async throws(ServiceError) -> MobileAnswer {
    guard let store = try await storeForReading(call.operation),
      let kept = try keeping(call.operation, { () throws(OfflineError) in try store.answer(path) }),
      let tag = kept.etag
    else { return try await json(call) }
    var asked = call
    asked.headers.append((name: "If-None-Match", value: tag))
    let response = try await send(asked)
    guard response.status == 304 else {
      guard response.isSuccess else { throw MobileFault(response).error(call.operation) }
      return try MobileAnswer(response, call.operation)
    }
    return try MobileAnswer(unchanged: kept.bytes, call.operation, response, mediaType: kept.mediaType, tag: tag)
  }

  /// Notes whether the server answers; when it does so again, what waits is sent.
  func noteReachable(_ isReachable: Bool) {
    guard offline.note(isReachable: isReachable), offline.isInUse else { return }
    Task { [self] in _ = try? await replayWhatWaits() }
  }
}

extension MobileAnswer {
  /// A custom API may forbid keeping; the name of the header is not documented and only honoured, never relied on.
  var mayBeKept: Bool { headers["Oracle-Mobile-Sync-No-Store"]?.lowercased() != "true" }

  func kept(at now: Timestamp, own: SyncPolicyPart?) -> MobileStore.Answer {
    MobileStore.Answer(
      bytes: raw.bytes, mediaType: raw.mediaType, etag: headers["ETag"], kept: now,
      expires: headers["Oracle-Mobile-Sync-Expires"].flatMap(MobileTime.read), own: own)
  }
}

extension ServiceError {
  /// Nothing reached the server, so that what is kept is all there is, and a change can still be sent later.
  var isWithoutServer: Bool { code == .unreachable || code == .offline }
}
