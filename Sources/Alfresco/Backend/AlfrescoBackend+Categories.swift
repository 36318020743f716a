import Model

// The tree of categories, and the audit.
extension AlfrescoBackend {
  func categories(_ id: String?, _ location: Location, _ page: PageRequest) async throws(ServiceError) -> Listing {
    let answer = try await client.subcategories(of: id ?? "-root-", page)
    let title = try await id.asyncMap { (id) async throws(ServiceError) in try await client.category(id).value.name }
    var listing = Listing(
      location, title: title ?? "Categories",
      columns: [
        Column("name", "Category", rank: 0), Column("count", "Filed here", .integer, rank: 1),
        Column("id", "Id", rank: 9),
      ],
      rows: answer.entries.map { category in
        Row(
          categoryLocation(category.id), [.text(category.name), .optional(category.count), .text(category.id)],
          opening: category.hasChildren ? .listing : .item)
      }, actions: [CategoryActions.make(isReadOnly: connection.isReadOnly)])
    listing.finish(answer, page)
    return listing
  }

  func categoryLocation(_ id: String) -> Location { Location(connection: connection.name, path: ["categories", id]) }

  func categoryItem(_ entry: Entry<Category>, _ location: Location) -> Item {
    let category = entry.value
    let fields = [
      Field("name", "Name", .text(category.name)), Field("path", "Under", .optional(category.path)),
      Field("count", "Filed here", .optional(category.count), .integer), Field("id", "Id", .text(category.id)),
    ]
    var links = [Link("What is filed here", filed(under: category.id))]
    if category.hasChildren { links.append(Link("Narrower categories", location)) }
    if let parent = category.parentID { links.append(wider(parent)) }
    return Item(
      location, title: category.name, sections: [Item.Section("Category", fields)], related: links,
      actions: CategoryActions.all(category, isReadOnly: connection.isReadOnly), raw: entry.raw)
  }

  /// The root has no page of its own.
  private func wider(_ parent: String) -> Link {
    parent == "-root-"
      ? Link("All categories", Location(connection: connection.name, path: ["categories"]))
      : Link("Wider category", categoryLocation(parent))
  }

  /// A search for what is filed under a category.
  private func filed(under id: String) -> Location {
    let query = "cm:categories:\"workspace://SpacesStore/\(TypedWords.escaped(id))\""
    return Location(connection: connection.name, path: ["search"], query: [("q", query), ("language", "afts")])
  }

  func perform(_ form: ActionForm, onCategory id: String?) async throws(ServiceError) -> ActionOutcome {
    switch (form.action, id) {
    case ("new-category", _):
      let made = try await client.createCategory(try form.required("name"), in: id ?? "-root-").value
      return ActionOutcome("Made the category “\(made.name)”.", location: categoryLocation(made.id))
    case ("rename", let id?):
      let before = try await client.category(id).value.name
      let renamed = try await client.renameCategory(id, to: try form.required("name")).value
      return ActionOutcome(
        "Renamed to “\(renamed.name)”.", undo: [Undo("rename", at: form.location, fields: ["name": before])])
    case ("delete", let id?):
      let category = try await client.category(id).value
      try await client.deleteCategory(id)
      return ActionOutcome("Deleted the category “\(category.name)”.")
    default: throw form.unknown
    }
  }

  /// A category as a person names one: by its id, or by its name where only one has it.
  func category(named text: String, _ form: ActionForm) async throws(ServiceError) -> String {
    var waiting = ["-root-"]
    var found: [Category] = []
    var seen = 0
    while let next = waiting.popLast(), seen < Self.mostCategories {
      for category in try await client.subcategories(of: next, PageRequest(limit: 1000)).entries {
        seen += 1
        if category.id == text { return category.id }
        if category.name.lowercased() == text.lowercased() { found.append(category) }
        if category.hasChildren { waiting.append(category.id) }
      }
    }
    guard found.count < 2 else {
      throw ServiceError(
        .usage, form.operation, detail: "several categories are called “\(text)”",
        remedy: "Give its id, as in \(connection.name):/categories.")
    }
    guard let only = found.first else {
      throw ServiceError(
        .notFound, form.operation, detail: "there is no category “\(text)”",
        remedy: "Choose one of \(connection.name):/categories.")
    }
    return only.id
  }

  /// As many are looked at for a name; an id finds its way without.
  private static let mostCategories = 5000

  // MARK: Audit

  func auditApplications(_ location: Location) async throws(ServiceError) -> Listing {
    let answer = try await client.auditApplications()
    var listing = Listing(
      location, title: "Audit",
      columns: [
        Column("name", "Audited", rank: 0), Column("enabled", "On", .flag, rank: 1), Column("id", "Id", rank: 9),
      ],
      rows: answer.entries.map { audit in
        Row(
          location.appending(audit.id), [.text(audit.name), .flag(audit.isEnabled), .text(audit.id)],
          opening: .listing)
      })
    listing.finish(answer, PageRequest())
    return listing
  }
}

/// What can be done with categories; the server lets administrators alone change them.
enum CategoryActions {
  static func make(isReadOnly: Bool) -> Action {
    Action(
      "new-category", "New category", fields: [FormField("name", "Name")],
      disabled: isReadOnly ? NodeActions.readOnly : nil)
  }

  static func all(_ category: Category, isReadOnly: Bool) -> [Action] {
    let disabled = isReadOnly ? NodeActions.readOnly : nil
    return [
      make(isReadOnly: isReadOnly),
      Action("rename", "Rename", fields: [FormField("name", "New name", initial: category.name)], disabled: disabled),
      Action(
        "delete", "Delete", disabled: disabled, warning: "Delete the category “\(category.name)” and all below it"),
    ]
  }
}

/// Rows of an audit, of an application or of a node.
enum AuditTable {
  static func listing(
    _ answer: Page<AuditEntry>, _ location: Location, title: String, _ page: PageRequest
  ) -> Listing {
    var listing = Listing(
      location, title: title,
      columns: [
        Column("created", "When", .time, rank: 0), Column("user", "Who", rank: 0, isPrivate: true),
        Column("values", "What", rank: 0), Column("id", "Id", rank: 9),
      ],
      rows: answer.entries.map { entry in
        Row(
          location, [.optional(entry.created), .optional(entry.user), .text(entry.summary), .text(entry.id)],
          opening: .nothing)
      })
    listing.finish(answer, page)
    return listing
  }
}

extension Optional {
  func asyncMap<Other>(
    _ transform: (Wrapped) async throws(ServiceError) -> Other
  ) async throws(ServiceError) -> Other? {
    guard let self else { return nil }
    return try await transform(self)
  }
}
