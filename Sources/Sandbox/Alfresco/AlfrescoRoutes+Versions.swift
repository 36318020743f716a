import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// The history of a file; the label of a version is its id (reference 2.5).
  mutating func addVersions() {
    on("GET", "nodes/{id}/versions") { call, repository in
      let node = try repository.readable(call["id"], for: call.user)
      let page = try call.paging.page(node.versions)
      return call.list(page.map { NodeVersion.written($0, of: node, call, repository) })
    }
    on("GET", "nodes/{id}/versions/{label}") { call, repository in
      let (node, index) = try NodeVersion.find(call, repository)
      return call.entry(NodeVersion.written(node.versions[index], of: node, call, repository))
    }
    free("GET", "\(Self.core)/nodes/{id}/versions/{label}/content") { server, call in
      let delivery = try server.withRepository { repository in
        let (node, index) = try NodeVersion.find(call, repository)
        let version = node.versions[index]
        return ContentRoutes.delivery(
          version.content, name: version.name, mimeType: version.mimeType, modified: version.modified, repository)
      }
      return delivery.response(to: call)
    }
    on("POST", "nodes/{id}/versions/{label}/revert") { call, repository in
      let body = try call.object(orEmpty: true)
      let (found, index) = try NodeVersion.find(call, repository)
      let node = try repository.writable(found.id, for: call.user, at: call.now)
      let version = node.versions[index]
      repository.write(
        version.content, mimeType: version.mimeType, to: node.id, by: call.user, at: call.now,
        isMajor: body["majorVersion"].bool ?? false, comment: body["comment"].string)
      let written = try repository.readable(node.id, for: call.user)
      return call.entry(NodeVersion.written(written.versions[0], of: written, call, repository))
    }
    on("DELETE", "nodes/{id}/versions/{label}") { call, repository in
      let (found, index) = try NodeVersion.find(call, repository)
      var node = found
      guard repository.access(call.user, node).contains(.delete) else { throw AlfrescoFault.denied }
      guard node.versions.count > 1 else {
        throw AlfrescoFault.unprocessable("Cannot delete last version (did you mean to delete node ?)")
      }
      node.versions.remove(at: index)
      repository.replace(node)
      return .empty(204)
    }
  }
}

extension NodeVersion {
  fileprivate static func find(
    _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> (node: RepoNode, index: Int) {
    let node = try repository.readable(call["id"], for: call.user)
    guard let index = node.versions.firstIndex(where: { $0.label == call["label"] }) else {
      throw .unknownRelationship(call["id"], call["label"])
    }
    return (node, index)
  }

  /// A version entry: no creation and no parent.
  fileprivate static func written(
    _ version: NodeVersion, of node: RepoNode, _ call: AlfrescoCall, _ repository: Repository
  ) -> JSONNode {
    let writer = call.writer(repository)
    var entry: JSONNode = [
      "id": .string(version.label), "name": .string(version.name), "nodeType": .string(version.type),
      "isFile": true, "isFolder": false, "modifiedAt": .string(version.modified.alfresco),
      "modifiedByUser": writer.userInfo(version.modifier),
    ]
    if let comment = version.comment { entry["versionComment"] = .string(comment) }
    if let content = writer.contentInfo(version.content, version.mimeType) { entry["content"] = content }
    if call.include.contains("aspectNames") { entry["aspectNames"] = .array(node.aspects.map { .string($0) }) }
    if call.include.contains("properties") {
      entry["properties"] = [
        "cm:versionLabel": .string(version.label), "cm:versionType": version.label.hasSuffix(".0") ? "MAJOR" : "MINOR",
      ]
    }
    return entry
  }
}
