import JSON
import Model

/// A site; its `id` is the short name in addresses, `guid` the node behind it.
public struct Site: Sendable, Hashable {
  public let id: String
  public let guid: String?
  public let title: String
  public let summary: String?
  /// `PUBLIC`, `MODERATED` or `PRIVATE`.
  public let visibility: String?
  /// The caller's own role; nil for somebody who is not a member.
  public let role: String?

  /// - Parameter role: Where a list carries it beside the site.
  init(_ entry: JSONValue, role: String? = nil) {
    id = entry["id"].text ?? ""
    guid = entry["guid"].string
    title = entry["title"].text ?? id
    summary = entry["description"].string
    visibility = entry["visibility"].string
    self.role = role ?? entry["role"].string
  }
}

public struct Person: Sendable, Hashable {
  public let id: String
  public let name: String
  /// The guest has none.
  public let email: String?
  public let jobTitle: String?
  public let place: String?
  public let organization: String?
  public let isEnabled: Bool?
  public let isAdministrator: Bool?
  public let status: String?
  /// Bytes used, and bytes allowed (-1 for no limit).
  public let quotaUsed: Int64?
  public let quota: Int64?

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    let names = [entry["firstName"].string, entry["lastName"].string].compactMap { $0 }.joined(separator: " ")
    name = entry["displayName"].string ?? (names.isEmpty ? id : names)
    email = entry["email"].string
    jobTitle = entry["jobTitle"].string
    place = entry["location"].string
    organization = entry["company"]["organization"].string
    isEnabled = entry["enabled"].bool
    isAdministrator = entry["capabilities"]["isAdmin"].bool
    status = entry["userStatus"].string
    quotaUsed = entry["quotaUsed"].numberText.flatMap { Int64($0) }
    quota = entry["quota"].numberText.flatMap { Int64($0) }
  }
}

/// A comment; the web clients write HTML, which `text` no longer holds.
public struct Comment: Sendable, Hashable {
  public let id: String
  public let text: String
  public let author: String?
  public let created: Timestamp?
  public let modified: Timestamp?
  public let canEdit: Bool
  public let canDelete: Bool

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    text = PlainText.withoutMarkup(entry["content"].text ?? "")
    author = entry["createdBy"]["displayName"].string ?? entry["createdBy"]["id"].string
    created = Node.time(entry["createdAt"])
    modified = Node.time(entry["modifiedAt"])
    canEdit = entry["canEdit"].bool ?? false
    canDelete = entry["canDelete"].bool ?? false
  }
}

public struct Tag: Sendable, Hashable {
  public let id: String
  public let tag: String
  /// How many nodes carry it; nil unless asked for.
  public let count: Int?

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    tag = entry["tag"].text ?? ""
    count = entry["count"].int
  }
}

/// Another form of a file's content, made by the server when asked.
public struct Rendition: Sendable, Hashable {
  public let id: String
  /// `CREATED` or `NOT_CREATED`; a failed one stays not created for good.
  public let status: String
  public let content: Node.Content?
  public var isCreated: Bool { status == "CREATED" }

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    status = entry["status"].string ?? "NOT_CREATED"
    content = Node.Content(entry["content"])
  }
}

/// A public link to a file.
public struct SharedLink: Sendable {
  public let id: String
  public let nodeID: String?
  public let sharer: String?
  public let expires: Timestamp?
  /// Name, content and times of the file itself.
  public let node: Node

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    nodeID = entry["nodeId"].string
    sharer = entry["sharedByUser"]["displayName"].string
    expires = Node.time(entry["expiresAt"])
    node = Node(entry)
  }
}

/// A favourite: a file or folder, or a site.
public struct Favorite: Sendable {
  public let id: String
  public let created: Timestamp?
  public let node: Node?
  public let site: Site?

  init(_ entry: JSONValue) {
    id = entry["targetGuid"].text ?? ""
    created = Node.time(entry["createdAt"])
    let target = entry["target"]
    site = target["site"].exists ? Site(target["site"]) : nil
    node = target["file"].exists ? Node(target["file"]) : target["folder"].exists ? Node(target["folder"]) : nil
  }
}
