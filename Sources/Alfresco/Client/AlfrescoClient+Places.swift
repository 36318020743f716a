import JSON
import Model
import Wire

// The places beside the tree of folders: sites, people, favourites, shared links, the trash.
extension AlfrescoClient {
  /// All sites the caller may see, by title.
  public func sites(
    _ page: PageRequest = PageRequest(), orderBy: String? = nil
  ) async throws(ServiceError) -> Page<Site> {
    let order = orderBy.map { [("orderBy", $0)] } ?? []
    return try await Page(reply(Call("list the sites", "GET", "sites", query: page.query + order))) { Site($0) }
  }

  public func site(_ id: String) async throws(ServiceError) -> Entry<Site> {
    try await Entry(reply(Call("read the site “\(id)”", "GET", "sites", id))) { Site($0) }
  }

  /// Node id of a site's container; its document library unless told otherwise.
  public func container(
    _ name: String = "documentLibrary", ofSite site: String
  ) async throws(ServiceError) -> String {
    let operation = "find the documents of the site “\(site)”"
    let reply = try await reply(Call(operation, "GET", "sites", site, "containers", name))
    guard let id = reply.root["entry"]["id"].string else {
      throw ServiceError(.unreadable, operation, detail: "the answer names no node")
    }
    return id
  }

  public func people(
    _ page: PageRequest = PageRequest(), orderBy: String? = nil
  ) async throws(ServiceError) -> Page<Person> {
    let order = orderBy.map { [("orderBy", $0)] } ?? []
    return try await Page(reply(Call("list the people", "GET", "people", query: page.query + order)), Person.init)
  }

  /// - Parameter id: A user id, or `-me-`.
  public func person(_ id: String = "-me-") async throws(ServiceError) -> Entry<Person> {
    try await Entry(reply(Call("read a person", "GET", "people", id)), Person.init)
  }

  /// Favourite files and folders, newest first within each kind.
  public func favorites(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Favorite> {
    let query = page.query + [("where", "(EXISTS(target/file) OR EXISTS(target/folder))"), ("include", "path")]
    let call = Call("list the favourites", "GET", "people", "-me-", "favorites", query: query)
    return try await Page(reply(call), Favorite.init)
  }

  /// Marks a file, a folder, or a site (by its `guid`); one that is marked already is no error.
  public func addFavorite(_ kind: FavoriteKind, _ guid: String) async throws(ServiceError) {
    let body: JSONNode = ["target": [kind.rawValue: ["guid": .string(guid)]]]
    _ = try await answer(Call("mark a favourite", "POST", "people", "-me-", "favorites").carrying(body))
  }

  public func favorite(_ guid: String) async throws(ServiceError) -> Entry<Favorite> {
    try await Entry(reply(Call("read a favourite", "GET", "people", "-me-", "favorites", guid)), Favorite.init)
  }

  public enum FavoriteKind: String, Sendable { case file, folder, site }

  public func removeFavorite(_ guid: String) async throws(ServiceError) {
    _ = try await answer(Call("unmark a favourite", "DELETE", "people", "-me-", "favorites", guid))
  }

  /// Shared links, latest change first; the server's index may lag behind.
  public func sharedLinks(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<SharedLink> {
    let query = page.query + [("include", "path,allowableOperations")]
    return try await Page(reply(Call("list the shared links", "GET", "shared-links", query: query)), SharedLink.init)
  }

  public func sharedLink(_ id: String) async throws(ServiceError) -> Entry<SharedLink> {
    try await Entry(reply(Call("read a shared link", "GET", "shared-links", id)), SharedLink.init)
  }

  /// - Parameter expires: At least a day ahead; nil for no end.
  /// - Throws: `.conflict` when the file is shared already, by anybody.
  public func share(_ node: String, expires: Timestamp? = nil) async throws(ServiceError) -> Entry<SharedLink> {
    var body: JSONNode = ["nodeId": .string(node)]
    if let expires { body["expiresAt"] = .string(expires.rfc3339) }
    return try await Entry(reply(Call("share a file", "POST", "shared-links").carrying(body)), SharedLink.init)
  }

  public func unshare(_ link: String) async throws(ServiceError) {
    _ = try await answer(Call("end a shared link", "DELETE", "shared-links", link))
  }

  /// Has the server send the link by e-mail.
  public func sendLink(
    _ link: String, to recipients: [String], message: String? = nil, locale: String = "en"
  ) async throws(ServiceError) {
    var body: JSONNode = [
      "client": "share", "locale": .string(locale), "recipientEmails": .array(recipients.map { .string($0) }),
    ]
    if let message { body["message"] = .string(message) }
    _ = try await answer(Call("send a shared link", "POST", "shared-links", link, "email").carrying(body))
  }

  /// The trash, most recently deleted first.
  public func deletedNodes(_ page: PageRequest = PageRequest()) async throws(ServiceError) -> Page<Node> {
    let query = page.query + [("include", "path")]
    return try await Page(reply(Call("list the trash", "GET", "deleted-nodes", query: query)), Node.init)
  }

  public func deletedNode(_ id: String) async throws(ServiceError) -> Entry<Node> {
    let query = [("include", "path,properties,aspectNames")]
    return try await Entry(reply(Call("read a deleted node", "GET", "deleted-nodes", id, query: query)), Node.init)
  }

  /// Puts it back where it was, or into another folder.
  public func restore(_ id: String, to parent: String? = nil) async throws(ServiceError) -> Entry<Node> {
    var call = Call("restore a node", "POST", "deleted-nodes", id, "restore")
    if let parent {
      call = call.carrying(["targetParentId": .string(parent), "assocType": "cm:contains"])
    }
    return try await Entry(reply(call), Node.init)
  }

  /// Deletes it for good.
  public func purge(_ id: String) async throws(ServiceError) {
    _ = try await answer(Call("delete for good", "DELETE", "deleted-nodes", id))
  }
}
