import JSON

/// A folder or file of the repository.
struct RepoNode: Sendable {
  let id: String
  var name: String { didSet { sortKey = Self.sortKey(name) } }
  var type: String
  /// nil for Company Home alone.
  var parent: String?
  var created: SandboxTime
  var creator: String
  var modified: SandboxTime
  var modifier: String
  var content: NodeContent?
  var mimeType: String?
  var aspects: [String]
  var properties: [String: JSONNode] = [:]
  var inherits = true
  var grants: [NodeGrant] = []
  var lock: NodeLock?
  /// Newest first; empty where the node keeps no history.
  var versions: [NodeVersion] = []
  /// The name as clashes and the default order compare it: without case.
  private(set) var sortKey: String

  init(
    id: String, name: String, type: String, parent: String?, created: SandboxTime, creator: String,
    content: NodeContent? = nil, mimeType: String? = nil, aspects: [String] = ["cm:auditable"]
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.parent = parent
    self.created = created
    self.creator = creator
    modified = created
    modifier = creator
    self.content = content
    self.mimeType = mimeType
    self.aspects = aspects
    sortKey = Self.sortKey(name)
  }

  static func sortKey(_ name: String) -> String { name.lowercased() }

  static let folderTypes: Set = ["cm:folder", "cm:systemfolder", "st:site", "st:sites", "app:folderlink"]

  var isFolder: Bool { Self.folderTypes.contains(type) }
  var isFile: Bool { !isFolder }
  var isLink: Bool { type == "app:filelink" || type == "app:folderlink" }
  var isVersioned: Bool { aspects.contains("cm:versionable") }
  var title: String? { if case .string(let text)? = properties["cm:title"] { text } else { nil } }
  var text: String? { if case .string(let text)? = properties["cm:description"] { text } else { nil } }
  var owner: String { if case .string(let id)? = properties["cm:owner"] { id } else { creator } }

  mutating func add(aspect: String) {
    if !aspects.contains(aspect) { aspects.append(aspect) }
  }

  /// Notes a change of name, properties or content.
  mutating func touch(_ user: String, _ now: SandboxTime) {
    modified = now
    modifier = user
  }
}

/// A role given to somebody at one node.
struct NodeGrant: Sendable, Equatable {
  let authority: String
  let role: String
}

/// Who holds a node against changes.
struct NodeLock: Sendable, Equatable {
  enum Kind: String, Sendable {
    case ownerMayWrite = "ALLOW_OWNER_CHANGES"
    case full = "FULL"
  }
  let kind: Kind
  let owner: String
  let isPersistent: Bool
  let expires: SandboxTime?

  func isActive(_ now: SandboxTime) -> Bool { expires.map { now < $0 } ?? true }

  func stops(_ user: String, _ now: SandboxTime) -> Bool {
    isActive(now) && (kind == .full || owner != user)
  }
}

/// What a file held at some time; its label is its id on the wire.
struct NodeVersion: Sendable {
  let label: String
  let comment: String?
  let name: String
  let type: String
  let modified: SandboxTime
  let modifier: String
  let content: NodeContent
  let mimeType: String

  /// The label after `label`: the next whole number, or one more behind the point.
  static func label(after label: String?, isMajor: Bool) -> String {
    guard let label else { return isMajor ? "1.0" : "0.1" }
    let parts = label.split(separator: ".").compactMap { Int($0) }
    let major = parts.first ?? 1
    return isMajor ? "\(major + 1).0" : "\(major).\((parts.count > 1 ? parts[1] : 0) + 1)"
  }
}

/// What somebody may do with a node.
struct NodeAccess: OptionSet, Sendable {
  let rawValue: Int
  static let read = NodeAccess(rawValue: 1)
  static let create = NodeAccess(rawValue: 2)
  static let update = NodeAccess(rawValue: 4)
  static let delete = NodeAccess(rawValue: 8)
  static let permissions = NodeAccess(rawValue: 16)
  static let all: NodeAccess = [.read, .create, .update, .delete, .permissions]

  static func role(_ role: String) -> NodeAccess {
    switch role.hasPrefix("Site") ? String(role.dropFirst(4)) : role {
    case "Consumer": [.read]
    case "Contributor": [.read, .create]
    case "Editor": [.read, .update]
    case "Collaborator": [.read, .create, .update]
    case "Coordinator", "Manager", "All": .all
    default: []
    }
  }
}
