import HTTPServer
import JSON

extension AlfrescoRoutes {
  /// Favourite files, folders and sites (reference 2.8).
  mutating func addFavorites() {
    on("GET", "people/{person}/favorites", FavoriteEntry.all)
    on("POST", "people/{person}/favorites") { call, repository in
      let user = try call.person(call["person"], isPrivate: true)
      let (values, isArray) = try call.objects()
      let guids = try values.map { try FavoriteEntry.target(of: $0, call, repository) }
      for guid in guids where repository.favorites[user]?.contains(where: { $0.guid == guid }) != true {
        repository.favorites[user, default: []].append(RepoFavorite(guid: guid, created: call.now))
      }
      let added = (repository.favorites[user] ?? []).filter { guids.contains($0.guid) }
      return call.created(added.compactMap { FavoriteEntry.written($0, call, repository) }, isArray: isArray)
    }
    on("GET", "people/{person}/favorites/{guid}") { call, repository in
      let user = try call.person(call["person"], isPrivate: true)
      guard let favorite = repository.favorites[user]?.first(where: { $0.guid == call["guid"] }),
        let entry = FavoriteEntry.written(favorite, call, repository)
      else { throw AlfrescoFault.unknownRelationship(user, call["guid"]) }
      return call.entry(entry)
    }
    on("DELETE", "people/{person}/favorites/{guid}") { call, repository in
      let user = try call.person(call["person"], isPrivate: true)
      guard repository.favorites[user]?.contains(where: { $0.guid == call["guid"] }) == true else {
        throw AlfrescoFault.unknownRelationship(user, call["guid"])
      }
      repository.favorites[user]?.removeAll { $0.guid == call["guid"] }
      return .empty(204)
    }
  }
}

private enum FavoriteEntry {
  static func kind(_ node: RepoNode) -> String {
    node.type == "st:site" ? "site" : node.isFolder ? "folder" : "file"
  }

  static func target(
    of body: JSONValue, _ call: AlfrescoCall, _ repository: Repository
  ) throws(AlfrescoFault) -> String {
    for kind in ["file", "folder", "site"] where body["target"][kind].exists {
      guard let guid = body["target"][kind]["guid"].string else { throw .invalidArgument("guid is expected") }
      guard let node = repository.nodes[guid], Self.kind(node) == kind, repository.canRead(call.user, node) else {
        throw .unknownEntity(guid)
      }
      return guid
    }
    throw .invalidArgument("target is expected: file, folder or site")
  }

  @Sendable static func all(_ call: AlfrescoCall, _ repository: inout Repository) throws -> ServerResponse {
    let user = try call.person(call["person"], isPrivate: true)
    let clause = try WhereClause(call.query("where"))
    try clause.allow(["target/file", "target/folder", "target/site"])
    let kinds = clause.predicates.map { String($0.name.dropFirst(7)) }
    let favorites = (repository.favorites[user] ?? []).filter { favorite in
      guard let node = repository.nodes[favorite.guid] else { return false }
      return kinds.isEmpty || kinds.contains(kind(node))
    }
    let readable = favorites.filter { favorite in
      repository.nodes[favorite.guid].map { repository.canRead(user, $0) } ?? false
    }
    let sorted = readable.sorted { left, right in
      let kinds = [left, right].map { repository.nodes[$0.guid].map(kind) ?? "" }
      return kinds[0] != kinds[1] ? kinds[0] < kinds[1] : left.created > right.created
    }
    let page = try call.paging.page(sorted)
    // The server does not count what it cannot show.
    let total = readable.count == favorites.count ? page.total : nil
    return call.list(
      ListPage(
        items: page.items.compactMap { written($0, call, repository) }, skipCount: page.skipCount,
        maxItems: page.maxItems, total: total, hasMore: page.hasMore))
  }

  static func written(_ favorite: RepoFavorite, _ call: AlfrescoCall, _ repository: Repository) -> JSONNode? {
    guard let node = repository.nodes[favorite.guid] else { return nil }
    let writer = call.writer(repository)
    var entry: JSONNode = ["targetGuid": .string(favorite.guid), "createdAt": .string(favorite.created.alfresco)]
    entry["target"] = [(kind(node)): target(node, call, repository)].asObject
    // Of what include adds, only the path goes into the target.
    let asked = writer.entry(node)
    for name in ["properties", "aspectNames", "allowableOperations"] where call.include.contains(name) {
      entry[name] = asked[name]
    }
    return entry
  }

  /// A mixture of an old and a new node.
  private static func target(_ node: RepoNode, _ call: AlfrescoCall, _ repository: Repository) -> JSONNode {
    if let site = repository.sites.first(where: { $0.guid == node.id }) {
      var entry: JSONNode = ["id": .string(site.id), "guid": .string(site.guid), "title": .string(site.title)]
      if let text = site.text { entry["description"] = .string(text) }
      entry["visibility"] = .string(site.visibility.rawValue)
      entry["preset"] = "site-dashboard"
      if let role = site.role(of: call.user) { entry["role"] = .string(role) }
      return entry
    }
    var writer = call.writer(repository)
    writer.include = call.include.intersection(["path"])
    var entry = writer.entry(node)
    entry["guid"] = .string(node.id)
    if let title = node.title { entry["title"] = .string(title) }
    if let text = node.text { entry["description"] = .string(text) }
    entry["createdBy"] = .string(node.creator)
    entry["modifiedBy"] = .string(node.modifier)
    if let content = entry["content"] {
      entry["mimeType"] = content["mimeType"]
      entry["sizeInBytes"] = content["sizeInBytes"]
    }
    if let label = node.versions.first?.label { entry["versionLabel"] = .string(label) }
    return entry
  }
}

extension Dictionary where Key == String, Value == JSONNode {
  /// The members as an object, by name.
  var asObject: JSONNode { .object(sorted { $0.key < $1.key }.map { .init(key: $0.key, value: $0.value) }) }
}
