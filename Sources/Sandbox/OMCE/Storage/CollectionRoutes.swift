import HTTPServer
import JSON

/// Collections and the lists of their objects; reference omce.md, sections 4.1 to 4.3.
extension OMCRoutes {
  static let storagePath = "/mobile/platform/storage/collections"

  mutating func addCollections() {
    on("GET", Self.storagePath) { call throws(OMCError) in try call.collections() }
    on("GET", Self.storagePath + "/{collection}") { call throws(OMCError) in
      let collection = try call.theCollection()
      guard call.request.query("user") == nil else { throw .badRequest("user is not allowed on a collection.") }
      return .json(call.json(collection)).adding("ETag", "\"1.0\"")
    }
    on("GET", Self.storagePath + "/{collection}/objects") { call throws(OMCError) in try call.objects() }
  }
}

extension OMCCall {
  /// The collection of the path, if the caller may know of it.
  func theCollection() throws(OMCError) -> StorageCollection {
    let id = self["collection"]
    guard let found = StorageCollection.all.first(where: { $0.id == id }) else {
      throw .notFound("The collection \(id)")
    }
    if principal.user == nil && !found.isOpen {
      throw .forbidden("Anonymous users may only read collections that a policy names.")
    }
    return found
  }

  fileprivate func collections() throws(OMCError) -> ServerResponse {
    guard request.query("user") == nil else { throw .badRequest("user is not allowed on a collection.") }
    try allowQuery("limit", "offset", "totalResults")
    let all = StorageCollection.all.filter { principal.user != nil || $0.isOpen }
    let limit = min(try number("limit", standard: 100), 100)
    let offset = try number("offset", standard: 0)
    let range = min(offset, all.count)..<min(offset + limit, all.count)
    return .json(
      page(all[range].map(json), path: OMCRoutes.storagePath, limit: limit, offset: offset, total: all.count))
  }

  fileprivate func json(_ collection: StorageCollection) -> JSONNode {
    let path = "\(OMCRoutes.storagePath)/\(PercentCoding.encode(collection.id))"
    var node: JSONNode = ["id": .string(collection.id), "description": .string(collection.description)]
    if collection.isIsolated { node["userIsolated"] = true }
    node["contentLength"] = .int(server.storage.contentLength(of: collection))
    node["eTag"] = "\"1.0\""
    node["links"] = [link("canonical", path), link("self", path)]
    return node
  }

  func link(_ relation: String, _ path: String) -> JSONNode { ["rel": .string(relation), "href": .string(path)] }

  /// A list's body; `totalResults` only where it was asked for.
  private func page(
    _ items: [JSONNode], path: String, limit: Int, offset: Int, total: Int
  ) -> JSONNode {
    var node: JSONNode = ["items": .array(items)]
    let end = offset + items.count
    if !knobs.omitsHasMore { node["hasMore"] = .bool(end < total) }
    node["limit"] = .int(limit)
    node["offset"] = .int(offset)
    node["count"] = .int(items.count)
    if request.query("totalResults") == "true" { node["totalResults"] = .int(total) }
    let kept = request.server.query.filter { !["offset", "limit", "_"].contains($0.name) }
      .map { "\($0.name)=\(PercentCoding.encode($0.value, keeping: ":*"))" }
    func at(_ offset: Int) -> String {
      "\(path)?" + (["offset=\(offset)", "limit=\(limit)"] + kept).joined(separator: "&")
    }
    let query = request.server.target.split(separator: "?", maxSplits: 1).dropFirst().first.map { "?\($0)" } ?? ""
    var links = [link("canonical", path), link("self", path + query)]
    if offset > 0 { links.append(link("prev", at(max(0, offset - limit)))) }
    if end < total && limit > 0 { links.append(link("next", at(offset + limit))) }
    node["links"] = .array(links)
    return node
  }

  fileprivate func objects() throws(OMCError) -> ServerResponse {
    let collection = try theCollection()
    try allowQuery("limit", "offset", "totalResults", "orderBy", "q", "user")
    var query = StorageService.Query()
    query.owner = try listedOwner(collection)
    query.limit = min(try number("limit", standard: 100), 100)
    query.offset = try number("offset", standard: 0)
    query.text = request.query("q") ?? ""
    if let order = request.query("orderBy") {
      let parts = order.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard StorageService.attributes.contains(parts[0]), parts.count < 3,
        ["asc", "desc"].contains(parts.count == 2 ? parts[1].lowercased() : "asc")
      else { throw .badRequest("orderBy names no attribute or no direction: \(order)") }
      (query.attribute, query.isOrdered) = (parts[0], true)
      query.isDescending = parts.count == 2 && parts[1].lowercased() == "desc"
    }
    let found = server.storage.list(collection, query)
    let path = "\(OMCRoutes.storagePath)/\(PercentCoding.encode(collection.id))/objects"
    return .json(
      page(
        found.objects.map { json($0, in: collection) }, path: path, limit: query.limit, offset: query.offset,
        total: found.total))
  }

  /// Whose objects a list shows; nil for everybody's and for shared collections. Reference omce.md, section 4.6.
  private func listedOwner(_ collection: StorageCollection) throws(OMCError) -> String? {
    let asked = request.query("user")
    guard collection.isIsolated else {
      guard asked == nil else { throw .badRequest("user is not allowed on a shared collection.") }
      guard principal.user?.reads ?? collection.isOpen else {
        throw .forbidden("Your roles do not read this collection.")
      }
      return nil
    }
    let user = try person()
    guard user.reads else { throw .forbidden("Your roles do not read this collection.") }
    guard let asked else {
      guard !user.reachesOthers else { throw .badRequest("user is required for those who read every space.") }
      return user.id
    }
    guard asked == user.id || user.reachesOthers else {
      throw .forbidden("Your roles do not read other users' spaces.")
    }
    return asked == "*" ? nil : asked
  }

  /// An object's metadata.
  func json(_ object: StorageObject, in collection: StorageCollection) -> JSONNode {
    let path = objectPath(object, in: collection)
    var node: JSONNode = ["id": .string(object.id), "name": .string(object.name)]
    if let owner = object.owner { node["user"] = .string(owner) }
    node["contentLength"] = .int(object.content.count)
    node["contentType"] = .string(object.contentType)
    node["eTag"] = .string(object.eTag)
    node["createdBy"] = .string(object.createdBy)
    node["createdOn"] = .string(date(object.createdOn))
    node["modifiedBy"] = .string(object.modifiedBy)
    node["modifiedOn"] = .string(date(object.modifiedOn))
    node["links"] = [link("canonical", canonicalPath(object, in: collection)), link("self", path)]
    return node
  }

  func objectPath(_ object: StorageObject, in collection: StorageCollection) -> String {
    "\(OMCRoutes.storagePath)/\(PercentCoding.encode(collection.id))/objects/\(PercentCoding.encode(object.id))"
  }

  func canonicalPath(_ object: StorageObject, in collection: StorageCollection) -> String {
    objectPath(object, in: collection) + (object.owner.map { "?user=\($0)" } ?? "")
  }
}
