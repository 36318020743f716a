import JSON
import Model
import Store
import Wire

/// A file of a custom API that keeps offline data (`OMCMobileFile`): the bytes here, and the service's last ones.
///
/// Nothing of it lies unencrypted on the disk, so that there is no path to give (`getFilepath`,
/// `getFilepathPersistentState`): `MobileEndpoint.fetchFile(_:to:)` writes it where it is wanted.
public struct MobileFile: CompletionCaller {
  let client: MobileClient
  private let path: [String]
  private let isNew: Bool
  /// As they are here: with an edit that waits (`getData`).
  public let data: [UInt8]
  /// Nil for a new file.
  public let head: ContentHead?
  /// What every kept thing can be asked (`OMCMobileResource`).
  public let resource: MobileResource

  init(_ client: MobileClient, _ path: [String], _ data: [UInt8], _ head: ContentHead) {
    (self.client, self.path, self.data, self.head, isNew) = (client, path, data, head, false)
    resource = MobileResource(client, path, [:])
  }

  init(_ client: MobileClient, _ path: [String]) {
    (self.client, self.path, data, head, isNew) = (client, path, [], nil, true)
    resource = MobileResource(client, path, [:])
  }

  public var uri: String { resource.uri }
  public var etag: String? { head?.validator }

  /// As the service had it last; nil when nothing of it is kept (`getDataPersistentState`).
  public func dataPersistentState() async throws(ServiceError) -> [UInt8]? {
    let store = try await client.openStore("look at \(uri)")
    return try keeping("look at \(uri)") { () throws(OfflineError) in
      try store.payload(MobileEdit.Target.item(path).keptPath)?.bytes
    }
  }

  /// Sends new bytes, or queues them (`saveResource:contentType:OnSuccess:OnError:`,
  /// `saveResource:contentType:saveIfOffline:…`); a new file is made, another one replaced while it is still this one.
  ///
  /// - Parameter savesIfOffline: Over what its policy says; nil for the policy.
  /// - Throws: `.conflict` when the service holds another version by now.
  @discardableResult
  public func save(
    _ data: [UInt8], mediaType: String, savesIfOffline: Bool? = nil
  ) async throws(ServiceError) -> MobileObject.Saved {
    let change = try await client.saveFile(
      path, data, mediaType, isNew: isNew, ifMatch: etag, savesIfOffline: savesIfOffline)
    switch change {
    case .sent(let row): return .sent(key: row.key)
    case .queued: return .queued
    }
  }

  /// Deletes it, now or later; no error is success (`deleteResourceOnError:`, `deleteResource:OnError:`).
  public func delete(savesIfOffline: Bool? = nil) async throws(ServiceError) {
    _ = try await client.discardItem(path, ifMatch: etag, savesIfOffline: savesIfOffline)
  }
}

/// Files of custom APIs: raw bytes with a tag (reference, section 6.5).
extension MobileClient {
  func saveFile(
    _ path: [String], _ data: [UInt8], _ mediaType: String, isNew: Bool, ifMatch tag: String?, savesIfOffline: Bool?
  ) async throws(ServiceError) -> MobileChange<OfflineRow> {
    var names = path
    if isNew { names.append("+" + MobileHeaders.Identity.uuid(offline.surroundings.randomBytes(16)).prefix(8)) }
    let target = MobileEdit.Target.item(names)
    let words = "store \(path.joined(separator: "/"))"
    let facts: [JSONNode.Member] = [
      .init(key: "contentType", value: .string(mediaType)), .init(key: "contentLength", value: .int(data.count)),
    ]
    let draft = Draft(
      operation: isNew ? .create : .update, target: target,
      content: { _ throws(ServiceError) in
        guard data.count <= MobileStore.mostPayloadBytes else {
          throw ServiceError(.tooLarge, words, detail: "more than 16 MiB cannot wait offline")
        }
        return MobileEdit.Content(row: facts, payload: data)
      }, tag: tag, savesIfOffline: savesIfOffline, words: words)
    let change = try await submit(
      draft,
      live: { () async throws(ServiceError) in
        isNew
          ? try await sendFile("POST", path, data, mediaType, ifMatch: nil)
          : try await sendFile("PUT", path, data, mediaType, ifMatch: tag)
      })
    if case .sent(let row) = change, offline.isInUse, let store = try? await openStore(words) {
      let payload = MobileStore.Payload(
        bytes: data, mediaType: mediaType, etag: row.tag, kept: offline.surroundings.clock.now())
      try? store.keep(payload, of: MobileEdit.Target.item(isNew ? path + [row.key] : path).keptPath)
    }
    return change
  }

  func createFile(_ path: [String], _ edit: MobileEdit) async throws(ServiceError) -> OfflineRow {
    try await sendFile("POST", path, edit.payload ?? [], edit.text("contentType"), ifMatch: nil)
  }

  func updateFile(_ path: [String], _ edit: MobileEdit, ifMatch tag: String?) async throws(ServiceError) -> OfflineRow {
    try await sendFile("PUT", path, edit.payload ?? [], edit.text("contentType"), ifMatch: tag)
  }

  /// - Returns: What is known of the file, under the key that the service gave it.
  private func sendFile(
    _ method: String, _ path: [String], _ data: [UInt8], _ mediaType: String?, ifMatch tag: String?
  ) async throws(ServiceError) -> OfflineRow {
    var call = itemCall(method, path, nil, ifMatch: tag)
    call.body = .bytes(data)
    call.headers.append((name: "Content-Type", value: mediaType ?? "application/octet-stream"))
    let answer = try await demand(call)
    let place = answer.headers["Location"].map { String($0.prefix { $0 != "?" }) }
    let made = method == "POST" ? place?.split(separator: "/").last.map { URLForm.unescape($0) } : nil
    let key = made ?? (method == "POST" ? "" : path.last ?? "")
    return OfflineRow(
      key: key, tag: answer.headers["ETag"],
      properties: [
        .init(key: "contentType", value: mediaType.map { .string($0) } ?? .null),
        .init(key: "contentLength", value: .int(data.count)),
      ])
  }

  /// What the service says of a file; its bytes go by.
  func liveFile(_ target: MobileEdit.Target) async throws(ServiceError) -> OfflineRow {
    let sink = CollectingSink(most: MobileStore.mostPayloadBytes)
    let head = try await liveDownload(target, DownloadRequest(), to: sink, progress: { _, _ in })
    return OfflineRow(
      key: target.key, tag: head.validator,
      properties: [
        .init(key: "contentType", value: .string(head.mediaType)),
        .init(key: "contentLength", value: .int(sink.bytes.count)),
      ])
  }
}
