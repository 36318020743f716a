import Crypto
import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Links that open a file without signing in (reference 2.9).
  mutating func addLinks() {
    on("GET", "shared-links") { call, repository in
      let clause = try WhereClause(call.query("where"))
      try clause.allow(["sharedByUser"])
      let by = try clause.equal("sharedByUser").map { try call.person($0) }
      let links = repository.links.filter { link in
        guard let node = repository.nodes[link.node], repository.canRead(call.user, node) else { return false }
        return LinkEntry.isAlive(link, call.now) && (by == nil || link.user == by)
      }
      let sorted = links.sorted {
        (repository.nodes[$0.node]?.modified ?? $0.created) > (repository.nodes[$1.node]?.modified ?? $1.created)
      }
      return try call.list(call.paging.page(sorted).compactMap { LinkEntry.written($0, call, repository) })
    }
    on("POST", "shared-links", LinkEntry.make)
    on("DELETE", "shared-links/{link}") { call, repository in
      let (link, node) = try LinkEntry.find(call, repository)
      guard link.user == call.user || repository.access(call.user, node).contains(.delete) else {
        throw AlfrescoFault.denied
      }
      repository.links.removeAll { $0.id == link.id }
      return .empty(204)
    }
    on("POST", "shared-links/{link}/email") { call, repository in
      _ = try LinkEntry.find(call, repository)
      guard !(try call.object()["recipientEmails"].elements.isEmpty) else {
        throw AlfrescoFault.invalidArgument("recipientEmails is expected")
      }
      return .empty(202)
    }
    on("GET", "shared-links/{link}", isPublic: true) { call, repository in
      let (link, _) = try LinkEntry.find(call, repository)
      return .entry(LinkEntry.anonymous(link, call, repository))
    }
    on("GET", "shared-links/{link}/renditions", isPublic: true) { call, repository in
      _ = try LinkEntry.find(call, repository)
      return try call.list(call.paging.page([]))
    }
    free("GET", "\(Self.core)/shared-links/{link}/content", isPublic: true) { server, call in
      try server.withRepository { repository in
        try ContentRoutes.delivery(of: LinkEntry.find(call, repository).node, repository)
      }.response(to: call)
    }
  }
}

private enum LinkEntry {
  static func isAlive(_ link: SharedLink, _ now: SandboxTime) -> Bool { link.expires.map { now < $0 } ?? true }

  static func find(
    _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> (link: SharedLink, node: RepoNode) {
    guard let link = repository.links.first(where: { $0.id == call["link"] && isAlive($0, call.now) }),
      let node = repository.nodes[link.node]
    else { throw .unknownEntity(call["link"]) }
    return (link, node)
  }

  @Sendable static func make(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let (values, isArray) = try call.objects()
    let made = try values.map { body in
      guard let id = body["nodeId"].string else { throw AlfrescoFault.invalidArgument("nodeId is expected") }
      let node = try repository.readable(id, for: call.user)
      guard node.isFile else { throw AlfrescoFault.invalidArgument("NodeId of content is expected: \(id)") }
      var expires: SandboxTime?
      if let text = body["expiresAt"].string {
        guard let time = SandboxTime(iso: text), time > call.now.adding(days: 1) else {
          throw AlfrescoFault.invalidArgument(
            "Invalid expiry date. Expiry date can't be in the past or less than 24 hours ahead.")
        }
        expires = time
      }
      guard !repository.links.contains(where: { $0.node == node.id && isAlive($0, call.now) }) else {
        throw AlfrescoFault.conflict("sharedId already exists for node \(node.id)")
      }
      let bytes = repository.makeHex(32).utf8.map { UInt8($0) }
      let link = SharedLink(
        id: Base64URL.encode(Array(Hash.sha256.digest(Array(bytes)).prefix(16))), node: node.id, user: call.user,
        created: call.now, expires: expires)
      repository.links.append(link)
      return link
    }
    return call.created(made.compactMap { written($0, call, repository) }, isArray: isArray)
  }

  static func written(_ link: SharedLink, _ call: AlfrescoCall, _ repository: Repository) -> JSONNode? {
    guard let node = repository.nodes[link.node] else { return nil }
    let writer = call.writer(repository)
    var entry = base(link, node)
    entry["modifiedByUser"] = writer.userInfo(node.modifier)
    entry["sharedByUser"] = writer.userInfo(link.user)
    if let content = writer.contentInfo(node.content, node.mimeType) { entry["content"] = content }
    let asked = writer.entry(node)
    for name in ["path", "properties", "aspectNames", "isFavorite"] where call.include.contains(name) {
      entry[name] = asked[name]
    }
    if call.include.contains("allowableOperations") {
      if link.user == call.user { entry["allowableOperations"] = ["delete"] }
      entry["allowableOperationsOnTarget"] = .array(writer.operations(on: node).map { .string($0) })
    }
    return entry
  }

  /// Without signing in, people are names alone.
  static func anonymous(_ link: SharedLink, _ call: AlfrescoCall, _ repository: Repository) -> JSONNode {
    guard let node = repository.nodes[link.node] else { return [:] }
    func name(_ user: String) -> JSONNode { ["displayName": .string(repository.person(user)?.displayName ?? user)] }
    var entry = base(link, node)
    entry["modifiedByUser"] = name(node.modifier)
    entry["sharedByUser"] = name(link.user)
    if let content = call.writer(repository).contentInfo(node.content, node.mimeType) { entry["content"] = content }
    return entry
  }

  private static func base(_ link: SharedLink, _ node: RepoNode) -> JSONNode {
    var entry: JSONNode = ["id": .string(link.id), "nodeId": .string(node.id), "name": .string(node.name)]
    if let title = node.title { entry["title"] = .string(title) }
    if let text = node.text { entry["description"] = .string(text) }
    if let expires = link.expires { entry["expiresAt"] = .string(expires.alfresco) }
    entry["modifiedAt"] = .string(node.modified.alfresco)
    return entry
  }
}
