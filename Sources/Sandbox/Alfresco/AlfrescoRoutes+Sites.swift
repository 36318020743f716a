import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Sites, their containers and members (reference 2.8).
  mutating func addSites() {
    on("GET", "sites", SiteEntry.all)
    on("GET", "sites/{site}") { call, repository in
      let site = try SiteEntry.visible(call["site"], call, repository)
      return call.entry(SiteEntry.written(site, for: call.user))
    }
    on("POST", "sites", SiteEntry.make)
    on("PUT", "sites/{site}", SiteEntry.update)
    on("DELETE", "sites/{site}") { call, repository in
      let site = try SiteEntry.managed(call, repository)
      repository.fixed.subtract([site.guid, site.library ?? ""])
      try repository.delete(
        site.guid, permanently: call.flag("permanent") ?? false, by: call.user, at: call.now)
      repository.sites.removeAll { $0.id == site.id }
      return .empty(204)
    }
    on("GET", "sites/{site}/containers") { call, repository in
      let site = try SiteEntry.visible(call["site"], call, repository)
      let containers = [site.library].compactMap(\.self).map(SiteEntry.container)
      return try call.list(call.paging.page(containers))
    }
    on("GET", "sites/{site}/containers/{container}") { call, repository in
      let site = try SiteEntry.visible(call["site"], call, repository)
      guard let library = site.library, [library, "documentLibrary"].contains(call["container"]) else {
        throw AlfrescoFault.unknownRelationship(site.id, call["container"])
      }
      return call.entry(SiteEntry.container(library))
    }
    addMembers()
  }

  private mutating func addMembers() {
    on("GET", "sites/{site}/members") { call, repository in
      let site = try SiteEntry.visible(call["site"], call, repository)
      let page = try call.paging.page(site.members)
      return call.list(
        page.map { member in
          [
            "id": .string(member.user), "person": PersonEntry.written(member.user, repository),
            "role": .string(member.role), "isMemberOfGroup": false,
          ]
        })
    }
    on("GET", "people/{person}/sites") { call, repository in
      let person = try call.person(call["person"])
      guard repository.person(person) != nil else { throw AlfrescoFault.unknownEntity(call["person"]) }
      let sites = repository.sites.filter { $0.role(of: person) != nil }.sorted { $0.title < $1.title }
      let page = try call.paging.page(sites)
      return call.list(
        page.map { site in
          [
            "id": .string(site.id), "guid": .string(site.guid), "role": .string(site.role(of: person) ?? ""),
            "site": SiteEntry.written(site, for: person),
          ]
        })
    }
    on("DELETE", "people/{person}/sites/{site}", SiteEntry.leave)
    on("GET", "people/{person}/site-membership-requests") { call, repository in
      let person = try call.person(call["person"], isPrivate: true)
      let asked = repository.sites.compactMap { site in
        site.requests.first { $0.user == person }.map { SiteEntry.written($0, site) }
      }
      return try call.list(call.paging.page(asked))
    }
    on("POST", "people/{person}/site-membership-requests", SiteEntry.join)
    on("DELETE", "people/{person}/site-membership-requests/{site}") { call, repository in
      let person = try call.person(call["person"], isPrivate: true)
      guard let index = repository.sites.firstIndex(where: { $0.id == call["site"] && $0.asks(person) })
      else { throw AlfrescoFault.unknownRelationship(person, call["site"]) }
      repository.sites[index].requests.removeAll { $0.user == person }
      return .empty(204)
    }
  }
}

private enum SiteEntry {
  static func written(_ site: RepoSite, for user: String) -> JSONNode {
    var entry: JSONNode = ["id": .string(site.id), "guid": .string(site.guid), "title": .string(site.title)]
    if let text = site.text { entry["description"] = .string(text) }
    entry["visibility"] = .string(site.visibility.rawValue)
    entry["preset"] = "site-dashboard"
    if let role = site.role(of: user) { entry["role"] = .string(role) }
    return entry
  }

  /// The id is the node's, `folderId` the container's name.
  static func container(_ library: String) -> JSONNode {
    ["id": .string(library), "folderId": "documentLibrary"]
  }

  static func written(_ request: RepoSite.Request, _ site: RepoSite) -> JSONNode {
    var entry: JSONNode = [
      "id": .string(site.id), "createdAt": .string(request.created.alfresco),
      "site": written(site, for: request.user),
    ]
    if let message = request.message { entry["message"] = .string(message) }
    return entry
  }

  static func isVisible(_ site: RepoSite, _ user: String, _ repository: Repository) -> Bool {
    site.visibility != .closed || site.role(of: user) != nil || repository.isAdmin(user)
  }

  /// Private sites do not exist for others.
  static func visible(
    _ id: String, _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> RepoSite {
    guard let site = repository.site(id), isVisible(site, call.user, repository) else { throw .unknownEntity(id) }
    return site
  }

  static func managed(_ call: AlfrescoCall, _ repository: Repository) throws(AlfrescoFault) -> RepoSite {
    let site = try visible(call["site"], call, repository)
    guard site.role(of: call.user) == "SiteManager" || repository.isAdmin(call.user) else { throw .denied }
    return site
  }

  @Sendable static func all(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let clause = try WhereClause(call.query("where"))
    try clause.allow(["visibility", "preset"])
    let wanted = clause.equal("visibility")
    if let wanted, RepoSite.Visibility(rawValue: wanted) == nil {
      throw AlfrescoFault.invalidArgument("Invalid visibility: \(wanted)")
    }
    var sites = repository.sites.filter { site in
      isVisible(site, call.user, repository) && (wanted == nil || site.visibility.rawValue == wanted)
        && (clause.equal("preset") ?? "site-dashboard") == "site-dashboard"
    }
    let order = (call.query("orderBy") ?? "title").split(separator: " ")
    switch order.first {
    case "id": sites.sort { $0.id < $1.id }
    case "title": sites.sort { $0.title < $1.title }
    case "description": sites.sort { ($0.text ?? "") < ($1.text ?? "") }
    default: throw AlfrescoFault.invalidArgument("Invalid sort field: \(order.first ?? "")")
    }
    if order.count > 1, order[1].uppercased() == "DESC" { sites.reverse() }
    let relations = call.words("relations")
    guard !relations.isEmpty else { return try call.list(call.paging.page(sites).map { written($0, for: call.user) }) }
    return related(try call.paging.page(sites), relations, call, repository)
  }

  /// Sites with their containers or members beside each entry.
  private static func related(
    _ page: ListPage<RepoSite>, _ relations: [String], _ call: AlfrescoCall, _ repository: Repository
  ) -> ServerResponse {
    let entries: [JSONNode] = page.items.map { site in
      var lists: JSONNode = [:]
      if relations.contains("containers") {
        lists["containers"] = list([site.library].compactMap(\.self).map(container))
      }
      if relations.contains("members") {
        lists["members"] = list(
          site.members.map {
            [
              "id": .string($0.user), "person": PersonEntry.written($0.user, repository), "role": .string($0.role),
              "isMemberOfGroup": false,
            ]
          })
      }
      return ["entry": written(site, for: call.user), "relations": lists]
    }
    return .alfresco(["list": ["pagination": page.pagination, "entries": .array(entries)]])
  }

  private static func list(_ entries: [JSONNode]) -> JSONNode {
    let page = ListPage(items: entries, skipCount: 0, maxItems: 100, total: entries.count, hasMore: false)
    return ["list": ["pagination": page.pagination, "entries": .array(entries.map { ["entry": $0] })]]
  }

  @Sendable static func make(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let body = try call.object()
    guard let title = body["title"].string, !title.isEmpty, title.count <= 256 else {
      throw AlfrescoFault.invalidArgument("Site title is expected, at most 256 characters")
    }
    let id = body["id"].string ?? String(title.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
    let isPlain = id.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || "0123456789-".unicodeScalars.contains($0))
    }
    guard isPlain, !id.isEmpty, id.count <= 72 else {
      throw AlfrescoFault.invalidArgument("Invalid site id - should consist of alphanumeric/dash characters")
    }
    guard (body["description"].string ?? "").count <= 512 else {
      throw AlfrescoFault.invalidArgument("Site description exceeds max length of 512 characters")
    }
    guard let visibility = RepoSite.Visibility(rawValue: body["visibility"].string ?? "PUBLIC") else {
      throw AlfrescoFault.invalidArgument("Invalid visibility")
    }
    let inBin = repository.trash.contains { $0.node.type == "st:site" && $0.node.name == id }
    guard repository.site(id) == nil, !inBin else {
      throw AlfrescoFault.conflict("Failed to create site: \(id) exists")
    }
    let site = build(id, title, body["description"].string, visibility, call, &repository)
    return call.entry(written(site, for: call.user), status: 201)
  }

  private static func build(
    _ id: String, _ title: String, _ text: String?, _ visibility: RepoSite.Visibility, _ call: AlfrescoCall,
    _ repository: inout Repository
  ) -> RepoSite {
    let sites = repository.nodes.values.first { $0.type == "st:sites" }?.id ?? repository.root
    var folder = RepoNode(
      id: repository.makeID(), name: id, type: "st:site", parent: sites, created: call.now, creator: call.user)
    folder.inherits = false
    folder.properties["cm:title"] = .string(title)
    folder.grants = ["SiteManager", "SiteCollaborator", "SiteContributor", "SiteConsumer"].map {
      NodeGrant(authority: "GROUP_site_\(id)_\($0)", role: $0)
    }
    if visibility == .open { folder.grants.append(NodeGrant(authority: "GROUP_EVERYONE", role: "SiteConsumer")) }
    repository.attach(folder)
    var library: String?
    if call.flag("skipConfiguration") != true {
      let node = RepoNode(
        id: repository.makeID(), name: "documentLibrary", type: "cm:folder", parent: folder.id, created: call.now,
        creator: call.user, aspects: ["st:siteContainer", "cm:ownable", "cm:auditable"])
      repository.attach(node)
      library = node.id
    }
    repository.fixed.formUnion([folder.id, library ?? folder.id])
    let site = RepoSite(
      id: id, guid: folder.id, title: title, text: text, visibility: visibility,
      members: [.init(user: call.user, role: "SiteManager")], library: library)
    repository.sites.append(site)
    if call.flag("skipAddToFavorites") != true {
      repository.favorites[call.user, default: []].append(RepoFavorite(guid: folder.id, created: call.now))
    }
    return site
  }

  @Sendable static func update(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let body = try call.object()
    let site = try managed(call, repository)
    guard let index = repository.sites.firstIndex(where: { $0.id == site.id }) else {
      throw AlfrescoFault.unknownEntity(site.id)
    }
    if let title = body["title"].string { repository.sites[index].title = title }
    if let text = body["description"].string { repository.sites[index].text = text }
    if let word = body["visibility"].string {
      guard let visibility = RepoSite.Visibility(rawValue: word) else {
        throw AlfrescoFault.invalidArgument("Invalid visibility: \(word)")
      }
      repository.sites[index].visibility = visibility
    }
    return call.entry(written(repository.sites[index], for: call.user))
  }

  @Sendable static func join(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let person = try call.person(call["person"], isPrivate: true)
    let body = try call.object()
    guard let id = body["id"].string else { throw AlfrescoFault.invalidArgument("Site id is expected") }
    guard let index = repository.sites.firstIndex(where: { $0.id == id && $0.visibility != .closed }) else {
      throw AlfrescoFault.unknownRelationship(person, id)
    }
    let site = repository.sites[index]
    guard site.role(of: person) == nil, !site.asks(person) else {
      throw AlfrescoFault.invalidArgument("\(person) is already a member or has asked to become one")
    }
    let request = RepoSite.Request(user: person, message: body["message"].string, created: call.now)
    if site.visibility == .open {
      repository.sites[index].members.append(.init(user: person, role: "SiteConsumer"))
    } else {
      repository.sites[index].requests.append(request)
    }
    return call.entry(written(request, site), status: 201)
  }

  @Sendable static func leave(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let person = try call.person(call["person"], isPrivate: true)
    guard let index = repository.sites.firstIndex(where: { $0.id == call["site"] && $0.role(of: person) != nil })
    else { throw AlfrescoFault.unknownRelationship(person, call["site"]) }
    let managers = repository.sites[index].members.filter { $0.role == "SiteManager" }
    guard managers != [.init(user: person, role: "SiteManager")] else {
      throw AlfrescoFault.invalidArgument("The last manager cannot leave")
    }
    repository.sites[index].members.removeAll { $0.user == person }
    return .empty(204)
  }
}
