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
      case .node(let reference): content = .node(try await file(reference, operation))
      case .deleted(let id): content = .deleted(id)
      case .facetEntry(let reference, .versions, let label):
        content = .version(label, of: try await identify(reference))
      case .facetEntry(let reference, .renditions, let id):
        content = .rendition(id, of: try await identify(reference))
      default: throw .notOffered(operation, "there is no content behind it")
      }
      return try await client.download(content, request, to: sink, progress: progress)
    }
  }

  private func file(_ reference: NodeReference, _ operation: String) async throws(ServiceError) -> String {
    if case .id(let id) = reference, !reference.isSurelyFolder { return id }
    let node = try await resolve(reference).value
    guard !node.isFolder else {
      throw .notOffered(operation, "“\(node.name)” is a folder; download the files in it")
    }
    return node.id
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
        node.id, request.source, mediaType: request.mediaType ?? node.content?.mediaType, progress: progress)
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
    let file = NewFile(name, request.source, mediaType: request.mediaType, autoRenames: request.keepsBoth)
    let boundary = surroundings.randomBytes(16).map { byte in
      let hex = String(byte, radix: 16)
      return hex.utf8.count == 1 ? "0" + hex : hex
    }
    do throws(ServiceError) {
      let node = try await client.createFile(file, in: parent, boundary: boundary.joined(), progress: progress).value
      return childLocation(node, of: folder, reference)
    } catch {
      guard error.code == .conflict else { throw error }
      throw ServiceError(
        .conflict, error.operation, detail: error.detail,
        remedy: "Upload to the file itself for a new version, or keep both (--keep-both).", status: error.status,
        serverCode: error.serverCode)
    }
  }

  /// The server has no `If-Match`, so the version label is compared before writing; the content's tag will do as well.
  private func check(_ wanted: String?, _ node: Node, _ operation: String) throws(ServiceError) {
    guard let wanted, wanted != node.versionLabel, wanted != node.contentTag else { return }
    let label = node.versionLabel.map { "version \($0)" } ?? "without versions"
    throw ServiceError(.conflict, operation, detail: "the file is \(label) now, not \(wanted)")
  }
}
