import Model

/// A node as an item: its own members, its properties by aspect, who may do what, and what hangs on it.
struct NodeItem {
  let node: Node
  let location: Location
  let parent: Location?
  /// Its shared link, where it has one.
  let link: SharedLink?
  let isReadOnly: Bool
  let now: Timestamp
  var titles = ModelTitles()
  /// Administrators alone may look at the audit.
  var showsAudit = false
  /// Where a folder's contents come as one file.
  var archive: Location?

  func item(raw: RawAnswer) -> Item {
    Item(
      location, title: node.name, sections: [main] + shared + properties + permissions, related: related,
      actions: NodeActions(node: node, isHeld: node.isHeld(at: now), isReadOnly: isReadOnly).all,
      content: node.contentHead, preview: preview, raw: raw)
  }

  private var main: Item.Section {
    var fields = [
      Field("name", "Name", .text(node.name)), Field("kind", "Kind", .text(node.isFolder ? "folder" : "file")),
      Field("mime", "Type", .optional(node.content?.mediaType)),
      Field("size", "Size", .optional(size: node.content?.size.map { Int($0) }), .size),
      Field("modified", "Modified", .optional(node.modified), .time),
      Field("modifier", "Modified by", .optional(node.modifier?.name), isPrivate: true),
      Field("created", "Created", .optional(node.created), .time),
      Field("creator", "Created by", .optional(node.creator?.name), isPrivate: true),
      Field("path", "Folder", .optional(node.path?.name)), Field("id", "Id", .text(node.id)),
      Field("type", "Node type", .text(node.type)),
    ]
    if let encoding = node.content?.encoding { fields.append(Field("encoding", "Encoding", .text(encoding))) }
    if !node.isFolder || node.isLocked == true {
      fields.append(Field("locked", "Locked", .flag(node.isHeld(at: now)), .flag))
    }
    if let isFavorite = node.isFavorite { fields.append(Field("favorite", "Favourite", .flag(isFavorite), .flag)) }
    return Item.Section(node.isFolder ? "Folder" : "File", fields)
  }

  /// The same as the list of shared links says.
  private var shared: [Item.Section] {
    guard let link else { return [] }
    return [
      Item.Section(
        "Shared by link",
        [
          Field("link", "Link", .text(link.id)), Field("sharer", "Shared by", .optional(link.sharer), isPrivate: true),
          Field("expires", "Expires", .optional(link.expires), .time),
        ])
    ]
  }

  private var properties: [Item.Section] {
    let groups = Dictionary(grouping: node.properties) { titles.aspect(of: $0.key) }
    return groups.sorted { $0.key < $1.key }.map { aspect, members in
      Item.Section(
        titles.title(ofAspect: aspect),
        members.map { member in
          let value = PropertyText.value(member.value)
          return Field(member.key, titles.title(of: member.key), value, NodeItem.kind(value))
        })
    }
  }

  private static func kind(_ value: Value) -> Column.Kind {
    switch value {
    case .time: .time
    case .integer: .integer
    case .decimal: .decimal
    case .flag: .flag
    default: .text
    }
  }

  private var permissions: [Item.Section] {
    guard let permissions = node.permissions else { return [] }
    func words(_ entries: [Node.Permissions.Entry]) -> Value {
      .list(entries.map { .text("\($0.authority): \($0.isAllowed ? "" : "not ")\($0.role)") })
    }
    return [
      Item.Section(
        "Permissions",
        [
          Field("permissions.inherits", "Inherits", .flag(permissions.inherits), .flag),
          Field("permissions.inherited", "Inherited", words(permissions.inherited)),
          Field("permissions.local", "Set here", words(permissions.local)),
          Field("allowed", "You may", .list((node.allowed ?? []).sorted().map { .text($0) })),
        ])
    ]
  }

  /// A PDF of what is neither text nor a picture; the server makes it when it is asked for.
  private var preview: Location? {
    guard !node.isFolder, let type = node.content?.mediaType, node.content?.size != 0 else { return nil }
    let isPlain =
      type.hasPrefix("text/") || type.hasPrefix("image/") || type.hasSuffix("json") || type.hasSuffix("xml")
    let hasNone = ["application/pdf", "application/octet-stream", "application/zip"].contains(type)
    return isPlain || hasNone ? nil : location.facet(NodeFacet.renditions.rawValue).appending("pdf")
  }

  private var related: [Link] {
    var links: [Link] = []
    if node.isFolder { links.append(Link("Contents", location)) }
    if let parent { links.append(Link("Folder", parent)) }
    if let archive { links.append(Link("Contents as one archive", archive, opening: .item)) }
    let ofFiles: Set<NodeFacet> = [.versions, .renditions]
    let facets = NodeFacet.allCases.filter { facet in
      (!node.isFolder || !ofFiles.contains(facet)) && (facet != .audit || showsAudit)
    }
    links += facets.map { Link($0.title, location.facet($0.rawValue)) }
    if let target = node.property("cm:destination") {
      links.append(
        Link("Original", Location(connection: location.connection, path: ["nodes", target]), opening: .item))
    }
    return links
  }
}

extension Node {
  /// Nil for a folder.
  var contentHead: ContentHead? {
    guard !isFolder, let content else { return nil }
    return ContentHead(
      name: name, mediaType: content.mediaType, size: content.size, validator: contentTag, modified: modified)
  }
}
