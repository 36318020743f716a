import JSON
import Model

/// Something that somebody did in a site.
public struct Activity: Sendable, Hashable {
  public let id: String
  /// `org.alfresco.documentlibrary.file-updated`; types beyond the known ones occur.
  public let type: String
  public let person: String
  public let personName: String
  public let site: String?
  public let posted: Timestamp?
  /// What it was done to.
  public let title: String?
  /// The node it was done to, where it was done to one.
  public let nodeID: String?

  init(_ entry: JSONValue) {
    let summary = entry["activitySummary"]
    id = entry["id"].text ?? ""
    type = entry["activityType"].string ?? ""
    person = entry["postPersonId"].text ?? ""
    let names = [summary["firstName"].string, summary["lastName"].string].compactMap { $0 }.filter { !$0.isEmpty }
    personName = names.isEmpty ? person : names.joined(separator: " ")
    site = entry["siteId"].string.flatMap { $0.isEmpty ? nil : $0 }
    posted = Node.time(entry["postedAt"])
    title = summary["title"].string
    nodeID = summary["objectId"].string
  }

  /// In words: `file-updated` becomes “changed”; of an unknown type the last word as it is.
  public var deed: String {
    let word = type.split(separator: ".").last.map(String.init) ?? type
    return Self.deeds[word] ?? word.split(separator: "-").joined(separator: " ")
  }

  private static let deeds = [
    "file-added": "added", "files-added": "added files", "file-updated": "changed", "file-deleted": "deleted",
    "files-deleted": "deleted files", "folder-added": "made the folder", "folder-deleted": "deleted the folder",
    "file-previewed": "looked at", "file-downloaded": "downloaded", "inline-edit": "edited", "file-liked": "likes",
    "folder-liked": "likes the folder", "comment-created": "commented on", "comment-updated": "changed a comment on",
    "comment-deleted": "deleted a comment on", "user-joined": "joined", "user-left": "left",
    "user-role-changed": "got another role", "status-changed": "changed the status",
  ]
}

public struct Preference: Sendable, Hashable {
  public let id: String
  public let value: String?

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    value = entry["value"].text
  }
}

/// A tenant of the server.
public struct Network: Sendable, Hashable {
  public let id: String
  public let isEnabled: Bool?
  public let isHome: Bool?

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    isEnabled = entry["isEnabled"].bool
    isHome = entry["homeNetwork"].bool
  }
}

/// A group, or a member of one; `type` tells the two apart there.
public struct Group: Sendable, Hashable {
  public let id: String
  public let title: String
  /// `GROUP` or `PERSON` among the members of a group; nil elsewhere.
  public let type: String?

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    title = entry["displayName"].text ?? id
    type = entry["memberType"].string
  }
}
