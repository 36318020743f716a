import HTTPServer
import JSON

/// Changes to one node: properties, rights, locks (reference 2.3.4 and 2.3.5).
enum NodeWriting {
  /// Where a copy or move goes.
  static func target(_ call: AlfrescoCall) throws(AlfrescoFault) -> (id: String, name: String?) {
    let body = try call.object()
    guard let id = body["targetParentId"].string, !id.isEmpty else {
      throw .invalidArgument("targetParentId is mandatory")
    }
    return (id, body["name"].string)
  }

  @Sendable static func update(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let body = try call.object()
    var node = try repository.writable(call["id"], for: call.user, at: call.now)
    if let parent = body["parentId"].string, parent != node.parent {
      throw AlfrescoFault.invalidArgument(
        "Cannot update parentId of \(node.id) via PUT /nodes/{nodeId}. Use POST .../move")
    }
    if let type = body["nodeType"].string {
      guard NodeTypes.all.contains(type), NodeTypes.isKind(type, of: node.type) else {
        throw AlfrescoFault.invalidArgument("Failed to change (specialise) node type - from \(node.type) to \(type)")
      }
      node.type = type
    }
    if let name = body["name"].string ?? body["properties"]["cm:name"].string {
      try repository.rename(&node, to: name)
    }
    try apply(properties: body["properties"], to: &node)
    if body["aspectNames"].kind == .array { try replace(aspects: body["aspectNames"], of: &node) }
    if body["permissions"].kind == .object {
      guard repository.access(call.user, node).contains(.permissions) else { throw AlfrescoFault.denied }
      try replace(permissions: body["permissions"], of: &node, repository)
    }
    node.touch(call.user, call.now)
    repository.replace(node)
    repository.note("org.alfresco.documentlibrary.inline-edit", node, by: call.user, at: call.now)
    return call.entry(call.writer(repository).single(node))
  }

  /// Sets properties; null or an empty string removes one.
  static func apply(properties: JSONValue, to node: inout RepoNode) throws(AlfrescoFault) {
    for (key, value) in properties.members {
      guard let prefix = key.split(separator: ":").first, key.contains(":"),
        ["cm", "exif", "app", "st", "dl", "audio", "qshare", "loan"].contains(prefix)
      else { throw .invalidArgument("Unknown property: \(key)") }
      switch (key, value.kind) {
      case (_, .null): node.properties[key] = nil
      case (_, .string) where value.string == "": node.properties[key] = nil
      case ("cm:name", _): break
      case ("cm:from", _), ("cm:to", _), ("cm:sentdate", _):
        guard value.string.flatMap({ SandboxTime(iso: $0) }) != nil else {
          throw .invalidArgument("Unexpected error: unable to convert \(value.text ?? "") to a date")
        }
        node.properties[key] = value.node()
      default:
        if key == "cm:title" || key == "cm:description" { node.add(aspect: "cm:titled") }
        node.properties[key] = value.node()
      }
    }
  }

  /// The complete set; what belongs to a removed aspect goes with it.
  private static func replace(aspects: JSONValue, of node: inout RepoNode) throws(AlfrescoFault) {
    let wanted = aspects.elements.compactMap(\.string)
    for aspect in wanted where !aspect.contains(":") { throw .invalidArgument("Unknown aspect: \(aspect)") }
    let removed = node.aspects.filter { !wanted.contains($0) && $0 != "cm:auditable" && !$0.hasPrefix("sys:") }
    for aspect in removed {
      switch aspect {
      case "cm:titled":
        node.properties["cm:title"] = nil
        node.properties["cm:description"] = nil
      case "cm:author": node.properties["cm:author"] = nil
      case "cm:versionable":
        node.properties["cm:versionLabel"] = nil
        node.properties["cm:versionType"] = nil
        node.versions = []
      default: break
      }
    }
    node.aspects = (node.aspects.filter { !removed.contains($0) } + wanted).uniqued()
  }

  private static func replace(
    permissions: JSONValue, of node: inout RepoNode, _ repository: Repository
  ) throws(AlfrescoFault) {
    if let inherits = permissions["isInheritanceEnabled"].bool { node.inherits = inherits }
    guard permissions["locallySet"].exists else { return }
    var grants: [NodeGrant] = []
    for each in permissions["locallySet"].elements {
      guard let authority = each["authorityId"].string, let role = each["name"].string else {
        throw .invalidArgument("authorityId and name are mandatory")
      }
      guard authority.hasPrefix("GROUP_") || repository.person(authority) != nil else {
        throw .invalidArgument("Cannot set permissions on this node - unknown authority: \(authority)")
      }
      guard NodeAccess.role(role) != [] else {
        throw .invalidArgument("Cannot set permissions - unknown role: \(role)")
      }
      grants.append(NodeGrant(authority: authority, role: role))
    }
    node.grants = grants
  }

  @Sendable static func lock(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let body = try call.object(orEmpty: true)
    for (key, _) in body.members where !["timeToExpire", "type", "lifetime"].contains(key) {
      throw AlfrescoFault.badRequest("Unrecognized field \"\(key)\"")
    }
    var node = try repository.readable(call["id"], for: call.user)
    guard node.isFile else {
      throw AlfrescoFault.invalidArgument("Node of type cm:content or a subtype is expected: \(node.id)")
    }
    guard repository.access(call.user, node).contains(.update) else { throw AlfrescoFault.denied }
    if let held = node.lock, held.isActive(call.now), held.owner != call.user {
      throw AlfrescoFault.unprocessable("Node \(node.id) is already locked")
    }
    guard let kind = NodeLock.Kind(rawValue: body["type"].string ?? "ALLOW_OWNER_CHANGES"),
      let lifetime = body["lifetime"].exists ? body["lifetime"].string : "PERSISTENT",
      ["PERSISTENT", "EPHEMERAL"].contains(lifetime)
    else { throw AlfrescoFault.badRequest("Unknown lock type or lifetime") }
    let seconds = body["timeToExpire"].int ?? 0
    node.lock = NodeLock(
      kind: kind, owner: call.user, isPersistent: lifetime == "PERSISTENT",
      expires: seconds > 0 ? call.now.adding(seconds: seconds) : nil)
    node.add(aspect: "cm:lockable")
    repository.replace(node)
    return call.entry(call.writer(repository).single(node))
  }

  @Sendable static func unlock(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    var node = try repository.readable(call["id"], for: call.user)
    guard let held = node.lock, held.isActive(call.now) else {
      throw AlfrescoFault.unprocessable("Can't unlock node \(node.id) because it isn't locked")
    }
    guard held.owner == call.user || repository.isAdmin(call.user) else { throw AlfrescoFault.denied }
    node.lock = nil
    node.aspects.removeAll { $0 == "cm:lockable" }
    repository.replace(node)
    return call.entry(call.writer(repository).single(node))
  }
}
