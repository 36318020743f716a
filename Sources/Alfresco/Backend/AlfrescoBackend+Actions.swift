import Model

extension AlfrescoBackend {
  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let place = try Place(location)
    let form = ActionForm(action, location, fields)
    return try await changing(location.doing(action)) { () async throws(ServiceError) -> ActionOutcome in
      switch place {
      case .node(let reference): try await perform(form, on: reference)
      case .deleted(let id): try await perform(form, onDeleted: id)
      case .site(let id): try await perform(form, onSite: id)
      case .facet(let reference, let facet) where facet.actions.contains(action):
        try await perform(form, on: reference)
      case .sites where action == "new-site": try await makeSite(form)
      case .members(let site) where action == "add-member": try await addMember(form, to: site)
      case .member(let person, let site): try await perform(form, onMember: person, of: site)
      case .request(let person, let site): try await decide(form, person, site)
      case .category(let id): try await perform(form, onCategory: id)
      case .facetEntry(let reference, let facet, let entry):
        try await perform(form, on: facet, entry, of: reference)
      default: throw form.unknown
      }
    }
  }

  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    let place = try Place(location)
    return try await changing("delete \(location)") { () async throws(ServiceError) -> ActionOutcome in
      let form = ActionForm("delete", location, [:])
      switch place {
      case .node(let reference): return try await perform(form, on: reference)
      case .deleted(let id): return try await perform(ActionForm("purge", location, [:]), onDeleted: id)
      case .facetEntry(let reference, let facet, let entry):
        let form = ActionForm(facet.removal, location, [:])
        return try await perform(form, on: facet, entry, of: reference)
      case .site(let id): return try await perform(form, onSite: id)
      case .member(let person, let site): return try await perform(form, onMember: person, of: site)
      case .category(let id?): return try await perform(form, onCategory: id)
      case .request("-me-", let site): return try await decide(ActionForm("withdraw", location, [:]), "-me-", site)
      default: throw .notOffered("delete \(location)", "it cannot be deleted")
      }
    }
  }

  private func perform(_ form: ActionForm, on reference: NodeReference) async throws(ServiceError) -> ActionOutcome {
    let node = try await resolve(reference).value
    switch form.action {
    case "rename": return try await rename(node, reference, form)
    case "edit": return try await edit(node, form)
    case "move", "copy": return try await relocate(node, form)
    case "delete":
      try await client.delete(node.id)
      let trashed = trashLocation(node.id)
      return ActionOutcome(
        "Moved “\(node.name)” to the trash.", location: trashed, undo: [Undo("restore", at: trashed)])
    case "new-folder":
      let name = try form.required("name")
      let made = try await client.createFolder(name, in: node.id, title: form["title"]).value
      let place = childLocation(made, of: form.location, reference)
      return ActionOutcome("Made the folder “\(made.name)”.", location: place, undo: [Undo("delete", at: place)])
    case "comment":
      let comment = try await client.comment(on: node.id, try form.required("text")).value
      return ActionOutcome(
        "Commented on “\(node.name)”.", location: nodeLocation(node.id).facet("comments").appending(comment.id))
    case "tag":
      let tag = try await client.tag(node.id, try form.required("tag")).value
      let undo = Undo("untag", at: nodeLocation(node.id), fields: ["tag": tag.tag])
      return ActionOutcome("Tagged “\(node.name)” with “\(tag.tag)”.", undo: [undo])
    case "untag": return try await untag(node, try form.required("tag"))
    case "lock", "unlock": return try await lock(node, form)
    case "favorite":
      try await client.addFavorite(node.isFolder ? .folder : .file, node.id)
      return ActionOutcome("“\(node.name)” is a favourite now.", undo: [Undo("unfavorite", at: nodeLocation(node.id))])
    case "unfavorite":
      try await client.removeFavorite(node.id)
      return ActionOutcome(
        "“\(node.name)” is no favourite any more.", undo: [Undo("favorite", at: nodeLocation(node.id))])
    case "share", "unshare": return try await share(node, form)
    default:
      guard let outcome = try await mark(form, node) else { throw form.unknown }
      return outcome
    }
  }

  private func rename(
    _ node: Node, _ reference: NodeReference, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let renamed = try await client.update(node.id, name: try form.required("name")).value
    let place = reference.parent == nil ? nodeLocation(node.id) : form.location.parent?.appending(renamed.name)
    let undo = Undo("rename", at: nodeLocation(node.id), fields: ["name": node.name])
    return ActionOutcome("Renamed to “\(renamed.name)”.", location: place, undo: [undo])
  }

  /// Every field with a prefix is a property; an empty one is removed.
  private func edit(_ node: Node, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    var properties: [String: String?] = [:]
    for (name, value) in form.fields where name.contains(":") && value != node.property(name) ?? "" {
      properties[name] = .some(value.isEmpty ? nil : value)
    }
    guard !properties.isEmpty else { return ActionOutcome("Nothing was changed.") }
    _ = try await client.update(node.id, properties: properties)
    let names = properties.keys.sorted().map(PropertyTitles.title(of:)).joined(separator: ", ")
    let before = Dictionary(uniqueKeysWithValues: properties.keys.map { ($0, node.property($0) ?? "") })
    return ActionOutcome(
      "Changed \(names) of “\(node.name)”.", undo: [Undo("edit", at: nodeLocation(node.id), fields: before)])
  }

  private func relocate(_ node: Node, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    let (folder, target) = try await targetFolder(try form.required("target"), form)
    let isMove = form.action == "move"
    let result =
      isMove
      ? try await client.move(node.id, to: folder, name: form["name"]).value
      : try await client.copy(node.id, to: folder, name: form["name"]).value
    var place = nodeLocation(result.id)
    if let target, case .node(let reference) = try? Place(target) {
      place = childLocation(result, of: target, reference)
    }
    var undo = isMove ? [] : [Undo("delete", at: nodeLocation(result.id))]
    if isMove, let parent = node.parentID {
      undo = [Undo("move", at: nodeLocation(result.id), fields: ["target": parent, "name": node.name])]
    }
    return ActionOutcome("\(isMove ? "Moved" : "Copied") “\(node.name)”.", location: place, undo: undo)
  }

  /// A folder as a person names one: a location with or without the connection, a path, or a node id.
  private func targetFolder(_ text: String, _ form: ActionForm) async throws(ServiceError) -> (String, Location?) {
    guard let (target, reference) = try named(text, form) else { return (text, nil) }
    let node = try await resolve(reference).value
    guard node.isFolder else {
      throw ServiceError(.usage, form.operation, detail: "“\(node.name)” is not a folder", remedy: "Name a folder.")
    }
    return (node.id, target)
  }

  /// The id of any node that a person names in the same ways.
  func node(named text: String, _ form: ActionForm) async throws(ServiceError) -> String {
    guard let (_, reference) = try named(text, form) else { return text }
    return try await identify(reference)
  }

  /// Nil for a bare node id.
  private func named(_ text: String, _ form: ActionForm) throws(ServiceError) -> (Location, NodeReference)? {
    guard text.contains("/") || text.contains(":") else { return nil }
    let whole = text.hasPrefix("/") ? "\(connection.name):\(text)" : text
    guard let target = try? Location(parsing: whole), target.connection == connection.name,
      case .node(let reference) = try? Place(target)
    else {
      throw ServiceError(
        .usage, form.operation, detail: "“\(text)” is no folder or file of this connection",
        remedy: "Name one like /files/Shared, or give a node id.")
    }
    return (target, reference)
  }

  private func untag(_ node: Node, _ tag: String) async throws(ServiceError) -> ActionOutcome {
    let tags = try await client.tags(of: node.id, PageRequest(limit: 1000)).entries
    guard let found = tags.first(where: { $0.tag == tag.lowercased() || $0.tag == tag || $0.id == tag }) else {
      let known = tags.isEmpty ? "it has no tags" : "its tags are " + tags.map(\.tag).joined(separator: ", ")
      throw ServiceError(.notFound, "remove the tag “\(tag)”", detail: known)
    }
    try await client.untag(node.id, tagID: found.id)
    return ActionOutcome("Removed the tag “\(found.tag)” from “\(node.name)”.")
  }

  private func lock(_ node: Node, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    if form.action == "unlock" {
      _ = try await client.unlock(node.id)
      return ActionOutcome("Unlocked “\(node.name)”.", undo: [Undo("lock", at: nodeLocation(node.id))])
    }
    let minutes = try form.integer("minutes") ?? 0
    _ = try await client.lock(node.id, seconds: minutes * 60, full: form["type"] == "FULL")
    return ActionOutcome(
      "Locked “\(node.name)”" + (minutes > 0 ? " for \(minutes) minutes." : "."),
      undo: [Undo("unlock", at: nodeLocation(node.id))])
  }

  private func share(_ node: Node, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    if form.action == "unshare" {
      guard let link = node.property("qshare:sharedId") else {
        throw ServiceError(.notFound, form.operation, detail: "“\(node.name)” is not shared")
      }
      try await client.unshare(link)
      return ActionOutcome("“\(node.name)” is no longer shared.")
    }
    let expires = try form.moment("expires")
    if let expires, expires < surroundings.clock.now().adding(seconds: 86_400) {
      throw ServiceError(
        .usage, form.operation, detail: "a shared link holds for at least a day", remedy: "Choose a later date.")
    }
    let link = try await client.share(node.id, expires: expires).value
    let until = link.expires.map { " until \($0.rfc3339.prefix(10))" } ?? ""
    return ActionOutcome(
      "Shared “\(node.name)” as link \(link.id)\(until).", undo: [Undo("unshare", at: nodeLocation(node.id))])
  }

  private func perform(_ form: ActionForm, onDeleted id: String) async throws(ServiceError) -> ActionOutcome {
    switch form.action {
    case "restore":
      var folder: String?
      if let target = form["target"] { folder = try await targetFolder(target, form).0 }
      let node = try await client.restore(id, to: folder).value
      let place = nodeLocation(node.id)
      return ActionOutcome("Restored “\(node.name)”.", location: place, undo: [Undo("delete", at: place)])
    case "purge":
      let node = try await client.deletedNode(id).value
      try await client.purge(id)
      return ActionOutcome("Deleted “\(node.name)” for good.")
    default: throw form.unknown
    }
  }

  private func perform(
    _ form: ActionForm, on facet: NodeFacet, _ entry: String, of reference: NodeReference
  ) async throws(ServiceError) -> ActionOutcome {
    let id = try await identify(reference)
    switch (facet, form.action) {
    case (.versions, "revert"):
      let major = form["major"] != "false"
      let version = try await client.revert(id, to: entry, major: major, comment: form["comment"]).value
      let place = form.location.parent?.appending(version.id)
      return ActionOutcome("Version \(entry) is the newest again, as \(version.id).", location: place)
    case (.versions, "delete"):
      try await client.deleteVersion(entry, of: id)
      return ActionOutcome("Deleted version \(entry).")
    case (.comments, "edit"):
      _ = try await client.updateComment(entry, of: id, try form.required("text"))
      return ActionOutcome("Changed the comment.")
    case (.comments, "delete"):
      try await client.deleteComment(entry, of: id)
      return ActionOutcome("Deleted the comment.")
    case (.tags, "untag"):
      // A tag may stand in a location by its word, which the server knows only by its id.
      let tags = try await client.tags(of: id, PageRequest(limit: 1000)).entries
      try await client.untag(id, tagID: tags.first { $0.tag == entry }?.id ?? entry)
      return ActionOutcome("Removed the tag.")
    case (.ratings, _) where NodeFacet.ratings.actions.contains(form.action):
      return try await perform(form, on: reference)
    case (.ratings, "delete"):
      try await client.unrate(id, scheme: entry)
      return ActionOutcome("Took your rating back.")
    case (.categories, "unfile"):
      try await client.unfile(id, from: entry)
      return ActionOutcome(
        "Took it out of the category.", undo: [Undo("file", at: nodeLocation(id), fields: ["category": entry])])
    case (.renditions, "request"):
      try await client.requestRendition(entry, of: id)
      return ActionOutcome("The server is making the rendition “\(entry)”.", location: form.location)
    default: throw form.unknown
    }
  }

  func trashLocation(_ id: String) -> Location { Location(connection: connection.name, path: ["trash", id]) }
}

extension NodeFacet {
  /// What can be done at the list itself, to the node.
  var actions: Set<String> {
    switch self {
    case .comments: ["comment"]
    case .tags: ["tag", "untag"]
    case .ratings: ["like", "unlike", "rate", "unrate"]
    case .categories: ["file", "unfile"]
    case .associations: ["join", "part"]
    case .versions, .renditions, .audit: []
    }
  }

  /// What deleting one of its entries is called.
  var removal: String {
    switch self {
    case .tags: "untag"
    case .categories: "unfile"
    default: "delete"
    }
  }
}
