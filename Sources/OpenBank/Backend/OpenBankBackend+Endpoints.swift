import JSON
import Model
import Wire

/// The server's calls: listed, read about, and marked.
extension OpenBankBackend {
  static let endpointColumns = [
    Column("id", "Id", rank: 3), Column("method", "Method", rank: 0), Column("path", "Path", rank: 0),
    Column("summary", "What it does", rank: 1), Column("tags", "Subjects", rank: 3),
    Column("roles", "Roles", rank: 2), Column("version", "Since", rank: 4),
  ]

  static func row(_ endpoint: Endpoint, connection: String) -> Row {
    Row(
      Location(connection: connection, path: ["api", "endpoints", endpoint.id]),
      [
        .text(endpoint.id), .text(endpoint.method), .text(endpoint.path), .optional(endpoint.summary),
        .list(endpoint.tags.map(Value.text)), .list(endpoint.roles.map { .text($0.name) }),
        .optional(endpoint.version),
      ])
  }

  /// `?tag=Account` keeps one subject.
  func endpoints(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let edition = try await client.endpointEdition(orKnown: query.cursor != nil)
    let tag = location.queryValue("tag")
    let shown = tag.map { tag in edition.endpoints.filter { $0.tags.contains(tag) } } ?? edition.endpoints
    return try listing(of: shown, location, tag.map { "Calls about \($0)" } ?? "Calls", query, raw: edition.answer.raw)
  }

  private func listing(
    of endpoints: [Endpoint], _ location: Location, _ title: String, _ query: ListQuery, raw: RawAnswer?
  ) throws(ServiceError) -> Listing {
    let page = try LocalPages(endpoints.count, query)
    return Listing(
      location, title: title, columns: OpenBankBackend.endpointColumns,
      rows: endpoints[page.range].map { OpenBankBackend.row($0, connection: location.connection) }, next: page.next,
      total: .exact(endpoints.count), raw: raw)
  }

  func tags(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let edition = try await client.endpointEdition(orKnown: query.cursor != nil)
    var counts: [String: Int] = [:]
    for tag in edition.endpoints.flatMap(\.tags) { counts[tag, default: 0] += 1 }
    let tags = counts.sorted { $0.key < $1.key }
    let page = try LocalPages(tags.count, query)
    let place = Location(connection: location.connection, path: ["api", "endpoints"])
    return Listing(
      location, title: "Subjects", columns: [Column("id", "Subject", rank: 0), Column("count", "Calls", .integer)],
      rows: tags[page.range].map { tag, count in
        Row(place.with(query: [("tag", tag)]), [.text(tag), .integer(Int64(count))], opening: .listing)
      }, next: page.next, total: .exact(tags.count), raw: edition.answer.raw)
  }

  /// Calls and words of the glossary that hold every word.
  public func search(_ request: SearchRequest) async throws(ServiceError) -> Listing {
    guard request.language == .words else {
      throw .notOffered("search", "a bank is searched by words only")
    }
    let words = request.text.split(whereSeparator: \.isWhitespace).map(String.init)
    let edition = try await client.endpointEdition(orKnown: true)
    let found = edition.endpoints.filter { $0.matches(words) }
    return try listing(
      of: found, Location(connection: connection.name, path: ["api", "endpoints"]), "Calls with “\(request.text)”",
      request.query, raw: nil)
  }

  // MARK: One call

  func endpointItem(_ location: Location, _ id: String) async throws(ServiceError) -> Item {
    guard let (answer, endpoint) = try await client.endpoint(id) else { throw .notFound(location) }
    let held = try await heldRoles(for: endpoint)
    let roles = endpoint.roles.map { role in
      let isHeld = held.map { $0.contains(role.name) ? "held" : "not held" } ?? "not known whether held"
      return Field("role_\(role.name)", role.name, .text(isHeld + (role.needsBank ? ", at a bank" : ", everywhere")))
    }
    let errors = endpoint.errors.enumerated().map { index, text in
      Field("error_\(index + 1)", OpenBankFault.parted(text).code ?? "Error", .text(text))
    }
    var examples: [Field] = []
    if let body = endpoint.exampleBody { examples.append(Field("example_body", "To send", .text(body))) }
    if let answer = endpoint.exampleAnswer { examples.append(Field("example_answer", "Answer", .text(answer))) }
    let sections = [
      Item.Section("Call", endpointFields(endpoint)), Item.Section("Roles", roles.withUniqueIDs),
      Item.Section("Examples", examples), Item.Section("Errors", errors),
    ].filter { !$0.fields.isEmpty }
    let tags = endpoint.tags.map { tag in
      Link(
        "Calls about \(tag)",
        Location(connection: location.connection, path: ["api", "endpoints"], query: [("tag", tag)]))
    }
    return Item(
      location, title: endpoint.summary ?? id, sections: sections, related: tags,
      actions: try await endpointActions(endpoint), raw: answer.raw)
  }

  private func endpointFields(_ endpoint: Endpoint) -> [Field] {
    [
      Field("id", "Id", .text(endpoint.id)), Field("method", "Method", .text(endpoint.method)),
      Field("path", "Path", .text(endpoint.path)), Field("version", "Since", .optional(endpoint.version)),
      Field("summary", "What it does", .optional(endpoint.summary)),
      Field("tags", "Subjects", .list(endpoint.tags.map(Value.text))),
      Field("description", "Description", .optional(endpoint.description)),
    ]
  }

  /// Names of the roles that the user holds; nil where nobody is signed in, or the call needs none.
  private func heldRoles(for endpoint: Endpoint) async throws(ServiceError) -> Set<String>? {
    guard !endpoint.roles.isEmpty, !isAnonymous, client.version >= APIVersion(3, 0, 0) else { return nil }
    do {
      let answer = try await client.send("/my/entitlements", "load your roles")
      return Set(answer.root["list"].elements.compactMap { $0["role_name"].string })
    } catch {
      guard error.code != .cancelled else { throw error }
      return nil
    }
  }

  private func endpointActions(_ endpoint: Endpoint) async throws(ServiceError) -> [Action] {
    var actions = [tryAction(endpoint, form: [:])]
    let off = favoritesOff
    let marked = off == nil ? (try? await favoriteIDs()) ?? [] : []
    actions.append(
      marked.contains(endpoint.id)
        ? Action("unfavorite", "Remove from the favourites", disabled: off)
        : Action("favorite", "Add to the favourites", disabled: off))
    if !endpoint.roles.isEmpty {
      let choices = endpoint.roles.map { FormField.Choice($0.name, $0.name) }
      actions.append(
        Action(
          "request-role", "Ask for a role",
          fields: [
            FormField("role", "Role", .choice(choices), initial: choices[0].value),
            FormField("bank", "At the bank", isRequired: false, hint: "id of a bank; empty for a role everywhere"),
          ], disabled: noWriting))
    }
    return actions
  }

  // MARK: Favourites

  /// What the API's own explorer calls the collection, so that both show the same calls.
  private static let collection = "Favourites"

  private var favoritesOff: String? {
    noWriting ?? (client.version >= APIVersion(4, 0, 0) ? nil : "this version of the API keeps no favourites")
  }

  private static var collectionPath: String {
    OpenBankClient.path("my", "api-collections", collection, "api-collection-endpoints")
  }

  func favoriteIDs() async throws(ServiceError) -> [String] {
    do {
      let answer = try await client.send(OpenBankBackend.collectionPath, "load your favourites")
      return try answer.elements("api_collection_endpoints").compactMap { $0["operation_id"].string }
    } catch {
      // Before the first favourite there is no collection.
      guard error.code == .notFound || error.serverCode == "OBP-30079" else { throw error }
      return []
    }
  }

  func favorites(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let ids = try await favoriteIDs()
    let edition = try await client.endpointEdition(orKnown: true)
    let known = Dictionary(edition.endpoints.map { ($0.id, $0) }) { first, _ in first }
    var listing = try listing(of: ids.compactMap { known[$0] }, location, "Favourites", query, raw: nil)
    let gone = ids.filter { known[$0] == nil }
    if !gone.isEmpty {
      listing.notices.append("Not in version \(client.version): \(gone.joined(separator: ", ")).")
    }
    return listing
  }

  func mark(_ id: String, as isFavorite: Bool, at location: Location, _ operation: String) async throws(ServiceError)
    -> ActionOutcome
  {
    if let off = favoritesOff { throw .notOffered(operation, off) }
    guard isFavorite else {
      _ = try await client.send(
        OpenBankBackend.collectionPath + OpenBankClient.path(id), method: "DELETE", operation)
      return ActionOutcome("Removed from the favourites.", location: location)
    }
    let add: () async throws(ServiceError) -> Void = { () async throws(ServiceError) in
      _ = try await client.send(
        OpenBankBackend.collectionPath, method: "POST", body: ["operation_id": .string(id)], operation)
    }
    do {
      try await add()
    } catch {
      guard error.code == .notFound || error.serverCode == "OBP-30079" else { throw error }
      let collection: JSONNode = [
        "api_collection_name": .string(OpenBankBackend.collection), "is_sharable": false,
        "description": "Calls at hand",
      ]
      _ = try await client.send("/my/api-collections", method: "POST", body: collection, operation)
      try await add()
    }
    return ActionOutcome("Added to the favourites.", location: location)
  }
}
