import Model

extension AlfrescoBackend {
  public func item(_ location: Location) async throws(ServiceError) -> Item {
    let place = try Place(location)
    return try await during("show \(location)") { () async throws(ServiceError) -> Item in
      try await item(place, location)
    }
  }

  private func item(_ place: Place, _ location: Location) async throws(ServiceError) -> Item {
    switch place {
    case .node(let reference):
      let entry = try await resolve(reference)
      let parent = reference.parent == nil ? entry.value.parentID.map(nodeLocation) : location.parent
      return NodeItem(
        node: entry.value, location: location, parent: parent, link: try await link(of: entry.value),
        isReadOnly: connection.isReadOnly, now: surroundings.clock.now(),
        titles: await model.titles(for: entry.value, client), showsAudit: client.session.isAdministrator,
        archive: entry.value.isFolder ? archive(of: [location]) : nil
      ).item(raw: entry.raw)
    case .deleted(let id): return deletedItem(try await client.deletedNode(id), location)
    case .site(let id): return siteItem(try await client.site(id), location)
    case .person(let id): return personItem(try await client.person(id), location)
    case .facetEntry(let reference, let facet, let entry):
      return try await item(facet, entry, of: reference, location)
    case .member(let person, let site): return memberItem(try await client.member(person, ofSite: site), site, location)
    case .request(let person, let site): return try await requestItem(person, site, location)
    case .category(let id?): return categoryItem(try await client.category(id), location)
    case .archive(let references): return archiveItem(references, location)
    case .root, .sites, .favorites, .shared, .trash, .people, .recent, .search, .facet, .activities, .requests,
      .siteActivities, .members, .audit, .category(nil):
      throw ServiceError.noItem(location)
    }
  }

  /// The shared link of a file; a node names the sharer's id only, and a link may have ended meanwhile.
  private func link(of node: Node) async throws(ServiceError) -> SharedLink? {
    guard let id = node.property("qshare:sharedId") else { return nil }
    do throws(ServiceError) {
      return try await client.sharedLink(id).value
    } catch {
      guard error.code == .notFound || error.code == .forbidden else { throw error }
      return nil
    }
  }

  private func deletedItem(_ entry: Entry<Node>, _ location: Location) -> Item {
    let node = entry.value
    let fields = [
      Field("name", "Name", .text(node.name)), Field("kind", "Kind", .text(node.isFolder ? "folder" : "file")),
      Field("mime", "Type", .optional(node.content?.mediaType)),
      Field("size", "Size", .optional(size: node.content?.size.map { Int($0) }), .size),
      Field("deleted", "Deleted", .optional(node.archived), .time),
      Field("deleter", "Deleted by", .optional(node.archiver?.name), isPrivate: true),
      Field("path", "From", .optional(node.path?.name)),
      Field("modified", "Modified", .optional(node.modified), .time),
      Field("modifier", "Modified by", .optional(node.modifier?.name), isPrivate: true),
      Field("id", "Id", .text(node.id)),
    ]
    return Item(
      location, title: node.name, sections: [Item.Section("Deleted", fields)],
      actions: TrashActions.all(node, isReadOnly: connection.isReadOnly), content: node.contentHead, raw: entry.raw,
      notices: node.path == nil ? ["The folder it came from is gone; restore it into another."] : [])
  }

  private func siteItem(_ entry: Entry<Site>, _ location: Location) -> Item {
    let site = entry.value
    let fields = [
      Field("title", "Title", .text(site.title)), Field("id", "Id", .text(site.id)),
      Field("visibility", "Visibility", .optional(site.visibility)), Field("role", "Your role", .optional(site.role)),
      Field("description", "Description", .optional(site.summary)), Field("guid", "Node id", .optional(site.guid)),
    ]
    var links = [
      Link("Documents", location.appending("files")), Link("Members", location.appending("members")),
      Link("Activities", location.appending("activities")),
    ]
    if let guid = site.guid { links.append(Link("The site's node", nodeLocation(guid), opening: .item)) }
    return Item(
      location, title: site.title, sections: [Item.Section("Site", fields)], related: links,
      actions: SiteActions.all(site, isReadOnly: connection.isReadOnly), raw: entry.raw)
  }

  private func personItem(_ entry: Entry<Person>, _ location: Location) -> Item {
    let person = entry.value
    let fields = [
      Field("id", "Id", .text(person.id), isPrivate: true), Field("name", "Name", .text(person.name), isPrivate: true),
      Field("email", "E-mail", .optional(person.email), isPrivate: true),
      Field("job", "Job", .optional(person.jobTitle)), Field("place", "Place", .optional(person.place)),
      Field("organization", "Organisation", .optional(person.organization)),
      Field("status", "Status", .optional(person.status)),
      Field("enabled", "Enabled", .optional(person.isEnabled), .flag),
      Field("administrator", "Administrator", .optional(person.isAdministrator), .flag),
      Field("quotaUsed", "Space used", .optional(size: person.quotaUsed.map { Int($0) }), .size),
    ]
    return Item(location, title: person.name, sections: [Item.Section("Person", fields)], raw: entry.raw)
  }
}
