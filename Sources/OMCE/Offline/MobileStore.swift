import FoundationEssentials
import JSON
import Model
import Store

/// What is kept of one backend for one user, in the connection's encrypted store.
///
/// Lists are sets of the store, one row an element. Single answers, payloads and pins have a set each.
struct MobileStore: Sendable {
  let store: OfflineStore
  /// Names backend and user; nobody sees another one's data, though all of it lies in one file.
  let scope: String

  private static let separator: Character = "\u{1F}"
  private static let answers = "@answers"
  private static let payloads = "@payloads"
  private static let pins = "@pins"

  func name(_ path: String) -> String { "\(scope)\(MobileStore.separator)\(path)" }

  /// The path of a set or an edit; nil when it belongs to another backend or user.
  func path(of name: String) -> String? {
    name.hasPrefix("\(scope)\(MobileStore.separator)") ? String(name.dropFirst(scope.count + 1)) : nil
  }
}

// Lists.
extension MobileStore {
  /// A list as it is kept.
  struct List: Sendable {
    var set: OfflineSet
    /// Whether the whole of it has been fetched, page after page.
    var isComplete: Bool { self.set.description["complete"] == .bool(true) }
    /// How many elements the service has.
    var total: Int? {
      guard case .integer(let total)? = self.set.description["total"] else { return nil }
      return Int(total)
    }
    var own: SyncPolicyPart? { SyncPolicyPart(kept: self.set.description["policy"]) }
    fileprivate var reached: Int {
      guard case .integer(let reached)? = self.set.description["reached"] else { return 0 }
      return Int(reached)
    }
  }

  func list(_ path: String) throws(OfflineError) -> List? {
    guard let set = try store.set(named: name(path)), set.synced != nil else { return nil }
    return List(set: set)
  }

  /// All lists, by path.
  func lists() throws(OfflineError) -> [(path: String, list: List, rows: Int)] {
    try store.sets().compactMap { set, rows in
      guard let path = path(of: set.name), set.synced != nil, !path.hasPrefix("@") else { return nil }
      return (path, List(set: set), rows)
    }
  }

  /// Which part of a list came.
  struct Part: Sendable {
    /// Nil for a page in another order, or of a search.
    var offset: Int?
    var isLast: Bool
    var total: Int?

    static func whole(_ count: Int) -> Part { Part(offset: 0, isLast: true, total: count) }
  }

  /// Keeps a page. The first page that is also the last replaces all rows: what the service no longer has, goes.
  func keep(_ rows: [OfflineRow], of path: String, _ part: Part, at now: Timestamp) throws(OfflineError) {
    var set = try store.madeSet(named: name(path))
    let known = List(set: set)
    var description = known.set.description
    if let offset = part.offset {
      let reached = offset == 0 ? rows.count : offset == known.reached ? offset + rows.count : known.reached
      description["reached"] = .int(reached)
      let isComplete = part.isLast && reached == offset + rows.count
      description["complete"] = .bool(isComplete || (known.isComplete && offset != 0))
    }
    if let total = part.total { description["total"] = .int(total) }
    set.description = description
    set.synced = now
    var download = OfflineDownload(set, isWhole: part.offset == 0 && part.isLast, of: store)
    try download.add(rows)
    try store.keep([download])
  }

  func row(_ key: String, of path: String) throws(OfflineError) -> OfflineRow? {
    guard let set = try store.set(named: name(path)) else { return nil }
    return try store.row(key, in: set)
  }

  func rows(of path: String) throws(OfflineError) -> [OfflineRow] {
    guard let set = try store.set(named: name(path)) else { return [] }
    return try store.page(of: set, OfflineQuery()).rows
  }

  func keep(_ row: OfflineRow, of path: String) throws(OfflineError) {
    var download = OfflineDownload(try store.madeSet(named: name(path)), isWhole: false, of: store)
    try download.add([row])
    try store.keep([download])
  }

  func remove(_ key: String, of path: String) throws(OfflineError) {
    guard let set = try store.set(named: name(path)) else { return }
    var download = OfflineDownload(set, isWhole: false, of: store)
    download.remove(key)
    try store.keep([download])
  }

  /// Forgets a list with all its rows.
  func forget(_ path: String) throws(OfflineError) {
    guard var set = try store.set(named: name(path)) else { return }
    set.synced = nil
    set.description = .null
    try store.keep([OfflineDownload(set, isWhole: true, of: store)])
  }
}

// Single answers.
extension MobileStore {
  struct Answer: Sendable {
    let bytes: [UInt8]
    let mediaType: String
    let etag: String?
    let kept: Timestamp
    let expires: Timestamp?
    let own: SyncPolicyPart?
  }

  func answer(_ path: String) throws(OfflineError) -> Answer? {
    guard let row = try row(path, of: MobileStore.answers), let kept = row.moment("kept") else { return nil }
    return Answer(
      bytes: row.data("body") ?? [], mediaType: row.text("mime") ?? "application/json", etag: row.tag, kept: kept,
      expires: row.moment("expires"), own: SyncPolicyPart(kept: row["policy"]))
  }

  func keep(_ answer: Answer, of path: String) throws(OfflineError) {
    try keep(
      OfflineRow(
        key: path, tag: answer.etag,
        properties: [
          .init(key: "body", value: .string(Data(answer.bytes).base64EncodedString())),
          .init(key: "mime", value: .string(answer.mediaType)),
          .init(key: "kept", value: .integer(answer.kept.milliseconds)),
          .init(key: "expires", value: answer.expires.map { .integer($0.milliseconds) } ?? .null),
          .init(key: "policy", value: answer.own?.node ?? .null),
        ]), of: MobileStore.answers)
  }

  func answerPaths() throws(OfflineError) -> [(path: String, kept: Timestamp)] {
    try rows(of: MobileStore.answers).map { ($0.key, $0.moment("kept") ?? Timestamp(seconds: 0)) }
  }

  func forgetAnswer(_ path: String) throws(OfflineError) { try remove(path, of: MobileStore.answers) }
}

// Payloads.
extension MobileStore {
  struct Payload: Sendable {
    let bytes: [UInt8]
    let mediaType: String
    let etag: String?
    let kept: Timestamp
  }

  /// Beyond this a payload is not kept: all of a row is sealed and opened at once.
  static let mostPayloadBytes = 16 << 20

  func payload(_ key: String) throws(OfflineError) -> Payload? {
    guard let row = try row(key, of: MobileStore.payloads), let bytes = row.data("data") else { return nil }
    return Payload(
      bytes: bytes, mediaType: row.text("mime") ?? "application/octet-stream", etag: row.tag,
      kept: row.moment("kept") ?? Timestamp(seconds: 0))
  }

  func keep(_ payload: Payload, of key: String) throws(OfflineError) {
    try keep(
      OfflineRow(
        key: key, tag: payload.etag,
        properties: [
          .init(key: "data", value: .string(Data(payload.bytes).base64EncodedString())),
          .init(key: "mime", value: .string(payload.mediaType)),
          .init(key: "kept", value: .integer(payload.kept.milliseconds)),
        ]), of: MobileStore.payloads)
  }

  func payloadKeys() throws(OfflineError) -> [String: (etag: String?, kept: Timestamp)] {
    var found: [String: (etag: String?, kept: Timestamp)] = [:]
    for row in try rows(of: MobileStore.payloads) {
      found[row.key] = (row.tag, row.moment("kept") ?? Timestamp(seconds: 0))
    }
    return found
  }

  func forgetPayload(_ key: String) throws(OfflineError) { try remove(key, of: MobileStore.payloads) }
}

// Pins.
extension MobileStore {
  /// How much somebody wants a pinned resource to be here (`SyncPinPriority`).
  enum Priority: String, Sendable, CaseIterable { case high, normal }

  func pin(_ path: String, _ priority: Priority?) throws(OfflineError) {
    guard let priority else { return try remove(path, of: MobileStore.pins) }
    try keep(
      OfflineRow(key: path, tag: nil, properties: [.init(key: "priority", value: .string(priority.rawValue))]),
      of: MobileStore.pins)
  }

  /// High ones first.
  func pins() throws(OfflineError) -> [(path: String, priority: Priority)] {
    let all = try rows(of: MobileStore.pins).map {
      (path: $0.key, priority: $0.text("priority").flatMap(Priority.init) ?? .normal)
    }
    return all.filter { $0.priority == .high } + all.filter { $0.priority == .normal }
  }
}

// What goes.
extension MobileStore {
  /// Forgets everything that was fetched; what waits to be sent stays, and so do pins.
  func purge() throws(OfflineError) {
    for (path, _, _) in try lists() { try forget(path) }
    for path in [MobileStore.answers, MobileStore.payloads] { try forget(path) }
  }

  /// Whether the file has more than so many megabytes of 1,000,000 bytes.
  func isLarger(thanMegabytes most: Int) -> Bool {
    let size = (try? FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int) ?? 0
    return size > most * 1_000_000
  }
}

extension OfflineRow {
  func text(_ name: String) -> String? {
    guard case .string(let text)? = self[name] else { return nil }
    return text
  }

  func moment(_ name: String) -> Timestamp? {
    guard case .integer(let milliseconds)? = self[name] else { return nil }
    return Timestamp(milliseconds: milliseconds)
  }

  func data(_ name: String) -> [UInt8]? { text(name).flatMap { Data(base64Encoded: $0) }.map { Array($0) } }

  /// The row as JSON, as its service sent it.
  var node: JSONNode { .object(properties) }

  /// The row with these properties in place of its own.
  func changed(_ members: [JSONNode.Member]) -> OfflineRow {
    var row = self
    for member in members {
      if let index = row.properties.firstIndex(where: { $0.key == member.key }) {
        row.properties[index] = member
      } else {
        row.properties.append(member)
      }
    }
    return row
  }
}

extension SyncPolicyPart {
  init?(kept node: JSONNode?) {
    guard let node, case .object = node, let root = try? JSONDocument(node.encoded()).root else { return nil }
    self.init(PropertyTree(root)) { _ in }
  }

  var node: JSONNode {
    .object(kept.members.map { .init(key: $0.key, value: .string($0.value.text ?? "")) })
  }
}
