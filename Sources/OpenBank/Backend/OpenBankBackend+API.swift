import JSON
import Model
import Wire

/// The server as its developers see it: calls, versions, glossary, limits.
extension OpenBankBackend {
  func apiList(_ location: Location, _ query: ListQuery, _ place: APIPlace) async throws(ServiceError) -> Listing {
    switch place {
    case .information: entries(location, "API", apiEntries)
    case .endpoints: try await endpoints(location, query)
    case .tags: try await tags(location, query)
    case .favorites: try await favorites(location, query)
    case .versions: try await versions(location, query)
    case .glossary: try await glossary(location, query)
    case .trials: try trials(location, query)
    case .endpoint, .term, .trial: throw ServiceError.noContainer(location)
    }
  }

  func apiThing(_ location: Location, _ place: APIPlace) async throws(ServiceError) -> Item {
    switch place {
    case .information: try await apiItem(location)
    case .endpoint(let id): try await endpointItem(location, id)
    case .term(let title): try await termItem(location, title)
    case .trial(let number): try trialItem(location, number)
    case .endpoints, .tags, .favorites, .versions, .glossary, .trials: try await containerItem(location)
    }
  }

  var apiEntries: [Entry] {
    var entries: [Entry] = [
      ("endpoints", "Calls", "every call of this server, to search, read about and try"),
      ("tags", "Subjects", "the same by subject"),
    ]
    if !isAnonymous { entries.append(("favorites", "Favourites", "the calls you marked, kept by the server")) }
    return entries + [
      ("tries", "Tried out", "what you sent in this run, and what came back"),
      ("versions", "Versions", "which versions of the API are there"),
      ("glossary", "Glossary", "what its words mean"),
    ]
  }

  /// What the server says of itself; each part that it does not know is left out with a notice, not an error.
  func apiItem(_ location: Location) async throws(ServiceError) -> Item {
    let answer = try await client.send("/root", for: .anybodyKnownOrNot, "ask what the server is")
    let root = answer.root
    var notices: [String] = []
    var limits = OpenBankBackend.limitFields(client.rateLimit)
    do {
      // The front page itself is exempt from the limits, so it is this call that says what is left.
      let state = try await client.send("/rate-limiting", for: .anybodyKnownOrNot, "ask for the limits")
      limits = OpenBankBackend.limitFields(client.rateLimit)
      limits.append(Field("limited", "Calls are limited", state.root["is_active"].flag, .flag))
    } catch {
      guard error.code != .signInNeeded, error.code != .cancelled else { throw error }
      notices.append("Limits are not known: \(error.reason).")
    }
    let sections = [
      Item.Section("Server", OpenBankBackend.serverFields(root)), Item.Section("Limits", limits),
      Item.Section("Run at", OpenBankBackend.placeFields(root)),
    ]
    return Item(
      location, title: root["hosted_by"]["organisation"].string ?? connection.name,
      sections: sections.filter { !$0.fields.isEmpty },
      related: location.isRoot ? links(location, rootEntries) : links(location, apiEntries),
      actions: [Action("probe", "Find out what this server offers")], raw: answer.raw, notices: notices)
  }

  /// The generation and the ways to sign in, asked of the server without any credentials.
  func probe(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    let found = try await client.probe()
    let generation = found.generation == .lift ? "a server of the older generation (Lift)" : "a server of 2026 (http4s)"
    let methods = found.methods.map(\.rawValue).joined(separator: ", ")
    let versions = found.versions.map(\.description).joined(separator: ", ")
    return ActionOutcome(
      "\(found.organisation ?? location.connection) runs \(generation): signing in by \(methods); versions \(versions)."
    )
  }

  private static func serverFields(_ root: JSONValue) -> [Field] {
    let host = root["hosted_by"]
    return [
      Field("version", "Version", root.value("version")),
      Field("version_status", "State of the version", root.value("version_status")),
      Field("stage", "Stage", root.value("stage")), Field("organisation", "Run by", host.value("organisation")),
      Field("email", "Address", host.value("email")), Field("phone", "Phone", host.value("phone")),
      Field("website", "Website", host.value("organisation_website")),
      Field("connector", "Connector", root.value("connector")), Field("git_commit", "Commit", root.value("git_commit")),
      Field("hostname", "Its own address", root.value("hostname")),
      Field("docs_need_role", "Docs need a role", root["resource_docs_requires_role"].flag, .flag),
    ].filter { !$0.value.isNull || ["version", "organisation"].contains($0.id) }
  }

  private static func placeFields(_ root: JSONValue) -> [Field] {
    [("hosted_at", "Hosted at"), ("energy_source", "Energy from")].compactMap { key, title in
      root[key]["organisation"].string.map { Field(key, title, .text($0)) }
    }
  }

  /// No limit that the server names is not a limit of zero (reference, trap 27).
  private static func limitFields(_ limit: RateLimit?) -> [Field] {
    guard let limit else { return [] }
    let used = limit.limit.flatMap { all in limit.remaining.map { all - $0 } }
    return [
      Field("rate_limit", "Calls allowed", .optional(limit.limit), .integer),
      Field("rate_used", "Calls used", .optional(used), .integer),
      Field("rate_remaining", "Calls left", .optional(limit.remaining), .integer),
      Field("rate_reset", "Anew in seconds", .optional(limit.reset), .integer),
    ]
  }

  // MARK: Versions

  private func versions(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    guard client.version >= APIVersion(4, 0, 0) else {
      throw .notOffered("list the versions", "this version of the API does not name the others")
    }
    let answer = try await client.send("/api/versions", for: .anybodyKnownOrNot, "list the versions")
    let columns = [
      Column("id", "Version", rank: 0), Column("standard", "Standard", rank: 1), Column("prefix", "Prefix", rank: 2),
      Column("spoken", "Spoken here", .flag, rank: 1),
    ]
    let spoken = client.version.description
    return try .whole(
      location, "Versions", columns, Array(try answer.elements("scanned_api_versions")), query, raw: answer.raw
    ) { version in
      let name = version.first("apiShortVersion", "API_VERSION") ?? ""
      let isOwn = version["apiStandard"].string?.lowercased() == "obp" && name == spoken
      return Row(
        location, [.text(name), version.value("apiStandard"), version.value("urlPrefix"), .flag(isOwn)],
        opening: .nothing)
    }
  }

  // MARK: Glossary

  private func glossaryAnswer() async throws(ServiceError) -> OpenBankAnswer {
    guard client.version >= APIVersion(3, 0, 0) else {
      throw .notOffered("open the glossary", "this version of the API has none")
    }
    return try await client.send("/api/glossary", for: .anybodyKnownOrNot, "load the glossary")
  }

  private static func meaning(_ item: JSONValue) -> String? {
    let description = item["description"]
    return description["markdown"].string ?? description["html"].string.map(Markup.text)
  }

  private func glossary(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let answer = try await glossaryAnswer()
    let columns = [Column("id", "Word", rank: 0), Column("meaning", "Meaning", rank: 0)]
    return try .whole(
      location, "Glossary", columns, Array(try answer.elements("glossary_items")), query, raw: answer.raw
    ) { item in
      let title = item["title"].string ?? ""
      let first = OpenBankBackend.meaning(item).flatMap { text in
        text.split(whereSeparator: \.isNewline).first.map(String.init)
      }
      return Row(location.appending(title), [.text(title), .optional(first)])
    }
  }

  private func termItem(_ location: Location, _ title: String) async throws(ServiceError) -> Item {
    let answer = try await glossaryAnswer()
    guard let item = try answer.elements("glossary_items").first(where: { $0["title"].string == title }) else {
      throw .notFound(location)
    }
    let fields = [
      Field("id", "Word", .text(title)), Field("meaning", "Meaning", .optional(OpenBankBackend.meaning(item))),
    ]
    return Item(location, title: title, sections: [.init("Glossary", fields)], raw: answer.raw)
  }
}
