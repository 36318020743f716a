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
      case .facet(let reference, .comments) where action == "comment": try await perform(form, on: reference)
      case .facet(let reference, .tags) where action == "tag": try await perform(form, on: reference)
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
        let form = ActionForm(facet == .tags ? "untag" : "delete", location, [:])
        return try await perform(form, on: facet, entry, of: reference)
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
      return ActionOutcome("Moved “\(node.name)” to the trash.", location: trashLocation(node.id))
    case "new-folder":
      let name = try form.required("name")
      let made = try await client.createFolder(name, in: node.id, title: form["title"]).value
      return ActionOutcome(
        "Made the folder “\(made.name)”.", location: childLocation(made, of: form.location, reference))
    case "comment":
      let comment = try await client.comment(on: node.id, try form.required("text")).value
      return ActionOutcome(
        "Commented on “\(node.name)”.", location: nodeLocation(node.id).facet("comments").appending(comment.id))
    case "tag":
      let tag = try await client.tag(node.id, try form.required("tag")).value
      return ActionOutcome("Tagged “\(node.name)” with “\(tag.tag)”.")
    case "untag": return try await untag(node, try form.required("tag"))
    case "lock", "unlock": return try await lock(node, form)
    case "favorite":
      try await client.addFavorite(node.isFolder ? .folder : .file, node.id)
      return ActionOutcome("“\(node.name)” is a favourite now.")
    case "unfavorite":
      try await client.removeFavorite(node.id)
      return ActionOutcome("“\(node.name)” is no favourite any more.")
    case "share", "unshare": return try await share(node, form)
    default: throw form.unknown
    }
  }

  private func rename(
    _ node: Node, _ reference: NodeReference, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let renamed = try await client.update(node.id, name: try form.required("name")).value
    let place = reference.parent == nil ? nodeLocation(node.id) : form.location.parent?.appending(renamed.name)
    return ActionOutcome("Renamed to “\(renamed.name)”.", location: place)
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
    return ActionOutcome("Changed \(names) of “\(node.name)”.")
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
    return ActionOutcome("\(isMove ? "Moved" : "Copied") “\(node.name)”.", location: place)
  }

  /// A folder as a person names one: a location with or without the connection, a path, or a node id.
  private func targetFolder(_ text: String, _ form: ActionForm) async throws(ServiceError) -> (String, Location?) {
    guard text.contains("/") || text.contains(":") else { return (text, nil) }
    let whole = text.hasPrefix("/") ? "\(connection.name):\(text)" : text
    guard let target = try? Location(parsing: whole), target.connection == connection.name,
      case .node(let reference) = try? Place(target)
    else {
      throw ServiceError(
        .usage, form.operation, detail: "“\(text)” is no folder of this connection",
        remedy: "Name one like /files/Shared, or give a node id.")
    }
    let node = try await resolve(reference).value
    guard node.isFolder else {
      throw ServiceError(.usage, form.operation, detail: "“\(node.name)” is not a folder", remedy: "Name a folder.")
    }
    return (node.id, target)
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
      return ActionOutcome("Unlocked “\(node.name)”.")
    }
    let minutes = try form.integer("minutes") ?? 0
    _ = try await client.lock(node.id, seconds: minutes * 60, full: form["type"] == "FULL")
    return ActionOutcome("Locked “\(node.name)”" + (minutes > 0 ? " for \(minutes) minutes." : "."))
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
    return ActionOutcome("Shared “\(node.name)” as link \(link.id).")
  }

  private func perform(_ form: ActionForm, onDeleted id: String) async throws(ServiceError) -> ActionOutcome {
    switch form.action {
    case "restore":
      var folder: String?
      if let target = form["target"] { folder = try await targetFolder(target, form).0 }
      let node = try await client.restore(id, to: folder).value
      return ActionOutcome("Restored “\(node.name)”.", location: nodeLocation(node.id))
    case "purge":
      let node = try await client.deletedNode(id).value
      try await client.purge(id)
      return ActionOutcome("Deleted “\(node.name)” for good.")
    default: throw form.unknown
    }
  }

  private func perform(_ form: ActionForm, onSite id: String) async throws(ServiceError) -> ActionOutcome {
    let site = try await client.site(id).value
    guard let guid = site.guid else {
      throw ServiceError(.notOffered, form.operation, detail: "the server names no node of this site")
    }
    switch form.action {
    case "favorite":
      try await client.addFavorite(.site, guid)
      return ActionOutcome("“\(site.title)” is a favourite now.")
    case "unfavorite":
      try await client.removeFavorite(guid)
      return ActionOutcome("“\(site.title)” is no favourite any more.")
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
    case (.renditions, "request"):
      try await client.requestRendition(entry, of: id)
      return ActionOutcome("The server is making the rendition “\(entry)”.", location: form.location)
    default: throw form.unknown
    }
  }

  private func trashLocation(_ id: String) -> Location { Location(connection: connection.name, path: ["trash", id]) }
}
