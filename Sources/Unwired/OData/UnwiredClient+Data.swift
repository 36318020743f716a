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
    if let filter = query.filter { fields.append((name: "$filter", value: filter)) }
    fields.append(version == .v2 ? (name: "$inlinecount", value: "allpages") : (name: "$count", value: "true"))
    return try await page("\(path)?\(Self.query(fields))")
  }

  /// The page behind a server's link, of which only the part behind the service root is used: a relay in front is not
  /// named in links, and no other host is ever asked.
  public func page(_ link: String) async throws(ServiceError) -> EntityPage {
    let reply = try await read("\(server.serviceRoot)/\(link)", "read rows")
    let root = reply.root
    if root["d"].exists {
      // The first version of the protocol has the rows right below `d`.
      let rows = root["d"]["results"].exists ? root["d"]["results"] : root["d"]
      return EntityPage(
        entities: rows.elements.map(Entity.init), version: .v2,
        total: root["d"]["__count"].numberText.flatMap { Int($0) }, next: root["d"]["__next"].string.flatMap(relative),
        raw: reply.raw)
    }
    guard root["value"].exists else {
      throw ServiceError(.unreadable, "read rows", detail: "the answer is no OData: it has neither “d” nor “value”")
    }
    return EntityPage(
      entities: root["value"].elements.map(Entity.init), version: .v4, total: root["@odata.count"].int,
      next: root["@odata.nextLink"].string.flatMap(relative), raw: reply.raw)
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

  private func behindRoot(_ link: String) -> String? {
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
