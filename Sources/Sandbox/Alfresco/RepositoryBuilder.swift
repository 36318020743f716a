import JSON

/// Puts a repository together in bulk: children are sorted once, at the end.
struct RepositoryBuilder {
  var repository: Repository
  var random: SeededRandom
  /// All dates lie before it.
  let today = DoorSetting.present

  init(seed: UInt64) {
    repository = Repository(seed: seed)
    random = SeededRandom(seed: seed, "repository.tree")
  }

  mutating func add(_ node: RepoNode) {
    repository.nodes[node.id] = node
    if !node.inherits { repository.separated.insert(node.id) }
    if let parent = node.parent { repository.children[parent, default: []].append(node.id) }
  }

  /// A moment up to `days` days before today.
  mutating func past(days: ClosedRange<Int>) -> SandboxTime {
    SandboxTime(
      milliseconds: today.adding(days: -random.number(in: days)).milliseconds + Int64(random.below(86_400_000)))
  }

  mutating func folder(
    _ name: String, in parent: String?, by user: String = "admin", type: String = "cm:folder", title: String? = nil,
    grants: [NodeGrant] = [], inherits: Bool = true
  ) -> String {
    var node = RepoNode(
      id: repository.makeID(), name: name, type: type, parent: parent, created: past(days: 300...1500), creator: user)
    if let title {
      node.properties["cm:title"] = .string(title)
      node.add(aspect: "cm:titled")
    }
    node.grants = grants
    node.inherits = inherits
    add(node)
    return node.id
  }

  @discardableResult
  mutating func file(
    _ name: String, in parent: String, by user: String, content: NodeContent, mimeType: String, title: String? = nil,
    text: String? = nil, days: ClosedRange<Int> = 1...700
  ) -> String {
    var node = RepoNode(
      id: repository.makeID(), name: name, type: "cm:content", parent: parent, created: past(days: days),
      creator: user, content: content, mimeType: mimeType,
      aspects: ["cm:versionable", "cm:titled", "cm:auditable", "cm:author"])
    let age = max(1, Int((today.milliseconds - node.created.milliseconds) / 86_400_000))
    node.modified = SandboxTime(
      milliseconds: node.created.milliseconds + Int64(random.below(age)) * 86_400_000 + Int64(random.below(3_600_000)))
    node.properties["cm:author"] = .string(repository.person(user)?.displayName ?? user)
    if let title { node.properties["cm:title"] = .string(title) }
    if let text { node.properties["cm:description"] = .string(text) }
    label(&node, "1.0")
    node.versions = [
      NodeVersion(
        label: "1.0", comment: nil, name: name, type: node.type, modified: node.created, modifier: user,
        content: content, mimeType: mimeType)
    ]
    add(node)
    return node.id
  }

  /// A generated text in a language, as a file of a format.
  @discardableResult
  mutating func document(
    _ name: String, in parent: String, by user: String, _ language: DocumentLanguage, _ format: DocumentFormat,
    length: ClosedRange<Int> = 6...24, title: String? = nil, days: ClosedRange<Int> = 1...700
  ) -> String {
    let text = repository.corpus.makeText(
      language, title: title ?? name, length: random.number(in: length), &random)
    return file(
      "\(name).\(format.suffix)", in: parent, by: user, content: .text(text, format), mimeType: format.mimeType,
      title: title, days: days)
  }

  /// Adds a second version with other content and a comment.
  mutating func revise(_ id: String, by user: String, comment: String) {
    guard var node = repository.nodes[id], case .text(let old, let format)? = node.content else { return }
    let text = repository.corpus.makeText(
      old.language, title: old.title, length: old.sentences.count + 2, &random)
    node.content = .text(text, format)
    node.touch(user, past(days: 1...20))
    let version = NodeVersion(
      label: NodeVersion.label(after: node.versions.first?.label, isMajor: false), comment: comment, name: node.name,
      type: node.type, modified: node.modified, modifier: user, content: .text(text, format),
      mimeType: format.mimeType)
    node.versions.insert(version, at: 0)
    label(&node, version.label)
    repository.nodes[id] = node
  }

  private func label(_ node: inout RepoNode, _ label: String) {
    node.properties["cm:versionLabel"] = .string(label)
    node.properties["cm:versionType"] = .string(label.hasSuffix(".0") ? "MAJOR" : "MINOR")
  }

  mutating func site(
    _ id: String, _ title: String, _ visibility: RepoSite.Visibility, text: String, in sites: String,
    members: [(String, String)]
  ) -> String {
    var grants = ["SiteManager", "SiteCollaborator", "SiteContributor", "SiteConsumer"].map {
      NodeGrant(authority: "GROUP_site_\(id)_\($0)", role: $0)
    }
    if visibility == .open { grants.append(NodeGrant(authority: "GROUP_EVERYONE", role: "SiteConsumer")) }
    let guid = folder(id, in: sites, type: "st:site", title: title, grants: grants, inherits: false)
    let library = folder("documentLibrary", in: guid)
    repository.nodes[library]?.aspects = ["st:siteContainer", "cm:ownable", "cm:auditable"]
    repository.fixed.formUnion([guid, library])
    repository.sites.append(
      RepoSite(
        id: id, guid: guid, title: title, text: text, visibility: visibility,
        members: members.map { RepoSite.Member(user: $0.0, role: $0.1) }, library: library))
    return library
  }

  /// The finished repository, every folder in its default order.
  consuming func finished() -> Repository {
    var result = repository
    let nodes = result.nodes
    result.children = result.children.mapValues { ids in
      ids.compactMap { nodes[$0] }
        .sorted { Repository.precedes($0.isFolder, $0.sortKey, $1.isFolder, $1.sortKey) }
        .map(\.id)
    }
    return result
  }
}
