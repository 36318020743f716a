import JSON
import Model

/// What a repository is.
public struct Repository: Sendable, Hashable {
  public let edition: String?
  /// `23.4.0.0 (r0123abcd-b21) schema 19100`
  public let version: String?
  public let isReadOnly: Bool?
  public let isAudited: Bool?
  /// Whether files can be shared by link.
  public let sharesByLink: Bool?
  public let modules: [String]

  init(_ entry: JSONValue) {
    let repository = entry["repository"]
    edition = repository["edition"].string
    version = repository["version"]["display"].string
    isReadOnly = repository["status"]["isReadOnly"].bool
    isAudited = repository["status"]["isAuditEnabled"].bool
    sharesByLink = repository["status"]["isQuickShareEnabled"].bool
    modules = repository["modules"].elements.compactMap { $0["id"].string }
  }
}

/// A type or an aspect of the content model, with what its properties are called.
public struct ModelClass: Sendable, Hashable {
  public struct Property: Sendable, Hashable {
    public let id: String
    public let title: String?
    /// `d:text`, `d:datetime`…
    public let type: String?
    public let isMultiple: Bool
    public let isMandatory: Bool

    init(_ entry: JSONValue) {
      id = entry["id"].text ?? ""
      title = entry["title"].string.flatMap { $0.isEmpty ? nil : $0 }
      type = entry["dataType"].string
      isMultiple = entry["isMultiValued"].bool ?? false
      isMandatory = entry["isMandatory"].bool ?? false
    }
  }

  public let id: String
  public let title: String?
  public let parentID: String?
  public let properties: [Property]

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    title = entry["title"].string.flatMap { $0.isEmpty ? nil : $0 }
    parentID = entry["parentId"].string
    properties = entry["properties"].elements.map(Property.init)
  }
}

public struct AuditApplication: Sendable, Hashable {
  public let id: String
  public let name: String
  public let isEnabled: Bool

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    name = entry["name"].text ?? id
    isEnabled = entry["isEnabled"].bool ?? true
  }
}

public struct AuditEntry: Sendable, Hashable {
  /// A number on the wire, although the definition says text.
  public let id: String
  public let created: Timestamp?
  public let user: String?
  /// Paths of the audited application, and what stood there.
  public let values: [String: String]

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    created = Node.time(entry["createdAt"])
    user = entry["createdByUser"]["displayName"].text ?? entry["createdByUser"]["id"].text
    values = Dictionary(
      entry["values"].members.map { ($0.key, PropertyText.text($0.value.node()) ?? "") }, uniquingKeysWith: { $1 })
  }

  /// The last words of all paths with their values, in the paths' order.
  public var summary: String {
    values.sorted { $0.key < $1.key }.map { key, value in
      "\(key.split(separator: "/").last.map(String.init) ?? key): \(value)"
    }.joined(separator: ", ")
  }
}

public struct ActionDefinition: Sendable, Hashable {
  public let id: String
  public let title: String
  public let parameters: [String]

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    title = entry["title"].text ?? entry["name"].text ?? id
    parameters = entry["parameterDefinitions"].elements.compactMap { $0["name"].string }
  }
}

public struct FolderSize: Sendable, Hashable {
  /// Nil until it is known; a text on the wire.
  public let bytes: Int64?
  public let files: Int?
  public let isComplete: Bool

  init(_ entry: JSONValue) {
    bytes = entry["sizeInBytes"].text.flatMap { Int64($0) }
    files = entry["numberOfFiles"].int
    isComplete = entry["status"].string == "COMPLETED"
  }
}
