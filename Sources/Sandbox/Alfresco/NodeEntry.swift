import JSON

/// Writes nodes as the API sends them: empty members left out, more with `include`.
struct NodeEntry {
  let repository: Repository
  let user: String
  let now: SandboxTime
  var include: Set<String> = []

  /// Everything the server can add to a node when asked.
  static let words: Set = [
    "allowableOperations", "association", "isLink", "isFavorite", "isLocked", "isDirectLinkEnabled", "path",
    "permissions", "properties", "aspectNames", "definition",
  ]

  /// One node by itself, which carries aspects and properties unasked.
  func single(_ node: RepoNode) -> JSONNode {
    var full = self
    full.include.formUnion(["aspectNames", "properties"])
    return full.entry(node)
  }

  /// A row of a list.
  func entry(_ node: RepoNode) -> JSONNode {
    var entry = base(node)
    if let content = contentInfo(node.content, node.mimeType) { entry["content"] = content }
    addFlags(&entry, node)
    if include.contains("aspectNames") { entry["aspectNames"] = .array(node.aspects.map { .string($0) }) }
    let properties = properties(of: node)
    if include.contains("properties"), !properties.isEmpty { entry["properties"] = .object(properties) }
    let named = properties.filter { include.contains($0.key) }
    if !include.contains("properties"), !named.isEmpty { entry["properties"] = .object(named) }
    if include.contains("allowableOperations") {
      let operations = operations(on: node)
      if !operations.isEmpty { entry["allowableOperations"] = .array(operations.map { .string($0) }) }
    }
    if include.contains("path"), node.parent != nil { entry["path"] = path(of: node) }
    if include.contains("permissions"), let permissions = permissions(of: node) { entry["permissions"] = permissions }
    if include.contains("association"), node.parent != nil {
      entry["association"] = ["assocType": "cm:contains", "isPrimary": true]
    }
    return entry
  }

  private func base(_ node: RepoNode) -> JSONNode {
    var entry: JSONNode = [
      "id": .string(node.id), "name": .string(node.name), "nodeType": .string(node.type),
      "isFolder": .bool(node.isFolder), "isFile": .bool(node.isFile),
    ]
    if let parent = node.parent { entry["parentId"] = .string(parent) }
    entry["createdAt"] = .string(node.created.alfresco)
    entry["createdByUser"] = userInfo(node.creator)
    entry["modifiedAt"] = .string(node.modified.alfresco)
    entry["modifiedByUser"] = userInfo(node.modifier)
    return entry
  }

  private func addFlags(_ entry: inout JSONNode, _ node: RepoNode) {
    if include.contains("isLocked") { entry["isLocked"] = .bool(node.lock?.stops(user, now) ?? false) }
    if include.contains("isLink") { entry["isLink"] = .bool(node.isLink) }
    if include.contains("isFavorite") {
      entry["isFavorite"] = .bool(repository.favorites[user]?.contains { $0.guid == node.id } ?? false)
    }
    if include.contains("isDirectLinkEnabled"), node.isFile { entry["isDirectLinkEnabled"] = false }
  }

  func userInfo(_ id: String) -> JSONNode {
    ["id": .string(id), "displayName": .string(repository.person(id)?.displayName ?? id)]
  }

  func contentInfo(_ content: NodeContent?, _ mimeType: String?) -> JSONNode? {
    guard let content, let mimeType else { return nil }
    return [
      "mimeType": .string(mimeType), "mimeTypeName": .string(MimeTypes.title(mimeType)),
      "sizeInBytes": .int(content.length(repository.corpus)), "encoding": .string(MimeTypes.encoding(content)),
    ]
  }

  /// Own properties, and those that aspects of the moment add (lock, share, tags).
  private func properties(of node: RepoNode) -> [JSONNode.Member] {
    var all = node.properties
    if let owner = all["cm:owner"], case .string(let id) = owner { all["cm:owner"] = userInfo(id) }
    if let lock = node.lock, lock.isActive(now) {
      all["cm:lockType"] = lock.kind == .full ? "READ_ONLY_LOCK" : "WRITE_LOCK"
      all["cm:lockOwner"] = userInfo(lock.owner)
      all["cm:lockLifetime"] = lock.isPersistent ? "PERSISTENT" : "EPHEMERAL"
      if let expires = lock.expires { all["cm:expiryDate"] = .string(expires.alfresco) }
    }
    if let link = repository.links.first(where: { $0.node == node.id }) {
      all["qshare:sharedId"] = .string(link.id)
      all["qshare:sharedBy"] = .string(link.user)
      if let expires = link.expires { all["qshare:expiryDate"] = .string(expires.alfresco) }
    }
    if let tags = repository.extras.tags[node.id], !tags.isEmpty {
      all["cm:taggable"] = .array(tags.map { .string($0) })
    }
    return all.sorted { $0.key < $1.key }.map { JSONNode.Member(key: $0.key, value: $0.value) }
  }

  func operations(on node: RepoNode) -> [String] {
    let access = repository.access(user, node)
    var words: [String] = []
    if access.contains(.delete) { words.append("delete") }
    if access.contains(.update) { words.append("update") }
    if access.contains(.create), node.isFolder { words.append("create") }
    if access.contains(.permissions) { words.append("updatePermissions") }
    return words
  }

  /// The readable ancestors, never the node itself.
  func path(of node: RepoNode) -> JSONNode {
    let all = repository.ancestors(of: node)
    let readable = Array(all.reversed().prefix { repository.canRead(user, $0) }.reversed())
    var path: JSONNode = [
      "name": .string("/" + readable.map(\.name).joined(separator: "/")),
      "isComplete": .bool(readable.count == all.count),
    ]
    path["elements"] = .array(
      readable.map { ancestor in
        [
          "id": .string(ancestor.id), "name": .string(ancestor.name), "nodeType": .string(ancestor.type),
          "aspectNames": .array(ancestor.aspects.map { .string($0) }),
        ]
      })
    return path
  }

  private func permissions(of node: RepoNode) -> JSONNode? {
    guard repository.access(user, node).contains(.read) else { return nil }
    func written(_ grant: NodeGrant) -> JSONNode {
      let bare = grant.authority.hasPrefix("GROUP_") ? String(grant.authority.dropFirst(6)) : grant.authority
      return [
        "authorityId": .string(grant.authority), "name": .string(grant.role), "accessStatus": "ALLOWED",
        "authorityDisplayName": .string(repository.person(grant.authority)?.displayName ?? bare),
      ]
    }
    var result: JSONNode = ["isInheritanceEnabled": .bool(node.inherits)]
    var inherited: [NodeGrant] = []
    var next = node.inherits ? node.parent : nil
    while let id = next, let parent = repository.nodes[id] {
      inherited += parent.grants
      next = parent.inherits ? parent.parent : nil
    }
    if !inherited.isEmpty { result["inherited"] = .array(inherited.map(written)) }
    if !node.grants.isEmpty { result["locallySet"] = .array(node.grants.map(written)) }
    let inSite = repository.site(of: node) != nil
    let settable =
      inSite
      ? ["SiteConsumer", "SiteContributor", "SiteCollaborator", "SiteManager"]
      : ["Consumer", "Contributor", "Collaborator", "Editor", "Coordinator"]
    result["settable"] = .array(settable.map { .string($0) })
    return result
  }
}

extension SandboxTime {
  /// `2026-11-27T15:02:44.911+0000`: milliseconds, offset without a colon.
  var alfresco: String { "\(isoMilliseconds.dropLast())+0000" }
}

/// Names that the server gives to media types.
enum MimeTypes {
  private static let titles = [
    "application/pdf": "Adobe PDF Document", "text/plain": "Plain Text", "text/html": "HTML",
    "text/x-markdown": "Markdown", "text/csv": "Comma Separated Values (CSV)", "application/json": "JSON",
    "image/png": "PNG Image", "image/jpeg": "JPEG Image", "application/octet-stream": "Binary File (Octet Stream)",
    "application/zip": "ZIP", "text/xml": "XML", "application/xml": "XML",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Microsoft Word 2007",
  ]
  private static let suffixes = [
    "pdf": "application/pdf", "txt": "text/plain", "md": "text/x-markdown", "html": "text/html", "htm": "text/html",
    "csv": "text/csv", "json": "application/json", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
    "gif": "image/gif", "zip": "application/zip", "xml": "text/xml", "log": "text/plain", "yaml": "text/plain",
    "swift": "text/plain", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ]

  static func title(_ type: String) -> String { titles[type] ?? type }

  /// The type that a name's ending stands for.
  static func guess(_ name: String) -> String {
    let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return suffixes[suffix] ?? "application/octet-stream"
  }

  static func isText(_ type: String) -> Bool { type.hasPrefix("text/") || type == "application/json" }

  static func encoding(_ content: NodeContent) -> String {
    if case .bytes(let bytes) = content, String(validating: bytes, as: UTF8.self) == nil, bytes.count < 4_096 {
      return "ISO-8859-1"
    }
    return "UTF-8"
  }
}
