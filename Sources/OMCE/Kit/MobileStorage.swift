import JSON
import Model
import Wire

/// A backend's collections (`OMCStorage`; reference, section 8.3). Unlike its namesake nothing here blocks, and a failure
/// is an error that says what the server said, never a missing value.
public struct MobileStorage: CompletionCaller {
  let client: MobileClient

  /// A collection (`getCollection:`, `getCollection:forUserId:`).
  ///
  /// - Parameter user: Whose objects are meant in an isolated collection; an id, nil for one's own.
  /// - Throws: `.notFound` when the backend has no such collection.
  public func collection(_ id: String, user: String? = nil) async throws(ServiceError) -> MobileCollection {
    MobileCollection(client: client, user: user, facts: try await client.collection(id))
  }

  @discardableResult
  public func collection(
    _ id: String, user: String? = nil, _ completion: @escaping Completion<MobileCollection>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.collection(id, user: user) }
  }
}

/// One collection (`OMCStorageCollection`).
public struct MobileCollection: CompletionCaller {
  let client: MobileClient
  /// Whose objects are meant; nil for one's own, and in shared collections.
  public let user: String?
  public let facts: StorageCollection

  /// `collectionID`.
  public var id: String { facts.id }
  /// `collectionDescription`.
  public var description: String? { facts.description }

  private func name(_ object: String) -> ObjectID { ObjectID(collection: id, object: object, user: user) }

  /// A page of objects (`get:withLimit:getAllObjects:`); of everybody's when `spansUsers`.
  public func objects(
    _ page: StoragePage = StoragePage(), spansUsers: Bool = false
  ) async throws(ServiceError) -> [StoredObject] {
    try await client.objects(of: id, user: spansUsers ? "*" : user, page)
  }

  public func contains(_ object: String) async throws(ServiceError) -> Bool {
    try await client.contains(name(object))
  }

  /// An object's metadata.
  public func object(_ object: String) async throws(ServiceError) -> StoredObject {
    try await client.object(name(object))
  }

  /// Streams an object's payload (`getPayloadStream`).
  @discardableResult
  public func payload(of object: String, to sink: any ByteSink) async throws(ServiceError) -> ContentHead {
    try await client.payload(name(object), to: sink)
  }

  /// A payload of up to 16 MiB (`getPayloadData`).
  ///
  /// - Throws: `.tooLarge` for more; that is streamed.
  public func payload(of object: String) async throws(ServiceError) -> [UInt8] {
    let sink = CollectingSink(most: MobileStore.mostPayloadBytes)
    try await payload(of: object, to: sink)
    return sink.bytes
  }

  /// Stores under an id of the server's choice (`post:`). The request holds the payload with its type: from memory
  /// (`initPayload:withData:andContentType:`, `setPayloadFromData:withContentType:`) or from any source
  /// (`initPayload:withStream:andContentType:`, `setPayloadFromStream:withContentType:`).
  public func post(_ request: UploadRequest) async throws(ServiceError) -> StoredObject {
    try await client.create(in: id, request, user: user)
  }

  /// Stores under this id, or replaces it (`put:`); `request.ifMatch` guards against somebody else's change.
  public func put(_ object: String, _ request: UploadRequest) async throws(ServiceError) -> StoredObject {
    try await client.put(name(object), request)
  }

  /// How a `save` ended.
  public enum Saved: Sendable, Hashable { case sent(StoredObject), queued }

  /// Stores now or, where the policy allows it, when there is a server again.
  public func save(
    _ object: String?, _ request: UploadRequest, savesIfOffline: Bool? = nil
  ) async throws(ServiceError) -> Saved {
    let change = try await client.save(
      in: id, object: object, user: user, request, savesIfOffline: savesIfOffline, progress: { _, _ in })
    switch change {
    case .sent(let stored): return .sent(stored)
    case .queued: return .queued
    }
  }

  /// Deletes an object (`deleteWithKey:`, `delete:`).
  public func delete(_ object: String, ifMatch: String? = nil) async throws(ServiceError) {
    try await client.remove(name(object), ifMatch: ifMatch)
  }
}

/// Completion forms.
extension MobileCollection {
  @discardableResult
  public func objects(
    _ page: StoragePage = StoragePage(), spansUsers: Bool = false, _ completion: @escaping Completion<[StoredObject]>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.objects(page, spansUsers: spansUsers) }
  }

  @discardableResult
  public func put(
    _ object: String, _ request: UploadRequest, _ completion: @escaping Completion<StoredObject>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.put(object, request) }
  }

  @discardableResult
  public func delete(
    _ object: String, ifMatch: String? = nil, _ completion: @escaping Completion<Void>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.delete(object, ifMatch: ifMatch) }
  }
}

/// Calls of custom APIs (`customCodeClient`, `OMCCustomCodeClient`; reference, section 5.1). There is no cache beside the
/// encrypted store, hence nothing to switch on (`useURLCaching`).
public struct MobileCustomCode: CompletionCaller {
  let client: MobileClient

  /// `invokeCustomRequest:method:data:completion:`.
  ///
  /// - Parameters:
  ///   - function: Everything behind `/mobile/custom/`; one slash at its end is dropped.
  ///   - data: Not for GET and DELETE, which carry none.
  public func invoke(
    _ function: String, method: String = "GET", data: JSONNode? = nil
  ) async throws(ServiceError) -> MobileAnswer {
    let parts = function.split(separator: "?", maxSplits: 1)
    let names = (parts.first ?? "").split(separator: "/").map { URLForm.unescape($0) }
    let query = parts.count > 1 ? URLForm.decode(parts[1]) : []
    guard SavedRequest.methods.contains(method) else {
      throw ServiceError(.usage, "call \(function)", detail: "“\(method)” is no method of a custom API")
    }
    guard data == nil || method != "GET" && method != "DELETE" else {
      throw ServiceError(.usage, "call \(function)", detail: "a \(method) carries no data")
    }
    var call = client.customCall(method, names, query: query, data: data)
    if let session = client.analytics.sessionID {
      call.headers.append((name: "Oracle-Mobile-Analytics-Session-ID", value: session))
    }
    return try await client.json(call)
  }

  @discardableResult
  public func invoke(
    _ function: String, method: String = "GET", data: JSONNode? = nil, _ completion: @escaping Completion<MobileAnswer>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.invoke(function, method: method, data: data)
    }
  }
}

extension MobileClient {
  public var storage: MobileStorage { MobileStorage(client: self) }
  public var customCode: MobileCustomCode { MobileCustomCode(client: self) }
}
