import JSON
import Model

/// A file or folder of the repository, read tolerantly: every member but the id may be missing on the wire.
///
/// - SeeAlso: Core API, `GET nodes/{id}`; the same shape serves children, search hits, deleted nodes and versions.
public struct Node: Sendable {
  public let id: String
  public let name: String
  /// `cm:content`, `cm:folder`, `st:site`…; empty when the server leaves it out.
  public let type: String
  public let isFolder: Bool
  public let parentID: String?
  public let created: Timestamp?
  public let creator: User?
  public let modified: Timestamp?
  public let modifier: User?
  /// Nil for folders; an empty file has one of size 0.
  public let content: Content?
  public let aspects: [String]
  /// In the server's order, keys with their prefix (`cm:title`).
  public let properties: [JSONNode.Member]
  /// `create`, `delete`, `update`, `updatePermissions`; nil when not asked for, which is not the same as none.
  public let allowed: Set<String>?
  public let path: Path?
  public let isLocked: Bool?
  public let isFavorite: Bool?
  public let permissions: Permissions?
  public let archived: Timestamp?
  public let archiver: User?
  public let versionComment: String?

  /// Whoever created or changed something; shared links of strangers carry the name only.
  public struct User: Sendable, Hashable {
    public let id: String?
    public let name: String
  }

  public struct Content: Sendable, Hashable {
    public let mediaType: String
    public let typeName: String?
    /// Bytes.
    public let size: Int64?
    public let encoding: String?
  }

  /// The ancestors, from Company Home down, without the node itself.
  public struct Path: Sendable, Hashable {
    public let name: String
    /// False when an ancestor may not be read; the list then begins below it.
    public let isComplete: Bool
    public let elements: [Element]

    public struct Element: Sendable, Hashable {
      public let id: String
      public let name: String
    }
  }

  public struct Permissions: Sendable, Hashable {
    public let inherits: Bool
    public let inherited: [Entry]
    public let local: [Entry]

    public struct Entry: Sendable, Hashable {
      public let authority: String
      public let role: String
      public let isAllowed: Bool
    }
  }

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? entry["guid"].text ?? ""
    name = entry["name"].text ?? id
    type = entry["nodeType"].string ?? ""
    // A favourite's folder target has no flag on old servers; content tells the two apart then.
    isFolder = entry["isFolder"].bool ?? (entry["isFile"].bool.map { !$0 } ?? !entry["content"].exists)
    parentID = entry["parentId"].string
    created = Node.time(entry["createdAt"])
    creator = User(entry["createdByUser"])
    modified = Node.time(entry["modifiedAt"])
    modifier = User(entry["modifiedByUser"])
    content = Content(entry["content"])
    aspects = entry["aspectNames"].elements.compactMap(\.string)
    properties = entry["properties"].members.map { JSONNode.Member(key: $0.key, value: $0.value.node()) }
    allowed =
      entry["allowableOperations"].exists ? Set(entry["allowableOperations"].elements.compactMap(\.string)) : nil
    path = Path(entry["path"])
    isLocked = entry["isLocked"].bool
    isFavorite = entry["isFavorite"].bool
    permissions = Permissions(entry["permissions"])
    archived = Node.time(entry["archivedAt"])
    archiver = User(entry["archivedByUser"])
    versionComment = entry["versionComment"].string
  }

  /// A property as text: a person by display name, several values separated by commas.
  public func property(_ name: String) -> String? {
    properties.first { $0.key == name }.flatMap { PropertyText.text($0.value) }
  }

  /// Whether anybody holds a lock on it. `isLocked` says no to the owner of a lock, whom it does not stop.
  public func isHeld(at now: Timestamp) -> Bool {
    if isLocked == true { return true }
    guard property("cm:lockOwner") != nil else { return false }
    return property("cm:expiryDate").flatMap { Timestamp(rfc3339: $0) }.map { now < $0 } ?? true
  }

  /// `1.2`; nil for what has no versions.
  public var versionLabel: String? { property("cm:versionLabel") }

  /// The ETag that the server sends with the content: its modification time in milliseconds, in quotes.
  public var contentTag: String? { modified.map { "\"\($0.milliseconds)\"" } }

  static func time(_ value: JSONValue) -> Timestamp? { value.string.flatMap { Timestamp(rfc3339: $0) } }
}

extension Node.User {
  init?(_ value: JSONValue) {
    guard let name = value["displayName"].string ?? value["id"].string else { return nil }
    self.init(id: value["id"].string, name: name)
  }
}

extension Node.Content {
  init?(_ value: JSONValue) {
    guard value.exists, !value.isNull else { return nil }
    self.init(
      mediaType: value["mimeType"].string ?? "application/octet-stream", typeName: value["mimeTypeName"].string,
      size: value["sizeInBytes"].numberText.flatMap { Int64($0) }, encoding: value["encoding"].string)
  }
}

extension Node.Path {
  init?(_ value: JSONValue) {
    guard let name = value["name"].string else { return nil }
    self.init(
      name: name, isComplete: value["isComplete"].bool ?? true,
      elements: value["elements"].elements.map { Element(id: $0["id"].text ?? "", name: $0["name"].text ?? "") })
  }
}

extension Node.Permissions {
  init?(_ value: JSONValue) {
    guard value.exists, !value.isNull else { return nil }
    self.init(
      inherits: value["isInheritanceEnabled"].bool ?? false,
      inherited: value["inherited"].elements.map { Entry($0) }, local: value["locallySet"].elements.map { Entry($0) })
  }
}

extension Node.Permissions.Entry {
  init(_ value: JSONValue) {
    self.init(
      authority: value["authorityDisplayName"].string ?? value["authorityId"].text ?? "",
      role: value["name"].string ?? "", isAllowed: value["accessStatus"].string != "DENIED")
  }
}

/// Property values as text for people; persons are objects on the wire, and some values are lists.
enum PropertyText {
  static func text(_ node: JSONNode) -> String? {
    switch node {
    case .null: nil
    case .string(let text), .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .array(let nodes): nodes.compactMap(text).joined(separator: ", ")
    case .object: (node["displayName"] ?? node["name"] ?? node["id"]).flatMap(text)
    }
  }

  /// The same as a typed value: moments stay moments, numbers numbers.
  static func value(_ node: JSONNode) -> Value {
    switch node {
    case .null: .null
    case .bool(let flag): .flag(flag)
    case .integer(let number): .integer(number)
    case .number(let text): .decimal(text)
    case .string(let text): isMoment(text) ? .optional(Timestamp(rfc3339: text)) : .text(text)
    case .array(let nodes): .list(nodes.map(value))
    case .object: .optional(text(node))
    }
  }

  /// The wire form of dates, `2026-11-27T15:02:44.911+0000`; anything shorter may be a plain text.
  private static func isMoment(_ text: String) -> Bool {
    text.utf8.count >= 20 && text.utf8.dropFirst(10).first == UInt8(ascii: "T") && Timestamp(rfc3339: text) != nil
  }
}
