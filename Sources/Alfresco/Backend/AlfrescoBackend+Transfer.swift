import Model
import Wire

extension AlfrescoBackend {
  public func download(
    _ location: Location, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    let place = try Place(location)
    let operation = "download \(location)"
    return try await during(operation) { () async throws(ServiceError) -> ContentHead in
      let content: ContentAddress
      switch place {
      case .archive(let references): return try await downloadArchive(references, to: sink, progress: progress)
      case .node(let reference): content = .node(try await file(reference, operation))
      case .deleted(let id): content = .deleted(id)
      case .facetEntry(let reference, .versions, let label):
        content = .version(label, of: try await identify(reference))
      case .facetEntry(let reference, .renditions, let id):
        let node = try await identify(reference)
        try await rendered(id, of: node)
        content = .rendition(id, of: node)
      default: throw .notOffered(operation, "there is no content behind it")
      }
      return try await client.download(content, request, to: sink, progress: progress)
    }
  }

  private func file(_ reference: NodeReference, _ operation: String) async throws(ServiceError) -> String {
    if case .id(let id) = reference, !reference.isSurelyFolder { return id }
    let node = try await resolve(reference).value
    guard !node.isFolder else {
      throw ServiceError(
        .notOffered, operation, detail: "“\(node.name)” is a folder",
        remedy: "Download the files in it, or fetch \(Self.archiveHint(reference, connection.name)) as one archive.")
    }
    return node.id
  }

  private static func archiveHint(_ reference: NodeReference, _ connection: String) -> String {
    let path: [String]
    switch reference {
    case .id(let id): path = ["nodes", id]
    case .path(let names): path = ["files"] + names
    case .site(let site, let names): path = ["sites", site, "files"] + names
    }
    let at = Location(connection: connection, path: path).text.dropFirst(connection.utf8.count + 1)
    return Location(connection: connection, path: ["zip"], query: [("at", String(at))]).text
  }

  /// Has a rendition made that is not there yet, and waits for it.
  ///
  /// - Throws: `.timedOut` after some twenty seconds: a rendition that cannot be made never says so.
  private func rendered(_ id: String, of node: String) async throws(ServiceError) {
    guard try await !client.rendition(id, of: node).value.isCreated else { return }
    try await client.requestRendition(id, of: node)
    for round in 0..<12 {
      try await Pace.wait(round, "make the rendition “\(id)”")
      if try await client.rendition(id, of: node).value.isCreated { return }
    }
    throw ServiceError(
      .failed, "make the rendition “\(id)”", detail: "the server has not made it yet, and may not be able to",
      remedy: "Try again in a while, or download the file itself.")
  }

  public func upload(
    _ request: UploadRequest, to location: Location, progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    let place = try Place(location)
    let operation = "upload to \(location)"
    guard case .node(let reference) = place else { throw .notOffered(operation, "nothing can be stored there") }
    return try await changing(operation) { () async throws(ServiceError) -> Location in
      guard let node = try await existing(reference) else {
        return try await create(request, reference, location, operation, progress)
      }
      if node.isFolder {
        guard let name = request.name else {
          throw ServiceError(.usage, operation, detail: "it is a folder, and the file has no name")
        }
        return try await store(request, as: name, in: node.id, location, reference, progress)
      }
      if request.keepsBoth, let parent = node.parentID {
        let above = reference.parent ?? .id(parent)
        let folder = reference.parent == nil ? nodeLocation(parent) : location.parent ?? nodeLocation(parent)
        return try await store(request, as: node.name, in: parent, folder, above, progress)
      }
      try check(request.ifMatch, node, operation)
      _ = try await client.updateContent(
        node.id, request.source, mediaType: request.mediaType ?? node.content?.mediaType,
        major: request.isMajor ?? false, comment: request.comment, progress: progress)
      return location
    }
  }

  /// The node, or nil where there is none yet and a name says what it would be called.
  private func existing(_ reference: NodeReference) async throws(ServiceError) -> Node? {
    do throws(ServiceError) {
      return try await resolve(reference).value
    } catch {
      guard error.code == .notFound, reference.parent != nil else { throw error }
      return nil
    }
  }

  private func create(
    _ request: UploadRequest, _ reference: NodeReference, _ location: Location, _ operation: String,
    _ progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    guard let parent = reference.parent, let name = reference.lastName, let folder = location.parent else {
      throw .notFound(location)
    }
    guard request.ifMatch == nil else {
      throw ServiceError(.conflict, operation, detail: "there is no such file any more")
    }
    return try await store(request, as: name, in: try await identify(parent), folder, parent, progress)
  }

  private func store(
    _ request: UploadRequest, as name: String, in parent: String, _ folder: Location, _ reference: NodeReference,
    _ progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    var file = NewFile(name, request.source, mediaType: request.mediaType, autoRenames: request.keepsBoth)
    file.overwrites = request.replaces && !request.keepsBoth
    file.isMajor = request.isMajor
    file.comment = request.comment
    let boundary = surroundings.randomBytes(16).map { byte in
      let hex = String(byte, radix: 16)
      return hex.utf8.count == 1 ? "0" + hex : hex
    }
    do throws(ServiceError) {
      let node = try await client.createFile(file, in: parent, boundary: boundary.joined(), progress: progress).value
      return childLocation(node, of: folder, reference)
    } catch {
      guard error.code == .conflict else { throw error }
      if let decide = request.whenTaken, !request.keepsBoth, !request.replaces {
        return try await store(request, as: name, in: parent, folder, reference, progress, try await decide(name))
      }
      throw ServiceError(
        .conflict, error.operation, detail: error.detail,
        remedy: "Upload to the file itself for a new version, or keep both (--keep-both).", status: error.status,
        serverCode: error.serverCode)
    }
  }

  /// Once more, as somebody decided.
  private func store(
    _ request: UploadRequest, as name: String, in parent: String, _ folder: Location, _ reference: NodeReference,
    _ progress: @escaping Progress, _ decision: UploadRequest.Clash
  ) async throws(ServiceError) -> Location {
    var request = request
    request.whenTaken = nil
    switch decision {
    case .keepBoth: request.keepsBoth = true
    case .newVersion(let isMajor):
      request.replaces = true
      request.isMajor = isMajor
    case .leaveOut: return folder
    }
    do {
      try request.source.rewind()
    } catch {
      throw ServiceError(.failed, "upload “\(name)”", detail: "the data cannot be sent a second time", cause: error)
    }
    return try await store(request, as: name, in: parent, folder, reference, progress)
  }

  /// The server has no `If-Match`, so the version label is compared before writing; the content's tag will do as well.
  private func check(_ wanted: String?, _ node: Node, _ operation: String) throws(ServiceError) {
    guard let wanted, wanted != node.versionLabel, wanted != node.contentTag else { return }
    let label = node.versionLabel.map { "version \($0)" } ?? "without versions"
    throw ServiceError(.conflict, operation, detail: "the file is \(label) now, not \(wanted)")
  }
}
