import JSON
import Model
import Wire

/// The kit: what an app needs of its backend, as typed values.
extension MobileClient {
  /// The backend's collections, a page of at most 100.
  public func collections(_ page: StoragePage = StoragePage()) async throws(ServiceError) -> [StorageCollection] {
    try await collectionsAnswer(page).items().map { StorageCollection($0) }
  }

  /// One collection (`getCollection:`).
  public func collection(_ id: String) async throws(ServiceError) -> StorageCollection {
    StorageCollection(try await collectionAnswer(id).root)
  }

  /// Objects of a collection (`get:withLimit:getAllObjects:`).
  ///
  /// - Parameter user: In isolated collections whose: an id, `*` for everybody's, nil for one's own.
  public func objects(
    of collection: String, user: String? = nil, _ page: StoragePage = StoragePage()
  ) async throws(ServiceError) -> [StoredObject] {
    try await objectsAnswer(collection, user: user, page).answer.items().map { StoredObject($0) }
  }

  /// Whether it is there (`contains:`).
  public func contains(_ id: ObjectID) async throws(ServiceError) -> Bool {
    do {
      _ = try await head(id)
      return true
    } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  /// An object's metadata.
  public func object(_ id: ObjectID) async throws(ServiceError) -> StoredObject { try await head(id) }

  /// Streams an object's payload into the sink.
  public func payload(
    _ id: ObjectID, _ request: DownloadRequest = DownloadRequest(), to sink: any ByteSink,
    progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> ContentHead {
    try await download(.object(id), request, to: sink, progress: progress)
  }

  /// Stores a new object under an id of the server's choice (`post:`).
  public func create(
    in collection: String, _ request: UploadRequest, user: String? = nil
  ) async throws(ServiceError) -> StoredObject {
    try await store(in: collection, object: nil, user: user, request, progress: { _, _ in })
  }

  /// Stores an object under this id, or replaces it (`put:`); with `ifMatch` only when it is still that one.
  public func put(_ id: ObjectID, _ request: UploadRequest) async throws(ServiceError) -> StoredObject {
    try await store(in: id.collection, object: id.object, user: id.user, request, progress: { _, _ in })
  }

  /// Deletes an object (`delete:`).
  public func remove(_ id: ObjectID, ifMatch: String? = nil) async throws(ServiceError) {
    try await delete(id, ifMatch: ifMatch)
  }

  /// The policies that the backend gives to its apps (`appConfig`), by name.
  public func appConfig() async throws(ServiceError) -> [String: Value] {
    let members = try await policiesAnswer().root.members.map { ($0.key, MobileValue.of($0.value)) }
    return Dictionary(members, uniquingKeysWith: { $1 })
  }

  /// Calls a custom API (`invokeCustomRequest:method:data:completion:`).
  ///
  /// - Parameter function: Everything behind `/mobile/custom/`, such as `orders/open`.
  public func invoke(
    _ function: String, method: String = "GET", query: [(name: String, value: String)] = [], data: JSONNode? = nil
  ) async throws(ServiceError) -> MobileAnswer {
    let path = function.split(separator: "/").map { URLForm.unescape($0) }
    guard method != "GET" || data == nil else {
      throw ServiceError(.usage, "call \(function)", detail: "a GET carries no data")
    }
    return try await json(customCall(method, path, query: query, data: data))
  }
}

/// The same with a completion that arrives on the main actor; cancelling the task ends the work.
extension MobileClient {
  @discardableResult
  public func collections(
    _ page: StoragePage = StoragePage(), _ completion: @escaping Completion<[StorageCollection]>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.collections(page) }
  }

  @discardableResult
  public func objects(
    of collection: String, user: String? = nil, _ page: StoragePage = StoragePage(),
    _ completion: @escaping Completion<[StoredObject]>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.objects(of: collection, user: user, page)
    }
  }

  @discardableResult
  public func object(_ id: ObjectID, _ completion: @escaping Completion<StoredObject>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.object(id) }
  }

  @discardableResult
  public func put(
    _ id: ObjectID, _ request: UploadRequest, _ completion: @escaping Completion<StoredObject>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.put(id, request) }
  }

  @discardableResult
  public func create(
    in collection: String, _ request: UploadRequest, user: String? = nil,
    _ completion: @escaping Completion<StoredObject>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.create(in: collection, request, user: user)
    }
  }

  @discardableResult
  public func remove(
    _ id: ObjectID, ifMatch: String? = nil, _ completion: @escaping Completion<Void>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.remove(id, ifMatch: ifMatch) }
  }

  @discardableResult
  public func appConfig(_ completion: @escaping Completion<[String: Value]>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.appConfig() }
  }

  @discardableResult
  public func invoke(
    _ function: String, method: String = "GET", data: JSONNode? = nil,
    _ completion: @escaping Completion<MobileAnswer>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.invoke(function, method: method, data: data)
    }
  }

  @discardableResult
  public func collection(_ id: String, _ completion: @escaping Completion<StorageCollection>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.collection(id) }
  }

  @discardableResult
  public func contains(_ id: ObjectID, _ completion: @escaping Completion<Bool>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.contains(id) }
  }

  @discardableResult
  public func payload(
    _ id: ObjectID, _ request: DownloadRequest = DownloadRequest(), to sink: any ByteSink,
    progress: @escaping Progress = { _, _ in }, _ completion: @escaping Completion<ContentHead>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.payload(id, request, to: sink, progress: progress)
    }
  }
}

extension MobileAuthorization {
  /// `authenticate:password:completionBlock:` and its siblings, by the profile's method.
  @discardableResult
  public func signIn(
    _ request: SignInRequest = SignInRequest(), _ completion: @escaping Completion<SignInState>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.signIn(request) }
  }

  /// `logout:`.
  @discardableResult
  public func signOut(_ completion: @escaping Completion<Void>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.signOut() }
  }
}
