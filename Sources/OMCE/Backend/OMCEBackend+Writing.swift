import JSON
import Model
import Store
import Wire

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
      switch try await client.save(in: collection, object: nil, user: user, request, progress: progress) {
      case .sent(let object):
        await client.noteUse("storedObject", component: "storage", ["collection": collection])
        return OMCEBackend.place(location.appending(object.id), user)
      case .queued(let edit): return edit.target.location(in: connection.name)
      }
    case .object(let id):
      let stored = try await replace(id, user, request, location, progress)
      await client.noteUse("storedObject", component: "storage", ["collection": id.collection])
      return stored
    case .custom(let path): return try await put(request, to: path, location)
    default: throw .notOffered("upload to \(location)", "nothing can be stored there")
    }
  }

  /// Stores in place of what is there. What this process has seen of it must still be so; else a person decides.
  private func replace(
    _ id: ObjectID, _ user: String?, _ request: UploadRequest, _ location: Location, _ progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    var request = request
    request.name = nil
    let seen = request.ifMatch == nil && !request.keepsBoth ? client.knownTag(of: id) : nil
    if let seen { request.ifMatch = seen }
    do throws(ServiceError) {
      _ = try await client.save(
        in: id.collection, object: id.object, user: user, request, onlyNew: request.keepsBoth, progress: progress)
      return location
    } catch {
      guard error.code == .conflict else { throw error }
      // It is there already and both are wanted: the server chooses another id.
      if request.keepsBoth, request.ifMatch == nil { return try await besides(id, user, request, location, progress) }
      guard seen != nil else { throw error }
      return try await settle(error, id, user, request, location, progress)
    }
  }

  /// Somebody else was faster: theirs, mine, or both.
  private func settle(
    _ conflict: ServiceError, _ id: ObjectID, _ user: String?, _ request: UploadRequest, _ location: Location,
    _ progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    let theirs = try? await client.liveHead(id)
    let who = theirs?.modifiedBy.map { " by \($0)" } ?? ""
    let when = theirs?.modified.map { " at \($0.rfc3339)" } ?? ""
    let question = Question(
      connection: connection.name, title: "“\(theirs?.displayName ?? id.object)” has changed",
      message: "It was changed\(who)\(when) since you looked at it.",
      kind: .choice([
        .init("theirs", "Leave theirs"), .init("both", "Keep both: store mine beside it"),
        .init("mine", "Store mine over theirs"),
      ]))
    let answer: Answer
    do throws(ServiceError) {
      answer = try await surroundings.asker.ask(question)
    } catch {
      throw error.code == .signInNeeded ? conflict : error
    }
    client.remember(theirs?.etag, of: id)
    guard case .chosen(let choice) = answer, choice != "theirs" else { return location }
    var request = request
    if choice == "both" { return try await besides(id, user, request, location, progress) }
    try request.source.again(id.object)
    // Over what was shown in the question, and nothing newer.
    request.ifMatch = theirs?.etag
    _ = try await client.save(in: id.collection, object: id.object, user: user, request, progress: progress)
    return location
  }

  /// A JSON object for a custom API that keeps offline data: replaces members of an item, or makes one in a collection.
  private func put(
    _ request: UploadRequest, to path: [String], _ location: Location
  ) async throws(ServiceError) -> Location {
    let operation = "upload to \(location)"
    let bytes = try request.source.all(most: MobileStore.mostPayloadBytes, operation)
    guard let root = try? JSONDocument(bytes).root, root.kind == .object else {
      throw ServiceError(.usage, operation, detail: "a custom API takes one JSON object")
    }
    let body = root.node()
    if try await isCollection(path) {
      switch try await client.make(in: path, body) {
      case .sent(let row): return location.with(query: []).appending(row.key)
      case .queued(let edit): return edit.target.location(in: connection.name)
      }
    }
    _ = try await client.change(path, .all(of: body), ifMatch: request.ifMatch)
    return location
  }

  /// Whether new items are made there: the answer, or what is kept, is a list.
  private func isCollection(_ path: [String]) async throws(ServiceError) -> Bool {
    do throws(ServiceError) {
      let root = try await client.customAnswer(path, query: []).root
      return root.kind == .array || root["items"].kind == .array
    } catch {
      guard error.isWithoutServer || error.code == .notFound else { throw error }
      return false
    }
  }

  private func besides(
    _ id: ObjectID, _ user: String?, _ request: UploadRequest, _ location: Location, _ progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    try request.source.again(id.object)
    var request = request
    request.name = id.object
    request.ifMatch = nil
    let object = try await client.store(in: id.collection, object: nil, user: user, request, progress: progress)
    let parent = location.parent ?? location
    return OMCEBackend.place(parent.appending(object.id), user)
  }

  private static func place(_ location: Location, _ user: String?) -> Location {
    user.map { location.with(query: [("user", $0)]) } ?? location.with(query: [])
  }

  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    let operation = "delete \(location)"
    switch try OMCEPlace(location) {
    case .edit(let id): return try await drop(id, location)
    case .request(let name): return try await forgetRequest(name)
    case .object(let id):
      try forbidWriting(operation)
      return try await delete(id, location)
    case .custom(let path):
      try forbidWriting(operation)
      let change = try await client.discardItem(path)
      return ActionOutcome(change.words("Deleted “\(path.last ?? "")”."), location: location.parent)
    default:
      throw .notOffered(
        operation, "only objects can be deleted; collections are made and removed by the backend's team")
    }
  }

  /// What this process has seen of it must still be so, lest somebody's change goes with it (reference, trap 14).
  private func delete(_ id: ObjectID, _ location: Location) async throws(ServiceError) -> ActionOutcome {
    let parent = OMCEBackend.collection(of: location)
    do throws(ServiceError) {
      let change = try await client.discard(id, ifMatch: client.knownTag(of: id))
      await client.noteUse("deletedObject", component: "storage", ["collection": id.collection])
      return ActionOutcome(change.words("Deleted “\(id.object)”."), location: parent)
    } catch {
      guard error.code == .conflict else { throw error }
      let question = Question(
        connection: connection.name, title: "“\(id.object)” has changed",
        message: "It was changed since you looked at it.",
        kind: .confirmation(accept: "Delete anyway", isDestructive: true))
      let conflict = error
      do throws(ServiceError) {
        _ = try await surroundings.asker.ask(question)
      } catch {
        throw error.code == .signInNeeded ? conflict : error
      }
      try await client.delete(id)
      return ActionOutcome("Deleted “\(id.object)”.", location: parent)
    }
  }

  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let place = try OMCEPlace(location)
    switch (action, place) {
    case ("sync", _): return try await synchronize { _, _ in }
    case ("pin", _):
      return try await pin(place, location, fields["priority"].flatMap(MobileStore.Priority.init) ?? .normal)
    case ("unpin", _): return try await pin(place, location, nil)
    case ("find", .locations): return try find(location, fields)
    case ("send", .pending): return try await sendAll()
    case ("cancel-all", .pending): return try await dropAll()
    case ("purge", .kept): return try await purge()
    case (_, .edit(let id)): return try await decide(action, id, location)
    case (_, .requests), (_, .request), ("request", _): return try await performRequest(action, place, location, fields)
    case ("register-device", .me), ("deregister-device", .me): return try await performDevice(action, location, fields)
    case (_, .analytics): return try await performAnalytics(action, location, fields)
    case (_, .notifications), (_, .notification): return try await performNotification(action, place, location, fields)
    case ("delete", .object), ("delete", .custom): return try await delete(location)
    case ("rename", .object(let id)):
      try forbidWriting("rename \(location)")
      return try await rename(id, to: fields["name"] ?? "", at: location)
    case ("edit", .custom(let path)): return try await edit(path, fields, location)
    case ("create", .custom(let path)): return try await make(fields["body"] ?? "", in: path, location)
    case ("upload", .collection), ("replace", .object):
      throw ServiceError(
        .usage, location.doing(action), detail: "the content comes from a file",
        remedy: "Use: atrium put FILE \(location).")
    default: throw .notOffered("do “\(action)” at \(location)", "there is no such action here")
    }
  }

  private func purge() async throws(ServiceError) -> ActionOutcome {
    let store = try await client.openStore("forget what was fetched")
    try keeping("forget what was fetched") { () throws(OfflineError) in try store.purge() }
    return ActionOutcome("Forgot what was fetched; edits that wait stay.")
  }

  /// Texts become what the item holds under that name now: a number stays a number.
  private func edit(
    _ path: [String], _ fields: [String: String], _ location: Location
  ) async throws(ServiceError) -> ActionOutcome {
    try forbidWriting(location.doing("edit"))
    let now = try await client.customAnswer(path, query: []).root
    let members = fields.filter { $0.key != "etag" }.sorted { $0.key < $1.key }.map { name, text in
      JSONNode.Member(key: name, value: OMCEBackend.node(text, like: now[name]))
    }
    let change = try await client.change(path, members, ifMatch: fields["etag"])
    return ActionOutcome(change.words("Changed “\(path.last ?? "")”."), location: location)
  }

  private static func node(_ text: String, like value: JSONValue) -> JSONNode {
    switch value.kind {
    case .bool where text == "true" || text == "false": .bool(text == "true")
    case .number: Int64(text).map { .integer($0) } ?? .number(text)
    case .null where text.isEmpty: .null
    default: .string(text)
    }
  }

  private func make(
    _ text: String, in path: [String], _ location: Location
  ) async throws(ServiceError) -> ActionOutcome {
    try forbidWriting(location.doing("create"))
    guard let root = try? JSONDocument(Array(text.utf8)).root, root.kind == .object else {
      throw ServiceError(.usage, location.doing("create"), detail: "“body” is no JSON object")
    }
    switch try await client.make(in: path, root.node()) {
    case .sent(let row):
      return ActionOutcome("Created “\(row.key)”.", location: location.with(query: []).appending(row.key))
    case .queued(let edit):
      return ActionOutcome(
        "It is created when there is a server again.", location: edit.target.location(in: connection.name))
    }
  }

  /// The server cannot rename: the same content is stored again under the other name, if it is still the same.
  private func rename(_ id: ObjectID, to name: String, at location: Location) async throws(ServiceError)
    -> ActionOutcome
  {
    guard !name.isEmpty else { throw ServiceError(.usage, "rename \(location)", detail: "“name” is missing") }
    let sink = CollectingSink(most: OMCEBackend.mostBytesToRename)
    let head = try await client.download(.object(id), DownloadRequest(), to: sink, progress: { _, _ in })
    let request = UploadRequest(
      MemorySource(sink.bytes), name: name, mediaType: head.mediaType, ifMatch: head.validator)
    let change = try await client.save(
      in: id.collection, object: id.object, user: id.user, request, progress: { _, _ in })
    return ActionOutcome(change.words("Renamed to “\(name)”."), location: location)
  }
}

extension MobileChange {
  /// What to say: that it is done, or that it waits.
  func words(_ done: String) -> String {
    switch self {
    case .sent: done
    case .queued(let edit): "It waits for the server as edit \(edit.edit.id)."
    }
  }
}

extension ByteSource {
  /// Back to the front, for a second attempt after a conflict.
  fileprivate func again(_ name: String) throws(ServiceError) {
    do {
      try rewind()
    } catch {
      throw ServiceError(
        .conflict, "store \(name)", detail: "it is there already, and the content cannot be sent again", cause: error)
    }
  }
}
