import Model

/// Storing, renaming and deleting objects.
extension OMCEBackend {
  /// A payload must travel through us to get another name, so large ones are left alone.
  private static let mostBytesToRename = 16 << 20

  var uploadAction: Action {
    Action("upload", "Upload", fields: [FormField("file", "File", .file)], disabled: noWriting)
  }

  func objectActions(_ object: StoredObject) -> [Action] {
    let off = noWriting
    let isLarge = (object.size ?? 0) > OMCEBackend.mostBytesToRename
    return [
      Action("replace", "Replace the content", fields: [FormField("file", "File", .file)], disabled: off),
      Action(
        "rename", "Change the name", fields: [FormField("name", "Name", initial: object.displayName)],
        disabled: off ?? (isLarge ? "only up to 16 MiB: the server cannot rename, the content must be sent again" : nil)
      ),
      Action(
        "delete", "Delete", disabled: off, warning: "Delete “\(object.displayName)” for good"),
    ]
  }

  public func upload(
    _ request: UploadRequest, to location: Location, progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    try forbidWriting("upload to \(location)")
    let user = location.queryValue("user")
    switch try OMCEPlace(location) {
    case .collection(let collection):
      let object = try await client.store(
        in: collection, object: nil, user: user, request, progress: progress)
      return OMCEBackend.place(location.appending(object.id), user)
    case .object(let id):
      var request = request
      request.name = nil
      do {
        _ = try await client.store(
          in: id.collection, object: id.object, user: user, request, onlyNew: request.keepsBoth, progress: progress)
        return location
      } catch {
        // It is there already and both are wanted: the server chooses another id.
        guard request.keepsBoth, error.code == .conflict, request.ifMatch == nil else { throw error }
        return try await besides(id, user, request, location, progress)
      }
    default: throw .notOffered("upload to \(location)", "nothing can be stored there")
    }
  }

  private func besides(
    _ id: ObjectID, _ user: String?, _ request: UploadRequest, _ location: Location, _ progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    do {
      try request.source.rewind()
    } catch let cause {
      throw ServiceError(
        .conflict, "store \(id.object)", detail: "it is there already, and the content cannot be sent again",
        cause: cause)
    }
    var request = request
    request.name = id.object
    let object = try await client.store(in: id.collection, object: nil, user: user, request, progress: progress)
    let parent = location.parent ?? location
    return OMCEBackend.place(parent.appending(object.id), user)
  }

  private static func place(_ location: Location, _ user: String?) -> Location {
    user.map { location.with(query: [("user", $0)]) } ?? location.with(query: [])
  }

  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    let operation = "delete \(location)"
    guard case .object(let id) = try OMCEPlace(location) else {
      throw .notOffered(
        operation, "only objects can be deleted; collections are made and removed by the backend's team")
    }
    try forbidWriting(operation)
    try await client.delete(id)
    return ActionOutcome("Deleted “\(id.object)”.", location: OMCEBackend.collection(of: location))
  }

  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    switch (action, try OMCEPlace(location)) {
    case ("delete", .object): return try await delete(location)
    case ("rename", .object(let id)):
      try forbidWriting("rename \(location)")
      return try await rename(id, to: fields["name"] ?? "", at: location)
    case ("upload", .collection), ("replace", .object):
      throw ServiceError(
        .usage, location.doing(action), detail: "the content comes from a file",
        remedy: "Use: atrium put FILE \(location).")
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }

  /// The server cannot rename: the same content is stored again under the other name, if it is still the same.
  private func rename(_ id: ObjectID, to name: String, at location: Location) async throws(ServiceError)
    -> ActionOutcome
  {
    guard !name.isEmpty else { throw ServiceError(.usage, "rename \(location)", detail: "“name” is missing") }
    let sink = CollectingSink(most: OMCEBackend.mostBytesToRename)
    let head = try await client.download(id, DownloadRequest(), to: sink, progress: { _, _ in })
    let request = UploadRequest(
      MemorySource(sink.bytes), name: name, mediaType: head.mediaType, ifMatch: head.validator)
    _ = try await client.store(
      in: id.collection, object: id.object, user: id.user, request, progress: { _, _ in })
    return ActionOutcome("Renamed to “\(name)”.", location: location)
  }
}
