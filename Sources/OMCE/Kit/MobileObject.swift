import JSON
import Model
import Store
import Wire

/// One object of an endpoint (`OMCMobileObject`): the version here, and the service's last one.
public struct MobileObject: CompletionCaller {
  let client: MobileClient
  let path: [String]
  private var row: OfflineRow
  private let persistent: OfflineRow
  public let freshness: Freshness
  private let isNew: Bool
  /// What every kept thing can be asked (`OMCMobileResource`).
  public let resource: MobileResource

  /// - Parameter answer: Nil for one that is not on the service yet.
  init(_ client: MobileClient, _ path: [String], _ row: OfflineRow, _ answer: MobileAnswer?) {
    self.client = client
    self.path = path
    self.row = row
    persistent = row
    freshness = answer?.freshness ?? .live
    isNew = answer == nil
    resource = MobileResource(client, path, answer?.headers ?? [:])
  }

  public var uri: String { resource.uri }
  /// With what was changed here.
  public var jsonObject: JSONNode { row.node }
  /// As it was fetched.
  public var jsonObjectPersistentState: JSONNode { persistent.node }
  public var etag: String? { row.tag }

  /// Changes a member here; `save` sends it (`addOrUpdateJsonProperty:propertyValue:`).
  public mutating func set(_ name: String, _ value: JSONNode) {
    row = row.changed([JSONNode.Member(key: name, value: value)])
  }

  /// How a save ended.
  public enum Saved: Sendable, Hashable { case sent(key: String), queued }

  /// Sends the object, or queues it (`saveResourceOnSuccess:OnError:`, `saveResource:OnSuccess:OnError:`).
  ///
  /// - Parameter savesIfOffline: Over what its policy says; nil for the policy.
  @discardableResult
  public func save(savesIfOffline: Bool? = nil) async throws(ServiceError) -> Saved {
    let change =
      isNew
      ? try await client.make(in: path, row.node, savesIfOffline: savesIfOffline)
      : try await client.change(path, row.properties, ifMatch: row.tag, savesIfOffline: savesIfOffline)
    switch change {
    case .sent(let row): return .sent(key: row.key)
    case .queued: return .queued
    }
  }

  /// Deletes it, now or later; no error is success (`deleteResourceOnError:`, `deleteResource:OnError:`).
  public func delete(savesIfOffline: Bool? = nil) async throws(ServiceError) {
    _ = try await client.discardItem(path, ifMatch: row.tag, savesIfOffline: savesIfOffline)
  }

  /// How it stands between here and the service.
  public func state() async throws(ServiceError) -> MobileOfflineResource? { try await resource.state() }

  public func pin(isHigh: Bool = false) async throws(ServiceError) { try await resource.pin(isHigh: isHigh) }

  public func unpin() async throws(ServiceError) { try await resource.unpin() }

  /// The object as it is now: with the edits that wait, or, `discardingEdits`, without them
  /// (`reloadResource:`, `reloadResource:reloadFromService:onSuccess:`).
  ///
  /// - Parameter fromService: Asks the service whatever the policy says.
  public func reloaded(
    discardingEdits: Bool = false, fromService: Bool = false
  ) async throws(ServiceError) -> MobileObject {
    if discardingEdits { try await resource.discardEdits() }
    var policy = try await resource.syncPolicy()
    if fromService { policy.fetch = .fromService }
    let endpoint = MobileEndpoint(client: client, apiName: "", endpointPath: "")
    return try await endpoint.fetchObject(path.map { URLForm.escape($0) }.joined(separator: "/"), policy: policy)
  }
}
