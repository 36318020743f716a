/// The `orderBy` parameter of a list of children: fields with a direction each.
struct NodeOrder: Sendable, Equatable {
  struct Key: Sendable, Equatable {
    let field: String
    let isAscending: Bool
  }
  let keys: [Key]

  private static let fields: Set = [
    "isFolder", "name", "mimeType", "nodeType", "sizeInBytes", "modifiedAt", "createdAt", "modifiedByUser",
    "createdByUser",
  ]

  /// nil means the default order: folders first, then by name.
  init?(_ text: String?, known: Set<String> = NodeOrder.fields) throws(AlfrescoFault) {
    guard let text else { return nil }
    var keys: [Key] = []
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      guard let first = words.first, words.count <= 2 else { throw .invalidArgument("Invalid sort field: \(part)") }
      let field = String(first)
      let direction = words.count > 1 ? words[1].uppercased() : "ASC"
      guard direction == "ASC" || direction == "DESC" else {
        throw .invalidArgument("Invalid sort direction: \(direction)")
      }
      guard known.contains(field) || field.hasPrefix("cm:") else {
        throw .invalidArgument("Invalid sort field: \(field)")
      }
      keys.append(Key(field: field, isAscending: direction == "ASC"))
    }
    self.keys = keys
  }

  func sorted(_ nodes: [RepoNode], in repository: Repository) -> [RepoNode] {
    let keyed = nodes.map { node in (node, keys.map { SortValue(node, $0.field, repository) }) }
    return keyed.sorted { left, right in
      for (index, key) in keys.enumerated() where left.1[index] != right.1[index] {
        return (left.1[index] < right.1[index]) == key.isAscending
      }
      return left.0.sortKey != right.0.sortKey ? left.0.sortKey < right.0.sortKey : left.0.id < right.0.id
    }.map(\.0)
  }
}

/// A value that nodes are ordered by; numbers before text.
enum SortValue: Sendable, Comparable {
  case nothing
  case number(Int64)
  case text(String)

  init(_ node: RepoNode, _ field: String, _ repository: Repository) {
    switch field {
    case "isFolder": self = .number(node.isFolder ? 1 : 0)
    case "name", "cm:name": self = .text(node.sortKey)
    case "mimeType", "content.mimetype": self = node.mimeType.map { .text($0) } ?? .nothing
    case "nodeType": self = .text(node.type)
    case "sizeInBytes", "content.size", "cm:content.size":
      self = node.content.map { .number(Int64($0.length(repository.corpus))) } ?? .nothing
    case "modifiedAt", "cm:modified": self = .number(node.modified.milliseconds)
    case "createdAt", "cm:created": self = .number(node.created.milliseconds)
    case "modifiedByUser", "cm:modifier": self = .text(repository.person(node.modifier)?.displayName ?? node.modifier)
    case "createdByUser", "cm:creator": self = .text(repository.person(node.creator)?.displayName ?? node.creator)
    default:
      if case .string(let text)? = node.properties[field] { self = .text(text.lowercased()) } else { self = .nothing }
    }
  }
}
