import Model

// Sites, who belongs to them, and what happens in them.
extension AlfrescoBackend {
  func sites(
    _ selection: SiteSelection, _ location: Location, _ query: ListQuery, _ page: PageRequest
  ) async throws(ServiceError) -> Listing {
    var order: Sort?
    let answer: Page<Site>
    switch selection {
    case .all:
      order = query.sort.flatMap { ["id", "title"].contains($0.column) ? $0 : nil }
      answer = try await client.sites(
        page, orderBy: order.map { $0.isDescending ? "\($0.column) DESC" : $0.column })
    case .mine: answer = try await client.mySites(page)
    case .favorites: answer = try await client.favoriteSites(page)
    case .found(let words):
      guard words.count(where: { $0.isLetter || $0.isNumber }) > 1 else {
        throw ServiceError(
          .usage, "find sites", detail: "“\(words)” is too short", remedy: "Type at least two letters or digits.")
      }
      answer = try await client.findSites(words, page)
    }
    var listing = Listing(
      location, title: selection.title,
      columns: [
        Column("title", "Title", rank: 0, isSortable: selection == .all),
        Column("id", "Id", rank: 2, isSortable: selection == .all), Column("visibility", "Visibility", rank: 3),
        Column("role", "Your role", rank: 1),
      ],
      rows: answer.entries.map { site in
        Row(
          siteLocation(site.id),
          [.text(site.title), .text(site.id), .optional(site.visibility), .optional(site.role)], opening: .listing)
      }, sortedBy: order, actions: [SiteActions.make(isReadOnly: connection.isReadOnly)])
    listing.finish(answer, page)
    return listing
  }

  func siteLocation(_ id: String) -> Location { Location(connection: connection.name, path: ["sites", id]) }

  func siteEntryPoints(_ id: String, _ location: Location) async throws(ServiceError) -> Listing {
    let site = try await client.site(id)
    let points = [("files", "Documents"), ("members", "Members"), ("activities", "Activities")]
    return Listing(
      location, title: site.value.title,
      columns: [Column("title", "Place", rank: 0), Column("id", "Id", rank: 9)],
      rows: points.map { Row(location.appending($0.0), [.text($0.1), .text($0.0)], opening: .listing) },
      total: .exact(points.count), actions: SiteActions.all(site.value, isReadOnly: connection.isReadOnly),
      raw: site.raw)
  }

  func members(_ site: String, _ location: Location, _ page: PageRequest) async throws(ServiceError) -> Listing {
    let answer = try await client.members(ofSite: site, page)
    var listing = Listing(
      location, title: "Members",
      columns: [
        Column("name", "Name", rank: 0, isPrivate: true), Column("role", "Role", rank: 1),
        Column("email", "E-mail", rank: 2, isPrivate: true), Column("id", "Id", rank: 3, isPrivate: true),
      ],
      rows: answer.entries.map { member in
        let person = member.person
        return Row(
          location.appending(person.id),
          [.text(person.name), .text(member.role), .optional(person.email), .text(person.id)])
      }, actions: [MemberActions.add(isReadOnly: connection.isReadOnly)])
    listing.finish(answer, page)
    return listing
  }

  /// Newest first; of all one's sites, or of one.
  func activities(
    _ site: String?, _ location: Location, _ page: PageRequest
  ) async throws(ServiceError) -> Listing {
    let answer = try await client.activities(page, site: site)
    let notice = "The server gathers activities once a minute, of sites only, and forgets them after a month."
    var listing = Listing(
      location, title: "Activities",
      columns: [
        Column("posted", "When", .time, rank: 1), Column("person", "Who", rank: 0, isPrivate: true),
        Column("deed", "Did", rank: 0), Column("title", "What", rank: 0), Column("site", "Site", rank: 2),
        Column("type", "Type", rank: 8), Column("id", "Id", rank: 9),
      ],
      rows: answer.entries.map { activity in
        let values: [Value] = [
          .optional(activity.posted), .text(activity.personName), .text(activity.deed), .optional(activity.title),
          .optional(activity.site), .text(activity.type), .text(activity.id),
        ]
        // What was deleted has a node id that leads nowhere.
        let isGone = activity.type.hasSuffix("-deleted")
        guard let id = activity.nodeID, !isGone else { return Row(location, values, opening: .nothing) }
        return Row(nodeLocation(id), values, opening: activity.type.contains(".folder-") ? .listing : .item)
      }, notices: answer.skipCount == 0 ? [notice] : [])
    listing.finish(answer, page)
    return listing
  }

  /// Requests of one's own first, then those of others that one may decide.
  func requests(_ location: Location, _ page: PageRequest) async throws(ServiceError) -> Listing {
    let mine = page.skip == 0 ? try await client.myMembershipRequests(PageRequest(limit: 100)).entries : []
    let answer = try await client.membershipRequests(page)
    let me = client.session.user
    var listing = Listing(
      location, title: "Requests to join",
      columns: [
        Column("person", "Who", rank: 0, isPrivate: true), Column("site", "Site", rank: 0),
        Column("message", "Message", rank: 1), Column("created", "Asked", .time, rank: 2),
      ],
      rows: (mine + answer.entries.filter { $0.person?.id != me }).map { request in
        let person = request.person?.id ?? "-me-"
        return Row(
          location.appending(request.site).appending(person),
          [
            .text(request.person?.name ?? "you"), .text(request.title ?? request.site), .optional(request.message),
            .optional(request.created),
          ])
      })
    listing.finish(answer, page)
    listing.total = listing.next == nil ? .exact(page.skip + listing.rows.count) : .unknown
    return listing
  }

  // MARK: Items

  func memberItem(_ entry: Entry<SiteMember>, _ site: String, _ location: Location) -> Item {
    let member = entry.value
    let fields = [
      Field("name", "Name", .text(member.person.name), isPrivate: true), Field("role", "Role", .text(member.role)),
      Field("email", "E-mail", .optional(member.person.email), isPrivate: true),
      Field("id", "Id", .text(member.person.id), isPrivate: true), Field("site", "Site", .text(site)),
    ]
    let person = Location(connection: connection.name, path: ["people", member.person.id])
    return Item(
      location, title: member.person.name, sections: [Item.Section("Member", fields)],
      related: [Link("Person", person, opening: .item), Link("Site", siteLocation(site))],
      actions: MemberActions.all(member, isReadOnly: connection.isReadOnly), raw: entry.raw)
  }

  func requestItem(_ person: String, _ site: String, _ location: Location) async throws(ServiceError) -> Item {
    let isMine = person == "-me-"
    let limit = PageRequest(limit: 1000)
    let page = isMine ? try await client.myMembershipRequests(limit) : try await client.membershipRequests(limit)
    guard let request = page.entries.first(where: { $0.site == site && (isMine || $0.person?.id == person) }) else {
      throw .notFound(location)
    }
    let fields = [
      Field("person", "Who", .text(request.person?.name ?? "you"), isPrivate: true),
      Field("site", "Site", .text(request.title ?? site)), Field("message", "Message", .optional(request.message)),
      Field("created", "Asked", .optional(request.created), .time),
    ]
    return Item(
      location, title: "Request to join \(request.title ?? site)", sections: [Item.Section("Request", fields)],
      related: [Link("Site", siteLocation(site))],
      actions: RequestActions.all(isMine: isMine, isReadOnly: connection.isReadOnly), raw: page.raw)
  }

  // MARK: Actions

  func perform(_ form: ActionForm, onSite id: String) async throws(ServiceError) -> ActionOutcome {
    switch form.action {
    case "join":
      let isMember = try await client.join(id, message: form["message"])
      return isMember
        ? ActionOutcome("You are a member of \(id) now.", undo: [Undo("leave", at: form.location)])
        : ActionOutcome("A manager of \(id) has been asked.", location: ownRequest(id))
    case "leave":
      try await client.leave(id)
      return ActionOutcome("You have left \(id).")
    case "edit":
      let site = try await client.updateSite(
        id, title: try form.required("title"), summary: form.fields["description"], visibility: form["visibility"])
      return ActionOutcome("Changed the site “\(site.value.title)”.")
    case "delete":
      let site = try await client.site(id).value
      try await client.deleteSite(id)
      return ActionOutcome("Moved the site “\(site.title)” to the trash.")
    case "favorite", "unfavorite": return try await favor(form, site: id)
    default: throw form.unknown
    }
  }

  private func favor(_ form: ActionForm, site id: String) async throws(ServiceError) -> ActionOutcome {
    let site = try await client.site(id).value
    guard let guid = site.guid else {
      throw ServiceError(.notOffered, form.operation, detail: "the server names no node of this site")
    }
    if form.action == "favorite" {
      try await client.addFavorite(.site, guid)
      return ActionOutcome("“\(site.title)” is a favourite now.", undo: [Undo("unfavorite", at: form.location)])
    }
    try await client.removeFavorite(guid)
    return ActionOutcome("“\(site.title)” is no favourite any more.", undo: [Undo("favorite", at: form.location)])
  }

  func makeSite(_ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    let site = try await client.createSite(
      try form.required("title"), id: form["id"], summary: form["description"],
      visibility: form["visibility"] ?? "PUBLIC"
    ).value
    return ActionOutcome("Made the site “\(site.title)”.", location: siteLocation(site.id))
  }

  func perform(_ form: ActionForm, onMember person: String, of site: String) async throws(ServiceError) -> ActionOutcome
  {
    switch form.action {
    case "change-role":
      let before = try await client.member(person, ofSite: site).value.role
      let role = try MemberActions.role(form)
      let member = try await client.changeRole(of: person, to: role, inSite: site).value
      return ActionOutcome(
        "\(member.person.name) is \(member.role) now.",
        undo: [Undo("change-role", at: form.location, fields: ["role": before])])
    case "remove", "delete":
      try await client.removeMember(person, fromSite: site)
      return ActionOutcome("\(person) is no member of \(site) any more.")
    default: throw form.unknown
    }
  }

  func addMember(_ form: ActionForm, to site: String) async throws(ServiceError) -> ActionOutcome {
    let role = try MemberActions.role(form)
    let member = try await client.addMember(try form.required("person"), as: role, toSite: site).value
    let place = form.location.appending(member.person.id)
    return ActionOutcome(
      "\(member.person.name) is \(member.role) now.", location: place, undo: [Undo("remove", at: place)])
  }

  func decide(_ form: ActionForm, _ person: String, _ site: String) async throws(ServiceError) -> ActionOutcome {
    switch form.action {
    case "approve":
      try await client.approve(person, forSite: site, as: try MemberActions.role(form))
      return ActionOutcome("\(person) is a member of \(site) now.")
    case "reject":
      try await client.reject(person, forSite: site, comment: form["comment"])
      return ActionOutcome("Turned down the request of \(person).")
    case "withdraw":
      try await client.withdrawRequest(for: site)
      return ActionOutcome("Withdrew the request.")
    default: throw form.unknown
    }
  }

  private func ownRequest(_ site: String) -> Location {
    Location(connection: connection.name, path: ["requests", site, "-me-"])
  }
}
