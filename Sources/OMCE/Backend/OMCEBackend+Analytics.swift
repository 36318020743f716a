import Model

/// The event log: what was noted, and what of it the collector has.
extension OMCEBackend {
  /// A collection's objects; that somebody opened it is noted for who opted in.
  func openedCollection(
    _ location: Location, _ query: ListQuery, _ id: String
  ) async throws(ServiceError) -> Listing {
    let listing = try await objects(location, query, id)
    if query.cursor == nil {
      await client.noteUse("openedCollection", component: "storage", ["collection": id])
    }
    return listing
  }

  func events(_ location: Location) async throws(ServiceError) -> Listing {
    let analytics = client.analytics
    let log = try await analytics.log()
    let columns = [
      Column("time", "Time", .time, rank: 0), Column("name", "Event", rank: 0), Column("type", "Type", rank: 2),
      Column("state", "State", rank: 1), Column("session", "Session", rank: 3),
      Column("properties", "Properties", rank: 1),
    ]
    let rows = log.map { entry in
      Row(
        location,
        [
          .time(entry.event.timestamp), .text(entry.event.name), .text(entry.event.isSystem ? "system" : "custom"),
          .text(entry.state.rawValue), .optional(entry.event.sessionID),
          .list(entry.event.properties.sorted { $0.key < $1.key }.map { .text("\($0.key)=\($0.value)") }),
        ], opening: .nothing)
    }
    let off = analytics.isOptedIn ? nil : "analytics is off for this connection"
    let nothing = log.contains { $0.state == .waiting } ? nil : "no event waits"
    return Listing(
      location, title: "Analytics", columns: columns, rows: rows, total: .exact(rows.count),
      notices: analytics.isOptedIn
        ? (client.profile.analytics.isDryRun ? ["The profile says dryRun: nothing is posted."] : [])
        : ["Nothing is noted or sent unless you opt in, here or with analytics: true in the configuration."],
      actions: [
        analytics.isOptedIn ? Action("opt-out", "Opt out") : Action("opt-in", "Opt in"),
        Action(
          "log", "Note an event",
          fields: [
            FormField("name", "Name"),
            FormField("properties", "Properties", .multiline, isRequired: false, hint: "NAME=VALUE, one a line"),
          ], disabled: off), Action("flush", "Send what waits", disabled: nothing),
        Action("end", "End the session", disabled: analytics.sessionID == nil ? "no session has begun" : nil),
      ])
  }

  func performAnalytics(
    _ action: String, _ location: Location, _ fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let analytics = client.analytics
    switch action {
    case "opt-in":
      try await analytics.optIn(true)
      let end = client.offline.isInUse ? "" : ", until Atrium ends"
      return ActionOutcome("Events are noted from now on\(end).", location: location)
    case "opt-out":
      try await analytics.optIn(false)
      return ActionOutcome("Nothing more is noted.", location: location)
    case "log":
      guard analytics.isOptedIn else { throw .notOffered(location.doing(action), "analytics is off") }
      var properties: [String: String] = [:]
      for line in (fields["properties"] ?? "").split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
          throw ServiceError(.usage, location.doing(action), detail: "“\(line)” is not NAME=VALUE")
        }
        properties[parts[0]] = parts[1]
      }
      try await analytics.logEvent(fields["name"] ?? "", properties: properties)
      return ActionOutcome("Noted.", location: location)
    case "flush":
      try await analytics.flush()
      return ActionOutcome(
        client.profile.analytics.isDryRun
          ? "Nothing was posted: the profile says dryRun." : "Posted what waited.", location: location)
    case "end":
      try await analytics.endSession()
      return ActionOutcome("Ended the session.", location: location)
    default: throw .notOffered(location.doing(action), "there is no such action here")
    }
  }
}
