import FoundationEssentials
import JSON
import Model
import Store
import Synchronization
import Wire

/// Which part of a list to ask for.
public struct StoragePage: Sendable, Hashable {
  /// The server gives no more than 100, whatever is asked.
  public static let most = 100
  public var offset: Int
  public var limit: Int
  /// `modifiedOn:desc`; nil for the server's own order.
  public var order: String?
  /// Part of an id, a name, or the name of who made or changed it; any case.
  public var text: String?

  public init(offset: Int = 0, limit: Int = StoragePage.most, order: String? = nil, text: String? = nil) {
    self.offset = offset
    self.limit = limit
    self.order = order
    self.text = text
  }

  var query: [(name: String, value: String)] {
    var list = [
      (name: "limit", value: String(min(max(limit, 1), StoragePage.most))), (name: "offset", value: String(offset)),
      (name: "totalResults", value: "true"),
    ]
    if let order { list.append((name: "orderBy", value: order)) }
    if let text { list.append((name: "q", value: text)) }
    return list
  }

  var listPage: ListPage { ListPage(offset: offset, limit: limit, order: order, text: text) }
}

/// Names an object: its collection, its id there and, in isolated collections, whose it is.
public struct ObjectID: Sendable, Hashable {
  public let collection: String
  public let object: String
  /// An id, not a name; nil for one's own.
  public let user: String?

  public init(collection: String, object: String, user: String? = nil) {
    self.collection = collection
    self.object = object
    self.user = user
  }

  var path: String { "\(MobileClient.storagePath)/\(URLForm.escape(collection))/objects/\(URLForm.escape(object))" }
  var query: [(name: String, value: String)] { user.map { [(name: "user", value: $0)] } ?? [] }
}

/// The storage calls behind both the kit and the browser.
extension MobileClient {
  static let storagePath = "/mobile/platform/storage/collections"
  private static let module = "Storage"

  func collectionsAnswer(_ page: StoragePage) async throws(ServiceError) -> MobileAnswer {
    var call = MobileCall("GET", MobileClient.storagePath, module: MobileClient.module, "load the collections")
    call.query = page.query
    let asked = call
    let found = try await keptList("storage", page.listPage, call.operation) { [self] () async throws(ServiceError) in
      try await json(asked)
    }
    let answer = try demanded(found, call.operation)
    for element in try answer.items() { remember(StorageCollection(element)) }
    return answer
  }

  func collectionAnswer(_ id: String) async throws(ServiceError) -> MobileAnswer {
    let call = MobileCall(
      "GET", "\(MobileClient.storagePath)/\(URLForm.escape(id))", module: MobileClient.module,
      "open the collection \(id)")
    let answer: MobileAnswer
    do throws(ServiceError) {
      answer = try await kept(call)
    } catch {
      guard error.isWithoutServer, let row = try await keptRow(id, of: "storage", call.operation) else { throw error }
      answer = row
    }
    remember(StorageCollection(answer.root))
    return answer
  }

  func isIsolated(_ collection: String) async throws(ServiceError) -> Bool {
    if let known = knownIsolation(of: collection) { return known }
    return StorageCollection(try await collectionAnswer(collection).root).isIsolated
  }

  /// A page of objects, from the service or from what is kept.
  func objectsAnswer(
    _ collection: String, user: String?, _ page: StoragePage
  ) async throws(ServiceError) -> (answer: MobileAnswer, ownID: String?) {
    let operation = "load the objects of \(collection)"
    // One's own space has one name, whether the id is said or not.
    let space = user == knownUserID ? nil : user
    let ownID = Mutex<String?>(nil)
    let found = try await keptList(
      MobileClient.listPath(collection, space), page.listPage, operation
    ) { [self] () async throws(ServiceError) in
      let (answer, own) = try await liveObjectsAnswer(collection, user: user, page)
      ownID.withLock { $0 = own }
      return answer
    }
    return (try demanded(found, operation), ownID.withLock { $0 })
  }

  /// Somebody who may read everybody's objects must say whose; such a list is asked for again with the own id, which
  /// the second value tells (reference, section 4.6).
  func liveObjectsAnswer(
    _ collection: String, user: String?, _ page: StoragePage
  ) async throws(ServiceError) -> (answer: MobileAnswer, ownID: String?) {
    let operation = "load the objects of \(collection)"
    var call = MobileCall(
      "GET", "\(MobileClient.storagePath)/\(URLForm.escape(collection))/objects", module: MobileClient.module, operation
    )
    call.query = page.query + (user.map { [(name: "user", value: $0)] } ?? [])
    let response = try await send(call)
    if response.isSuccess { return (try MobileAnswer(response, operation), nil) }
    guard response.status == 400, user == nil, try await isIsolated(collection), let own = try await ownID() else {
      throw storageError(response, operation)
    }
    call.query.append((name: "user", value: own))
    let second = try await send(call)
    guard second.isSuccess else { throw storageError(second, operation) }
    return (try MobileAnswer(second, operation), own)
  }

  /// The metadata of one object, without its payload, sent again only when it has changed; what is kept of it where the server cannot be reached.
  func head(_ id: ObjectID) async throws(ServiceError) -> StoredObject {
    let operation = "open the object \(id.object)"
    do throws(ServiceError) {
      let object = try await liveHead(id)
      remember(object.etag, of: id)
      return object
    } catch {
      guard error.isWithoutServer, let store = try await storeForReading(operation) else { throw error }
      let target = MobileEdit.Target.object(id)
      let edits = try store.edits(of: target, operation)
      let row = try keeping(operation) { () throws(OfflineError) in try store.row(id.object, of: target.listPath) }
      guard let seen = edits.laid(over: row) else {
        guard edits.isEmpty else {
          throw ServiceError(.notFound, operation, detail: "it is to be deleted when the server can be reached")
        }
        throw error.code == .offline ? notKept(operation) : error
      }
      return StoredObject(try MobileAnswer(kept: seen.node.encoded(), operation, nil).root)
    }
  }

  func liveHead(_ id: ObjectID) async throws(ServiceError) -> StoredObject {
    let operation = "open the object \(id.object)"
    var call = MobileCall("HEAD", id.path, module: MobileClient.module, operation)
    call.query = id.query
    call.headers = [(name: "Accept", value: "*/*")]
    let known = knownHead(of: id)
    if let tag = known?.etag { call.headers.append((name: "If-None-Match", value: tag)) }
    let response = try await send(call)
    if response.status == 304, let known { return known }
    guard response.isSuccess else { throw storageError(response, operation) }
    let head = StoredObject(id: id.object, response.headers)
    remember(head, of: id)
    return head
  }

  /// Streams a payload, or the rest of it when it is still the same.
  ///
  /// The media type is left open: a request for JSON alone is refused for anything else (reference, trap 16).
  ///
  /// - Throws: With status 304 when the payload still has the tag `unlessTag`.
  func liveDownload(
    _ target: MobileEdit.Target, _ request: DownloadRequest, to sink: any ByteSink, unlessTag: String? = nil,
    progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    var call = MobileCall("GET", target.serverPath, module: MobileClient.module, "download \(target.key)")
    call.headers = [(name: "Accept", value: "*/*"), (name: "Accept-Encoding", value: "identity")]
    if let unlessTag { call.headers.append((name: "If-None-Match", value: unlessTag)) }
    guard case .object(let id) = target else {
      call.module = "Synchronization"
      call.headers.append(MobileClient.syncAgent)
      return try await stream(call, request, to: sink, progress: progress) { response in
        var head = response.contentHead
        head.name = target.key
        return head
      }
    }
    call.query = id.query
    return try await stream(call, request, to: sink, progress: progress) { response in
      let object = StoredObject(id: id.object, response.headers)
      var head = response.contentHead
      head.name = object.displayName
      head.modified = object.modified
      return head
    }
  }

  /// Streams any answer; used for payloads and for what custom APIs give.
  func stream(
    _ call: MobileCall, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress,
    _ describe: @escaping @Sendable (HTTPResponse) -> ContentHead
  ) async throws(ServiceError) -> ContentHead {
    var call = call
    if request.offset > 0, let validator = request.validator {
      call.headers += [
        (name: "Range", value: "bytes=\(request.offset)-"), (name: "If-Range", value: validator),
      ]
    }
    let credential = try await credential(for: call)
    let wire = try call.request(profile, credential, headers: headers)
    let response: HTTPResponse
    do {
      response = try await transport.download(
        wire, to: sink, head: { $0.isSuccess ? describe($0) : nil }, progress: progress)
      noteReachable(true)
    } catch {
      let failure = error.serviceError(call.operation)
      if failure.isWithoutServer { noteReachable(false) }
      throw failure
    }
    if response.status == 401 { throw await refusal(response, credential, call.operation) }
    // What is there already reaches to the end, or beyond it: from the front again, without a range.
    if response.status == 416, request.offset > 0 {
      return try await stream(call.withoutRange, DownloadRequest(), to: sink, progress: progress, describe)
    }
    guard response.isSuccess else { throw storageError(response, call.operation) }
    return describe(response)
  }

  /// Stores a payload: under the server's own id when `object` is empty, else under that one.
  func store(
    in collection: String, object: String?, user: String?, _ request: UploadRequest, onlyNew: Bool = false,
    progress: @escaping Progress
  ) async throws(ServiceError) -> StoredObject {
    let objects = "\(MobileClient.storagePath)/\(URLForm.escape(collection))/objects"
    var call =
      object.map { id in
        MobileCall("PUT", "\(objects)/\(URLForm.escape(id))", module: MobileClient.module, "store \(id)")
      } ?? MobileCall("POST", objects, module: MobileClient.module, "store in \(collection)")
    call.query = user.map { [(name: "user", value: $0)] } ?? []
    call.headers = [(name: "Content-Type", value: request.mediaType ?? "application/octet-stream")]
    if let name = request.name {
      call.headers.append((name: "Oracle-Mobile-Name", value: MobileClient.headerName(name)))
    }
    if let tag = request.ifMatch { call.headers.append((name: "If-Match", value: tag)) }
    if onlyNew { call.headers.append((name: "If-None-Match", value: "*")) }
    call.body = .source(request.source)
    call.onUpload = progress
    let response = try await send(call)
    guard response.isSuccess else {
      guard onlyNew, response.status == 412 else { throw storageError(response, call.operation) }
      throw ServiceError(
        .conflict, call.operation, detail: "the name is taken", remedy: "Choose another name.",
        serverCode: MobileFault(response).code)
    }
    let made = try stored(response, call.operation, object)
    remember(made.etag, of: ObjectID(collection: collection, object: made.id, user: user))
    return made
  }

  /// What the server says it stored; one that answers without metadata names it in `Location`.
  private func stored(
    _ response: HTTPResponse, _ operation: String, _ object: String?
  ) throws(ServiceError) -> StoredObject {
    if !response.body.isEmpty, let root = try? JSONDocument(response.body).root, root["id"].string != nil {
      return StoredObject(root)
    }
    let path = response.headers["Location"].map { $0.prefix { $0 != "?" } } ?? ""
    let last = path.split(separator: "/").last.map { URLForm.unescape($0) }
    guard let id = object ?? last else {
      throw ServiceError(.unreadable, operation, detail: "the answer does not say what was stored")
    }
    return StoredObject(id: id, response.headers)
  }

  func delete(_ id: ObjectID, ifMatch: String? = nil) async throws(ServiceError) {
    var call = MobileCall("DELETE", id.path, module: MobileClient.module, "delete \(id.object)")
    call.query = id.query
    if let ifMatch { call.headers = [(name: "If-Match", value: ifMatch)] }
    let response = try await send(call)
    guard response.isSuccess else { throw storageError(response, call.operation) }
  }

  /// The words of storage's own refusals (reference, sections 4.5 and 4.6).
  func storageError(_ response: HTTPResponse, _ operation: String) -> ServiceError {
    let remedy: String? =
      switch response.status {
      case 400: "Check ?user=, which only isolated collections take, and mobileBackendID."
      case 401,
        403 where authorization.settings.isAnonymous:
        "Anonymous users reach only collections that the policy Security_CollectionsAnonymousAccess names: sign in."
      case 403 where profile.method == .basic: "Ask for a role that may use this collection."
      case 404: "Check the name, and that the collection belongs to this backend."
      case 412: "Load it again: it was changed, or it is there already."
      default: nil
      }
    return MobileFault(response).error(operation, remedy: remedy)
  }

  /// A name in a header must be plain; every reader decodes `%XX`.
  static func headerName(_ name: String) -> String {
    name.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%") } ? name : URLForm.escape(name)
  }
}

extension MobileCall {
  var withoutRange: MobileCall {
    var call = self
    call.headers.removeAll { $0.name == "Range" || $0.name == "If-Range" }
    return call
  }
}
