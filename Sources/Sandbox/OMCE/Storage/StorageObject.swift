/// An object's metadata and content.
struct StorageObject: Sendable {
  let id: String
  /// The user whose space holds it; nil in shared collections.
  let owner: String?
  var name: String
  var contentType: String
  var version: Int
  let createdBy: String
  let createdOn: SandboxTime
  var modifiedBy: String
  var modifiedOn: SandboxTime
  var content: StorageContent

  /// Quotes belong to the tag.
  var eTag: String { "\"\(version)\"" }
}

/// A collection of the backend.
struct StorageCollection: Sendable {
  let id: String
  let description: String
  let isIsolated: Bool
  /// Whether the policy `Security_CollectionsAnonymousAccess` names it.
  let isOpen: Bool

  static let all = [
    StorageCollection(id: "Archive", description: "Large files", isIsolated: false, isOpen: false),
    StorageCollection(id: "Big", description: "Readings of all stations", isIsolated: false, isOpen: false),
    StorageCollection(id: "Empty", description: "", isIsolated: false, isOpen: false),
    StorageCollection(id: "FieldPhotos", description: "Photos taken on site", isIsolated: false, isOpen: false),
    StorageCollection(id: "MyNotes", description: "Private notes", isIsolated: true, isOpen: false),
    StorageCollection(id: "Names", description: "Names that are hard to show", isIsolated: false, isOpen: false),
    StorageCollection(id: "PublicDocs", description: "For everybody – 誰でも", isIsolated: false, isOpen: true),
  ]
}
