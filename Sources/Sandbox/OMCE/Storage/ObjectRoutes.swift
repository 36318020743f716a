import HTTPServer
import JSON

/// Single objects: read in whole or part, written and deleted under conditions; reference omce.md, section 4.4.
extension OMCRoutes {
  mutating func addObjects() {
    let list = Self.storagePath + "/{collection}/objects"
    on("POST", list) { call throws(OMCError) in try call.createObject() }
    on("GET", list + "/{object}") { call throws(OMCError) in try call.readObject() }
    on("PUT", list + "/{object}") { call throws(OMCError) in try call.putObject() }
    on("DELETE", list + "/{object}") { call throws(OMCError) in try call.deleteObject() }
  }
}

/// The conditions of a request on an object's tag and time.
private struct Preconditions {
  let ifMatch: String?
  let ifNoneMatch: String?
  let modifiedSince: SandboxTime?
  let unmodifiedSince: SandboxTime?

  init(_ request: SandboxRequest) {
    ifMatch = request.header("If-Match")
    ifNoneMatch = request.header("If-None-Match")
    modifiedSince = request.header("If-Modified-Since").flatMap { SandboxTime(http: $0) }
    unmodifiedSince = request.header("If-Unmodified-Since").flatMap { SandboxTime(http: $0) }
  }

  /// Whether a write may go on; HTTP counts time in whole seconds.
  func allowWrite(_ object: StorageObject?) -> Bool {
    if let ifMatch {
      guard let object, ifMatch == "*" || Self.tags(ifMatch).contains(object.eTag) else { return false }
    }
    if ifNoneMatch == "*" && object != nil { return false }
    if let unmodifiedSince, let object, object.modifiedOn.seconds > unmodifiedSince.seconds { return false }
    return true
  }

  func isNotModified(_ object: StorageObject) -> Bool {
    if let ifNoneMatch { return ifNoneMatch == "*" || Self.tags(ifNoneMatch).contains(object.eTag) }
    return modifiedSince.map { object.modifiedOn.seconds <= $0.seconds } ?? false
  }

  private static func tags(_ header: String) -> [String] {
    header.split(separator: ",").map { $0.filter { $0 != " " } }.map {
      $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0
    }
  }
}

extension OMCCall {
  /// Whose space a call on one object means; nil in shared collections.
  private func space(_ collection: StorageCollection, writing: Bool) throws(OMCError) -> String? {
    let asked = request.query("user")
    guard collection.isIsolated else {
      guard asked == nil else { throw .badRequest("user is not allowed on a shared collection.") }
      let isAllowed = principal.user.map { writing ? $0.writes : $0.reads } ?? (collection.isOpen && !writing)
      guard isAllowed else { throw .forbidden("Your roles do not \(writing ? "write" : "read") this collection.") }
      return nil
    }
    let user = try person()
    guard writing ? user.writes : user.reads else { throw .forbidden("Your roles do not allow this.") }
    let owner = asked ?? user.id
    guard owner == user.id || (user.reachesOthers && owner != "*") else {
      throw .forbidden("Your roles do not reach other users' spaces.")
    }
    return owner
  }

  private func headers(_ object: StorageObject, in collection: StorageCollection) -> [ServerResponse.Field] {
    [
      ("Content-Type", object.contentType), ("ETag", object.eTag),
      ("Oracle-Mobile-Name", PercentCoding.encode(object.name, keeping: " ()!'*,;:@&=+$")),
      ("Oracle-Mobile-Created-By", object.createdBy), ("Oracle-Mobile-Created-On", date(object.createdOn)),
      ("Oracle-Mobile-Modified-By", object.modifiedBy), ("Oracle-Mobile-Modified-On", date(object.modifiedOn)),
      ("Oracle-Mobile-Canonical-Link", canonicalPath(object, in: collection)),
      ("Last-Modified", object.modifiedOn.http), ("Accept-Ranges", "bytes"),
    ]
  }

  fileprivate func readObject() throws(OMCError) -> ServerResponse {
    let collection = try theCollection()
    let owner = try space(collection, writing: false)
    guard let object = server.storage.object(self["object"], owner: owner, in: collection) else {
      throw .notFound("The object \(self["object"])")
    }
    let conditions = Preconditions(request)
    guard conditions.ifMatch == nil && conditions.unmodifiedSince == nil || conditions.allowWrite(object) else {
      throw .preconditionFailed
    }
    let headers = headers(object, in: collection)
    if conditions.isNotModified(object) { return ServerResponse(status: 304, headers: headers) }
    guard accepts(object.contentType) else {
      throw OMCError(406, "Not Acceptable", "The object is available as \(object.contentType) only.")
    }
    return body(of: object, headers)
  }

  private func body(of object: StorageObject, _ headers: [ServerResponse.Field]) -> ServerResponse {
    let whole = 0..<object.content.count
    let isCurrent = request.header("If-Range").map { $0 == object.eTag } ?? true
    guard isCurrent, let header = request.header("Range"), let range = ByteRange.parse(header, count: whole.count)
    else {
      return ServerResponse(status: 200, headers: headers, body: object.content.body(whole))
    }
    guard case .part(let part) = range else {
      return ServerResponse(status: 416, headers: headers + [("Content-Range", "bytes */\(whole.count)")])
    }
    let span = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(whole.count)"
    return ServerResponse(
      status: 206, headers: headers + [("Content-Range", span)], body: object.content.body(part))
  }

  /// Whether an `Accept` header covers the stored type.
  private func accepts(_ type: String) -> Bool {
    guard let header = request.header("Accept") else { return true }
    let stored = type.prefix { $0 != ";" }.lowercased()
    return header.split(separator: ",").contains { part in
      let range = part.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
      return range == "*/*" || range == stored || (range.hasSuffix("/*") && stored.hasPrefix(range.dropLast()))
    }
  }

  private func requireLength() throws(OMCError) {
    guard request.header("Content-Length") != nil || request.header("Transfer-Encoding") != nil else {
      throw OMCError(411, "Length Required", "Neither Content-Length nor Transfer-Encoding is present.")
    }
  }

  /// The name that the client wants shown, decoded where it was sent encoded.
  private var sentName: String? {
    request.header("Oracle-Mobile-Name").map { $0.contains("%") ? PercentEncoding.decode($0) : $0 }
  }

  private func written(_ old: StorageObject?, id: String, owner: String?) -> StorageObject {
    StorageObject(
      id: id, owner: owner, name: sentName ?? old?.name ?? id,
      contentType: request.header("Content-Type") ?? "application/octet-stream", version: (old?.version ?? 0) + 1,
      createdBy: old?.createdBy ?? principal.name, createdOn: old?.createdOn ?? now, modifiedBy: principal.name,
      modifiedOn: now, content: .uploaded(request.server.body))
  }

  private func created(_ object: StorageObject, in collection: StorageCollection) -> ServerResponse {
    let path = canonicalPath(object, in: collection)
    return .json(json(object, in: collection), status: 201)
      .adding("Location", knobs.locationWithoutSlash ? String(path.dropFirst()) : path).adding("ETag", object.eTag)
  }

  /// The server chooses the id, whatever the client sends.
  fileprivate func createObject() throws(OMCError) -> ServerResponse {
    let collection = try theCollection()
    let owner = try space(collection, writing: true)
    try requireLength()
    var random = server.makeRandom("object")
    let object = written(nil, id: random.uuid(), owner: owner)
    _ = server.storage.write(object.id, owner: owner, in: collection) { _ in object }
    return created(object, in: collection)
  }

  fileprivate func putObject() throws(OMCError) -> ServerResponse {
    let collection = try theCollection()
    let owner = try space(collection, writing: true)
    try requireLength()
    let id = self["object"]
    guard id.utf8.count <= 100 else { throw .badRequest("The object's id is too long; 100 bytes are allowed.") }
    try sufferConflict(id, owner, collection)
    let conditions = Preconditions(request)
    var isNew = false
    let object = try server.storage.write(id, owner: owner, in: collection) { old throws(OMCError) in
      guard conditions.allowWrite(old) else { throw .preconditionFailed }
      isNew = old == nil
      return written(old, id: id, owner: owner)
    }
    guard let object else { throw .notFound("The object \(id)") }
    if isNew { return created(object, in: collection) }
    return .json(json(object, in: collection)).adding("ETag", object.eTag)
  }

  fileprivate func deleteObject() throws(OMCError) -> ServerResponse {
    let collection = try theCollection()
    let owner = try space(collection, writing: true)
    let id = self["object"]
    try sufferConflict(id, owner, collection)
    let conditions = Preconditions(request)
    _ = try server.storage.write(id, owner: owner, in: collection) { old throws(OMCError) in
      guard old != nil else { throw .notFound("The object \(id)") }
      guard conditions.allowWrite(old) else { throw .preconditionFailed }
      return nil
    }
    return .empty(204)
  }

  /// An ordered conflict: somebody else edits the object just before this write.
  private func sufferConflict(_ id: String, _ owner: String?, _ collection: StorageCollection) throws(OMCError) {
    guard server.storage.takeConflict() else { return }
    _ = server.storage.edit(id, owner: owner, in: collection, at: now)
    guard knobs.conflictStatus == 409 else { throw .preconditionFailed }
    throw OMCError(409, "Conflict", "The object is being changed by somebody else.")
  }
}

/// One range of bytes asked for, or the finding that it lies outside.
enum ByteRange: Equatable {
  case part(Range<Int>)
  case outside

  /// nil for what is to be ignored: other units, several ranges, or no range at all.
  static func parse(_ header: String, count: Int) -> ByteRange? {
    guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
    let ends = header.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    if ends[0].isEmpty {
      guard let length = Int(ends[1]) else { return nil }
      return length > 0 && count > 0 ? .part(max(0, count - length)..<count) : .outside
    }
    guard let start = Int(ends[0]), start >= 0 else { return nil }
    let last = ends[1].isEmpty ? count - 1 : Int(ends[1])
    guard let last, last >= start || start >= count else { return nil }
    return start < count ? .part(start..<min(last, count - 1) + 1) : .outside
  }
}
