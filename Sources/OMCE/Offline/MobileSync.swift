import JSON
import Model
import Store
import Wire

/// Fetches for later what the backend has: what is pinned, what was kept before, and the lists that everything starts from.
struct MobileSync {
  private let client: MobileClient
  private let operation: String

  init(_ client: MobileClient) {
    self.client = client
    operation = "synchronise \(client.authorization.connection.name)"
  }

  /// Objects of one list that are fetched without being asked for; a longer list is kept in part.
  private static let mostElements = 1000

  /// What came.
  struct Report: Sendable {
    var lists = 0
    var elements = 0
    var payloads = 0

    var words: String {
      "\(elements) \(elements == 1 ? "row" : "rows") in \(lists) \(lists == 1 ? "list" : "lists") came"
        + (payloads == 0 ? "" : ", and \(payloads) \(payloads == 1 ? "content" : "contents")")
    }
  }

  func run(_ progress: Progress) async throws(ServiceError) -> Report {
    let store = try await client.openStore(operation)
    let (pins, known, payloads) = try keeping(operation) { () throws(OfflineError) in
      (try store.pins().map(\.path), try store.lists().map(\.path), try store.payloadKeys())
    }
    var report = Report()
    for path in try await lists(pins, known, store) {
      try await list(path, in: store, isPinned: pins.contains(path), &report)
      progress(Int64(report.elements), nil)
    }
    await answers(store)
    // High ones first, then what was fetched before and may have changed.
    let wanted = pins.filter { $0.hasPrefix("storage/") && $0.split(separator: "/").count == 3 }
    for path in wanted + payloads.keys.sorted().filter({ !wanted.contains($0) }) {
      if try await content(path, in: store) { report.payloads += 1 }
      progress(Int64(report.elements + report.payloads), nil)
    }
    return report
  }

  /// One thing: a content, or a list with all its contents.
  func fetch(_ path: String, withContents: Bool = true) async throws(ServiceError) {
    let store = try await client.openStore(operation)
    var report = Report()
    if path.hasPrefix("storage/"), path.prefix(while: { $0 != "?" }).split(separator: "/").count == 3 {
      _ = try await content(path, in: store)
    } else {
      try await list(path, in: store, isPinned: withContents, &report)
    }
  }

  /// Which lists to read: pinned ones first, then those of the backend itself.
  private func lists(
    _ pins: [String], _ known: [String], _ store: MobileStore
  ) async throws(ServiceError) -> [String] {
    var paths = pins.filter { !($0.hasPrefix("storage/") && $0.split(separator: "/").count == 3) }
    func add(_ path: String) {
      if !paths.contains(path) { paths.append(path) }
    }
    add("storage")
    for kind in MobileClient.LocationKind.allCases { add(kind.rawValue) }
    let collections = try await client.json(collectionsCall)
    for element in collections.elements {
      if let id = element["id"].string { add(MobileClient.listPath(id, nil)) }
    }
    for path in known { add(path) }
    for api in client.authorization.settings.customAPIs {
      add((["custom"] + api.split(separator: "/").map { URLForm.escape(URLForm.unescape($0)) }).joined(separator: "/"))
    }
    return paths
  }

  private var collectionsCall: MobileCall {
    var call = MobileCall("GET", MobileClient.storagePath, module: "Synchronization", operation)
    call.query = StoragePage().query
    return call
  }

  /// Reads a list page after page. What this user may not read is no failure of the whole.
  private func list(
    _ path: String, in store: MobileStore, isPinned: Bool, _ report: inout Report
  ) async throws(ServiceError) {
    do throws(ServiceError) {
      let rows: [OfflineRow]
      let isComplete: Bool
      (rows, isComplete) = try await elements(of: path, most: isPinned ? .max : MobileSync.mostElements)
      let now = client.offline.surroundings.clock.now()
      let part = MobileStore.Part(offset: 0, isLast: isComplete, total: isComplete ? rows.count : nil)
      try keeping(operation) { () throws(OfflineError) in try store.keep(rows, of: path, part, at: now) }
      report.lists += 1
      report.elements += rows.count
      guard isPinned, path.hasPrefix("storage/") else { return }
      for row in rows where (row["contentLength"].map { $0.size <= MobileStore.mostPayloadBytes } ?? true) {
        let target = MobileEdit.Target(path: path, key: row.key)
        guard case .object(let id) = target else { continue }
        if try await content(id.keptPath, in: store) { report.payloads += 1 }
      }
    } catch {
      guard [.forbidden, .notFound, .failed, .unreadable, .notOffered].contains(error.code) else {
        throw error.during(operation)
      }
    }
  }

  private func elements(
    of path: String, most: Int
  ) async throws(ServiceError) -> (rows: [OfflineRow], isComplete: Bool) {
    if path.hasPrefix("custom/") { return (try await customElements(path), true) }
    var rows: [OfflineRow] = []
    while true {
      let answer = try await page(path, offset: rows.count)
      let more = answer.elements.compactMap { MobileRow.of($0) }
      rows += more
      guard answer.hasMore, !more.isEmpty else { return (rows, true) }
      guard rows.count < most else { return (rows, false) }
    }
  }

  private func page(_ path: String, offset: Int) async throws(ServiceError) -> MobileAnswer {
    let page = StoragePage(offset: offset)
    if path == "storage" {
      var call = collectionsCall
      call.query = page.query
      return try await client.json(call)
    }
    guard let kind = MobileClient.LocationKind(rawValue: path) else {
      guard case .object(let id) = MobileEdit.Target(path: path, key: "") else {
        throw .notOffered(operation, "“\(path)” is no list")
      }
      return try await client.liveObjectsAnswer(id.collection, user: id.user, page).answer
    }
    var call = MobileCall(
      "POST", "/mobile/platform/location/\(kind.rawValue)/query", module: "Synchronization", operation)
    call.setJSON(["offset": .int(offset), "limit": .int(StoragePage.most), "format": "long"])
    call.onlyReads = true
    return try await client.json(call)
  }

  /// A collection of a custom API in the library's form; any other answer is no list of things with tags.
  private func customElements(_ path: String) async throws(ServiceError) -> [OfflineRow] {
    let names = path.split(separator: "/").dropFirst().map { URLForm.unescape($0) }
    let answer = try await client.syncAnswer(names)
    guard answer.resourceKind == .collection else {
      throw .notOffered(operation, "/mobile/\(path) does not answer in the library's form")
    }
    return answer.syncRows
  }

  /// Single answers that everything needs.
  private func answers(_ store: MobileStore) async {
    _ = try? await client.policiesAnswer()
    _ = try? await client.userAnswer()
  }

  /// - Returns: Whether it is here now, and was not as it is before.
  private func content(_ path: String, in store: MobileStore) async throws(ServiceError) -> Bool {
    let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
    let names = parts[0].split(separator: "/").map { URLForm.unescape($0) }
    guard names.count == 3 else { return false }
    let user = parts.count > 1 ? URLForm.decode(parts[1]).first { $0.name == "user" }?.value : nil
    let before = try keeping(operation) { () throws(OfflineError) in try store.payload(path)?.etag }
    do throws(ServiceError) {
      let id = ObjectID(collection: names[1], object: names[2], user: user)
      try await client.fetchPayload(.object(id), in: store)
    } catch {
      guard [.forbidden, .notFound, .failed].contains(error.code) else { throw error.during(operation) }
      if error.code == .notFound {
        try keeping(operation) { () throws(OfflineError) in try store.forgetPayload(path) }
      }
    }
    let after = try keeping(operation) { () throws(OfflineError) in try store.payload(path)?.etag }
    return after != nil && after != before
  }
}

extension JSONNode {
  /// A number of bytes, however it is written; 0 for anything else.
  fileprivate var size: Int {
    switch self {
    case .integer(let number): Int(number)
    case .string(let text): Int(text) ?? 0
    default: 0
    }
  }
}

extension OMCEBackend {
  /// Sends what waits, then fetches what is kept offline.
  ///
  /// - Throws: `.conflict` at the end while an edit waits for a person's decision.
  public func synchronize(progress: @escaping Progress) async throws(ServiceError) -> ActionOutcome {
    let operation = "synchronise \(connection.name)"
    guard client.offline.isOnline else { throw ServiceError(.offline, operation) }
    _ = try await client.openStore(operation)
    let sent = connection.isReadOnly ? MobileReplay.Report() : try await client.replayWhatWaits()
    let came = try await MobileSync(client).run(progress)
    try await refuseConflicts(operation)
    return ActionOutcome(
      "\(sent.words); \(came.words).", location: Location(connection: connection.name, path: ["offline"]))
  }
}
