import JSON
import Model
import Store
import Synchronization
import Wire

/// Payloads from the service or from what is kept: of stored objects, and of a custom API's files.
extension MobileClient {
  /// - Parameter wanted: A policy of the call itself, before all others.
  func download(
    _ id: MobileEdit.Target, _ request: DownloadRequest, to sink: any ByteSink, wanted: MobileSyncPolicy? = nil,
    progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    let operation = "download \(id.key)"
    guard let store = try await storeForReading(operation) else {
      return try await liveDownload(id, request, to: sink, progress: progress)
    }
    // One's own edit is what one sees until the service has it.
    if let mine = try store.edits(of: id, operation).last, let payload = mine.keptPayload {
      return try deliver(payload, named: mine.text("name"), id, request, to: sink, progress, operation)
    }
    let found = try keeping(operation) { () throws(OfflineError) in try store.payload(id.keptPath) }
    let policy = try policy(for: id.serverPath, in: store, wanted)
    switch FetchPlan(policy.fetch, holding(found, policy), isOnline: offline.isOnline) {
    case .kept, .keptThenRefresh:
      guard let found else { throw notKept(operation) }
      offline.count(isHit: true)
      return try await deliverKept(found, store, id, request, to: sink, progress, operation)
    case .service:
      offline.count(isHit: false)
      return try await downloadAndKeep(id, request, to: sink, progress, policy, found, store)
    case .serviceElseKept:
      do throws(ServiceError) {
        return try await downloadAndKeep(id, request, to: sink, progress, policy, found, store)
      } catch {
        guard error.isWithoutServer, let found else { throw error }
        return try await deliverKept(found, store, id, request, to: sink, progress, operation)
      }
    case .nothing, .unavailable: throw notKept(operation)
    }
  }

  private func holding(_ found: MobileStore.Payload?, _ policy: MobileSyncPolicy) -> FetchPlan.Holding {
    guard let found else { return .nothing }
    let now = offline.surroundings.clock.now()
    return policy.isExpired(kept: found.kept, started: offline.started, now: now) ? .expired : .fresh
  }

  /// Streams a payload, and keeps it where it is small enough. What is kept already is not sent again.
  private func downloadAndKeep(
    _ id: MobileEdit.Target, _ request: DownloadRequest, to sink: any ByteSink, _ progress: @escaping Progress,
    _ policy: MobileSyncPolicy, _ found: MobileStore.Payload?, _ store: MobileStore
  ) async throws(ServiceError) -> ContentHead {
    let operation = "download \(id.key)"
    guard request.offset == 0, !policy.isNotKept, offline.hasRoom(store) else {
      return try await liveDownload(id, request, to: sink, progress: progress)
    }
    let copy = CopyingSink(sink, most: MobileStore.mostPayloadBytes)
    do throws(ServiceError) {
      let head = try await liveDownload(id, request, to: copy, unlessTag: found?.etag, progress: progress)
      if let bytes = copy.whole {
        let payload = MobileStore.Payload(
          bytes: bytes, mediaType: head.mediaType, etag: head.validator, kept: offline.surroundings.clock.now())
        // The person has the bytes already; keeping them is extra.
        try? store.keep(payload, of: id.keptPath)
      }
      return head
    } catch {
      guard error.status == 304, let found else { throw error }
      return try await deliverKept(found, store, id, request, to: sink, progress, operation)
    }
  }

  private func deliverKept(
    _ payload: MobileStore.Payload, _ store: MobileStore, _ id: MobileEdit.Target,
    _ request: DownloadRequest, to sink: any ByteSink, _ progress: @escaping Progress, _ operation: String
  ) async throws(ServiceError) -> ContentHead {
    let row = try keeping(operation) { () throws(OfflineError) in
      try store.row(id.key, of: id.listPath)
    }
    return try deliver(payload, named: row?.text("name"), id, request, to: sink, progress, operation)
  }

  private func deliver(
    _ payload: MobileStore.Payload, named name: String?, _ id: MobileEdit.Target, _ request: DownloadRequest,
    to sink: any ByteSink, _ progress: @escaping Progress, _ operation: String
  ) throws(ServiceError) -> ContentHead {
    let isSame = request.validator != nil && request.validator == payload.etag
    let start = isSame ? min(Int(request.offset), payload.bytes.count) : 0
    let head = ContentHead(
      name: name.flatMap { $0.isEmpty ? nil : $0 } ?? id.key, mediaType: payload.mediaType,
      size: Int64(payload.bytes.count), validator: payload.etag)
    do {
      try sink.begin(head, at: Int64(start))
      try payload.bytes.withUnsafeBytes { try sink.write(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    } catch {
      throw ServiceError(.failed, operation, detail: "the bytes could not be taken", cause: error)
    }
    progress(Int64(payload.bytes.count), Int64(payload.bytes.count))
    return head
  }

  /// Fetches a payload for later; nil when it is too large to be kept, or what is kept is still the service's.
  func fetchPayload(_ id: MobileEdit.Target, in store: MobileStore) async throws(ServiceError) {
    let found = try keeping("download \(id.key)") { () throws(OfflineError) in try store.payload(id.keptPath) }
    do throws(ServiceError) {
      _ = try await downloadAndKeep(
        id, DownloadRequest(), to: NowhereSink(most: MobileStore.mostPayloadBytes), { _, _ in }, MobileSyncPolicy(),
        found, store)
    } catch {
      guard error.code != .tooLarge else { return }
      throw error
    }
  }
}

extension MobileEdit {
  /// What the edit would store.
  var keptPayload: MobileStore.Payload? {
    guard edit.operation != .delete else { return nil }
    return payload.map {
      MobileStore.Payload(
        bytes: $0, mediaType: text("contentType") ?? "application/octet-stream", etag: edit.tag, kept: edit.queued)
    }
  }
}

/// Hands bytes on, and remembers them as long as they are few.
private final class CopyingSink: ByteSink {
  private struct State {
    var bytes: [UInt8] = []
    var isTooLarge = false
  }

  private let sink: any ByteSink
  private let most: Int
  private let state = Mutex(State())

  init(_ sink: any ByteSink, most: Int) {
    self.sink = sink
    self.most = most
  }

  /// All of it; nil when it was too much.
  var whole: [UInt8]? { state.withLock { $0.isTooLarge ? nil : $0.bytes } }

  func begin(_ head: ContentHead, at offset: Int64) throws {
    let isTooLarge = offset != 0 || (head.size.map { $0 > Int64(most) } ?? false)
    state.withLock { $0 = State(isTooLarge: isTooLarge) }
    try sink.begin(head, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    state.withLock { state in
      guard !state.isTooLarge else { return }
      state.isTooLarge = state.bytes.count + bytes.count > most
      if state.isTooLarge { state.bytes = [] } else { state.bytes.append(contentsOf: bytes) }
    }
    try sink.write(bytes)
  }
}

/// Lets bytes go by; breaks off when they become too many to be worth it.
private struct NowhereSink: ByteSink {
  let most: Int

  func begin(_ head: ContentHead, at offset: Int64) throws {
    if let size = head.size, size > Int64(most) {
      throw ServiceError(.tooLarge, "keep \(head.name)", detail: "it has more than \(most) bytes")
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {}
}
