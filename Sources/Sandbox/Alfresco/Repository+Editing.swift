/// Changes to the tree. Every one checks rights, locks and names as the server does, and keeps folders in their order.
extension Repository {
  /// What the model allows as a name; anything else is 422.
  static func check(name: String) throws(AlfrescoFault) {
    let forbidden = name.unicodeScalars.contains { "\"*\\><?/:|".unicodeScalars.contains($0) }
    guard !forbidden, !name.hasSuffix("."), !name.hasSuffix(" "), name.contains(where: { $0 != " " }) else {
      throw .unprocessable("Value '\(name)' is not valid as a file name. This property must be a valid file name.")
    }
  }

  /// The folder in which `user` may make something.
  func container(_ name: String, for user: String) throws(AlfrescoFault) -> RepoNode {
    let parent = try readable(name, for: user)
    guard parent.isFolder else { throw .unprocessable("The parent \(parent.id) is not a folder") }
    guard access(user, parent).contains(.create) else { throw .denied }
    return parent
  }

  /// The node, if `user` may change it now.
  func writable(_ name: String, for user: String, at now: SandboxTime) throws(AlfrescoFault) -> RepoNode {
    let node = try readable(name, for: user)
    guard access(user, node).contains(.update) else { throw .denied }
    if node.lock?.stops(user, now) == true { throw .locked(node.id) }
    return node
  }

  /// The name, or `name-1.ext`, `name-2.ext` and so on where it is taken.
  func freeName(_ name: String, in parent: String) -> String {
    guard child(named: name, of: parent) != nil else { return name }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    for number in 1... {
      let candidate = "\(name[..<dot])-\(number)\(name[dot...])"
      if child(named: candidate, of: parent) == nil { return candidate }
    }
    return name
  }

  /// The folder at `path` below `parent`; missing folders are made.
  mutating func makeFolders(
    _ path: String, below parent: RepoNode, for user: String, at now: SandboxTime
  ) throws(AlfrescoFault) -> RepoNode {
    var current = parent
    for name in path.split(separator: "/").map(String.init) {
      if let id = child(named: name, of: current.id), let next = nodes[id] {
        guard next.isFolder else { throw .nameExists(name) }
        current = next
      } else {
        try Self.check(name: name)
        let folder = RepoNode(
          id: makeID(), name: name, type: "cm:folder", parent: current.id, created: now, creator: user)
        attach(folder)
        current = folder
      }
    }
    return current
  }

  mutating func rename(_ node: inout RepoNode, to name: String) throws(AlfrescoFault) {
    try Self.check(name: name)
    if let parent = node.parent, let other = child(named: name, of: parent), other != node.id {
      throw .nameExists(name)
    }
    node.name = name
  }

  /// New content for a file, as a new version where it keeps versions.
  mutating func write(
    _ content: NodeContent, mimeType: String?, to id: String, by user: String, at now: SandboxTime,
    isMajor: Bool = false, comment: String? = nil
  ) {
    guard var node = nodes[id] else { return }
    node.content = content
    if let mimeType { node.mimeType = mimeType }
    node.touch(user, now)
    if node.isVersioned { addVersion(&node, by: user, at: now, isMajor: isMajor, comment: comment) }
    extras.renditions[id] = nil
    replace(node)
    note("org.alfresco.documentlibrary.file-updated", node, by: user, at: now)
  }

  func addVersion(_ node: inout RepoNode, by user: String, at now: SandboxTime, isMajor: Bool, comment: String?) {
    let label = NodeVersion.label(after: node.versions.first?.label, isMajor: isMajor)
    node.versions.insert(
      NodeVersion(
        label: label, comment: comment, name: node.name, type: node.type, modified: now, modifier: user,
        content: node.content ?? .bytes([]), mimeType: node.mimeType ?? "application/octet-stream"), at: 0)
    node.add(aspect: "cm:versionable")
    node.properties["cm:versionLabel"] = .string(label)
    node.properties["cm:versionType"] = .string(isMajor ? "MAJOR" : "MINOR")
  }

  /// A node and everything below it, the node first.
  func subtree(_ node: RepoNode) -> [RepoNode] {
    [node] + (children[node.id] ?? []).compactMap { nodes[$0] }.flatMap { subtree($0) }
  }

  mutating func delete(
    _ id: String, permanently: Bool, by user: String, at now: SandboxTime
  ) throws(AlfrescoFault) {
    let node = try readable(id, for: user)
    guard !fixed.contains(node.id), access(user, node).contains(.delete) else { throw .denied }
    guard !permanently || node.owner == user || isAdmin(user) else { throw .denied }
    if node.lock?.isActive(now) == true { throw .locked(node.id) }
    let gone = subtree(node)
    detach(node)
    for each in gone {
      nodes[each.id] = nil
      children[each.id] = nil
    }
    links.removeAll { link in gone.contains { $0.id == link.node } }
    if !permanently {
      trash.insert(TrashEntry(node: node, subtree: gone, archived: now, archivedBy: user), at: 0)
      note("org.alfresco.documentlibrary.\(node.isFolder ? "folder" : "file")-deleted", node, by: user, at: now)
    }
  }

  mutating func restore(_ id: String, to target: String?, by user: String) throws(AlfrescoFault) -> RepoNode {
    guard let index = trash.firstIndex(where: { $0.node.id == id }) else { throw .unknownEntity(id) }
    let entry = trash[index]
    guard entry.archivedBy == user || isAdmin(user) else { throw .denied }
    let parent = try node(target ?? entry.node.parent ?? "", for: user)
    guard parent.isFolder else { throw .invalidArgument("\(parent.id) is not a folder") }
    guard access(user, parent).contains(.create) else { throw .denied }
    guard child(named: entry.node.name, of: parent.id) == nil else { throw .nameExists(entry.node.name) }
    trash.remove(at: index)
    var node = entry.node
    node.parent = parent.id
    attach(node)
    for each in entry.subtree.dropFirst() { attach(each) }
    return node
  }

  mutating func move(
    _ id: String, to target: String, name: String?, by user: String, at now: SandboxTime
  ) throws(AlfrescoFault) -> RepoNode {
    var node = try writable(id, for: user, at: now)
    let parent = try self.target(target, for: user)
    guard !fixed.contains(node.id), access(user, node).contains(.delete) else { throw .denied }
    guard !isInside(parent, node.id) else { throw .invalidArgument("Cannot move a node into its own subtree") }
    let name = name ?? node.name
    try Self.check(name: name)
    if let other = child(named: name, of: parent.id), other != node.id { throw .nameExists(name) }
    detach(node)
    node.name = name
    node.parent = parent.id
    node.touch(user, now)
    attach(node)
    return node
  }

  mutating func copy(
    _ id: String, to target: String, name: String?, by user: String, at now: SandboxTime
  ) throws(AlfrescoFault) -> RepoNode {
    let source = try readable(id, for: user)
    let parent = try self.target(target, for: user)
    guard !fixed.contains(source.id), source.type != "st:site" else {
      throw .unprocessable("Cannot copy \(source.name)")
    }
    let name = name ?? source.name
    try Self.check(name: name)
    guard child(named: name, of: parent.id) == nil else { throw .nameExists(name) }
    let originals = subtree(source).filter { canRead(user, $0) }
    return copy(source, among: originals, into: parent.id, name: name, by: user, at: now)
  }

  private mutating func copy(
    _ source: RepoNode, among originals: [RepoNode], into parent: String, name: String, by user: String,
    at now: SandboxTime
  ) -> RepoNode {
    var node = RepoNode(
      id: makeID(), name: name, type: source.type, parent: parent, created: now, creator: user,
      content: source.content, mimeType: source.mimeType, aspects: source.aspects)
    node.properties = source.properties
    node.properties["cm:owner"] = nil
    if node.isVersioned { addVersion(&node, by: user, at: now, isMajor: true, comment: nil) }
    attach(node)
    for child in originals where child.parent == source.id {
      _ = copy(child, among: originals, into: node.id, name: child.name, by: user, at: now)
    }
    return node
  }

  /// The target of a copy or move: a missing one is 404, a file is 400.
  private func target(_ id: String, for user: String) throws(AlfrescoFault) -> RepoNode {
    let parent = try node(id, for: user)
    guard parent.isFolder else { throw .invalidArgument("targetParentId is not a folder: \(id)") }
    guard access(user, parent).isSuperset(of: [.read, .create]) else { throw .denied }
    return parent
  }

  /// Adds to the activity feed; only what lies in a site makes one.
  mutating func note(_ type: String, _ node: RepoNode, by user: String, at now: SandboxTime) {
    guard let site = site(of: node) else { return }
    let activity = RepoActivity(
      id: 418_800 + activities.count, user: user, site: site.id, time: now, type: type, title: node.name,
      node: node.id, parent: node.parent ?? "")
    activities.insert(activity, at: 0)
  }
}
