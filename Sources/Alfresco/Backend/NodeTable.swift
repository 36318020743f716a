import Model

/// Columns and rows of everything that lists nodes.
enum NodeTable {
  static let columns = [
    Column("name", "Name", rank: 0, isSortable: true),
    Column("kind", "Kind", rank: 5),
    Column("size", "Size", .size, rank: 1, isSortable: true),
    Column("modified", "Modified", .time, rank: 2, isSortable: true),
    Column("modifier", "By", rank: 3, isSortable: true, isPrivate: true),
    Column("mime", "Type", rank: 4, isSortable: true),
    Column("id", "Id", rank: 9),
  ]

  static func values(_ node: Node, id: String? = nil) -> [Value] {
    [
      .text(node.name), .text(node.isFolder ? "folder" : "file"), .optional(size: node.content?.size.map { Int($0) }),
      .optional(node.modified), .optional(node.modifier?.name), .optional(node.content?.mediaType),
      .text(id ?? node.id),
    ]
  }

  static func row(_ node: Node, at location: Location, _ more: [Value] = []) -> Row {
    Row(
      location, values(node) + more, opening: node.isFolder ? .listing : .item,
      hasContent: !node.isFolder && node.content != nil)
  }

  /// Columns that some listings add, and their place after the common ones.
  static let searchColumns =
    columns + [
      Column("path", "Folder", rank: 3), Column("score", "Score", .decimal, rank: 8, isSortable: true),
      Column("snippet", "Found", rank: 2),
    ]
  static let trashColumns =
    columns + [Column("deleted", "Deleted", .time, rank: 1), Column("path", "From", rank: 2)]
  static let sharedColumns =
    columns + [
      Column("link", "Link", rank: 4), Column("sharer", "Shared by", rank: 3, isPrivate: true),
      Column("expires", "Expires", .time, rank: 3),
    ]

  /// How the core API calls a column in `orderBy`.
  static func orderField(_ column: String) -> String? {
    switch column {
    case "name": "name"
    case "size": "sizeInBytes"
    case "modified": "modifiedAt"
    case "modifier": "modifiedByUser"
    case "mime": "mimeType"
    default: nil
    }
  }

  /// How the search calls a column; an inner nil is the score.
  static func searchField(_ column: String) -> String?? {
    switch column {
    case "name": "cm:name"
    case "size": "content.size"
    case "modified": "cm:modified"
    case "modifier": "cm:modifier"
    case "mime": "content.mimetype"
    case "score": .some(nil)
    default: nil
    }
  }
}
