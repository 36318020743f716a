import JSON
import Model
import Store
import Wire

/// Sends the edits that wait, in the order they were made.
///
/// An attempt is on the disk before it goes out. What the server cannot be asked about stops the rest; what it refuses is
/// kept for a person, and only later edits of the same thing wait with it. Nothing is ever dropped for a failure.
struct MobileReplay {
  struct Report: Sendable {
    var sent = 0
    /// Edits that gave way to the server's version, by policy.
    var givenUp = 0
    /// Where things stand that got another key from the server, by edit.
    var keys: [Int64: String] = [:]
  }

  let client: MobileClient
  let store: MobileStore
  let operation: String
  /// Told after each edit that the service has taken (`offlineResourceSynchronized:`).
  var sent: @Sendable (MobileEdit) -> Void = { _ in }

  func run() async throws(ServiceError) -> Report {
    let lock = try await OfflineLock.hold(store.store, operation)
    defer { withExtendedLifetime(lock) {} }
    var report = Report()
    var blocked: Set<[String]> = []
    for listed in try store.edits(operation) {
      // Another process may have dropped or amended it since.
      guard let edit = try current(listed) else { continue }
      let key = [edit.path, edit.edit.key]
      guard edit.edit.state == .waiting, !blocked.contains(key) else {
        blocked.insert(key)
        continue
      }
      switch try await attempt(edit, &report) {
      case .sent:
        report.sent += 1
        sent(edit)
      case .givenUp: report.givenUp += 1
      case .stuck: blocked.insert(key)
      }
    }
    return report
  }

  private enum End { case sent, givenUp, stuck }

  private func current(_ edit: MobileEdit) throws(ServiceError) -> MobileEdit? {
    try keeping(operation) { () throws(OfflineError) in try store.store.edit(edit.edit.id) }
      .flatMap { MobileEdit($0, in: store) }
  }

  private func attempt(_ waiting: MobileEdit, _ report: inout Report) async throws(ServiceError) -> End {
    var edit = waiting
    if edit.edit.follows {
      edit.edit.tag = try keeping(operation) { () throws(OfflineError) -> String? in
        if let tag = try store.row(edit.edit.key, of: edit.path)?.tag { return tag }
        return try store.payload(edit.target.keptPath)?.etag
      }
      edit.edit.follows = false
    }
    let wasUnanswered = edit.edit.isUnanswered
    edit.edit.attempts += 1
    edit.edit.isUnanswered = true
    try note(edit)
    do throws(ServiceError) {
      let row = try await send(edit, isRepeat: wasUnanswered)
      try finish(edit, row)
      if let row, row.key != edit.edit.key { report.keys[edit.edit.id] = row.key }
      return .sent
    } catch {
      return try await settle(edit, error, wasUnanswered: wasUnanswered, isSecond: false)
    }
  }

  private func note(_ edit: MobileEdit) throws(ServiceError) {
    try keeping(operation) { () throws(OfflineError) in try store.store.update(edit.edit) }
  }

  func finish(_ edit: MobileEdit, _ row: OfflineRow?) throws(ServiceError) {
    try keeping(operation) { () throws(OfflineError) in
      // A file of a custom API stands in no list.
      try store.store.finish(edit.edit, row: edit.isFile ? nil : row)
      let place = edit.target.keptPath
      if row == nil { return try store.forgetPayload(place) }
      guard let payload = edit.keptPayload else { return }
      try store.keep(
        .init(
          bytes: payload.bytes, mediaType: payload.mediaType, etag: row?.tag,
          kept: client.offline.surroundings.clock.now()),
        of: place)
    }
  }

  /// The thing as the service has it after the edit; nil when it is gone.
  private func send(_ edit: MobileEdit, isRepeat: Bool) async throws(ServiceError) -> OfflineRow? {
    switch (edit.target, edit.edit.operation) {
    case (.object(let id), .delete):
      return try await gone { () async throws(ServiceError) in try await client.delete(id, ifMatch: edit.edit.tag) }
    case (.object(let id), let kind):
      let request = UploadRequest(
        MemorySource(edit.payload ?? []), name: edit.text("name"), mediaType: edit.text("contentType"),
        ifMatch: kind == .create ? nil : edit.edit.tag)
      return try await client.store(
        in: id.collection, object: id.object, user: id.user, request, onlyNew: kind == .create,
        progress: { _, _ in }
      ).row
    case (.item(let names), .delete):
      return try await gone { () async throws(ServiceError) in
        try await client.deleteItem(names, ifMatch: edit.edit.tag)
      }
    case (.item(let names), .create):
      guard !isRepeat else {
        throw ServiceError(
          .conflict, operation,
          detail: "the answer to an earlier attempt was lost: it may exist already",
          remedy: "Look before it is sent again.",
          status: 409)
      }
      if edit.isFile { return try await client.createFile(Array(names.dropLast()), edit) }
      return try await client.createItem(Array(names.dropLast()), .object(edit.row))
    case (.item(let names), .update):
      if edit.isFile { return try await client.updateFile(names, edit, ifMatch: edit.edit.tag) }
      return try await client.updateItem(names, .object(edit.row), ifMatch: edit.edit.tag)
    }
  }

  /// What is gone already is as it was wanted.
  private func gone(_ delete: () async throws(ServiceError) -> Void) async throws(ServiceError) -> OfflineRow? {
    do throws(ServiceError) {
      try await delete()
    } catch {
      guard error.code == .notFound, error.status == 404 else { throw error }
    }
    return nil
  }
}

// What a failure means.
extension MobileReplay {
  /// - Throws: What keeps the others from being sent as well.
  private func settle(
    _ attempted: MobileEdit, _ error: ServiceError, wasUnanswered: Bool, isSecond: Bool
  ) async throws(ServiceError) -> End {
    var edit = attempted
    guard let status = error.status ?? (error.code == .conflict ? 412 : nil) else {
      // Never sent, or sent and not answered: which of them decides how the next attempt begins.
      if error.isWithoutServer || error.code == .signInNeeded { edit.edit.isUnanswered = wasUnanswered }
      edit.edit.error = error.said
      try note(edit)
      throw error
    }
    edit.edit.isUnanswered = false
    edit.edit.error = error.said
    switch status {
    case _ where [409, 412].contains(status) || status == 404 && edit.edit.operation == .update:
      return try await settleConflict(edit, error, wasUnanswered: wasUnanswered, isSecond: isSecond)
    case 401, 408, 429, 502...504:
      // A proxy's word: what is behind it may have done it all the same.
      edit.edit.isUnanswered = wasUnanswered || status == 502 || status == 504
      try note(edit)
      throw error
    default:
      edit.edit.state = .refused
      try note(edit)
      return .stuck
    }
  }

  private func settleConflict(
    _ attempted: MobileEdit, _ error: ServiceError, wasUnanswered: Bool, isSecond: Bool
  ) async throws(ServiceError) -> End {
    var edit = attempted
    let theirs = try await theirs(of: edit)
    if wasUnanswered, let theirs, await isDone(edit, theirs) {
      try finish(edit, theirs)
      return .sent
    }
    let policy = try client.policy(for: edit.target.serverPath, in: store)
    var resolution = edit.resolution ?? policy.conflictResolution
    // What a custom API made of a POST cannot be overwritten, nor found: only a person can tell.
    if case .item = edit.target, edit.edit.operation == .create { resolution = .preserve }
    switch resolution {
    case .clientWins where !isSecond: return try await again(edit, over: theirs)
    case .serverWins:
      try keep(theirs, of: edit)
      _ = try keeping(operation) { () throws(OfflineError) in try store.store.drop(edit.edit.id) }
      return .givenUp
    case .clientWins, .preserve:
      try keep(theirs, of: edit)
      edit.edit.state = .conflict
      try note(edit)
      return .stuck
    }
  }

  /// Once more, on top of what the service holds now.
  private func again(_ attempted: MobileEdit, over theirs: OfflineRow?) async throws(ServiceError) -> End {
    var edit = attempted
    edit.edit.tag = theirs?.tag
    edit.edit.isUnanswered = true
    try note(edit)
    do throws(ServiceError) {
      try finish(edit, try await send(overwriting: edit, theirs))
      return .sent
    } catch {
      return try await settle(edit, error, wasUnanswered: false, isSecond: true)
    }
  }

  /// Sends an edit in place of whatever is there: what was to be made may exist, what was to be changed may be gone.
  func send(overwriting edit: MobileEdit, _ theirs: OfflineRow?) async throws(ServiceError) -> OfflineRow? {
    guard edit.edit.operation != .delete else { return try await send(edit, isRepeat: false) }
    switch edit.target {
    case .object(let id):
      let request = UploadRequest(
        MemorySource(edit.payload ?? []), name: edit.text("name"), mediaType: edit.text("contentType"),
        ifMatch: theirs?.tag)
      return try await client.store(
        in: id.collection, object: id.object, user: id.user, request, onlyNew: theirs == nil, progress: { _, _ in }
      ).row
    case .item(let names):
      if edit.isFile {
        guard theirs == nil else { return try await client.updateFile(names, edit, ifMatch: theirs?.tag) }
        return try await client.createFile(Array(names.dropLast()), edit)
      }
      guard theirs == nil else {
        return try await client.updateItem(names, .object(edit.row), ifMatch: theirs?.tag)
      }
      return try await client.createItem(Array(names.dropLast()), .object(edit.row))
    }
  }

  /// The service's version; nil when it has none.
  func theirs(of edit: MobileEdit) async throws(ServiceError) -> OfflineRow? {
    do throws(ServiceError) {
      switch edit.target {
      case .object(let id): return try await client.liveHead(id).row
      case .item where edit.isFile: return try await client.liveFile(edit.target)
      case .item(let names): return try await client.liveItem(names)
      }
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// The service's version becomes what is kept; the edit lies over it.
  func keep(_ theirs: OfflineRow?, of edit: MobileEdit) throws(ServiceError) {
    try keeping(operation) { () throws(OfflineError) in
      if edit.isFile { return }
      if let theirs { try store.keep(theirs, of: edit.path) } else { try store.remove(edit.edit.key, of: edit.path) }
    }
  }

  /// Whether an attempt that was never answered was executed all the same.
  private func isDone(_ edit: MobileEdit, _ theirs: OfflineRow) async -> Bool {
    if case .item = edit.target, !edit.isFile { return edit.row.allSatisfy { theirs[$0.key] == $0.value } }
    guard let payload = edit.payload, theirs["contentLength"] == .int(payload.count) else { return false }
    let sink = CollectingSink(most: payload.count)
    guard (try? await client.liveDownload(edit.target, DownloadRequest(), to: sink, progress: { _, _ in })) != nil
    else { return false }
    return sink.bytes == payload
  }
}

extension ServiceError {
  /// The server's own words and number; the general reason where it has none.
  var said: String {
    guard let detail, !detail.isEmpty else { return reason }
    return serverCode.map { "\(detail) [\($0)]" } ?? detail
  }
}

extension MobileClient {
  /// Sends what waits for whoever is signed in.
  @discardableResult
  func replayWhatWaits() async throws(ServiceError) -> MobileReplay.Report {
    let operation = "send what waits"
    let store = try await openStore(operation)
    var replay = MobileReplay(client: self, store: store, operation: operation)
    replay.sent = { [observers] edit in observers.tell(sent: edit) }
    return try await replay.run()
  }
}

extension MobileClient {
  /// Drops every edit that waits; what the server sent stays (`discardOfflineUpdatesOnError:`).
  func discardWhatWaits() async throws(ServiceError) -> Int {
    let operation = "drop what waits"
    let store = try await openStore(operation)
    var count = 0
    // The last ones first: an earlier one hands its tag on to those that follow it.
    for edit in try store.edits(operation).reversed() {
      let isDropped = try keeping(operation) { () throws(OfflineError) in try store.store.drop(edit.edit.id) }
      if isDropped { count += 1 }
    }
    return count
  }
}
