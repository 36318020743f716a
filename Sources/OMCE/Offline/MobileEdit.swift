import FoundationEssentials
import JSON
import Model
import Store
import Wire

/// An edit that waits, in this back end's terms: of a stored object, or of an item of a custom API that keeps offline
/// data.
struct MobileEdit: Sendable {
  enum Target: Sendable, Hashable {
    case object(ObjectID)
    /// Names below `/mobile/custom`, the item's own last.
    case item([String])
  }

  var edit: OfflineEdit
  /// Its list's short name.
  let path: String

  init?(_ edit: OfflineEdit, in store: MobileStore) {
    guard let path = store.path(of: edit.set) else { return nil }
    self.edit = edit
    self.path = path
  }

  init(
    _ operation: OfflineEdit.Operation, _ target: Target, _ content: Content, tag: String?, follows: Bool,
    requestID: String, at now: Timestamp, in store: MobileStore
  ) {
    path = target.listPath
    edit = OfflineEdit(
      set: store.name(path), operation: operation, key: target.key, properties: content.properties, tag: tag,
      follows: follows, requestID: requestID, queued: now)
  }

  /// What is sent, and what it was made on top of.
  struct Content: Sendable {
    /// The element as it becomes.
    var row: [JSONNode.Member] = []
    /// The element as it was.
    var base: [JSONNode.Member] = []
    var payload: [UInt8]?
    /// Set by the call itself, over what the policies say.
    var resolution: MobileSyncPolicy.ConflictResolution?

    var properties: [JSONNode.Member] {
      [
        .init(key: "row", value: .object(row)), .init(key: "base", value: .object(base)),
        .init(key: "data", value: payload.map { .string(Data($0).base64EncodedString()) } ?? .null),
        .init(key: "resolution", value: resolution.map { .string($0.rawValue) } ?? .null),
      ]
    }
  }

  var target: Target { Target(path: path, key: edit.key) }
  /// Of a custom API's file, whose bytes go out as they are.
  var isFile: Bool { if case .item = target { payload != nil } else { false } }
  var row: [JSONNode.Member] { members("row") }
  var base: [JSONNode.Member] { members("base") }

  var payload: [UInt8]? {
    guard case .string(let text)? = edit.properties.first(where: { $0.key == "data" })?.value else { return nil }
    return Data(base64Encoded: text).map { Array($0) }
  }

  var resolution: MobileSyncPolicy.ConflictResolution? {
    guard case .string(let name)? = edit.properties.first(where: { $0.key == "resolution" })?.value else { return nil }
    return .init(rawValue: name)
  }

  /// What the element says of itself under a name.
  func text(_ name: String) -> String? {
    guard case .string(let text)? = row.first(where: { $0.key == name })?.value else { return nil }
    return text
  }

  private func members(_ name: String) -> [JSONNode.Member] {
    guard case .object(let members)? = edit.properties.first(where: { $0.key == name })?.value else { return [] }
    return members
  }
}

extension MobileEdit.Target {
  init(path: String, key: String) {
    let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
    let names = parts[0].split(separator: "/").map { URLForm.unescape($0) }
    guard names.first == "storage" else {
      self = .item(Array(names.dropFirst()) + [key])
      return
    }
    let user = parts.count > 1 ? URLForm.decode(parts[1]).first { $0.name == "user" }?.value : nil
    self = .object(ObjectID(collection: names.count > 1 ? names[1] : "", object: key, user: user))
  }

  var key: String {
    switch self {
    case .object(let id): id.object
    case .item(let names): names.last ?? ""
    }
  }

  var listPath: String {
    switch self {
    case .object(let id): id.listPath
    case .item(let names): (["custom"] + names.dropLast().map { URLForm.escape($0) }).joined(separator: "/")
    }
  }

  /// Name of its payload in the store.
  var keptPath: String {
    switch self {
    case .object(let id): id.keptPath
    case .item(let names): (["custom"] + names.map { URLForm.escape($0) }).joined(separator: "/")
    }
  }

  /// The server's path of the element.
  var serverPath: String {
    switch self {
    case .object(let id): id.path
    case .item(let names): "/mobile/custom" + names.map { "/" + URLForm.escape($0) }.joined()
    }
  }

  func location(in connection: String) -> Location {
    switch self {
    case .object(let id):
      Location(
        connection: connection, path: ["storage", id.collection, id.object],
        query: id.user.map { [("user", $0)] } ?? [])
    case .item(let names): Location(connection: connection, path: ["custom"] + names)
    }
  }
}

extension ObjectID {
  /// Short name of the list that it stands in: `storage/C`, with a user where it is somebody else's space.
  var listPath: String { MobileClient.listPath(collection, user) }

  /// Name of its payload in the store.
  var keptPath: String {
    "storage/\(URLForm.escape(collection))/\(URLForm.escape(object))"
      + (user.map { "?user=\(URLForm.escape($0))" } ?? "")
  }
}

extension MobileClient {
  static func listPath(_ collection: String, _ user: String?) -> String {
    "storage/\(URLForm.escape(collection))" + (user.map { "?user=\(URLForm.escape($0))" } ?? "")
  }
}

extension MobileStore {
  /// Edits that wait, of this backend and user, in the order they were made.
  func edits(_ operation: String) throws(ServiceError) -> [MobileEdit] {
    try keeping(operation) { () throws(OfflineError) in try store.edits() }.compactMap { MobileEdit($0, in: self) }
  }

  func edits(of path: String, _ operation: String) throws(ServiceError) -> [MobileEdit] {
    try edits(operation).filter { $0.path == path }
  }

  func edits(of target: MobileEdit.Target, _ operation: String) throws(ServiceError) -> [MobileEdit] {
    try edits(of: target.listPath, operation).filter { $0.edit.key == target.key }
  }
}

extension [MobileEdit] {
  /// How a list looks with its edits.
  func laid(over rows: [OfflineRow]) -> [OfflineRow] {
    guard !isEmpty else { return rows }
    var changed: [OfflineRow] = []
    let known = Set(rows.map(\.key))
    for row in rows {
      let own = filter { $0.edit.key == row.key }
      if own.isEmpty { changed.append(row) } else if let row = own.laid(over: row) { changed.append(row) }
    }
    var added: Set<String> = []
    for edit in self where !known.contains(edit.edit.key) && added.insert(edit.edit.key).inserted {
      if let row = filter({ $0.edit.key == edit.edit.key }).laid(over: nil) { changed.append(row) }
    }
    return changed
  }

  /// How one element looks with its edits; nil when it is to be deleted, or is not there.
  func laid(over row: OfflineRow?) -> OfflineRow? {
    reduce(row) { row, edit in
      switch edit.edit.operation {
      case .delete: nil
      case .create: OfflineRow(key: edit.edit.key, tag: nil, properties: edit.row)
      case .update:
        row?.changed(edit.row) ?? OfflineRow(key: edit.edit.key, tag: edit.edit.tag, properties: edit.row)
      }
    }
  }
}
