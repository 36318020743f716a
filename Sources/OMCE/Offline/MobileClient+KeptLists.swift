import JSON
import Model
import Store
import Wire

/// Which part of a list is wanted, in which order, and with which words in it.
struct ListPage: Sendable {
  var offset: Int
  var limit: Int
  /// `modifiedOn:desc`.
  var order: String?
  var text: String?
  /// Attribute that has to contain a text, for lists that the service filters so.
  var filter: (@Sendable (OfflineRow) -> Bool)?
}

/// Lists of things with ids, kept element by element, so that offline every page, order and search can be had.
extension MobileClient {
  /// - Parameter path: The list's short name, such as `storage/C`.
  func keptList(
    _ path: String, _ page: ListPage, _ operation: String, wanted: MobileSyncPolicy? = nil,
    live: @escaping @Sendable () async throws(ServiceError) -> MobileAnswer
  ) async throws(ServiceError) -> MobileAnswer? {
    try await read(
      ServerPath.ofList(path), operation, wanted: wanted,
      kept: { store throws(ServiceError) in
        guard let list = try keeping(operation, { () throws(OfflineError) in try store.list(path) }),
          let moment = list.set.synced
        else { return try made(path, page, in: store, operation) }
        return Kept(moment: moment, own: list.own) { () throws(ServiceError) in
          try self.keptPage(path, list, page, in: store, operation)
        }
      }, live: live,
      keep: { [offline] store, answer throws(OfflineError) in
        let isPlain = page.order == nil && page.text == nil && page.filter == nil
        let rows =
          answer.root["uris"].exists ? answer.syncRows : answer.elements.compactMap { MobileRow.of($0) }
        let part = MobileStore.Part(
          offset: isPlain ? page.offset : nil, isLast: !answer.hasMore,
          total: isPlain ? answer.root["totalResults"].numberText.flatMap { Int($0) } : nil)
        try store.keep(rows, of: path, part, at: offline.surroundings.clock.now())
      })
  }

  /// A list of which nothing is kept but edits that wait.
  private func made(
    _ path: String, _ page: ListPage, in store: MobileStore, _ operation: String
  ) throws(ServiceError) -> Kept? {
    let edits = try store.edits(of: path, operation)
    guard !edits.isEmpty, !offline.isOnline else { return nil }
    return Kept(moment: edits[0].edit.queued) { () throws(ServiceError) in
      try self.keptPage(path, nil, page, in: store, operation)
    }
  }

  private func keptPage(
    _ path: String, _ list: MobileStore.List?, _ page: ListPage, in store: MobileStore, _ operation: String
  ) throws(ServiceError) -> MobileAnswer {
    let edits = try store.edits(of: path, operation)
    let kept = try keeping(operation) { () throws(OfflineError) -> [OfflineRow] in try store.rows(of: path) }
    var rows = edits.laid(over: kept)
    if let text = page.text { rows = rows.filter { MobileRow.matches($0, text) } }
    if let filter = page.filter { rows = rows.filter(filter) }
    if let order = page.order { MobileRow.sort(&rows, by: order) }
    let start = min(page.offset, rows.count)
    let end = min(rows.count, start + page.limit)
    let shown = rows[start..<end]
    var node: JSONNode = [
      "items": .array(shown.map(\.node)), "offset": .int(start), "count": .int(shown.count), "limit": .int(page.limit),
      "hasMore": .bool(end < rows.count), "totalResults": .int(rows.count),
    ]
    if path.hasPrefix("custom/") {
      node["uris"] = .array(shown.map { .string("mobile/\(path)/\(URLForm.escape($0.key))") })
      node["etags"] = .array(shown.map { .string($0.tag ?? "") })
    }
    return try MobileAnswer(kept: node.encoded(), operation, list?.set.synced)
  }

  /// One element, from what is kept of its list.
  func keptRow(_ key: String, of path: String, _ operation: String) async throws(ServiceError) -> MobileAnswer? {
    guard let store = try await storeForReading(operation),
      let row = try keeping(operation, { () throws(OfflineError) in try store.row(key, of: path) })
    else { return nil }
    let list = try keeping(operation) { () throws(OfflineError) in try store.list(path) }
    var headers = HTTPHeaders()
    if let tag = row.tag { headers["ETag"] = tag }
    return try MobileAnswer(kept: row.node.encoded(), operation, list?.set.synced, headers: headers)
  }
}

extension MobileAnswer {
  /// The elements of a page; none when the answer has no `items` and is no array.
  var elements: [JSONValue] {
    let list = root.kind == .array ? root : root["items"]
    return list.kind == .array ? Array(list.elements) : []
  }

  /// `hasMore` may be missing: then a link tells (reference, section 4.3).
  var hasMore: Bool { root["hasMore"].bool ?? root["links"].elements.contains { $0["rel"].string == "next" } }
}

/// An element of a list as a row of the store.
enum MobileRow {
  /// Nil without an id.
  static func of(_ json: JSONValue, key: String? = nil, tag: String? = nil) -> OfflineRow? {
    guard json.kind == .object, let id = key ?? json["id"].text else { return nil }
    return OfflineRow(
      key: id, tag: tag ?? json["eTag"].string,
      properties: json.members.map { .init(key: $0.key, value: $0.value.node()) })
  }

  /// Where the service looks for `q`.
  static func matches(_ row: OfflineRow, _ text: String) -> Bool {
    let wanted = text.lowercased()
    return ["id", "name", "createdBy", "modifiedBy"].contains { name in
      row.text(name)?.lowercased().contains(wanted) ?? false
    }
  }

  static func sort(_ rows: inout [OfflineRow], by order: String) {
    let parts = order.split(separator: ":")
    guard let name = parts.first.map(String.init) else { return }
    let isDescending = parts.last == "desc"
    let keyed = rows.enumerated().map { (key: SortKey($0.element[name]), index: $0.offset, row: $0.element) }
    rows = keyed.sorted { a, b in
      if a.key == b.key { return a.index < b.index }
      return isDescending ? b.key < a.key : a.key < b.key
    }.map(\.row)
  }

  /// Numbers and moments by their size, texts in any case; what has no value comes first.
  struct SortKey: Comparable {
    var number: Double?
    var text = ""

    init(_ node: JSONNode?) {
      switch node {
      case .integer(let whole)?: number = Double(whole)
      case .number(let digits)?: number = Double(digits)
      case .string(let string)?:
        text = string.lowercased()
        number = MobileTime.read(string).map { Double($0.milliseconds) }
      case .bool(let flag)?: number = flag ? 1 : 0
      default: break
      }
    }

    static func < (a: SortKey, b: SortKey) -> Bool {
      switch (a.number, b.number) {
      case (let left?, let right?): left == right ? a.text < b.text : left < right
      case (nil, nil): a.text < b.text
      case (nil, _): true
      case (_, nil): false
      }
    }
  }
}
