import JSON
import Model
import Store
import Wire

/// What became of a change.
enum MobileChange<Value: Sendable>: Sendable {
  case sent(Value)
  /// It waits for a server.
  case queued(MobileEdit)
}

/// Changes that are sent at once or, where their policy allows it, when there is a server again (reference, 6.4).
extension MobileClient {
  /// A change before it is known whether it can be sent.
  struct Draft: Sendable {
    let operation: OfflineEdit.Operation
    let target: MobileEdit.Target
    /// Made only when it has to wait.
    let content: @Sendable (_ base: OfflineRow?) throws(ServiceError) -> MobileEdit.Content
    /// What the service must still hold; nil for what was last seen of it.
    var tag: String?
    /// Set by the call, over its policy.
    var savesIfOffline: Bool?
    var words: String
  }

  /// - Parameters:
  ///   - live: Sends it now.
  ///   - rewind: Makes the content readable again after an attempt that did not reach the server.
  func submit<Value: Sendable>(
    _ draft: Draft, live: () async throws(ServiceError) -> Value, rewind: () throws(ServiceError) -> Void = {}
  ) async throws(ServiceError) -> MobileChange<Value> {
    if offline.isOnline, try await !waits(draft) {
      do throws(ServiceError) {
        return .sent(try await live())
      } catch {
        guard error.isWithoutServer, await mayWait(draft) else { throw error }
        try rewind()
        return .queued(try await queue(draft))
      }
    }
    guard try await queues(draft) else {
      throw ServiceError(
        .offline, draft.words, detail: "its policy, UPDATE_IF_ONLINE, sends changes only while there is a server")
    }
    let edit = try await queue(draft)
    if offline.isOnline { _ = try await replayWhatWaits() }
    return .queued(edit)
  }

  /// Whether earlier edits of the same thing wait: then this one comes after them.
  private func waits(_ draft: Draft) async throws(ServiceError) -> Bool {
    guard offline.isInUse, let store = try await storeForReading(draft.words) else { return false }
    return try !store.edits(of: draft.target, draft.words).isEmpty
  }

  /// Whether it may wait: by the call, else by the policy.
  private func queues(_ draft: Draft) async throws(ServiceError) -> Bool {
    if let wish = draft.savesIfOffline { return wish }
    let store = offline.isInUse ? try await storeForReading(draft.words) : nil
    return try policy(for: draft.target.serverPath, in: store).update == .queueIfOffline
  }

  /// Without a server that was there a moment ago: by the policy, and only where there is a store to wait in.
  private func mayWait(_ draft: Draft) async -> Bool {
    guard let queues = try? await queues(draft), queues else { return false }
    guard offline.isInUse || offline.settings != nil || draft.savesIfOffline == true else { return false }
    return (try? await openStore(draft.words)) != nil
  }

  /// Writes an edit into the queue; it is on the disk when this returns.
  private func queue(_ draft: Draft) async throws(ServiceError) -> MobileEdit {
    let store = try await openStore(draft.words)
    guard offline.hasRoom(store) else {
      throw ServiceError(
        .tooLarge, draft.words, detail: "the offline store has reached its maxStoreSize",
        remedy: "Synchronise, or raise maxStoreSize.")
    }
    let base = try keeping(draft.words) { () throws(OfflineError) in
      try store.row(draft.target.key, of: draft.target.listPath)
    }
    let earlier = try store.edits(of: draft.target, draft.words)
    let content = try draft.content(earlier.laid(over: base) ?? base)
    let made = edit(draft, content, earlier, base, in: store)
    var refusal: ServiceError?
    let queued = try keeping(draft.words) { () throws(OfflineError) in
      try store.store.queue { all in
        decide(made, all.filter { $0.set == made.edit.set && $0.key == made.edit.key }, draft, &refusal)
      }
    }
    if let refusal { throw refusal }
    guard let queued, let edit = MobileEdit(queued, in: store) else { return made }
    return edit
  }

  private func edit(
    _ draft: Draft, _ content: MobileEdit.Content, _ earlier: [MobileEdit], _ base: OfflineRow?, in store: MobileStore
  ) -> MobileEdit {
    let follows = !earlier.isEmpty && draft.tag == nil
    var content = content
    if content.base.isEmpty { content.base = base?.properties ?? [] }
    return MobileEdit(
      draft.operation, draft.target, content, tag: follows ? nil : draft.tag ?? base?.tag, follows: follows,
      requestID: MobileHeaders.Identity.uuid(offline.surroundings.randomBytes(16)),
      at: offline.surroundings.clock.now(), in: store)
  }

  /// What never left becomes one edit with what comes now.
  private func decide(
    _ made: MobileEdit, _ waiting: [OfflineEdit], _ draft: Draft, _ refusal: inout ServiceError?
  ) -> OfflineDecision {
    guard var last = waiting.last else { return .add(made.edit) }
    if last.operation == .delete, draft.operation != .create {
      refusal = ServiceError(.notFound, draft.words, detail: "it is to be deleted already")
      return .nothing
    }
    guard last.attempts == 0, last.state == .waiting, last.operation != .delete else { return .add(made.edit) }
    if draft.operation == .delete { return last.operation == .create ? .drop(last.id) : .add(made.edit) }
    let base = last.properties.first { $0.key == "base" }
    last.properties = made.edit.properties
    if let base, let index = last.properties.firstIndex(where: { $0.key == "base" }) { last.properties[index] = base }
    return .amend(last)
  }
}

// Stored objects.
extension MobileClient {
  /// Stores an object, now or later.
  func save(
    in collection: String, object: String?, user: String?, _ request: UploadRequest, onlyNew: Bool = false,
    savesIfOffline: Bool? = nil, progress: @escaping Progress
  ) async throws(ServiceError) -> MobileChange<StoredObject> {
    let id = ObjectID(
      collection: collection,
      object: object ?? MobileHeaders.Identity.uuid(offline.surroundings.randomBytes(16)), user: user)
    let words = object.map { "store \($0)" } ?? "store in \(collection)"
    let isKnown = await isKept(id)
    let me = authorization.userName
    let now = offline.surroundings.clock.now()
    let draft = Draft(
      operation: object == nil || onlyNew || !isKnown ? .create : .update, target: .object(id),
      content: { base throws(ServiceError) in
        let bytes = try request.source.all(most: MobileStore.mostPayloadBytes, words)
        return MobileEdit.Content(
          row: MobileClient.row(id, request, bytes.count, over: base, by: me, at: now), base: base?.properties ?? [],
          payload: bytes)
      }, tag: request.ifMatch, savesIfOffline: savesIfOffline, words: words)
    let change = try await submit(
      draft,
      live: { () async throws(ServiceError) in
        try await store(
          in: collection, object: object, user: user, request, onlyNew: onlyNew, progress: progress)
      },
      rewind: { () throws(ServiceError) in
        do { try request.source.rewind() } catch {
          throw ServiceError(.failed, words, detail: "the content cannot be read again to be kept", cause: error)
        }
      })
    if case .sent(let stored) = change { await note(stored, of: collection, user) }
    return change
  }

  /// Deletes an object, now or later.
  func discard(
    _ id: ObjectID, ifMatch: String? = nil, savesIfOffline: Bool? = nil
  ) async throws(ServiceError) -> MobileChange<Void> {
    let draft = Draft(
      operation: .delete, target: .object(id),
      content: { base throws(ServiceError) in MobileEdit.Content(base: base?.properties ?? []) }, tag: ifMatch,
      savesIfOffline: savesIfOffline, words: "delete \(id.object)")
    let change = try await submit(
      draft, live: { () async throws(ServiceError) in try await delete(id, ifMatch: ifMatch) })
    if case .sent = change, offline.isInUse, let store = try? await openStore(draft.words) {
      try? store.remove(id.object, of: id.listPath)
      try? store.forgetPayload(id.keptPath)
    }
    return change
  }

  private func isKept(_ id: ObjectID) async -> Bool {
    guard offline.isInUse || !offline.isOnline, let store = try? await storeForReading("look for \(id.object)") else {
      return false
    }
    if (try? store.row(id.object, of: id.listPath)) ?? nil != nil { return true }
    return (try? store.edits(of: .object(id), "look for \(id.object)").isEmpty) == false
  }

  /// What the list knows of an object is as the service now says.
  private func note(_ stored: StoredObject, of collection: String, _ user: String?) async {
    guard offline.isInUse, let store = try? await openStore("keep \(stored.id)"),
      let known = try? store.list(MobileClient.listPath(collection, user)), known.set.synced != nil
    else { return }
    try? store.keep(stored.row, of: MobileClient.listPath(collection, user))
  }

  private static func row(
    _ id: ObjectID, _ request: UploadRequest, _ count: Int, over base: OfflineRow?, by user: String?, at now: Timestamp
  ) -> [JSONNode.Member] {
    var row =
      base
      ?? OfflineRow(
        key: id.object, tag: nil,
        properties: [
          .init(key: "id", value: .string(id.object)), .init(key: "name", value: .string(id.object)),
          .init(key: "createdBy", value: user.map { .string($0) } ?? .null),
          .init(key: "createdOn", value: .string(now.rfc3339)),
        ])
    var members: [JSONNode.Member] = [
      .init(key: "contentLength", value: .int(count)),
      .init(key: "contentType", value: .string(request.mediaType ?? "application/octet-stream")),
      .init(key: "modifiedBy", value: user.map { .string($0) } ?? .null),
      .init(key: "modifiedOn", value: .string(now.rfc3339)),
    ]
    if let name = request.name { members.append(.init(key: "name", value: .string(name))) }
    row = row.changed(members)
    return row.properties
  }
}

extension StoredObject {
  /// As a list of the service writes it.
  var row: OfflineRow {
    func text(_ value: String?) -> JSONNode { value.map { .string($0) } ?? .null }
    var properties: [JSONNode.Member] = [
      .init(key: "id", value: .string(id)), .init(key: "name", value: text(name)),
      .init(key: "contentType", value: text(mediaType)),
      .init(key: "contentLength", value: size.map { .int($0) } ?? .null), .init(key: "eTag", value: text(etag)),
      .init(key: "createdBy", value: text(createdBy)), .init(key: "createdOn", value: text(created?.rfc3339)),
      .init(key: "modifiedBy", value: text(modifiedBy)), .init(key: "modifiedOn", value: text(modified?.rfc3339)),
    ]
    if let user { properties.append(.init(key: "user", value: .string(user))) }
    return OfflineRow(key: id, tag: etag, properties: properties)
  }
}

extension ByteSource {
  /// Everything, into memory.
  ///
  /// - Throws: `.tooLarge` beyond `most` bytes.
  func all(most: Int, _ operation: String) throws(ServiceError) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count: Int
      do {
        count = try piece.withUnsafeMutableBytes { try read(into: $0) }
      } catch {
        throw ServiceError(.failed, operation, detail: "the content cannot be read", cause: error)
      }
      guard count > 0 else { return all }
      guard all.count + count <= most else {
        throw ServiceError(
          .tooLarge, operation, detail: "more than \(most >> 20) MiB cannot wait offline",
          remedy: "Store it while there is a server.")
      }
      all += piece[..<count]
    }
  }
}
