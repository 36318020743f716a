import JSON
import Model
import Store

extension UnwiredBackend {
  /// What became of an edit: a sentence, and where its row stands now.
  struct EditOutcome {
    let outcome: ActionOutcome
    let location: Location
  }

  /// Queues an edit and, unless offline, sends what waits.
  ///
  /// - Parameters:
  ///   - key: Nil for a new row whose key the server gives.
  ///   - tag: What the server must still hold; nil for the tag of the row as it is kept.
  func edit(
    _ name: String, _ key: String?, _ kind: OfflineEdit.Operation, _ properties: [JSONNode.Member],
    ifMatch tag: String?, _ operation: String
  ) async throws(ServiceError) -> EditOutcome {
    let home = Location(connection: connection.name, path: ["data", name])
    let queued = try await queue(name, key, kind, properties, ifMatch: tag, operation, as: .waiting)
    guard let queued else {
      // Nothing differs, or a row that only existed here has gone again.
      return EditOutcome(
        outcome: ActionOutcome("Nothing waits to be sent."), location: key.map { home.appending($0) } ?? home)
    }
    let here = home.appending(queued.key)
    if surroundings.isOffline {
      return EditOutcome(outcome: ActionOutcome("Queued as \(queued.id).", location: here), location: here)
    }
    return try await sendNow(queued, try await offline.store(operation), operation, home)
  }

  /// Puts an edit on the disk; nil when there is nothing to send.
  func queue(
    _ name: String, _ key: String?, _ kind: OfflineEdit.Operation, _ properties: [JSONNode.Member],
    ifMatch tag: String?, _ operation: String, as state: OfflineEdit.State
  ) async throws(ServiceError) -> OfflineEdit? {
    guard !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    let store = try await offline.store(operation)
    let kept = try keptSet(name, in: store, operation)
    let draft = Draft(
      kept: kept, key: key, kind: kind, properties: kept.sendable(properties, withKeys: kind == .create), tag: tag,
      requestID: newRequestID(), moment: surroundings.clock.now(), state: state)
    let (queued, refusal) = try keeping(operation) { () throws(OfflineError) in try draft.queue(in: store, operation) }
    if let refusal { throw refusal }
    return queued
  }

  func sendNow(
    _ queued: OfflineEdit, _ store: OfflineStore, _ operation: String, _ home: Location
  ) async throws(ServiceError) -> EditOutcome {
    let kept = "The edit is kept as \(queued.id); atrium sync \(connection.name) sends it."
    let report: Replay.Report
    do throws(ServiceError) {
      report = try await Replay(self, store, operation).run()
    } catch {
      // A sign-in comes first, then the edit is found waiting.
      if error.code == .signInNeeded {
        try await signInAndSend(store, operation, kept)
      } else {
        throw error.keeping(kept, operation)
      }
      return try outcome(of: queued, Replay.Report(), store, operation, home)
    }
    return try outcome(of: queued, report, store, operation, home)
  }

  /// The request would be repeated as a whole after a sign-in, and queue the edit again: so this signs in by itself.
  private func signInAndSend(
    _ store: OfflineStore, _ operation: String, _ kept: String
  ) async throws(ServiceError) {
    do throws(ServiceError) {
      _ = try await signIn(SignInRequest())
      _ = try await Replay(self, store, operation).run()
    } catch {
      throw error.keeping(kept, operation)
    }
  }

  private func outcome(
    of edit: OfflineEdit, _ report: Replay.Report, _ store: OfflineStore, _ operation: String, _ home: Location
  ) throws(ServiceError) -> EditOutcome {
    let left = try keeping(operation) { () throws(OfflineError) in try store.edit(edit.id) }
    if let left {
      throw left.state == .waiting
        ? ServiceError(
          .conflict, operation, detail: "an earlier edit of this row waits for a decision",
          remedy: "Look at it: atrium sync \(connection.name) --pending.")
        : conflict(left, operation)
    }
    let location = home.appending(report.keys[edit.id] ?? edit.key)
    let words =
      switch edit.operation {
      case .create: "Created \(location.path.last ?? "") in “\(edit.set)”."
      case .update: "Changed \(edit.key) in “\(edit.set)”."
      case .delete: "Deleted \(edit.key) from “\(edit.set)”."
      }
    return EditOutcome(
      outcome: ActionOutcome(words, location: edit.operation == .delete ? nil : location), location: location)
  }

  func conflict(_ edit: OfflineEdit, _ operation: String) -> ServiceError {
    let place = "\(connection.name):/pending/\(edit.id)"
    return ServiceError(
      .conflict, operation, detail: edit.error ?? "the server did not take the edit",
      remedy: "atrium do \(place) retry sends it over the server's change; atrium rm \(place) drops it.")
  }
}

extension ServiceError {
  /// The same failure, with the word that nothing is lost. It no longer asks for a sign-in: the whole request would be
  /// repeated after that, and the edit is queued already.
  fileprivate func keeping(_ words: String, _ operation: String) -> ServiceError {
    ServiceError(
      code == .signInNeeded ? .signInRefused : code, operation, detail: detail, remedy: words, status: status,
      serverCode: serverCode, cause: cause)
  }
}

/// An edit before it is known what waits already.
private struct Draft {
  let kept: KeptSet
  let key: String?
  let kind: OfflineEdit.Operation
  let properties: [JSONNode.Member]
  let tag: String?
  let requestID: String
  let moment: Timestamp
  let state: OfflineEdit.State

  func queue(
    in store: OfflineStore, _ operation: String
  ) throws(OfflineError) -> (OfflineEdit?, ServiceError?) {
    var refusal: ServiceError?
    let edit = try store.queue { waiting throws(OfflineError) in
      try decide(waiting, store, operation, &refusal)
    }
    return (edit, refusal)
  }

  private func decide(
    _ waiting: [OfflineEdit], _ store: OfflineStore, _ operation: String, _ refusal: inout ServiceError?
  ) throws(OfflineError) -> OfflineDecision {
    let name = kept.set.name
    if kind == .create {
      let names = kept.type?.keys ?? []
      let own = EntityKey(Entity(properties: properties, tag: nil), names: names)?.text
      // Until the server gives one, a name that no key has.
      return .add(edit(key: own ?? "+\(requestID.prefix(8))", tag: nil, follows: false))
    }
    guard let key else { return .nothing }
    let earlier = waiting.about(name, key)
    let base = try store.row(key, in: kept.set)
    guard let row = earlier.laid(over: base, key: key) else {
      refusal = ServiceError(
        .notFound, operation, detail: base == nil ? "there is no such row" : "it is to be deleted already",
        remedy: "Check the key, or synchronise first.")
      return .nothing
    }
    let changes = properties.filter { kept.value($0.key, $0.value) != kept.value($0.key, row[$0.key]) }
    if kind == .update, changes.isEmpty { return .nothing }
    if var made = earlier.last(where: { $0.operation == .create }) {
      return unsent(&made, changes, operation, &refusal)
    }
    let follows = !earlier.isEmpty && tag == nil
    return .add(edit(key: key, tag: follows ? nil : tag ?? base?.tag, follows: follows, changes, row.properties))
  }

  /// A change of a row that only exists here becomes part of making it.
  private func unsent(
    _ made: inout OfflineEdit, _ changes: [JSONNode.Member], _ operation: String, _ refusal: inout ServiceError?
  ) -> OfflineDecision {
    guard made.attempts == 0 else {
      refusal = ServiceError(
        .conflict, operation, detail: "the row is on its way to the server", remedy: "Synchronise first.")
      return .nothing
    }
    if kind == .delete { return .drop(made.id) }
    made.properties = OfflineRow(key: made.key, tag: nil, properties: made.properties).changed(changes).properties
    return .amend(made)
  }

  private func edit(
    key: String, tag: String?, follows: Bool, _ changes: [JSONNode.Member]? = nil, _ base: [JSONNode.Member] = []
  ) -> OfflineEdit {
    var edit = OfflineEdit(
      set: kept.set.name, operation: kind, key: key, properties: kind == .delete ? [] : changes ?? properties,
      base: base, tag: tag, follows: follows, requestID: requestID, queued: moment)
    edit.state = state
    return edit
  }
}

// What can be done with edits and kept rows.
extension UnwiredBackend {
  /// Nil when the place is not of the store.
  func performOffline(
    _ action: String, _ place: UnwiredPlace, _ fields: [String: String], _ location: Location, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome? {
    switch (place, action) {
    case (.kept, "sync"), (.keptSet, "sync"), (.pending, "sync"): return try await synchronize { _, _ in }
    case (.pending, "send"): return try await sendWaiting(operation)
    case (.pending, "cancel-all"): return try await dropAll(operation)
    case (.keptSet(let set), "create"):
      let type = try await keptType(set, operation)
      let filled = Self.members(fields.filter { !$0.value.isEmpty }, type)
      return try await edit(set, nil, .create, filled, ifMatch: nil, operation).outcome
    case (.keptRow(let set, let key), "edit"):
      let type = try await keptType(set, operation)
      return try await edit(
        set, key, .update, Self.members(fields, type), ifMatch: fields["etag"], operation
      ).outcome
    case (.keptRow(let set, let key), "delete"):
      return try await edit(set, key, .delete, [], ifMatch: nil, operation).outcome
    case (.edit(let id), _): return try await decide(action, id, fields, location, operation)
    case (.parameters, "set"): return try await setParameter(fields["name"] ?? "", fields["value"] ?? "", operation)
    case (.parameter(let name), "set"): return try await setParameter(name, fields["value"] ?? "", operation)
    case (.parameter(let name), "remove"): return try await setParameter(name, "", operation)
    case (.kept, _), (.keptSet, _), (.keptRow, _), (.pending, _), (.parameters, _), (.parameter, _):
      throw .notOffered(operation, "there is no action “\(action)” here")
    default: return nil
    }
  }

  private func keptType(_ set: String, _ operation: String) async throws(ServiceError) -> ODataMetadata.EntityType? {
    try keptSet(set, in: try await offline.store(operation), operation).type
  }
}
