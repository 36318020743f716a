import JSON
import Model
import Store
import Wire

/// An endpoint of a custom API that keeps offline data (`OMCMobileEndpoint`).
///
/// The library's builders (`fetchObjectCollectionBuilder`, `fetchObjectBuilder:`, `fetchFileBuilder:` of
/// `OMCFetchObjectCollectionBuilder`, `OMCFetchObjectBuilder`, `OMCFetchFileBuilder`, run by
/// `executeFetchOnSuccess:OnError:`) are arguments here: `policy` is `setSyncPolicy:`, `.fromServiceIfOnline` what
/// `setSyncPolicyFetchFromServer` sets, `parameters` is `withParamName:paramValue:`, and `headers` `setRequestHeaders:`.
public struct MobileEndpoint: CompletionCaller {
  let client: MobileClient
  /// `getSynchronization`.
  public var synchronization: MobileSynchronization { client.synchronization }
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

  /// The objects of a collection (`OMCMobileObjectCollection`, `getMobileObjects`).
  ///
  /// - Parameters:
  ///   - parameters: Sent to the service; a fetch with some is kept as one answer.
  ///   - matching: Looked for among what is kept alone (`queryForProperty:comparision:compareWith:`).
  ///   - sorted: Likewise, the first one counting most (`sortByAscending:`, `sortByDescending:`).
  public func fetchObjects(
    parameters: [(name: String, value: String)] = [], matching: [MobileCondition] = [], sorted: [MobileOrder] = [],
    policy: MobileSyncPolicy? = nil, headers: [(name: String, value: String)] = []
  ) async throws(ServiceError) -> [MobileObject] {
    let answer = try await client.customAnswer(path, query: parameters, wanted: policy, headers: headers)
    let hasAddresses = answer.root["uris"].exists
    let rows =
      hasAddresses
      ? answer.syncRows
      : answer.elements.compactMap { MobileRow.of($0, key: $0["id"].text ?? $0["no"].text) }
    let fits = rows.filter { row in matching.allSatisfy { $0.holds(for: row) } }
    let ordered = MobileOrder.sort(fits, by: sorted)
    return ordered.map { MobileObject(client, path + [$0.key], $0, answer) }
  }

  /// One object by what follows in its path.
  public func fetchObject(
    _ id: String, policy: MobileSyncPolicy? = nil, headers: [(name: String, value: String)] = []
  ) async throws(ServiceError) -> MobileObject {
    let path = path + MobileEndpoint.names(id)
    let answer = try await client.customAnswer(path, query: [], wanted: policy, headers: headers)
    let row =
      MobileRow.of(answer.root, key: path.last, tag: answer.headers["ETag"])
      ?? OfflineRow(key: path.last ?? id, tag: answer.headers["ETag"], properties: [])
    return MobileObject(client, path, row, answer)
  }

  /// A new object; nothing is sent before it is saved (`createObject`).
  public func createObject(_ json: JSONNode = [:]) -> MobileObject {
    MobileObject(client, path, OfflineRow(key: "", tag: nil, properties: .all(of: json)), nil)
  }

  /// A file by what follows in its path: as it is here, or as the service has it, by the policy.
  ///
  /// - Throws: `.tooLarge` beyond 16 MiB, which `fetchFile(_:to:)` streams.
  public func fetchFile(_ id: String, policy: MobileSyncPolicy? = nil) async throws(ServiceError) -> MobileFile {
    let target = MobileEdit.Target.item(path + MobileEndpoint.names(id))
    let sink = CollectingSink(most: MobileStore.mostPayloadBytes)
    let head = try await client.download(target, DownloadRequest(), to: sink, wanted: policy) { _, _ in }
    return MobileFile(client, path + MobileEndpoint.names(id), sink.bytes, head)
  }

  /// Streams what is not JSON, of any size (`getDataStream`).
  public func fetchFile(_ id: String, to sink: any ByteSink) async throws(ServiceError) -> ContentHead {
    try await client.download(
      .item(path + MobileEndpoint.names(id)), DownloadRequest(), to: sink, progress: { _, _ in })
  }

  /// A new file; nothing is sent before it is saved (`createFile`).
  public func createFile() -> MobileFile { MobileFile(client, path) }
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
