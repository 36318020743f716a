import Model

// How a node is judged, filed and joined, as lists and actions.
extension AlfrescoBackend {
  func ratings(of id: String, _ location: Location) async throws(ServiceError) -> Listing {
    let answer = try await client.ratings(of: id)
    let isReadOnly = connection.isReadOnly
    var listing = Listing(
      location, title: NodeFacet.ratings.title,
      columns: [
        Column("id", "Scheme", rank: 0), Column("mine", "Yours", .integer, rank: 0),
        Column("count", "Ratings", .integer, rank: 1), Column("average", "Average", .decimal, rank: 1),
      ],
      rows: answer.entries.map { rating in
        Row(
          location.appending(rating.id),
          [
            .text(rating.id), .optional(rating.mine), .optional(rating.count),
            rating.average.map { .decimal($0) } ?? .null,
          ])
      }, actions: [NodeActions.like(isReadOnly), NodeActions.unlike(isReadOnly), NodeActions.rate(isReadOnly)])
    listing.finish(answer, PageRequest())
    return listing
  }

  func categories(
    ofNode id: String, _ location: Location, _ page: PageRequest
  ) async throws(ServiceError) -> Listing {
    let answer = try await client.categories(of: id, page)
    var listing = Listing(
      location, title: NodeFacet.categories.title,
      columns: [Column("name", "Category", rank: 0), Column("path", "Under", rank: 1), Column("id", "Id", rank: 9)],
      rows: answer.entries.map { category in
        Row(location.appending(category.id), [.text(category.name), .optional(category.path), .text(category.id)])
      }, actions: [NodeActions.file(connection.isReadOnly)])
    listing.finish(answer, page)
    return listing
  }

  /// Everything a node is joined with, in one list: who points where stands in the first column.
  func associations(of id: String, _ location: Location) async throws(ServiceError) -> Listing {
    let limit = PageRequest(limit: 1000)
    async let targets = client.targets(of: id, limit)
    async let sources = client.sources(of: id, limit)
    async let parents = client.parents(of: id, limit)
    var rows: [Row] = []
    func add(_ direction: String, _ nodes: [AssociatedNode]) {
      rows += nodes.map { joined in
        NodeTable.row(joined.node, at: nodeLocation(joined.node.id), [.text(direction), .text(joined.type)])
      }
    }
    do {
      add("points to", try await targets.entries)
      add("is pointed to by", try await sources.entries)
      // The folder it lives in is no news.
      add("lies in", try await parents.entries.filter { $0.isPrimary != true })
    } catch let error as ServiceError {
      throw error
    } catch {
      throw ServiceError(.failed, "list what it is joined with", cause: error)
    }
    return Listing(
      location, title: NodeFacet.associations.title,
      columns: NodeTable.columns + [Column("direction", "How", rank: 0), Column("association", "Kind", rank: 1)],
      rows: rows, total: .exact(rows.count), actions: NodeActions.joining(connection.isReadOnly))
  }

  // MARK: Actions

  /// Marks, filing and joining; nil for another action.
  func mark(_ form: ActionForm, _ node: Node) async throws(ServiceError) -> ActionOutcome? {
    switch form.action {
    case "like":
      _ = try await client.like(node.id)
      return ActionOutcome("You like “\(node.name)”.", undo: [Undo("unlike", at: form.location)])
    case "unlike":
      try await client.unrate(node.id, scheme: "likes")
      return ActionOutcome("You no longer like “\(node.name)”.", undo: [Undo("like", at: form.location)])
    case "rate":
      guard let stars = try form.integer("stars"), (1...5).contains(stars) else {
        throw ServiceError(.usage, form.operation, detail: "stars are 1 to 5", remedy: "Give them as stars=4.")
      }
      let rating = try await client.rate(node.id, stars: stars).value
      let average = rating.average.map { ", \($0) on average" } ?? ""
      return ActionOutcome(
        "“\(node.name)” has \(stars) of five stars of yours\(average).", undo: [Undo("unrate", at: form.location)])
    case "unrate":
      try await client.unrate(node.id, scheme: "fiveStar")
      return ActionOutcome("Took your stars back from “\(node.name)”.")
    case "file", "unfile": return try await file(node, form)
    case "join", "part": return try await join(node, form)
    default: return nil
    }
  }

  private func file(_ node: Node, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    let name = try form.required("category")
    let id = try await category(named: name, form)
    if form.action == "file" {
      let category = try await client.file(node.id, under: id).value
      return ActionOutcome(
        "Filed “\(node.name)” under \(category.name).",
        undo: [Undo("unfile", at: form.location, fields: ["category": id])])
    }
    try await client.unfile(node.id, from: id)
    return ActionOutcome(
      "Took “\(node.name)” out of \(name).", undo: [Undo("file", at: form.location, fields: ["category": id])])
  }

  private func join(_ node: Node, _ form: ActionForm) async throws(ServiceError) -> ActionOutcome {
    let other = try await client.node(try await self.node(named: try form.required("target"), form)).value
    let type = form["type"] ?? "cm:references"
    if form.action == "join" {
      try await client.associate(node.id, with: other.id, as: type)
      return ActionOutcome(
        "“\(node.name)” points to “\(other.name)”.",
        undo: [Undo("part", at: form.location, fields: ["target": other.id, "type": type])])
    }
    try await client.dissociate(node.id, from: other.id, as: form["type"])
    return ActionOutcome(
      "“\(node.name)” no longer points to “\(other.name)”.",
      undo: [Undo("join", at: form.location, fields: ["target": other.id, "type": type])])
  }
}

extension NodeActions {
  static func like(_ isReadOnly: Bool) -> Action { Action("like", "Like", disabled: isReadOnly ? readOnly : nil) }
  static func unlike(_ isReadOnly: Bool) -> Action {
    Action("unlike", "No longer like", disabled: isReadOnly ? readOnly : nil)
  }

  static func rate(_ isReadOnly: Bool, mayRate: Bool = true) -> Action {
    let stars = (1...5).reversed().map { FormField.Choice(String($0), String(repeating: "★", count: $0)) }
    return Action(
      "rate", "Give stars", fields: [FormField("stars", "Stars", .choice(stars), initial: "4")],
      disabled: isReadOnly ? readOnly : mayRate ? nil : "nobody rates what is their own")
  }

  static func unrate(_ isReadOnly: Bool) -> Action {
    Action("unrate", "Take the stars back", disabled: isReadOnly ? readOnly : nil)
  }

  static func file(_ isReadOnly: Bool) -> Action {
    let category = FormField("category", "Category", hint: "A name, or an id as in the list of categories")
    return Action("file", "File under a category", fields: [category], disabled: isReadOnly ? readOnly : nil)
  }

  static func joining(_ isReadOnly: Bool) -> [Action] {
    let disabled = isReadOnly ? readOnly : nil
    let target = FormField("target", "Other node", hint: "A location such as /files/Shared/a.txt, or a node id")
    return [
      Action(
        "join", "Join with another node",
        fields: [target, FormField("type", "Kind", initial: "cm:references", isRequired: false)], disabled: disabled),
      Action(
        "part", "Part from another node",
        fields: [target, FormField("type", "Kind", isRequired: false, hint: "Empty: of every kind")],
        disabled: disabled),
    ]
  }
}
