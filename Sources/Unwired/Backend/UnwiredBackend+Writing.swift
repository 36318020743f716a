import JSON
import Model

extension UnwiredBackend {
  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = location.doing(action)
    let place = try UnwiredPlace(location)
    if let outcome = try await performOffline(action, place, fields, location, operation) { return outcome }
    return try await changing(operation) { () async throws(ServiceError) -> ActionOutcome in
      switch (place, action) {
      case (.set(let set), "create"):
        let type = try await metadata()?.type(ofSet: set)
        let properties = Self.members(fields.filter { !$0.value.isEmpty }, type)
        let made = try await create(in: set, properties)
        return ActionOutcome("Created \(made.path.last ?? "the row") in “\(set)”.", location: made)
      case (.entity(let set, let key), "edit"):
        let type = try await metadata()?.type(ofSet: set)
        try await update(set, key, Self.members(fields, type), ifMatch: fields["etag"])
        return ActionOutcome("Changed \(key) in “\(set)”.", location: location)
      case (.entity(let set, let key), "delete"): return try await delete(set, key)
      case (.connection, "edit"):
        let custom = fields.filter { $0.key.hasPrefix("CustomCustom") }.sorted { $0.key < $1.key }
        guard !custom.isEmpty else { return ActionOutcome("Nothing was changed.") }
        // One blank is how the server writes a custom setting that is unset.
        try await client.updateRegistration(
          custom.map { JSONNode.Member(key: $0.key, value: .string($0.value.isEmpty ? " " : $0.value)) })
        return ActionOutcome("Changed the registration.", location: location)
      case (.connection, "unregister"):
        try await application.unregister()
        try await forgetRegistration()
        return ActionOutcome("Removed the registration.")
      default: throw .notOffered(operation, "there is no action “\(action)” here")
      }
    }
  }

  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    let operation = "delete \(location)"
    switch try UnwiredPlace(location) {
    case .entity(let set, let key):
      return try await changing(operation) { () async throws(ServiceError) in try await delete(set, key) }
    case .keptRow(let set, let key):
      return try await edit(set, key, .delete, [], ifMatch: nil, operation).outcome
    case .edit(let id): return try await drop(id, location, operation)
    case .parameter(let name): return try await setParameter(name, "", operation)
    default: throw .notOffered(operation, "it cannot be deleted")
    }
  }

  private func delete(_ set: String, _ key: String) async throws(ServiceError) -> ActionOutcome {
    let path = try await path(set, key).path
    // What is deleted is what is there now; its tag keeps a change in between from being lost.
    let tag = try await client.entity(path).entity.tag
    try await client.deleteEntity(path, ifMatch: tag)
    return ActionOutcome("Deleted \(key) from “\(set)”.")
  }

  /// A JSON object of properties: replaces those of a row, or makes a new one in a set.
  public func upload(
    _ request: UploadRequest, to location: Location, progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    let operation = "upload to \(location)"
    let place = try UnwiredPlace(location)
    switch place {
    case .keptSet(let set):
      let properties = try Self.properties(request.source, operation)
      return try await edit(set, nil, .create, properties, ifMatch: nil, operation).location
    case .keptRow(let set, let key):
      let properties = try Self.properties(request.source, operation)
      return try await edit(set, key, .update, properties, ifMatch: request.ifMatch, operation).location
    default: break
    }
    return try await changing(operation) { () async throws(ServiceError) -> Location in
      let properties = try Self.properties(request.source, operation)
      switch place {
      case .set(let set): return try await create(in: set, properties)
      case .entity(let set, let key):
        try await update(set, key, properties, ifMatch: request.ifMatch)
        return location
      default: throw .notOffered(operation, "nothing can be stored there")
      }
    }
  }

  /// 32 hex digits that no other request has.
  func newRequestID() -> String {
    surroundings.randomBytes(16).map { byte in
      let hex = String(byte, radix: 16, uppercase: true)
      return hex.utf8.count == 1 ? "0" + hex : hex
    }.joined()
  }

  private func create(in set: String, _ properties: [JSONNode.Member]) async throws(ServiceError) -> Location {
    let entity = try await client.create(
      in: set, properties, requestID: newRequestID(), at: surroundings.clock.now())
    let names = try await metadata()?.type(ofSet: set)?.keys ?? []
    let home = Location(connection: connection.name, path: ["live", set])
    let key = EntityKey(entity, names: names) ?? entity.address.flatMap { EntityKey(address: $0) }
    return key.map { home.appending($0.text) } ?? home
  }

  private func update(
    _ set: String, _ key: String, _ properties: [JSONNode.Member], ifMatch: String?
  ) async throws(ServiceError) {
    let (path, type, version) = try await path(set, key)
    var tag = ifMatch
    if tag == nil { tag = try await client.entity(path).entity.tag }
    // Keys cannot be changed, and `show` prints them with the rest.
    let changes = properties.filter { type?.keys.contains($0.key) != true && $0.key != "etag" }
    try await client.update(path, changes, ifMatch: tag, version: version)
  }

  static func members(
    _ fields: [String: String], _ type: ODataMetadata.EntityType?
  ) -> [JSONNode.Member] {
    fields.filter { $0.key != "etag" || type?.property("etag") != nil }.sorted { $0.key < $1.key }.map {
      JSONNode.Member(key: $0.key, value: EntityValues.node($0.value, type?.property($0.key)))
    }
  }

  /// Reads the object, of at most a mebibyte.
  private static func properties(
    _ source: any ByteSource, _ operation: String
  ) throws(ServiceError) -> [JSONNode.Member] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    do {
      while case let count = try buffer.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
        bytes += buffer[..<count]
        guard bytes.count <= 1 << 20 else {
          throw ServiceError(.tooLarge, operation, detail: "a row has at most 1 MiB", remedy: "Send less.")
        }
      }
      let root = try JSONDocument(bytes).root
      guard root.kind == .object else {
        throw ServiceError(.usage, operation, detail: "it must be one JSON object of properties")
      }
      // The whole output of `show` is welcome, too.
      let fields = root["fields"].kind == .object ? root["fields"] : root
      return fields.members.map { JSONNode.Member(key: $0.key, value: $0.value.node()) }
    } catch let error as ServiceError {
      throw error
    } catch {
      let detail = (error as? JSONError)?.message ?? "it could not be read"
      throw ServiceError(.usage, operation, detail: detail, cause: error)
    }
  }
}
