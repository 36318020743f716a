import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Nodes and their children: reading, making, changing, removing (reference 2.3).
  mutating func addNodes() {
    on("GET", "nodes/{id}", NodeReading.node)
    on("GET", "nodes/{id}/children", NodeReading.children)
    on("PUT", "nodes/{id}", NodeWriting.update)
    on("DELETE", "nodes/{id}") { call, repository in
      let node = try repository.node(call["id"], for: call.user)
      let isPermanent = call.flag("permanent") ?? false
      try repository.delete(node.id, permanently: isPermanent, by: call.user, at: call.now)
      return .empty(204)
    }
    on("POST", "nodes/{id}/copy") { call, repository in
      let target = try NodeWriting.target(call)
      let node = try repository.copy(
        call["id"], to: target.id, name: target.name, by: call.user, at: call.now)
      return call.entry(call.writer(repository).single(node), status: 201)
    }
    on("POST", "nodes/{id}/move") { call, repository in
      let target = try NodeWriting.target(call)
      let node = try repository.move(
        call["id"], to: target.id, name: target.name, by: call.user, at: call.now)
      return call.entry(call.writer(repository).single(node))
    }
    on("POST", "nodes/{id}/lock", NodeWriting.lock)
    on("POST", "nodes/{id}/unlock", NodeWriting.unlock)
    on("POST", "nodes/{id}/size-details", NodeReading.sizeJob)
    on("GET", "nodes/{id}/size-details/{job}", NodeReading.sizeDetails)
  }
}

/// Answers about nodes that change nothing.
enum NodeReading {
  @Sendable static func node(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    var node = try repository.readable(call["id"], for: call.user)
    if let path = call.query("relativePath") { node = try repository.node(below: node, path: path, for: call.user) }
    var entry = call.writer(repository).single(node)
    if let path = call.query("relativePath"), entry["path"] != nil { entry["path"]?["relativePath"] = .string(path) }
    return call.entry(entry)
  }

  @Sendable static func children(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    var parent = try repository.readable(call["id"], for: call.user)
    if let path = call.query("relativePath") { parent = try repository.node(below: parent, path: path, for: call.user) }
    guard parent.isFolder else { throw AlfrescoFault.invalidArgument("NodeId of folder is expected: \(parent.id)") }
    let paging = try call.paging
    let filter = try ChildFilter(WhereClause(call.query("where")))
    let order = try NodeOrder(call.query("orderBy"))
    let page = paging.page(visibleChildren(of: parent, filter, order, call.user, repository))
    let writer = call.writer(repository)
    let isSourceWanted = call.flag("includeSource") ?? false
    var source: JSONNode?
    if isSourceWanted { source = NodeEntry(repository: repository, user: call.user, now: call.now).single(parent) }
    return call.list(page.compactMap { repository.nodes[$0] }.map(writer.entry), source: source)
  }

  /// Ids of the children in the wanted order. The stored order is the default one, so a plain page costs its own rows.
  private static func visibleChildren(
    of parent: RepoNode, _ filter: ChildFilter, _ order: NodeOrder?, _ user: String, _ repository: Repository
  ) -> [String] {
    let ids = repository.children[parent.id] ?? []
    // Whoever reads a folder reads what inherits from it; only other children need a look of their own.
    let isUniform = !repository.separated.contains { repository.nodes[$0]?.parent == parent.id }
    if isUniform, filter.isOpen, order == nil { return ids }
    let readable = ids.filter { id in
      guard let node = repository.nodes[id], filter.holds(node) else { return false }
      return node.inherits || repository.canRead(user, node)
    }
    guard let order else { return readable }
    return order.sorted(readable.compactMap { repository.nodes[$0] }, in: repository).map(\.id)
  }

  @Sendable static func sizeJob(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let node = try repository.readable(call["id"], for: call.user)
    guard node.isFolder else { throw AlfrescoFault.invalidArgument("Node is not a folder: \(node.id)") }
    return .entry(["jobId": .string(String(node.id.reversed()))], status: 202)
  }

  @Sendable static func sizeDetails(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let node = try repository.readable(call["id"], for: call.user)
    guard call["job"] == String(node.id.reversed()) else { throw AlfrescoFault.unknownEntity(call["job"]) }
    let files = repository.subtree(node).filter { $0.isFile && repository.canRead(call.user, $0) }
    let size = files.reduce(0) { $0 + ($1.content?.length(repository.corpus) ?? 0) }
    return .entry([
      "id": .string(node.id), "sizeInBytes": .string(String(size)), "calculatedAt": .string(call.now.alfresco),
      "numberOfFiles": .int(files.count), "status": "COMPLETED", "jobId": .string(call["job"]),
    ])
  }
}

/// What the `where` of a children list lets through.
struct ChildFilter: Sendable {
  private var isFolder: Bool?
  private var isFile: Bool?
  private var type: String?
  private var withSubtypes = false
  private var isNothing = false

  init(_ clause: WhereClause) throws(AlfrescoFault) {
    try clause.allow(["isFolder", "isFile", "nodeType", "isPrimary", "assocType"])
    isFolder = clause.flag("isFolder")
    isFile = clause.flag("isFile")
    guard !(isFolder == true && isFile == true) else {
      throw .invalidArgument("Invalid filter (isFile=true and isFolder=true)")
    }
    if let wanted = clause.equal("nodeType") {
      guard isFolder == nil, isFile == nil else {
        throw .invalidArgument("Invalid filter (nodeType and isFile or isFolder)")
      }
      let words = wanted.split(separator: " ")
      type = words.first.map(String.init)
      withSubtypes = words.count > 1
      guard let type, NodeTypes.all.contains(type) else { throw .invalidArgument("Unknown filter nodeType: \(wanted)") }
    }
    if clause.flag("isPrimary") == false { isNothing = true }
    if let association = clause.equal("assocType"), association != "cm:contains" { isNothing = true }
  }

  /// True where it lets everything through.
  var isOpen: Bool { !isNothing && isFolder == nil && isFile == nil && type == nil }

  func holds(_ node: RepoNode) -> Bool {
    if isNothing { return false }
    if let isFolder, node.isFolder != isFolder { return false }
    if let isFile, node.isFile != isFile { return false }
    guard let type else { return true }
    return node.type == type || (withSubtypes && NodeTypes.isKind(node.type, of: type))
  }
}

/// The content model as far as the repository uses it.
enum NodeTypes {
  private static let parents = [
    "cm:folder": "cm:cmobject", "cm:content": "cm:cmobject", "cm:systemfolder": "cm:folder", "st:site": "cm:folder",
    "st:sites": "cm:folder", "app:filelink": "cm:link", "app:folderlink": "cm:link", "cm:link": "cm:cmobject",
    "cm:cmobject": "sys:base", "cm:thumbnail": "cm:content", "cm:failedThumbnail": "sys:base", "cm:rating": "sys:base",
    "fm:forum": "cm:folder", "fm:topic": "cm:folder", "fm:post": "cm:content", "cm:savedquery": "cm:content",
    "cm:dictionaryModel": "cm:content", "sys:base": "",
  ]
  static let all = Set(parents.keys)
  static let abstract: Set = ["cm:cmobject", "sys:base", "cm:systemfolder"]

  static func isKind(_ type: String, of ancestor: String) -> Bool {
    var next = type
    while !next.isEmpty {
      if next == ancestor { return true }
      next = parents[next] ?? ""
    }
    return false
  }
}

extension ListPage {
  func compactMap<Other>(_ transform: (Item) -> Other?) -> ListPage<Other> {
    ListPage<Other>(
      items: items.compactMap(transform), skipCount: skipCount, maxItems: maxItems, total: total, hasMore: hasMore)
  }
}
