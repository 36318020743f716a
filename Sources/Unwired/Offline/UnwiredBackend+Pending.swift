import JSON
import Model
import Store

// The edits that wait, and what a person can decide about them.
extension UnwiredBackend {
  func edits(_ location: Location, _ operation: String) async throws(ServiceError) -> Listing {
    let store = try await offline.store(operation)
    let edits = try keeping(operation) { () throws(OfflineError) in try store.edits() }
    let columns = [
      Column("id", "Id", .integer, rank: 0), Column("set", "Set", rank: 0), Column("operation", "Operation"),
      Column("key", "Key", rank: 0), Column("state", "State"), Column("error", "Error"),
      Column("queued", "Queued", .time, rank: 3),
    ]
    let nothing = edits.isEmpty ? "nothing waits" : nil
    return Listing(
      location, title: "Pending changes", columns: columns,
      rows: edits.map { edit in
        Row(
          location.appending(String(edit.id)),
          [
            .integer(edit.id), .text(edit.set), .text(edit.operation.rawValue), .text(edit.key),
            .text(edit.state.rawValue), .optional(edit.error), .time(edit.queued),
          ])
      }, total: .exact(edits.count),
      actions: [
        Self.sync, Action("send", "Send what waits", disabled: nothing ?? whyNotSent),
        Action("cancel-all", "Drop all", disabled: nothing, warning: "Drop every edit that waits without sending it"),
      ], freshness: .offline(nil))
  }

  /// Why nothing can be sent just now; nil when it can.
  private var whyNotSent: String? {
    if connection.isReadOnly { return EntityActions.readOnly }
    return surroundings.isOffline ? "this needs the server, and Atrium is offline" : nil
  }

  func editItem(_ id: Int64, _ location: Location, _ operation: String) async throws(ServiceError) -> Item {
    let store = try await offline.store(operation)
    let edit = try waiting(id, location, in: store, operation)
    let sides = try sides(of: edit, in: store, operation)
    let head = [
      Field("id", "Id", .integer(edit.id), .integer), Field("set", "Set", .text(edit.set)),
      Field("operation", "Operation", .text(edit.operation.rawValue)), Field("key", "Key", .text(edit.key)),
      Field("state", "State", .text(edit.state.rawValue)), Field("error", "Error", .optional(edit.error)),
      Field("attempts", "Attempts", .integer(Int64(edit.attempts)), .integer),
      Field("queued", "Queued", .time(edit.queued), .time),
      Field("refused", "Refused", .optional(edit.refused), .time),
      Field("request", "Request id", .text(edit.requestID)),
    ]
    return Item(
      location, title: "\(edit.operation.rawValue) \(edit.set) \(edit.key)",
      sections: [Item.Section("Edit", head)] + sides.sections,
      related: [
        Link("The row", Location(connection: connection.name, path: ["data", edit.set, edit.key]), opening: .item)
      ], actions: decisions(sides), freshness: .offline(nil), notices: sides.notices)
  }

  private func waiting(
    _ id: Int64, _ location: Location, in store: OfflineStore, _ operation: String
  ) throws(ServiceError) -> OfflineEdit {
    guard let edit = try keeping(operation, { () throws(OfflineError) in try store.edit(id) }) else {
      throw .notFound(location)
    }
    return edit
  }

  private func sides(
    of edit: OfflineEdit, in store: OfflineStore, _ operation: String
  ) throws(ServiceError) -> EditSides {
    try keeping(operation) { () throws(OfflineError) in
      try EditSides(edit, try store.set(named: edit.set).map(KeptSet.init), in: store)
    }
  }

  private func decisions(_ sides: EditSides) -> [Action] {
    let edit = sides.edit
    let settled = edit.state == .conflict ? nil : "there is no conflict"
    let unchanged = sides.isGone || !sides.changed.isEmpty ? nil : "the server's row has not changed"
    let mine = edit.properties.map { member in
      FormField(
        member.key, member.key, initial: (sides.kept?.value(member.key, member.value) ?? .null).exactText,
        isRequired: false)
    }
    let fixed = edit.operation == .delete ? "a deletion sends nothing" : whyNotAmended(edit)
    return [
      Action("retry", edit.state == .draft ? "Submit it" : "Send it again", disabled: whyNotSent),
      Action("keep-mine", "Send mine over theirs", disabled: settled ?? whyNotSent),
      Action(
        "take-theirs", "Take theirs", disabled: settled == nil ? nil : unchanged,
        warning: "Drop this edit for what the server holds"),
      Action("edit", "Change what is sent", fields: mine, disabled: fixed),
      Action("cancel", "Drop it", warning: "Drop this edit without sending it"),
    ]
  }

  private func whyNotAmended(_ edit: OfflineEdit) -> String? {
    if connection.isReadOnly { return EntityActions.readOnly }
    return edit.isUnanswered ? "it may have reached the server: synchronise first" : nil
  }
}

// Deciding.
extension UnwiredBackend {
  func decide(
    _ action: String, _ id: Int64, _ fields: [String: String], _ location: Location, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    switch action {
    case "cancel": return try await drop(id, location, operation)
    case "retry": return try await retry(id, location, operation)
    case "keep-mine", "take-theirs":
      let store = try await offline.store(operation)
      let sides = try sides(of: try waiting(id, location, in: store, operation), in: store, operation)
      let choice = decisions(sides).first { $0.id == action }
      if let reason = choice?.disabled { throw .notOffered(operation, reason) }
      return action == "keep-mine"
        ? try await keepMine(sides, location, store, operation)
        : try await takeTheirs(sides, location, store, operation)
    case "edit": return try await amend(id, fields, location, operation)
    default: throw .notOffered(operation, "there is no action “\(action)” here")
    }
  }

  func drop(_ id: Int64, _ location: Location, _ operation: String) async throws(ServiceError) -> ActionOutcome {
    let store = try await offline.store(operation)
    guard try keeping(operation, { () throws(OfflineError) in try store.drop(id) }) else { throw .notFound(location) }
    return ActionOutcome("Dropped edit \(id).")
  }

  func dropAll(_ operation: String) async throws(ServiceError) -> ActionOutcome {
    let store = try await offline.store(operation)
    let count = try keeping(operation) { () throws(OfflineError) in
      var count = 0
      for edit in try store.edits().reversed() where try store.drop(edit.id) { count += 1 }
      return count
    }
    return ActionOutcome(count == 1 ? "Dropped 1 edit." : "Dropped \(count) edits.")
  }

  /// Sends an edit again, over what the server holds now.
  private func retry(
    _ id: Int64, _ location: Location, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    guard !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    guard client.isReady else { throw ServiceError(.signInNeeded, operation) }
    let store = try await offline.store(operation)
    var edit = try waiting(id, location, in: store, operation)
    let kept = try keptSet(edit.set, in: store, operation)
    if edit.operation != .create, edit.state != .draft {
      do throws(ServiceError) {
        let row = try await learn(edit, kept, store, operation)
        (edit.tag, edit.follows) = (row.tag, false)
      } catch {
        // Deleted there: deleting it here, too, needs no condition.
        guard error.code == .notFound, edit.operation == .delete else { throw error.during(operation) }
        edit.tag = nil
      }
    }
    return try await send(again: edit, store, operation)
  }

  /// Asks for the row as the server has it now, and keeps that.
  ///
  /// - Throws: `.notFound` when it has gone, which is kept as well.
  @discardableResult
  func learn(
    _ edit: OfflineEdit, _ kept: KeptSet, _ store: OfflineStore, _ operation: String
  ) async throws(ServiceError) -> OfflineRow {
    var row: OfflineRow?
    do throws(ServiceError) {
      row = kept.row(try await client.entity(kept.path(edit.key)).entity)
    } catch {
      guard error.code == .notFound else { throw error }
      try keeping(operation) { () throws(OfflineError) in try store.refresh(nil, edit.key, in: edit.set) }
      throw error
    }
    guard let row else { throw ServiceError(.unreadable, operation, detail: "the server's row has no key") }
    try keeping(operation) { () throws(OfflineError) in try store.refresh(row, edit.key, in: edit.set) }
    return row
  }

  private func send(
    again edit: OfflineEdit, _ store: OfflineStore, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    var edit = edit
    edit.state = .waiting
    (edit.error, edit.status, edit.refused) = (nil, nil, nil)
    // An answered request is over; under its id the server might only give that answer again.
    if edit.attempts > 0, !edit.isUnanswered { edit.requestID = newRequestID() }
    let again = edit
    try keeping(operation) { () throws(OfflineError) in try store.update(again) }
    guard !surroundings.isOffline else { return ActionOutcome("Queued as \(again.id).") }
    let home = Location(connection: connection.name, path: ["data", edit.set])
    return try await sendNow(again, store, operation, home).outcome
  }

  /// Mine wins; a row that was deleted meanwhile is made anew.
  private func keepMine(
    _ sides: EditSides, _ location: Location, _ store: OfflineStore, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    var edit = sides.edit
    guard sides.isGone, edit.operation == .update else { return try await retry(edit.id, location, operation) }
    let row = OfflineRow(key: edit.key, tag: nil, properties: edit.base).changed(edit.properties)
    edit.operation = .create
    edit.properties = row.properties
    (edit.tag, edit.follows) = (nil, false)
    return try await send(again: edit, store, operation)
  }

  /// Theirs wins: the edit goes, and the row is as the server has it.
  private func takeTheirs(
    _ sides: EditSides, _ location: Location, _ store: OfflineStore, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    let edit = sides.edit
    if !surroundings.isOffline, client.isReady, edit.operation != .create, let kept = sides.kept {
      do throws(ServiceError) {
        try await learn(edit, kept, store, operation)
      } catch {
        guard error.code == .notFound else { throw error.during(operation) }
      }
    }
    _ = try await drop(edit.id, location, operation)
    let row = Location(connection: connection.name, path: ["data", edit.set, edit.key])
    return ActionOutcome("Took the server's \(edit.key) in “\(edit.set)”.", location: sides.isGone ? nil : row)
  }

  /// Changes what an edit sends; one that met a conflict is now about the row as the server has it.
  private func amend(
    _ id: Int64, _ fields: [String: String], _ location: Location, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    let store = try await offline.store(operation)
    let sides = try sides(of: try waiting(id, location, in: store, operation), in: store, operation)
    var edit = sides.edit
    guard let kept = sides.kept, edit.operation != .delete else { throw .notOffered(operation, "it sends nothing") }
    if let reason = whyNotAmended(edit) { throw .notOffered(operation, reason) }
    let changes = kept.sendable(Self.members(fields, kept.type), withKeys: edit.operation == .create)
    edit.properties = OfflineRow(key: edit.key, tag: nil, properties: edit.properties).changed(changes).properties
    if edit.state == .conflict { (edit.tag, edit.follows) = (sides.theirs?.tag, false) }
    return try await send(again: edit, store, operation)
  }
}
