import FoundationEssentials
import JSON
import Model
import Wire

/// Which rows of a set are wanted.
public struct EntityQuery: Sendable, Hashable {
  public var top: Int
  public var skip: Int
  /// A property, perhaps with ` desc`.
  public var orderBy: String?
  /// A condition in the service's own version.
  public var filter: String?
  /// Properties to send; nil for all.
  public var select: [String]?
  public init(top: Int = 100, skip: Int = 0, orderBy: String? = nil, filter: String? = nil) {
    self.top = top
    self.skip = skip
    self.orderBy = orderBy
    self.filter = filter
  }
}

extension UnwiredClient {
  /// What the service says of its data.
  public func metadata() async throws(ServiceError) -> ODataMetadata {
    let operation = "read what the service offers"
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    let request = try request(
      "GET", server.serviceRoot + "/$metadata", operation, headers: ["Accept": "application/xml"])
    let response = try await exchange(request, operation)
    guard response.isSuccess else { throw refusal(response, operation) }
    do throws(XMLScanner.Failure) {
      return try ODataMetadata(edmx: response.body)
    } catch {
      throw ServiceError(
        .unreadable, operation, detail: "\(error.problem) (at byte \(error.offset))", status: response.status,
        cause: error)
    }
  }

  /// Names of the entity sets, from the service document.
  public func entitySets() async throws(ServiceError) -> (names: [String], raw: RawAnswer) {
    let reply = try await read("\(server.serviceRoot)/?$format=json", "list the data sets")
    let root = reply.root
    let old = root["d"]["EntitySets"].elements.compactMap(\.string)
    if !old.isEmpty { return (old, reply.raw) }
    let new = root["value"].elements.filter { ($0["kind"].string ?? "EntitySet") == "EntitySet" }
    return (new.compactMap { $0["name"].string }, reply.raw)
  }

  /// A page of a set, or of a relation's rows (`Customers(1)/Orders`).
  public func entities(
    of path: String, _ query: EntityQuery = EntityQuery(), version: ODataVersion
  ) async throws(ServiceError) -> EntityPage {
    var fields = [(name: "$format", value: "json"), (name: "$top", value: String(query.top))]
    if query.skip > 0 { fields.append((name: "$skip", value: String(query.skip))) }
    if let order = query.orderBy { fields.append((name: "$orderby", value: order)) }
    if let select = query.select { fields.append((name: "$select", value: select.joined(separator: ","))) }
    if let filter = query.filter { fields.append((name: "$filter", value: filter)) }
    fields.append(version == .v2 ? (name: "$inlinecount", value: "allpages") : (name: "$count", value: "true"))
    return try await page("\(path)?\(Self.query(fields))")
  }

  /// The page behind a server's link, of which only the part behind the service root is used: a relay in front is not
  /// named in links, and no other host is ever asked.
  ///
  /// - Parameter tracksChanges: Ask for a link to later changes, where the service is of the newer version.
  public func page(_ link: String, tracksChanges: Bool = false) async throws(ServiceError) -> EntityPage {
    let headers: HTTPHeaders = tracksChanges ? ["Prefer": "odata.maxpagesize=500,odata.track-changes"] : [:]
    let reply = try await read("\(server.serviceRoot)/\(link)", "read rows", headers: headers)
    let root = reply.root
    if root["d"].exists {
      // The first version of the protocol has the rows right below `d`.
      let rows = root["d"]["results"].exists ? root["d"]["results"] : root["d"]
      return EntityPage(
        entities: rows.elements.map(Entity.init), version: .v2,
        total: root["d"]["__count"].numberText.flatMap { Int($0) }, next: root["d"]["__next"].string.flatMap(relative),
        delta: root["d"]["__delta"].string.flatMap(relative),
        deleted: root["d"]["__deleted"].exists ? root["d"]["__deleted"].elements.compactMap { $0["uri"].string } : nil,
        raw: reply.raw)
    }
    guard root["value"].exists else {
      throw ServiceError(.unreadable, "read rows", detail: "the answer is no OData: it has neither “d” nor “value”")
    }
    let values = root["value"].elements.map { (value: $0, isDeleted: Self.isDeleted($0)) }
    return EntityPage(
      entities: values.filter { !$0.isDeleted }.map { Entity($0.value) }, version: .v4,
      total: root["@odata.count"].int, next: root["@odata.nextLink"].string.flatMap(relative),
      delta: root["@odata.deltaLink"].string.flatMap(relative),
      deleted: values.filter(\.isDeleted).compactMap { $0.value["id"].string ?? $0.value["@odata.id"].string },
      raw: reply.raw)
  }

  /// A row that is only named because it has gone: version 4.0 says so in its context, 4.01 by a mark.
  private static func isDeleted(_ value: JSONValue) -> Bool {
    value["@odata.context"].string?.hasSuffix("/$deletedEntity") == true || value["@removed"].exists
      || value["@odata.removed"].exists
  }

  /// Addresses of rows that are gone, from the Atom form of a delta link: version 2's JSON has no place for them.
  ///
  /// - Returns: Nil where the server has no such form.
  func tombstones(_ link: String) async throws(ServiceError) -> [String]? {
    let operation = "read what was deleted"
    guard isReady else { throw ServiceError(.signInNeeded, operation) }
    let type = "application/atom+xml"
    var deleted: [String] = []
    var next: String? = link.replacing("$format=json&", with: "").replacing("&$format=json", with: "")
    while let link = next {
      let request = try request("GET", "\(server.serviceRoot)/\(link)", operation, headers: ["Accept": type])
      let response = try await exchange(request, operation)
      guard response.isSuccess, response.isXML, let feed = try? AtomDocument(response.body) else { return nil }
      deleted += feed.deleted
      next = feed.next.flatMap(relative)
      if next == link { return nil }
    }
    return deleted
  }

  /// How many rows a set has; nil where the server does not tell.
  func count(of set: String) async throws(ServiceError) -> Int? {
    guard isReady else { throw ServiceError(.signInNeeded, "count rows") }
    let request = try request(
      "GET", "\(server.serviceRoot)/\(set)/$count", "count rows", headers: ["Accept": "text/plain"])
    let response = try await exchange(request, "count rows")
    return response.isSuccess ? Int(response.text.filter { $0.isASCII && $0.isNumber }) : nil
  }

  /// `$` stays as it is in names: some servers look for it so.
  private static func query(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\($0.name)=\(URLForm.escape($0.value))" }.joined(separator: "&")
  }

  /// The part of a link behind the service root; nil for one that leads elsewhere.
  func relative(_ link: String) -> String? {
    guard link.contains("://") else { return link.hasPrefix("/") ? behindRoot(link) : link }
    return behindRoot(link)
  }

  /// Behind the back end's own address where that was named, else behind the service's.
  private func behindRoot(_ link: String) -> String? {
    if let backend = server.backend, link.hasPrefix(backend + "/") { return String(link.dropFirst(backend.count + 1)) }
    guard let root = link.firstRange(of: "/\(server.endpoint)/") else { return nil }
    return String(link[root.upperBound...])
  }

  /// One row by its key in parentheses: `Customers(901)`.
  public func entity(_ path: String) async throws(ServiceError) -> (entity: Entity, raw: RawAnswer) {
    let reply = try await read("\(server.serviceRoot)/\(path)?$format=json", "read a row")
    let entity = Entity(reply.root["d"].exists ? reply.root["d"] : reply.root)
    return (entity, reply.raw)
  }
}
