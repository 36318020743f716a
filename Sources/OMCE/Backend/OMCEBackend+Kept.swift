import Model
import Store
import Wire

// What is kept on this machine, and how each thing stands between here and the server.
extension OMCEBackend {
  static let stateColumn = Column("state", "Offline", rank: 3)

  /// How the elements of one list stand; nil where no store is open.
  struct ElementStates {
    let prefix: String
    let edits: [String: MobileEdit]
    let payloads: Set<String>
    let pins: Set<String>

    /// In one word: what waits, else whether it is here.
    func value(_ key: String) -> Value {
      if let edit = edits[key] {
        switch edit.edit.state {
        case .waiting: return .text("\(edit.edit.operation.rawValue) waits")
        default: return .text(edit.edit.state.rawValue)
        }
      }
      let path = "\(prefix)/\(URLForm.escape(key))"
      if pins.contains(path) { return .text("pinned") }
      return payloads.contains(path) ? .text("kept") : .null
    }
  }

  func states(of path: String) async throws(ServiceError) -> ElementStates? {
    guard client.offline.isInUse, let store = try await client.storeForReading("list \(path)") else { return nil }
    let edits = try store.edits(of: path, "list \(path)")
    // A user in the name stands behind the object's own.
    let parts = path.split(separator: "?", maxSplits: 1)
    let suffix = parts.count > 1 ? "?\(parts[1])" : ""
    let (payloads, pins) = try keeping("list \(path)") { () throws(OfflineError) in
      (
        try store.payloadKeys().keys.map { String($0.dropLast($0.hasSuffix(suffix) ? suffix.count : 0)) },
        try store.pins().map(\.path)
      )
    }
    return ElementStates(
      prefix: String(parts[0]), edits: Dictionary(edits.map { ($0.edit.key, $0) }, uniquingKeysWith: { $1 }),
      payloads: Set(payloads), pins: Set(pins.map { String($0.dropLast($0.hasSuffix(suffix) ? suffix.count : 0)) }))
  }

  /// What a person should know of edits that lie over what is shown.
  func notices(of target: MobileEdit.Target) async throws(ServiceError) -> [String] {
    guard client.offline.isInUse, let store = try await client.storeForReading("look for edits") else { return [] }
    let edits = try store.edits(of: target, "look for edits")
    guard let last = edits.last else { return [] }
    let many = "\(edits.count) \(edits.count == 1 ? "edit waits" : "edits wait")"
    return last.edit.state == .waiting
      ? ["\(many) to be sent."] : ["An edit waits for your decision: \(connection.name):/pending/\(last.edit.id)."]
  }

  func keptThings(_ location: Location) async throws(ServiceError) -> Listing {
    let operation = "list \(location)"
    let store = try await client.openStore(operation)
    let columns = [
      Column("name", "Kept", rank: 0), Column("kind", "Kind", rank: 1), Column("rows", "Rows", .integer, rank: 1),
      Column("synced", "Fetched", .time, rank: 1), Column("pinned", "Pinned", rank: 2),
      Column("pending", "Pending", .integer, rank: 1), Column("policy", "Policy", rank: 3),
    ]
    let edits = try store.edits(operation)
    let pins = try keeping(operation) { () throws(OfflineError) in try store.pins() }
    let pinned = Dictionary(pins.map { ($0.path, $0.priority.rawValue) }, uniquingKeysWith: { $1 })
    var rows: [Row] = []
    let (lists, answers, payloads) = try keeping(operation) { () throws(OfflineError) in
      (try store.lists(), try store.answerPaths(), try store.payloadKeys())
    }
    for (path, list, count) in lists {
      rows.append(
        Row(
          place(path),
          [
            .text(path), .text("list"), .integer(Int64(count)), .optional(list.set.synced), .optional(pinned[path]),
            .integer(Int64(edits.count { $0.path == path })),
            .text(client.offline.policy(for: ServerPath.ofList(path), own: list.own).fetch.rawValue),
          ], opening: path.hasPrefix("custom/") ? .item : .listing))
    }
    for (path, payload) in payloads.sorted(by: { $0.key < $1.key }) {
      rows.append(
        Row(
          place(path),
          [
            .text(path), .text("content"), .integer(1), .time(payload.kept), .optional(pinned[path]),
            .integer(Int64(edits.count { $0.payloadPath == path })),
            .text(client.offline.policy(for: ServerPath.ofPayload(path)).fetch.rawValue),
          ]))
    }
    for (path, kept) in answers {
      rows.append(
        Row(
          location,
          [
            .text(path), .text("answer"), .integer(1), .time(kept), .null, .integer(0),
            .text(client.offline.policy(for: path).fetch.rawValue),
          ], opening: .nothing))
    }
    return Listing(
      location, title: "Offline data", columns: columns, rows: rows, total: .exact(rows.count),
      notices: rows.isEmpty ? ["Nothing is kept yet: atrium sync \(connection.name)."] : [],
      actions: [
        OMCEBackend.sync,
        Action(
          "purge", "Forget what was fetched", warning: "Forget everything that was fetched; edits that wait stay"),
      ], freshness: .offline(lists.compactMap(\.list.set.synced).min()))
  }

  /// Where something that is kept stands in the tree.
  private func place(_ path: String) -> Location {
    let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
    let names = parts[0].split(separator: "/").map { URLForm.unescape($0) }
    let query = parts.count > 1 ? URLForm.decode(parts[1]).map { ($0.name, $0.value) } : []
    return Location(connection: connection.name, path: names, query: query)
  }

  // MARK: Pinning

  func pinActions(_ path: String) async throws(ServiceError) -> [Action] {
    let store = client.offline.isInUse ? try await client.storeForReading("look for pins") : nil
    let isPinned = try keeping("look for pins") { () throws(OfflineError) in
      try store?.pins().contains { $0.path == path } ?? false
    }
    let priority = FormField(
      "priority", "Priority", .choice([.init("normal", "Normal"), .init("high", "High")]), initial: "normal",
      isRequired: false)
    return [
      isPinned
        ? Action("unpin", "Do not keep offline any more") : Action("pin", "Keep offline", fields: [priority])
    ]
  }

  /// Names what a location keeps when it is pinned.
  func pinPath(_ place: OMCEPlace, _ location: Location) throws(ServiceError) -> String {
    switch place {
    case .collection(let id): return MobileClient.listPath(id, location.queryValue("user"))
    case .object(let id): return id.keptPath
    case .custom(let path): return (["custom"] + path.map { URLForm.escape($0) }).joined(separator: "/")
    case .locations(let kind): return kind.rawValue
    default: throw .notOffered("pin \(location)", "it cannot be kept by itself")
    }
  }

  func pin(
    _ place: OMCEPlace, _ location: Location, _ priority: MobileStore.Priority?
  ) async throws(ServiceError) -> ActionOutcome {
    let path = try pinPath(place, location)
    try await client.pin(path, priority)
    if priority != nil, client.offline.isOnline { try await MobileSync(client).fetch(path) }
    return ActionOutcome(priority == nil ? "It is no longer pinned." : "It is kept offline.", location: location)
  }
}

extension MobileEdit {
  var payloadPath: String? {
    if case .object(let id) = target { id.keptPath } else { nil }
  }
}

extension MobileClient {
  func pin(_ path: String, _ priority: MobileStore.Priority?) async throws(ServiceError) {
    let store = try await openStore("pin \(path)")
    try keeping("pin \(path)") { () throws(OfflineError) in try store.pin(path, priority) }
  }
}
