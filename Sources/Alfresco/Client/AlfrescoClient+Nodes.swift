import JSON
import Model
import Wire

/// Where a node is found: by its id or alias, or by names below one.
public struct NodeAddress: Sendable, Hashable {
  /// A node id, or `-root-`, `-my-`, `-shared-`.
  public let id: String
  /// Names from there down; empty for the node itself.
  public let path: [String]

  public init(_ id: String, path: [String] = []) {
    self.id = id
    self.path = path
  }

  var query: [(String, String)] { path.isEmpty ? [] : [("relativePath", path.joined(separator: "/"))] }
}

extension AlfrescoClient {
  /// What `node` asks for beside the base members.
  static let nodeDetails = "path,allowableOperations,isLocked,isFavorite,permissions,aspectNames,properties"

  /// - SeeAlso: `GET nodes/{id}`
  public func node(_ address: NodeAddress) async throws(ServiceError) -> Entry<Node> {
    let call = Call("read a node", "GET", "nodes", address.id, query: [("include", Self.nodeDetails)] + address.query)
    return try await Entry(reply(call), Node.init)
  }

  public func node(_ id: String) async throws(ServiceError) -> Entry<Node> { try await node(NodeAddress(id)) }

  /// Children of a folder, folders first and then by name unless told otherwise.
  ///
  /// - Parameters:
  ///   - orderBy: `name`, `modifiedAt DESC`…; nil for the server's own order.
  ///   - condition: A predicate such as `(isFolder=true)`.
  public func children(
    of address: NodeAddress, _ page: PageRequest = PageRequest(), orderBy: String? = nil, where condition: String? = nil
  ) async throws(ServiceError) -> Page<Node> {
    var query = page.query + [("includeSource", "true")] + address.query
    if let orderBy { query.append(("orderBy", orderBy)) }
    if let condition { query.append(("where", condition)) }
    let call = Call("list a folder", "GET", "nodes", address.id, "children", query: query)
    return try await Page(reply(call), Node.init)
  }

  /// - Throws: `.conflict` when the name is taken.
  public func createFolder(
    _ name: String, in parent: String, title: String? = nil, summary: String? = nil
  ) async throws(ServiceError) -> Entry<Node> {
    var body: JSONNode = ["name": .string(name), "nodeType": "cm:folder"]
    var properties: [JSONNode.Member] = []
    if let title { properties.append(.init(key: "cm:title", value: .string(title))) }
    if let summary { properties.append(.init(key: "cm:description", value: .string(summary))) }
    if !properties.isEmpty { body["properties"] = .object(properties) }
    let call = Call("make the folder “\(name)”", "POST", "nodes", parent, "children").carrying(body)
    return try await Entry(reply(call), Node.init)
  }

  /// Changes the name, properties, or both; a property given as nil is removed.
  public func update(
    _ id: String, name: String? = nil, properties: [String: String?] = [:]
  ) async throws(ServiceError) -> Entry<Node> {
    var body: JSONNode = [:]
    if let name { body["name"] = .string(name) }
    if !properties.isEmpty {
      let members = properties.sorted { $0.key < $1.key }.map {
        JSONNode.Member(key: $0.key, value: $0.value.map { .string($0) } ?? .null)
      }
      body["properties"] = .object(members)
    }
    return try await Entry(reply(Call("change a node", "PUT", "nodes", id).carrying(body)), Node.init)
  }

  /// Moves it to the trash.
  public func delete(_ id: String) async throws(ServiceError) {
    _ = try await answer(Call("delete a node", "DELETE", "nodes", id))
  }

  public func move(_ id: String, to parent: String, name: String? = nil) async throws(ServiceError) -> Entry<Node> {
    try await relocate("move", id, parent, name)
  }

  public func copy(_ id: String, to parent: String, name: String? = nil) async throws(ServiceError) -> Entry<Node> {
    try await relocate("copy", id, parent, name)
  }

  private func relocate(
    _ verb: String, _ id: String, _ parent: String, _ name: String?
  ) async throws(ServiceError) -> Entry<Node> {
    var body: JSONNode = ["targetParentId": .string(parent)]
    if let name { body["name"] = .string(name) }
    return try await Entry(reply(Call("\(verb) a node", "POST", "nodes", id, verb).carrying(body)), Node.init)
  }

  /// - Parameters:
  ///   - seconds: How long the lock holds; 0 for ever.
  ///   - full: Keeps the owner out, too.
  public func lock(_ id: String, seconds: Int = 0, full: Bool = false) async throws(ServiceError) -> Entry<Node> {
    let body: JSONNode = [
      "timeToExpire": .integer(Int64(seconds)), "type": full ? "FULL" : "ALLOW_OWNER_CHANGES",
      "lifetime": "PERSISTENT",
    ]
    return try await Entry(reply(Call("lock a file", "POST", "nodes", id, "lock").carrying(body)), Node.init)
  }

  public func unlock(_ id: String) async throws(ServiceError) -> Entry<Node> {
    try await Entry(reply(Call("unlock a file", "POST", "nodes", id, "unlock")), Node.init)
  }
}

// What the other calls leave open: nodes of any type, and the live query of the web client.
extension AlfrescoClient {
  /// Makes a node of any type, without content.
  ///
  /// - Parameters:
  ///   - properties: With their prefix; a property of several values is an array.
  ///   - autoRenames: Chooses `name-1` when the name is taken.
  /// - Throws: `.conflict` when the name is taken.
  public func createNode(
    _ name: String, type: String, in parent: String, properties: [String: JSONNode] = [:], aspects: [String] = [],
    autoRenames: Bool = false
  ) async throws(ServiceError) -> Entry<Node> {
    var body: JSONNode = ["name": .string(name), "nodeType": .string(type)]
    if !aspects.isEmpty { body["aspectNames"] = .array(aspects.map { .string($0) }) }
    if !properties.isEmpty {
      body["properties"] = .object(
        properties.sorted { $0.key < $1.key }.map { JSONNode.Member(key: $0.key, value: $0.value) })
    }
    let query = autoRenames ? [("autoRename", "true")] : []
    let call = Call("make “\(name)”", "POST", "nodes", parent, "children", query: query).carrying(body)
    return try await Entry(reply(call), Node.init)
  }

  /// Nodes that hold the term as a phrase, newest first. For typed words of any kind `search(typed:)` is the better way.
  ///
  /// - Parameter term: At least three letters or digits.
  public func findNodes(
    _ term: String, _ page: PageRequest = PageRequest(), below root: String? = nil
  ) async throws(ServiceError) -> Page<Node> {
    var query = page.query + [("term", term), ("include", "path")]
    if let root { query.append(("rootNodeId", root)) }
    return try await Page(reply(Call("find nodes", "GET", "queries", "nodes", query: query)), Node.init)
  }
}
