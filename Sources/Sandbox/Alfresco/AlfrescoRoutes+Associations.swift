import HTTPServer
import JSON

/// One node pointing to another.
struct RepoAssociation: Sendable, Equatable {
  let source: String
  let target: String
  let type: String
}

extension AlfrescoRoutes {
  /// What nodes are joined with beside their folder (reference 2.3).
  mutating func addAssociations() {
    on("GET", "nodes/{id}/targets") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let found = repository.associations.filter { $0.source == node.id }
      return try AssociationEntry.list(found.map { ($0.target, $0.type) }, call, repository)
    }
    on("GET", "nodes/{id}/sources") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let found = repository.associations.filter { $0.target == node.id }
      return try AssociationEntry.list(found.map { ($0.source, $0.type) }, call, repository)
    }
    on("POST", "nodes/{id}/targets", AssociationEntry.make)
    on("DELETE", "nodes/{id}/targets/{target}") { call, repository in
      let node = try repository.writable(call["id"], for: call.user, at: call.now)
      let type = call.query("assocType")
      let isOne = { (each: RepoAssociation) in
        each.source == node.id && each.target == call["target"] && (type ?? each.type) == each.type
      }
      guard repository.associations.contains(where: isOne) else {
        throw AlfrescoFault.unknownRelationship(node.id, call["target"])
      }
      repository.associations.removeAll(where: isOne)
      return .empty(204)
    }
    on("GET", "nodes/{id}/secondary-children") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let found = repository.secondaryChildren.filter { $0.source == node.id }
      return try AssociationEntry.list(found.map { ($0.target, $0.type) }, isPrimary: false, call, repository)
    }
    on("POST", "nodes/{id}/secondary-children", AssociationEntry.makeChild)
    on("DELETE", "nodes/{id}/secondary-children/{child}") { call, repository in
      let node = try repository.writable(call["id"], for: call.user, at: call.now)
      let isOne = { (each: RepoAssociation) in each.source == node.id && each.target == call["child"] }
      guard repository.secondaryChildren.contains(where: isOne) else {
        throw AlfrescoFault.unknownRelationship(node.id, call["child"])
      }
      repository.secondaryChildren.removeAll(where: isOne)
      return .empty(204)
    }
    on("GET", "nodes/{id}/parents") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let others = repository.secondaryChildren.filter { $0.target == node.id }.map { ($0.source, $0.type, false) }
      let all = [node.parent.map { ($0, "cm:contains", true) }].compactMap(\.self) + others
      let entries = all.compactMap { id, type, isPrimary in
        AssociationEntry.written(id, type, isPrimary, call, repository)
      }
      return try call.list(call.paging.page(entries))
    }
  }
}

private enum AssociationEntry {
  static let types: Set = ["cm:references", "cm:original", "rn:renditionContext"]

  static func written(
    _ id: String, _ type: String, _ isPrimary: Bool?, _ call: AlfrescoCall, _ repository: Repository
  ) -> JSONNode? {
    guard let node = repository.nodes[id], repository.canRead(call.user, node) else { return nil }
    var entry = call.writer(repository).entry(node)
    entry["association"] = ["assocType": .string(type)]
    if let isPrimary { entry["association"]?["isPrimary"] = .bool(isPrimary) }
    return entry
  }

  static func list(
    _ found: [(id: String, type: String)], isPrimary: Bool? = nil, _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> ServerResponse {
    try call.list(call.paging.page(found.compactMap { written($0.id, $0.type, isPrimary, call, repository) }))
  }

  @Sendable static func make(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let node = try repository.writable(call["id"], for: call.user, at: call.now)
    let (values, isArray) = try call.objects()
    var made: [JSONNode] = []
    for value in values {
      guard let target = value["targetId"].string, let type = value["assocType"].string else {
        throw AlfrescoFault.invalidArgument("targetId and assocType are expected")
      }
      guard types.contains(type) else { throw AlfrescoFault.invalidArgument("Unknown assocType: \(type)") }
      let other = try repository.readable(target, for: call.user)
      let joined = RepoAssociation(source: node.id, target: other.id, type: type)
      guard !repository.associations.contains(joined) else {
        throw AlfrescoFault.conflict("Association already exists: \(node.id) \(other.id) \(type)")
      }
      repository.associations.append(joined)
      made.append(["targetId": .string(other.id), "assocType": .string(type)])
    }
    return call.created(made, isArray: isArray)
  }

  @Sendable static func makeChild(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let node = try repository.writable(call["id"], for: call.user, at: call.now)
    guard node.isFolder else { throw AlfrescoFault.unprocessable("The parent is not a folder: \(node.id)") }
    let (values, isArray) = try call.objects()
    var made: [JSONNode] = []
    for value in values {
      guard let child = value["childId"].string, let type = value["assocType"].string else {
        throw AlfrescoFault.invalidArgument("childId and assocType are expected")
      }
      let other = try repository.readable(child, for: call.user)
      let joined = RepoAssociation(source: node.id, target: other.id, type: type)
      guard other.parent != node.id, !repository.secondaryChildren.contains(joined) else {
        throw AlfrescoFault.nameExists(other.name)
      }
      repository.secondaryChildren.append(joined)
      made.append(["childId": .string(other.id), "assocType": .string(type)])
    }
    return call.created(made, isArray: isArray)
  }
}
