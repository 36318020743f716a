/// All that the content repository holds; a value, so a test can look at it and a lock is held elsewhere.
struct Repository: Sendable {
  let corpus: DocumentCorpus
  var nodes: [String: RepoNode] = [:]
  /// Ids of the children in the default order: folders first, then by name without case.
  var children: [String: [String]] = [:]
  var people: [RepoPerson] = []
  var sites: [RepoSite] = []
  var trash: [TrashEntry] = []
  var extras = NodeExtras()
  var favorites: [String: [RepoFavorite]] = [:]
  var links: [SharedLink] = []
  var activities: [RepoActivity] = []
  var downloads: [String: ZipDownload] = [:]
  var categories: [RepoCategory] = []
  var associations: [RepoAssociation] = []
  /// Folders that hold a node beside the one it lives in.
  var secondaryChildren: [RepoAssociation] = []
  var audit: [RepoAudit] = []
  /// Nodes that do not take over the rights of their folder; one that did so once may still be named.
  var separated: Set<String> = []
  /// Nodes that nobody may move or delete.
  var fixed: Set<String> = []
  var root = ""
  var shared = ""
  /// Grows with each change, as the number of the last indexed transaction.
  var transaction = 48_000
  private var identifiers: SeededRandom

  init(seed: UInt64) {
    corpus = DocumentCorpus(seed: seed)
    identifiers = SeededRandom(seed: seed, "repository")
  }

  mutating func makeID() -> String { identifiers.uuid() }
  mutating func makeHex(_ digits: Int) -> String { identifiers.hex(digits) }

  // MARK: Reading

  func person(_ id: String) -> RepoPerson? { people.first { $0.id == id } }
  func site(_ id: String) -> RepoSite? { sites.first { $0.id == id } }

  /// The node that an id or alias of a path segment means.
  ///
  /// An id may be written as a node reference or carry a version label; a private working copy does not exist here.
  func node(_ name: String, for user: String) throws(AlfrescoFault) -> RepoNode {
    let id: String
    switch name {
    case "-root-": id = root
    case "-shared-": id = shared
    case "-my-": id = person(user)?.home ?? ""
    default:
      let parts = name.split(separator: ";", omittingEmptySubsequences: false)
      let bare = String(parts.first ?? "")
      id = parts.count > 1 && parts[1] == "pwc" ? "" : String(bare.split(separator: "/").last ?? "")
    }
    guard let node = nodes[id] else { throw .unknownEntity(name) }
    return node
  }

  /// The node, if the user may read it.
  func readable(_ name: String, for user: String) throws(AlfrescoFault) -> RepoNode {
    let node = try node(name, for: user)
    guard access(user, node).contains(.read) else { throw .denied }
    return node
  }

  /// Follows names below a folder; whatever cannot be found or read is unknown.
  func node(below start: RepoNode, path: String, for user: String) throws(AlfrescoFault) -> RepoNode {
    guard start.isFolder else { throw .invalidArgument("NodeId of folder is expected: \(start.id)") }
    var current = start
    for name in path.split(separator: "/") {
      guard let id = child(named: String(name), of: current.id), let next = nodes[id],
        access(user, next).contains(.read)
      else { throw .notFound("The entity with relativePath: \(path)") }
      current = next
    }
    return current
  }

  /// The child of that name: the exact one where there are several that differ in case alone.
  func child(named name: String, of parent: String) -> String? {
    let key = RepoNode.sortKey(name)
    let ids = children[parent] ?? []
    for isFolder in [true, false] {
      let start = ids.partitioningIndex { id in
        guard let node = nodes[id] else { return false }
        return !Self.precedes(node.isFolder, node.sortKey, isFolder, key)
      }
      if start < ids.count, let node = nodes[ids[start]], node.isFolder == isFolder, node.sortKey == key {
        return node.id
      }
    }
    return nil
  }

  /// The ancestors of a node from Company Home down to its parent.
  func ancestors(of node: RepoNode) -> [RepoNode] {
    var chain: [RepoNode] = []
    var next = node.parent
    while let id = next, let parent = nodes[id] {
      chain.append(parent)
      next = parent.parent
    }
    return chain.reversed()
  }

  func isInside(_ node: RepoNode, _ ancestor: String) -> Bool {
    var next: String? = node.id
    while let id = next {
      if id == ancestor { return true }
      next = nodes[id]?.parent
    }
    return false
  }

  /// The site that a node lies in.
  func site(of node: RepoNode) -> RepoSite? {
    var next: RepoNode? = node
    while let current = next {
      if current.type == "st:site" { return sites.first { $0.guid == current.id } }
      next = current.parent.flatMap { nodes[$0] }
    }
    return nil
  }

  // MARK: Rights

  func isAdmin(_ user: String) -> Bool { user == "admin" }

  /// What `user` may do with `node`: the roles given at the node and at each ancestor it inherits from.
  func access(_ user: String, _ node: RepoNode) -> NodeAccess {
    if isAdmin(user) || node.owner == user { return fixed.contains(node.id) ? [.read, .create, .update] : .all }
    var result: NodeAccess = []
    var next: RepoNode? = node
    while let current = next {
      for grant in current.grants where holds(user, grant.authority) { result.formUnion(.role(grant.role)) }
      next = current.inherits ? current.parent.flatMap { nodes[$0] } : nil
    }
    return fixed.contains(node.id) ? result.subtracting([.delete, .permissions]) : result
  }

  func canRead(_ user: String, _ node: RepoNode) -> Bool { access(user, node).contains(.read) }

  private func holds(_ user: String, _ authority: String) -> Bool {
    if authority == user || authority == "GROUP_EVERYONE" { return true }
    guard authority.hasPrefix("GROUP_site_") else { return false }
    return sites.contains { site in
      site.members.contains { $0.user == user && authority == "GROUP_site_\(site.id)_\($0.role)" }
    }
  }

  // MARK: Order

  static func precedes(_ leftIsFolder: Bool, _ left: String, _ rightIsFolder: Bool, _ right: String) -> Bool {
    leftIsFolder != rightIsFolder ? leftIsFolder : left < right
  }

  /// Puts a node where the default order of its folder wants it.
  mutating func attach(_ node: RepoNode) {
    nodes[node.id] = node
    if !node.inherits { separated.insert(node.id) }
    guard let parent = node.parent else { return }
    var ids = children.removeValue(forKey: parent) ?? []
    let place = ids.partitioningIndex { id in
      guard let other = nodes[id] else { return false }
      return !Self.precedes(other.isFolder, other.sortKey, node.isFolder, node.sortKey)
    }
    ids.insert(node.id, at: place)
    children[parent] = ids
    transaction += 1
  }

  /// Takes a node out of its folder, leaving the node itself.
  mutating func detach(_ node: RepoNode) {
    guard let parent = node.parent else { return }
    children[parent]?.removeAll { $0 == node.id }
    transaction += 1
  }

  /// Replaces a node after a change; keeps the order where the name changed.
  mutating func replace(_ node: RepoNode) {
    if let old = nodes[node.id], old.parent == node.parent, old.sortKey == node.sortKey {
      nodes[node.id] = node
      if !node.inherits { separated.insert(node.id) }
      transaction += 1
    } else {
      if let old = nodes[node.id] { detach(old) }
      attach(node)
    }
  }
}

extension Array {
  /// The first index whose element satisfies a predicate that is false, then true, along the array.
  func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
