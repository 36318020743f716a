import JSON
import Model
import Store
import Wire

/// An endpoint of a custom API that keeps offline data (`OMCMobileEndpoint` with its builders).
public struct MobileEndpoint: Sendable {
  let client: MobileClient
  public let apiName: String
  public let endpointPath: String

  static func names(_ path: String) -> [String] {
    let names = path.split(separator: "/").map { URLForm.unescape($0) }
    return names.starts(with: ["mobile", "custom"]) ? Array(names.dropFirst(2)) : names
  }

  var path: [String] { MobileEndpoint.names(apiName) + MobileEndpoint.names(endpointPath) }

  public var absoluteUrl: String {
    client.customCodeURL + path.map { "/" + URLForm.escape($0) }.joined()
  }

  /// The objects of a collection.
  ///
  /// - Parameters:
  ///   - parameters: Sent to the service; a fetch with some is kept as one answer.
  ///   - matching: Looked for among what is kept alone (`queryForProperty:comparision:compareWith:`).
  ///   - sorted: Likewise, the first one counting most (`sortByAscending:`, `sortByDescending:`).
  public func fetchObjects(
    parameters: [(name: String, value: String)] = [], matching: [MobileCondition] = [], sorted: [MobileOrder] = [],
    policy: MobileSyncPolicy? = nil
  ) async throws(ServiceError) -> [MobileObject] {
    let answer = try await client.customAnswer(path, query: parameters, wanted: policy)
    let hasAddresses = answer.root["uris"].exists
    let rows =
      hasAddresses
      ? answer.syncRows
      : answer.elements.compactMap { MobileRow.of($0, key: $0["id"].text ?? $0["no"].text) }
    let fits = rows.filter { row in matching.allSatisfy { $0.holds(for: row) } }
    let ordered = MobileOrder.sort(fits, by: sorted)
    return ordered.map { MobileObject(client: client, path: path + [$0.key], row: $0, freshness: answer.freshness) }
  }

  /// One object by what follows in its path.
  public func fetchObject(_ id: String, policy: MobileSyncPolicy? = nil) async throws(ServiceError) -> MobileObject {
    let path = path + MobileEndpoint.names(id)
    let answer = try await client.customAnswer(path, query: [], wanted: policy)
    let row =
      MobileRow.of(answer.root, key: path.last, tag: answer.headers["ETag"])
      ?? OfflineRow(key: path.last ?? id, tag: answer.headers["ETag"], properties: [])
    return MobileObject(client: client, path: path, row: row, freshness: answer.freshness)
  }

  /// A new object; nothing is sent before it is saved.
  public func createObject(_ json: JSONNode = [:]) -> MobileObject {
    MobileObject(
      client: client, path: path, row: OfflineRow(key: "", tag: nil, properties: .all(of: json)), freshness: .live,
      isNew: true)
  }

  /// Streams what is not JSON.
  public func fetchFile(_ id: String, to sink: any ByteSink) async throws(ServiceError) -> ContentHead {
    var call = client.customCall("GET", path + MobileEndpoint.names(id), query: [])
    call.headers.append((name: "Accept", value: "*/*"))
    return try await client.stream(call, DownloadRequest(), to: sink, progress: { _, _ in }) { $0.contentHead }
  }
}

/// One object of an endpoint (`OMCMobileObject`): the version here, and the service's last one.
public struct MobileObject: Sendable {
  let client: MobileClient
  let path: [String]
  private var row: OfflineRow
  private let persistent: OfflineRow
  public let freshness: Freshness
  private let isNew: Bool

  init(client: MobileClient, path: [String], row: OfflineRow, freshness: Freshness, isNew: Bool = false) {
    self.client = client
    self.path = path
    self.row = row
    persistent = row
    self.freshness = freshness
    self.isNew = isNew
  }

  public var uri: String { "/mobile/custom" + path.map { "/" + URLForm.escape($0) }.joined() }
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

  /// Sends the object, or queues it (`saveResource:OnSuccess:OnError:`).
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

  /// Deletes it, now or later; no error is success (`deleteResource:OnError:`).
  public func delete(savesIfOffline: Bool? = nil) async throws(ServiceError) {
    _ = try await client.discardItem(path, ifMatch: row.tag, savesIfOffline: savesIfOffline)
  }

  /// How it stands between here and the service.
  public func state() async throws(ServiceError) -> MobileOfflineResource? {
    let store = try await client.openStore("look at \(uri)")
    return try store.edits(of: .item(path), "look at \(uri)").last.map(MobileOfflineResource.init)
  }

  public func pin(isHigh: Bool = false) async throws(ServiceError) {
    try await client.pin(pinPath, isHigh ? .high : .normal)
  }

  public func unpin() async throws(ServiceError) { try await client.pin(pinPath, nil) }

  private var pinPath: String { (["custom"] + path.map { URLForm.escape($0) }).joined(separator: "/") }
}

/// A condition on what is kept (`SyncCompareOperator`).
public struct MobileCondition: Sendable {
  public enum Comparison: Int, Sendable {
    case equals = 0, notEquals, lessThan, greaterThan, lessThanOrEqual, greaterThanOrEqual
  }

  public let property: String
  public let comparison: Comparison
  public let value: JSONNode

  public init(_ property: String, _ comparison: Comparison, _ value: JSONNode) {
    self.property = property
    self.comparison = comparison
    self.value = value
  }

  func holds(for row: OfflineRow) -> Bool {
    let (left, right) = (MobileRow.SortKey(row[property]), MobileRow.SortKey(value))
    return switch comparison {
    case .equals: left == right
    case .notEquals: left != right
    case .lessThan: left < right
    case .greaterThan: right < left
    case .lessThanOrEqual: !(right < left)
    case .greaterThanOrEqual: !(left < right)
    }
  }
}

public struct MobileOrder: Sendable, Hashable {
  public let property: String
  public let isDescending: Bool

  public init(_ property: String, isDescending: Bool = false) {
    self.property = property
    self.isDescending = isDescending
  }

  static func sort(_ rows: [OfflineRow], by orders: [MobileOrder]) -> [OfflineRow] {
    var rows = rows
    // The last one first: each sort leaves the order of what it finds equal.
    for order in orders.reversed() {
      MobileRow.sort(&rows, by: order.property + (order.isDescending ? ":desc" : ":asc"))
    }
    return rows
  }
}
