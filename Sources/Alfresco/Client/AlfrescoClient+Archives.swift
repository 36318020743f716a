import JSON
import Model
import Wire

/// An archive that the server puts together.
public struct Archive: Sendable, Hashable {
  public enum Status: String, Sendable {
    case pending = "PENDING", running = "IN_PROGRESS", done = "DONE", cancelled = "CANCELLED"
    case tooLarge = "MAX_CONTENT_SIZE_EXCEEDED"
  }

  public let id: String
  /// Nil for a word that no known server sends.
  public let status: Status?
  public let bytesAdded: Int64
  public let totalBytes: Int64
  public let filesAdded: Int
  public let totalFiles: Int

  init(_ entry: JSONValue) {
    id = entry["id"].text ?? ""
    status = entry["status"].string.flatMap(Status.init)
    bytesAdded = entry["bytesAdded"].numberText.flatMap { Int64($0) } ?? 0
    totalBytes = entry["totalBytes"].numberText.flatMap { Int64($0) } ?? 0
    filesAdded = entry["filesAdded"].int ?? 0
    totalFiles = entry["totalFiles"].int ?? 0
  }
}

// Several nodes in one file.
extension AlfrescoClient {
  /// Orders an archive of these nodes, folders with all that is in them.
  ///
  /// - Parameter nodes: Each once; the server refuses repetitions and none.
  public func orderArchive(of nodes: [String]) async throws(ServiceError) -> Archive {
    let body: JSONNode = ["nodeIds": .array(nodes.map { .string($0) })]
    return try await Entry(reply(Call("order an archive", "POST", "downloads").carrying(body)), Archive.init).value
  }

  public func archive(_ id: String) async throws(ServiceError) -> Archive {
    try await Entry(reply(Call("look after the archive", "GET", "downloads", id)), Archive.init).value
  }

  /// Cancels one that is not done; the server removes those that are after an hour.
  public func cancelArchive(_ id: String) async throws(ServiceError) {
    _ = try await answer(Call("cancel the archive", "DELETE", "downloads", id))
  }

  /// Waits until the archive can be downloaded as the content of a node of its id.
  ///
  /// - Throws: `.failed` when it is too large for the server, `.cancelled` when it was cancelled here or there; the
  ///   order is then withdrawn.
  public func finishedArchive(
    of nodes: [String], pause: @Sendable (_ round: Int) async throws(ServiceError) -> Void
  ) async throws(ServiceError) -> Archive {
    let operation = "put the archive together"
    var archive = try await orderArchive(of: nodes)
    do throws(ServiceError) {
      var round = 0
      while archive.status != .done {
        switch archive.status {
        case .tooLarge:
          throw ServiceError(
            .failed, operation, detail: "together these are larger than the server puts into one archive",
            remedy: "Download fewer at once, or file by file.")
        case .cancelled: throw .cancelled(operation)
        case .pending, .running, .done, nil: break
        }
        try await pause(round)
        round += 1
        archive = try await self.archive(archive.id)
      }
      return archive
    } catch {
      if archive.status != .tooLarge { try? await cancelArchive(archive.id) }
      throw error
    }
  }
}
