import Model
import Wire

extension MobileFirstBackend {
  public func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let place = try MobileFirstPlace(location)
    try await manager.load()
    let all: Listing
    switch place {
    case .root: all = entryPoints(location)
    case .resources: all = resources(location)
    case .adapters: all = adapters(location)
    case .checks: all = checks(location)
    case .tokens: all = tokens(location)
    case .resource, .adapter, .check, .token:
      throw ServiceError.noContainer(location)
    }
    return try all.page(query)
  }

  private func entryPoints(_ location: Location) -> Listing {
    let points = [
      ("resources", "Protected resources"), ("adapters", "Adapters"), ("checks", "Security checks"),
      ("tokens", "Tokens held"),
    ]
    let rows = points.map { Row(location.appending($0.0), [.text($0.1), .text($0.0)], opening: .listing) }
    return Listing(
      location, title: connection.name, columns: [Column("title", "Place", rank: 0), Column("id", "Id", rank: 9)],
      rows: rows)
  }

  private func resources(_ location: Location) -> Listing {
    let rows = settings.resources.map { resource in
      let scope = scope(of: resource)
      let values: [Value] = [
        .text(resource.name), .text(resource.path), .optional(scope.map { "\($0)" }), .text(state(scope)),
      ]
      return Row(location.appending(resource.name), values, hasContent: true)
    }
    let columns = [
      Column("name", "Resource", rank: 0), Column("path", "Path", rank: 2), Column("scope", "Scope", rank: 1),
      Column("state", "State", rank: 1),
    ]
    let notices = rows.isEmpty ? ["No resources are configured; list them under “resources:”."] : []
    return Listing(
      location, title: "Protected resources", columns: columns, rows: rows, notices: notices + serverNotices)
  }

  func scope(of resource: MobileFirstSettings.Resource) -> Scope? {
    guard resource.scope == nil else { return resource.scope }
    guard let url = try? url(path: resource.path, "") else { return nil }
    return manager.learntScope(ProtectedResource.key(HTTPRequest(resource.method, url)))
  }

  /// Whether the door stands open: a token is held, would have to be obtained, or nobody has tried yet.
  func state(_ scope: Scope?) -> String {
    guard let scope else { return "unknown" }
    return manager.cachedToken(for: scope) == nil ? "locked" : "open"
  }

  /// The server lists no adapters to a client, so these are the ones that configured resources use.
  private func adapters(_ location: Location) -> Listing {
    let used = settings.resources.filter { $0.path.hasPrefix("/adapters/") }
    let rows = used.map { resource in
      let names = resource.path.split(separator: "/").dropFirst().map(String.init)
      let place = names.reduce(location) { $0.appending($1) }
      return Row(place, [.text(names.joined(separator: "/")), .text(resource.name)], hasContent: true)
    }
    return Listing(
      location, title: "Adapters",
      columns: [Column("path", "Path", rank: 0), Column("name", "Resource", rank: 1)], rows: rows,
      notices: ["The server does not list its adapters; go to \(location)/NAME/PATH."])
  }

  /// The server's own silent checks, such as the one that speaks to everybody, are none that a person could pass.
  var checkNames: [String] {
    Set(manager.knownChecks + answers.configuredChecks).subtracting([Challenge.noticeCheck]).sorted()
  }

  var serverNotices: [String] { manager.notice.map { ["The server says: \($0)"] } ?? [] }

  static let passesNoChecks = "a confidential client passes no checks"
  var isConfidential: Bool { if case .confidential = settings.client { true } else { false } }

  private func checks(_ location: Location) -> Listing {
    let now = surroundings.clock.now()
    let rows = checkNames.map { name in
      let check = manager.check(name)
      let values: [Value] = [
        .text(name), .text(check.state(at: now).rawValue), .optional(check.remaining), .optional(check.expires),
        .optional(check.user),
      ]
      return Row(location.appending(name), values)
    }
    let columns = [
      Column("name", "Check", rank: 0), Column("state", "State", rank: 1),
      Column("remaining", "Attempts left", .integer, rank: 2), Column("expires", "At least until", .time, rank: 3),
      Column("user", "User", rank: 4, isPrivate: true),
    ]
    let notices = rows.isEmpty ? ["No check has asked yet; they show here once a resource needs them."] : []
    let reason = isConfidential ? Self.passesNoChecks : manager.clientID == nil ? "not registered yet" : nil
    return Listing(
      location, title: "Security checks", columns: columns, rows: rows, notices: notices + serverNotices,
      actions: [Action("heartbeat", "Say to the server that this client is there", disabled: reason)])
  }

  private func tokens(_ location: Location) -> Listing {
    let rows = manager.heldTokens.map { token in
      let values: [Value] = [.text("\(token.scope)"), .time(token.expires), .flag(token.refreshToken != nil)]
      return Row(location.appending("\(token.scope)"), values)
    }
    let columns = [
      Column("scope", "Scope", rank: 0), Column("expires", "Expires", .time, rank: 1),
      Column("renewable", "Renewable", .flag, rank: 2),
    ]
    return Listing(location, title: "Tokens held", columns: columns, rows: rows)
  }
}

extension Listing {
  /// The page asked for of a list that is short and known as a whole.
  func page(_ query: ListQuery) throws(ServiceError) -> Listing {
    let skip = query.cursor.map { Int($0) } ?? 0
    guard let skip, skip >= 0 else {
      throw ServiceError(.usage, "go on listing", detail: "“\(query.cursor ?? "")” is no cursor of this listing")
    }
    var page = self
    page.total = .exact(rows.count)
    page.rows = Array(rows.dropFirst(skip).prefix(query.limit ?? rows.count))
    let end = skip + page.rows.count
    page.next = end < rows.count ? String(end) : nil
    return page
  }
}
