import JSON
import Model
import Store

/// Sends the edits that wait, in the order they were made, each at most once.
///
/// An attempt is on disk before it goes out. When no answer came, the edit goes out again in a later run with the same
/// request id, by which the server knows it; one whose server does not is compared with the row first.
struct Replay {
  struct Report {
    var sent = 0
    /// Keys that the server gave, by edit.
    var keys: [Int64: String] = [:]
  }

  private let backend: UnwiredBackend
  private let store: OfflineStore
  private let operation: String

  init(_ backend: UnwiredBackend, _ store: OfflineStore, _ operation: String) {
    self.backend = backend
    self.store = store
    self.operation = operation
  }

  private var client: UnwiredClient { backend.client }

  /// - Throws: What keeps the server from answering; the edit in question and all later ones go on waiting. An edit that
  ///   the server refuses is marked so, and the others go on, except those of the same row.
  func run() async throws(ServiceError) -> Report {
    guard client.isReady else { throw ServiceError(.signInNeeded, operation) }
    let lock = try await OfflineLock.hold(store, operation)
    defer { withExtendedLifetime(lock) {} }
    var report = Report()
    var blocked: Set<[String]> = []
    for listed in try keeping(operation, { () throws(OfflineError) in try store.edits() }) {
      // Another process may have dropped or amended it since.
      let current = try keeping(operation) { () throws(OfflineError) in try store.edit(listed.id) }
      guard let edit = current else { continue }
      let row = [edit.set, edit.key]
      guard edit.state == .waiting, !blocked.contains(row) else {
        blocked.insert(row)
        continue
      }
      if try await isSent(edit, &report) { report.sent += 1 } else { blocked.insert(row) }
    }
    return report
  }

  /// Sends one edit; false when the server refuses it.
  private func isSent(_ waiting: OfflineEdit, _ report: inout Report) async throws(ServiceError) -> Bool {
    let kept = try backend.keptSet(waiting.set, in: store, operation)
    var edit = waiting
    if edit.follows {
      edit.tag = try keeping(operation) { () throws(OfflineError) in try store.row(edit.key, in: kept.set) }?.tag
      edit.follows = false
    }
    let wasUnanswered = edit.isUnanswered
    edit.attempts += 1
    edit.isUnanswered = true
    try note(edit)
    do throws(ServiceError) {
      let row = try await send(edit, kept)
      if edit.operation == .create { report.keys[edit.id] = row?.key }
      try finish(edit, row)
      tellSuccess(edit, row)
      return true
    } catch {
      return try await settle(edit, kept, error, wasUnanswered: wasUnanswered)
    }
  }

  private func note(_ edit: OfflineEdit) throws(ServiceError) {
    try keeping(operation) { () throws(OfflineError) in try store.update(edit) }
  }

  private func finish(_ edit: OfflineEdit, _ row: OfflineRow?) throws(ServiceError) {
    try keeping(operation) { () throws(OfflineError) in try store.finish(edit, row: row) }
  }

  /// Sends and returns the row as the server has it now; nil when it is gone.
  private func send(_ edit: OfflineEdit, _ kept: KeptSet) async throws(ServiceError) -> OfflineRow? {
    let once = Repeatability(requestID: edit.requestID, moment: edit.queued)
    switch edit.operation {
    case .create:
      let entity = try await client.create(
        in: edit.set, edit.properties, requestID: once.requestID, at: once.moment)
      guard let row = kept.row(entity) else {
        // It exists there, and the next synchronisation brings it with its key.
        return nil
      }
      return row
    case .update:
      let tag = try await client.update(
        kept.path(edit.key), edit.properties, ifMatch: edit.tag, version: kept.version, repeatability: once)
      return try await updated(edit, kept, tag)
    case .delete:
      do throws(ServiceError) {
        try await client.deleteEntity(kept.path(edit.key), ifMatch: edit.tag, repeatability: once)
      } catch {
        // Gone already: that is what was wanted.
        guard error.code == .notFound, error.status == 404 else { throw error }
      }
      return nil
    }
  }

  /// The row after an update, asked for only where its tag did not come with the answer.
  private func updated(_ edit: OfflineEdit, _ kept: KeptSet, _ tag: String?) async throws(ServiceError) -> OfflineRow? {
    if tag == nil, let entity = try? await client.entity(kept.path(edit.key)).entity, let row = kept.row(entity) {
      return row
    }
    let base = try keeping(operation) { () throws(OfflineError) in try store.row(edit.key, in: kept.set) }
    var row = base?.changed(edit.properties)
    row?.tag = tag
    return row
  }

  /// What a failure means for an edit.
  ///
  /// - Throws: What keeps the others from being sent as well.
  private func settle(
    _ attempted: OfflineEdit, _ kept: KeptSet, _ error: ServiceError, wasUnanswered: Bool
  ) async throws(ServiceError) -> Bool {
    var edit = attempted
    guard let status = error.status else {
      // Never sent, or sent and not answered: which of them decides how the next attempt begins.
      if error.code == .unreachable || error.code == .signInNeeded { edit.isUnanswered = wasUnanswered }
      edit.error = error.words
      try note(edit)
      throw error
    }
    if status == 412, wasUnanswered, let row = await executed(edit, kept) {
      try finish(edit, row)
      tellSuccess(edit, row)
      return true
    }
    edit.isUnanswered = false
    (edit.error, edit.status, edit.refused) = (error.words, status, backend.surroundings.clock.now())
    switch status {
    case 409, 412: edit.state = .conflict
    case 404 where edit.operation == .update:
      // Somebody has deleted the row: that is a change like any other.
      edit.state = .conflict
    case 401, 403, 408, 429, 502...504:
      try note(edit)
      tellFailure(edit)
      throw error
    default: edit.state = .refused
    }
    try note(edit)
    tellFailure(edit)
    if edit.state == .conflict, edit.operation != .create {
      // So that whoever decides sees both sides; without an answer the next synchronisation brings it.
      _ = try? await backend.learn(edit, kept, store, operation)
    }
    return false
  }

  private func tellSuccess(_ edit: OfflineEdit, _ row: OfflineRow?) {
    let key = row?.key ?? edit.key
    backend.told.post(.replaySucceeded(EntityReference(set: edit.set, key: key), edit.change))
  }

  private func tellFailure(_ edit: OfflineEdit) {
    guard let record = edit.logRecord else { return }
    backend.told.post(.replayFailed(record.entity, record))
  }

  /// The row, when it already is as the edit wants it: the attempt that was never answered was executed.
  private func executed(_ edit: OfflineEdit, _ kept: KeptSet) async -> OfflineRow? {
    guard edit.operation == .update, let entity = try? await client.entity(kept.path(edit.key)).entity else {
      return nil
    }
    let isDone = edit.properties.allSatisfy { kept.value($0.key, $0.value) == kept.value($0.key, entity[$0.key]) }
    return isDone ? kept.row(entity) : nil
  }
}

extension OfflineEdit {
  var change: PendingChange {
    switch operation {
    case .create: .create
    case .update: .update
    case .delete: .delete
    }
  }

  /// Why the server did not take it; nil when it never said so.
  var logRecord: LogRecord? {
    error.map {
      LogRecord(
        entity: EntityReference(set: set, key: key), change: change, code: status, message: $0,
        timestamp: refused ?? queued)
    }
  }
}

extension ServiceError {
  /// The server's own words and number; the general reason where it has none.
  fileprivate var words: String {
    guard let detail, !detail.isEmpty else { return reason }
    return serverCode.map { "\(detail) [\($0)]" } ?? detail
  }
}
