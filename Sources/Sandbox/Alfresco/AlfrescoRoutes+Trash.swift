import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// The bin: what users deleted themselves; administrators see everybody's (reference 2.4).
  mutating func addTrash() {
    on("GET", "deleted-nodes") { call, repository in
      let mine = repository.trash.filter { $0.archivedBy == call.user || repository.isAdmin(call.user) }
      let page = try call.paging.page(mine)
      return call.list(page.map { TrashEntry.written($0, call, repository) })
    }
    on("GET", "deleted-nodes/{id}") { call, repository in
      var full = TrashEntry.written(try TrashEntry.find(call, repository), call, repository)
      let node = try TrashEntry.find(call, repository).node
      full["aspectNames"] = .array(node.aspects.map { .string($0) })
      return call.entry(full)
    }
    on("POST", "deleted-nodes/{id}/restore") { call, repository in
      let body = try call.object(orEmpty: true)
      guard body["targetParentId"].exists == body["assocType"].exists else {
        throw AlfrescoFault.invalidArgument("targetParentId and assocType are needed together")
      }
      let node = try repository.restore(call["id"], to: body["targetParentId"].string, by: call.user)
      return call.entry(call.writer(repository).single(node))
    }
    on("DELETE", "deleted-nodes/{id}") { call, repository in
      let entry = try TrashEntry.find(call, repository)
      repository.trash.removeAll { $0.node.id == entry.node.id }
      return .empty(204)
    }
    free("GET", "\(Self.core)/deleted-nodes/{id}/content") { server, call in
      let delivery = try server.withRepository { repository in
        try ContentRoutes.delivery(of: TrashEntry.find(call, repository).node, repository)
      }
      return delivery.response(to: call)
    }
    on("GET", "deleted-nodes/{id}/renditions") { call, repository in
      _ = try TrashEntry.find(call, repository)
      return try call.list(call.paging.page([]))
    }
  }
}

extension TrashEntry {
  fileprivate static func find(_ call: AlfrescoCall, _ repository: Repository) throws(AlfrescoFault) -> TrashEntry {
    guard let entry = repository.trash.first(where: { $0.node.id == call["id"] }) else {
      throw .unknownEntity(call["id"])
    }
    guard entry.archivedBy == call.user || repository.isAdmin(call.user) else { throw .denied }
    return entry
  }

  /// A deleted node: no parent, and a path only while the place it came from still stands.
  fileprivate static func written(_ entry: TrashEntry, _ call: AlfrescoCall, _ repository: Repository) -> JSONNode {
    var writer = call.writer(repository)
    writer.include.subtract(["path", "allowableOperations"])
    var node = writer.entry(entry.node)
    node["parentId"] = nil
    node["archivedAt"] = .string(entry.archived.alfresco)
    node["archivedByUser"] = writer.userInfo(entry.archivedBy)
    if call.include.contains("allowableOperations") { node["allowableOperations"] = ["delete"] }
    if call.include.contains("path"), let parent = entry.node.parent.flatMap({ repository.nodes[$0] }),
      repository.canRead(call.user, parent)
    {
      node["path"] = writer.path(of: entry.node)
    }
    return node
  }
}
