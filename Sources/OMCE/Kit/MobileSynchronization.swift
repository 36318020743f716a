import JSON
import Model
import Store
import Wire

/// Data offline for apps (`OMCSynchronization`; reference, sections 6 and 8.4). Needs a place for its encrypted store: a
/// `Surroundings` with `stores`.
public struct MobileSynchronization: CompletionCaller {
  let client: MobileClient

  public enum NetworkStatus: Int, Sendable { case online = 0, offline, offlineTest }

  /// `getNetworkStatus`.
  public var networkStatus: NetworkStatus {
    client.offline.isTestingOffline ? .offlineTest : client.offline.isOnline ? .online : .offline
  }

  /// Acts as if there were no server (`setOfflineMode:`).
  public func setOfflineMode(_ isOn: Bool) { client.offline.testOffline(isOn) }

  public var cacheHitCount: Int { client.offline.counts.hits }
  public var cacheMissCount: Int { client.offline.counts.misses }

  /// Opens the store; nothing else needs to be called first (`initialize`,
  /// `initializeWithMobileObjectEntities:`). There are no classes to name, and nothing is ever wiped for them.
  ///
  /// - Throws: `.vaultLocked` without a place for it.
  public func initialize() async throws(ServiceError) { _ = try await client.openStore("open the offline store") }

  /// A custom API's endpoint (`openEndpoint:apiName:endpointPath:`).
  public func endpoint(api: String, path: String) -> MobileEndpoint {
    MobileEndpoint(client: client, apiName: api, endpointPath: path)
  }

  /// One read with a policy of its own, or one change (`requestWithUri:method:syncPolicy:headers:data:onSuccess:onError:`); nil where the policy asks the store
  /// alone and finds nothing.
  public func request(
    _ path: String, method: String = "GET", policy: MobileSyncPolicy? = nil, data: JSONNode? = nil
  ) async throws(ServiceError) -> MobileAnswer? {
    let names = MobileEndpoint.names(path)
    guard method != "GET" else {
      let call = client.customCall("GET", names, query: [])
      return try await client.keptIfAny(call, wanted: policy)
    }
    return try await client.json(client.customCall(method, names, query: [], data: data))
  }

  /// What waits to be sent, in order (`loadOfflineResourcesOnSuccess:onError:`).
  public func offlineResources() async throws(ServiceError) -> [MobileOfflineResource] {
    let store = try await client.openStore("list what waits")
    return try store.edits("list what waits").map(MobileOfflineResource.init)
  }

  /// Sends what waits.
  ///
  /// - Returns: How many the service has taken.
  @discardableResult
  public func synchronize() async throws(ServiceError) -> Int { try await client.replayWhatWaits().sent }

  /// Fetches what is pinned, High first (`synchronizePinnedResources:`).
  public func synchronizePinnedResources() async throws(ServiceError) {
    let store = try await client.openStore("fetch what is pinned")
    let pins = try keeping("fetch what is pinned") { () throws(OfflineError) in try store.pins() }
    for pin in pins { try await MobileSync(client).fetch(pin.path) }
  }

  /// Drops every edit that waits; what the service sent stays (`discardOfflineUpdatesOnError:`).
  @discardableResult
  public func discardOfflineUpdates() async throws(ServiceError) -> Int { try await client.discardWhatWaits() }

  /// Forgets one resource (`evictResource:onError:`).
  public func evict(_ path: String) async throws(ServiceError) {
    let store = try await client.openStore("forget \(path)")
    let names = MobileEndpoint.names(path)
    let list = MobileEdit.Target.item(names + [""]).listPath
    try keeping("forget \(path)") { () throws(OfflineError) in
      try store.forget(list)
      try store.forgetAnswer("/mobile/custom/" + names.map { URLForm.escape($0) }.joined(separator: "/"))
      let target = MobileEdit.Target.item(names)
      try store.remove(target.key, of: target.listPath)
    }
  }

  /// Forgets everything that was fetched; edits stay (`purge`).
  public func purge() async throws(ServiceError) {
    let store = try await client.openStore("forget what was fetched")
    try keeping("forget what was fetched") { () throws(OfflineError) in try store.purge() }
  }

  /// Told the path of each edit that the service has taken; nil ends it (`offlineResourceSynchronized:`).
  public func onSynchronized(_ observer: (@MainActor @Sendable (String) -> Void)?) {
    client.observers.observe(sent: observer)
  }

  /// Told the path of what is kept and has changed; nil ends it (`cachedResourceChanged:`).
  public func onChanged(_ observer: (@MainActor @Sendable (String) -> Void)?) {
    client.observers.observe(changes: observer)
  }
}

/// An edit that waits (`SyncOfflineState`, `SyncConflictState`).
public struct MobileOfflineResource: Sendable, Hashable {
  public enum State: Int, Sendable { case none = 0, createPending, updatePending, patchPending, deletePending }
  public enum Conflict: Int, Sendable { case none = 0, conflict, error, conflictWithLatestCopy }

  public let path: String
  public let state: State
  public let conflict: Conflict
  /// What the service said when it did not take it.
  public let error: String?

  init(_ edit: MobileEdit) {
    path = edit.target.serverPath
    state =
      switch edit.edit.operation {
      case .create: .createPending
      case .update: .updatePending
      case .delete: .deletePending
      }
    conflict =
      switch edit.edit.state {
      case .conflict: .conflictWithLatestCopy
      case .refused: .error
      default: .none
      }
    error = edit.edit.error
  }
}

extension MobileClient {
  public var synchronization: MobileSynchronization { MobileSynchronization(client: self) }
}

/// Completion forms.
extension MobileSynchronization {
  @discardableResult
  public func synchronize(_ completion: @escaping Completion<Int>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.synchronize() }
  }

  @discardableResult
  public func offlineResources(_ completion: @escaping Completion<[MobileOfflineResource]>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.offlineResources() }
  }

  @discardableResult
  public func synchronizePinnedResources(_ completion: @escaping Completion<Void>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.synchronizePinnedResources() }
  }

  @discardableResult
  public func discardOfflineUpdates(_ completion: @escaping Completion<Int>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.discardOfflineUpdates() }
  }

  @discardableResult
  public func purge(_ completion: @escaping Completion<Void>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.purge() }
  }
}
