import JSON
import Model
import Store
import Wire

/// The encrypted database of a package on this machine (the generated class of a package, `SUP101SUP101DB`).
///
/// All its edits are on the disk when the call returns. It may be used from any task, and by several processes.
public final class PackageDatabase: Sendable {
  let backend: UnwiredBackend

  /// - Parameters:
  ///   - name: Names the file; several databases of one application need several names.
  ///   - stores: Gives file and key; the key lies in a vault, which must be open.
  ///   - sets: Sets that are synchronised; nil for all of the service.
  ///   - groups: Sets by the name of their synchronisation group, beside `default` and `system`.
  public init(
    _ application: MobileApplication, name: String, stores: any OfflineStores, clock: any WallClock,
    randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8], sets: [String]? = nil, groups: [String: [String]] = [:]
  ) {
    func texts(_ texts: [String]) -> Settings.Entry { .list(texts.map { .text($0, .init()) }, .init()) }
    let table = Settings(groups.map { (key: $0.key, entry: texts($0.value)) })
    let settings = Settings([(key: "groups", entry: .table(table))])
    backend = UnwiredBackend(
      application, connection: Connection(name: name, kind: .unwired, settings: settings),
      surroundings: Surroundings(
        asker: Nobody(), secrets: NoSecrets(), keeper: NothingKept(), clock: clock, randomBytes: randomBytes,
        stores: stores), sets: sets)
  }

  init(_ backend: UnwiredBackend) { self.backend = backend }

  public var application: MobileApplication { backend.application }
  /// What happens during synchronisations (`registerCallbackHandler`).
  public var events: EventChannel<SynchronizationEvent> { backend.told }

  func store(_ operation: String) async throws(ServiceError) -> OfflineStore {
    try await backend.offline.store(operation)
  }
}

// Synchronising.
extension PackageDatabase {
  /// Sends what was submitted, then fetches what has changed (`synchronize`, `synchronize:`).
  ///
  /// - Returns: What it did, in a sentence.
  /// - Throws: `.conflict` while an edit waits for a decision; `.cancelled` when the profile does not proceed.
  @discardableResult
  public func synchronize(
    _ profile: SynchronizationProfile = SynchronizationProfile(), progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> String {
    guard profile.groups?.contains("unsubscribe") == true else {
      return try await backend.synchronize(profile, progress: progress).message
    }
    try await unsubscribe()
    return "Unsubscribed."
  }

  /// The same with a completion (`beginSynchronize`).
  @discardableResult
  public func synchronize(
    _ profile: SynchronizationProfile = SynchronizationProfile(), _ completion: @escaping Completion<String>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.synchronize(profile) }
  }

  /// Whether every set of a group has been synchronised (`isSynchronized:`).
  public func isSynchronized(_ group: String = "default") async throws(ServiceError) -> Bool {
    try await lastSynchronization(group) != nil
  }

  /// When the set of the group that waits longest was last synchronised; nil when one never was
  /// (`getLastSynchronizationTime:`).
  public func lastSynchronization(_ group: String = "default") async throws(ServiceError) -> Timestamp? {
    let operation = "look at the group “\(group)”"
    let wanted = try backend.sets(of: [group], operation)
    let store = try await store(operation)
    let kept = try keeping(operation) { () throws(OfflineError) in try store.sets() }.map(\.set)
    let names: [String]
    if case .named(let named) = wanted { names = named } else { names = kept.map(\.name) }
    let moments = names.map { name in kept.first { $0.name == name }?.synced }
    guard !moments.isEmpty, !moments.contains(nil) else { return nil }
    return moments.compactMap { $0 }.min { $0.milliseconds < $1.milliseconds }
  }

  /// Whether nothing that was submitted waits (`isReplayQueueEmpty`).
  public func isReplayQueueEmpty() async throws(ServiceError) -> Bool {
    try await edits("look at the replay queue").allSatisfy { $0.state == .draft }
  }

  /// Lets every saved change go up with the next synchronisation (`submitPendingOperations`).
  public func submitPendingOperations(of set: String? = nil) async throws(ServiceError) {
    let operation = "submit what was saved"
    let store = try await store(operation)
    for edit in try await edits(operation) where edit.state == .draft && (set == nil || edit.set == set) {
      try submit(edit, in: store, operation)
    }
  }

  /// Drops every change that the server has not taken (`cancelPendingOperations`).
  public func cancelPendingOperations() async throws(ServiceError) {
    _ = try await backend.dropAll("cancel what was saved")
  }

  /// Why the server did not take edits, for each that still waits (`getLogRecords`).
  public func logRecords() async throws(ServiceError) -> [LogRecord] {
    try await edits("read the log records").compactMap(\.logRecord)
  }

  /// Sends the log records to the server (`submitLogRecords`).
  ///
  /// - Throws: `.notOffered`, always: see `NativeFeature.logUpload`.
  public func submitLogRecords() throws(ServiceError) {
    throw NativeFeature.logUpload.refusal("send the log records")
  }

  func edits(_ operation: String) async throws(ServiceError) -> [OfflineEdit] {
    let store = try await store(operation)
    return try keeping(operation) { () throws(OfflineError) in try store.edits() }
  }

  func submit(_ edit: OfflineEdit, in store: OfflineStore, _ operation: String) throws(ServiceError) {
    var edit = edit
    edit.state = .waiting
    let submitted = edit
    try keeping(operation) { () throws(OfflineError) in try store.update(submitted) }
  }
}

// The database itself.
extension PackageDatabase {
  /// Opens it, and makes it when there is none (`createDatabase`). Every other call does the same when it comes first.
  public func open() async throws(ServiceError) { _ = try await store("open the database") }

  /// Whether its file is there (`databaseExists`).
  public func exists() async throws(ServiceError) -> Bool {
    let place = try await backend.surroundings.stores.place(of: backend.connection.name)
    return Files.exists(place.path)
  }

  /// Removes all rows (`cleanAllData`); edits that wait are lost with them unless they are kept.
  public func cleanAllData(keepingEdits: Bool = false) async throws(ServiceError) {
    let operation = "clean the database"
    let store = try await store(operation)
    try keeping(operation) { () throws(OfflineError) in try store.clean(keepingEdits: keepingEdits) }
  }

  /// A user's name and password by the server (`onlineLogin`, `loginToSync`); remembered for `offlineLogin`.
  public func onlineLogin(user: String, password: Secret) async throws(ServiceError) {
    let operation = "sign in as \(user)"
    guard let id = application.client.session.connectionID else { throw ServiceError(.signInNeeded, operation) }
    do throws(ServiceError) {
      application.client.session.use(user: user, password: password)
      try await application.startConnection(as: id)
      let store = try await store(operation)
      try keeping(operation) { () throws(OfflineError) in
        let digest = store.digest("login", user, password.reveal()).map { JSONNode.int(Int($0)) }
        try store.keep(.array(digest), named: "login")
      }
    } catch {
      events.post(.login(user: user, error))
      throw error
    }
    events.post(.login(user: user, nil))
  }

  /// The same with a completion (`beginOnlineLogin`).
  @discardableResult
  public func onlineLogin(user: String, password: Secret, _ completion: @escaping Completion<Void>) -> Task<Void, Never>
  {
    complete(completion) { () async throws(ServiceError) in
      try await self.onlineLogin(user: user, password: password)
    }
  }

  /// Who signed in with the server last, or will (`getSyncUsername`).
  public var synchronizationUser: String? { application.client.session.user }

  /// The same against what the last online login left here.
  public func offlineLogin(user: String, password: Secret) async throws(ServiceError) {
    let operation = "sign in as \(user) without the server"
    let store = try await store(operation)
    let isKnown = try keeping(operation) { () throws(OfflineError) in
      let digest = store.digest("login", user, password.reveal()).map { JSONNode.int(Int($0)) }
      return try store.fact("login") == .array(digest)
    }
    guard isKnown else {
      throw ServiceError(.signInRefused, operation, detail: "it is not who signed in last with the server")
    }
  }

  /// Keys that parameterise loads (`getPersonalizationParameters`), by set; a change counts from the next synchronisation.
  public func personalizationParameters() async throws(ServiceError) -> [String: [String: String]] {
    let operation = "read the personalisation keys"
    let store = try await store(operation)
    return try keeping(operation) { () throws(OfflineError) in try PersonalizationParameters(of: store).bySet }
  }

  /// - Parameters:
  ///   - value: Nil removes it.
  ///   - scope: A key of the session goes with this object, and wins over one that is kept.
  public func setPersonalization(
    _ name: String, of set: String, to value: String?, scope: PersonalizationScope = .client
  ) async throws(ServiceError) {
    let operation = "set a personalisation key"
    switch scope {
    case .client: _ = try await backend.setParameter("\(set).\(name)", value ?? "", operation)
    case .session: backend.described.session.withLock { $0[set, default: [:]][name] = value }
    case .server: _ = try await backend.setParameter(name, value ?? "", operation)
    }
  }
}

/// How long and where a personalisation key lives.
public enum PersonalizationScope: Sendable, Hashable, CaseIterable {
  /// In the database.
  case client
  /// As long as the object that it was set in.
  case session
  /// With the registration, for every device of it: `CustomCustom1` to `CustomCustom4`, of no set.
  case server
}

/// A kit has its own ways to ask and to keep.
private struct Nobody: Asker {
  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    throw ServiceError(.signInNeeded, question.title)
  }
}

private struct NoSecrets: SecretResolver {
  func resolve(_ source: SecretSource) async throws(ServiceError) -> Secret {
    guard case .literal(let secret) = source else { throw ServiceError(.configuration, "read a secret") }
    return secret
  }
}

private struct NothingKept: SecretKeeper {
  var isLasting: Bool { false }
  func secret(named name: String) async throws(ServiceError) -> Secret? { nil }
  func keep(_ secret: Secret, named name: String) async throws(ServiceError) {}
  func remove(named name: String) async throws(ServiceError) {}
}
