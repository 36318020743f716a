import JSON
import Model
import Wire

// What a node is joined to beside the folder it lies in.
extension AlfrescoClient {
  /// The folder a node lives in, and all others that hold it as a secondary child.
  public func parents(
    of id: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<AssociatedNode> {
    try await associated("list the parents", id, "parents", page)
  }

  public func secondaryChildren(
    of id: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<AssociatedNode> {
    try await associated("list the secondary children", id, "secondary-children", page)
  }

  /// Nodes that this one points to.
  public func targets(
    of id: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<AssociatedNode> {
    try await associated("list what it points to", id, "targets", page)
  }

  /// Nodes that point to this one.
  public func sources(
    of id: String, _ page: PageRequest = PageRequest()
  ) async throws(ServiceError) -> Page<AssociatedNode> {
    try await associated("list what points to it", id, "sources", page)
  }

  private func associated(
    _ operation: String, _ id: String, _ relation: String, _ page: PageRequest
  ) async throws(ServiceError) -> Page<AssociatedNode> {
    let query = page.query + [("include", "path")]
    return try await Page(
      reply(Call(operation, "GET", "nodes", id, relation, query: query)), AssociatedNode.init)
  }

  /// - Parameter type: An association of the content model, such as `cm:references`.
  /// - Throws: `.conflict` when the two are joined so already.
  public func associate(_ id: String, with target: String, as type: String) async throws(ServiceError) {
    let body: JSONNode = ["targetId": .string(target), "assocType": .string(type)]
    _ = try await answer(Call("join two nodes", "POST", "nodes", id, "targets").carrying(body))
  }

  /// - Parameter type: Nil ends every association of the two.
  public func dissociate(_ id: String, from target: String, as type: String? = nil) async throws(ServiceError) {
    let query = type.map { [("assocType", $0)] } ?? []
    _ = try await answer(Call("part two nodes", "DELETE", "nodes", id, "targets", target, query: query))
  }

  /// Lets a second folder hold a node, which goes on living where it is.
  public func addSecondaryChild(
    _ child: String, to parent: String, as type: String = "cm:contains"
  ) async throws(ServiceError) {
    let body: JSONNode = ["childId": .string(child), "assocType": .string(type)]
    _ = try await answer(Call("add a secondary child", "POST", "nodes", parent, "secondary-children").carrying(body))
  }

  public func removeSecondaryChild(_ child: String, from parent: String) async throws(ServiceError) {
    _ = try await answer(Call("remove a secondary child", "DELETE", "nodes", parent, "secondary-children", child))
  }
}
