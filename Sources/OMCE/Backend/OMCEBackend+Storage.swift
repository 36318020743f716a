import JSON
import Model

extension OMCEBackend {
  private static let collectionColumns = [
    Column("id", "Collection", rank: 0), Column("description", "Description", rank: 1),
    Column("contentLength", "Size", .size, rank: 1), Column("isolated", "Each user's own", .flag, rank: 2),
  ]

  func collections(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let page = try StorageCursor(query)
    let answer = try await client.collectionsAnswer(StoragePage(offset: page.offset, limit: page.limit))
    var listing = Listing(
      location, title: "Storage", columns: OMCEBackend.collectionColumns, rows: [], actions: [OMCEBackend.sync],
      raw: answer.raw, freshness: answer.freshness)
    for element in try answer.items() {
      let collection = StorageCollection(element)
      listing.rows.append(
        Row(
          location.appending(collection.id),
          [
            .text(collection.id), .optional(collection.description), .optional(size: collection.contentLength),
            .flag(collection.isIsolated),
          ], opening: .listing))
    }
    page.close(&listing, answer.root)
    return listing
  }

  func collectionItem(_ location: Location, _ id: String) async throws(ServiceError) -> Item {
    let answer = try await client.collectionAnswer(id)
    let collection = StorageCollection(try answer.object())
    var related = [Link("Objects", location)]
    if collection.isIsolated { related.append(Link("Everybody's objects", location.with(query: [("user", "*")]))) }
    return Item(
      location, title: collection.description ?? id,
      sections: [
        .init(
          "Collection",
          [
            Field("id", "Collection", .text(id)),
            Field("description", "Description", .optional(collection.description)),
            Field("contentLength", "Size", .optional(size: collection.contentLength), .size),
            Field("isolated", "Each user's own", .flag(collection.isIsolated), .flag),
            Field("etag", "ETag", .optional(collection.etag)),
          ])
      ], related: related,
      actions: [uploadAction] + (try await pinActions(MobileClient.listPath(id, location.queryValue("user")))),
      raw: answer.raw, freshness: answer.freshness)
  }

  private static let objectColumns = [
    Column("id", "Id", rank: 4, isSortable: true), Column("name", "Name", rank: 0, isSortable: true),
    Column("mime", "Type", rank: 2, isSortable: true), Column("size", "Size", .size, rank: 1, isSortable: true),
    Column("etag", "ETag", rank: 5), Column("modified", "Modified", .time, rank: 1, isSortable: true),
    Column("modifier", "By", rank: 3, isSortable: true),
  ]
  /// Shown when a list spans the spaces of several users.
  private static let ownerColumn = Column("user", "Whose", rank: 2)
  /// What the server calls the columns that it can order by.
  private static let orders = [
    "id": "id", "name": "name", "mime": "contentType", "size": "contentLength", "modified": "modifiedOn",
    "modifier": "modifiedBy",
  ]

  func objects(_ location: Location, _ query: ListQuery, _ id: String) async throws(ServiceError) -> Listing {
    let user = location.queryValue("user")
    let cursor = try StorageCursor(query)
    var page = StoragePage(offset: cursor.offset, limit: cursor.limit)
    if let sort = query.sort, let order = OMCEBackend.orders[sort.column] {
      page.order = "\(order):\(sort.isDescending ? "desc" : "asc")"
    }
    page.text = OMCEBackend.searchable(query)
    let (answer, ownID) = try await client.objectsAnswer(id, user: user, page)
    let spansUsers = user == "*"
    let states = try await states(of: MobileClient.listPath(id, user == client.knownUserID ? nil : user))
    var listing = Listing(
      location, title: id,
      columns: OMCEBackend.objectColumns + (spansUsers ? [OMCEBackend.ownerColumn] : [])
        + (states == nil ? [] : [OMCEBackend.stateColumn]), rows: [],
      actions: [uploadAction, OMCEBackend.sync], raw: answer.raw, freshness: answer.freshness)
    if page.order != nil { listing.sortedBy = query.sort }
    let place = location.with(query: [])
    for element in try answer.items() {
      let object = StoredObject(element)
      // The own space is the one meant without a user; everybody else's must be named.
      let owner = spansUsers ? object.user : user ?? ownID
      client.remember(
        object.etag, of: ObjectID(collection: id, object: object.id, user: spansUsers ? object.user : user))
      listing.rows.append(
        objectRow(object, in: place, owner: owner, spansUsers: spansUsers, states?.value(object.id)))
    }
    if let ownID { listing.notices.append("You may read everybody's objects; these are your own (user \(ownID)).") }
    cursor.close(&listing, answer.root)
    return listing
  }

  /// What the server can look for: part of an id or a name. It looks in more columns than was asked, so that the rows
  /// still have to be looked through.
  private static func searchable(_ query: ListQuery) -> String? {
    let texts = query.filters.filter { ["id", "name", "modifier"].contains($0.column) }.map(\.text)
    return texts.first.flatMap { $0.isEmpty || $0.contains("%") ? nil : $0 }
  }

  private func objectRow(
    _ object: StoredObject, in place: Location, owner: String?, spansUsers: Bool, _ state: Value?
  ) -> Row {
    var values: [Value] = [
      .text(object.id), .optional(object.name), .optional(object.mediaType), .optional(size: object.size),
      .optional(object.etag), .optional(object.modified), .optional(object.modifiedBy),
    ]
    if spansUsers { values.append(.optional(object.user)) }
    if let state { values.append(state) }
    let location = place.appending(object.id)
    return Row(owner.map { location.with(query: [("user", $0)]) } ?? location, values, hasContent: true)
  }

  func objectItem(_ location: Location, _ id: ObjectID) async throws(ServiceError) -> Item {
    var object = try await client.head(id)
    let listed = await metadata(of: id)
    // A header cannot carry the blanks around a name.
    if let name = listed?.object.name, name.trimmed == object.name { object.name = name }
    let head = ContentHead(
      name: object.displayName, mediaType: object.mediaType ?? "application/octet-stream",
      size: object.size.map { Int64($0) }, validator: object.etag, modified: object.modified)
    return Item(
      location, title: object.displayName,
      sections: [
        .init(
          "Object",
          [
            Field("id", "Id", .text(object.id)), Field("name", "Name", .optional(object.name)),
            Field("mime", "Type", .optional(object.mediaType)),
            Field("size", "Size", .optional(size: object.size), .size), Field("etag", "ETag", .optional(object.etag)),
            Field("created", "Created", .optional(object.created), .time),
            Field("creator", "Created by", .optional(object.createdBy)),
            Field("modified", "Modified", .optional(object.modified), .time),
            Field("modifier", "Modified by", .optional(object.modifiedBy)),
            Field("user", "Whose", .optional(object.user ?? id.user)),
            Field("link", "Canonical link", .optional(object.canonicalLink)),
          ])
      ], related: [Link("Collection", OMCEBackend.collection(of: location))],
      actions: objectActions(object) + (try await pinActions(id.keptPath)), content: head, raw: listed?.raw,
      freshness: listed?.freshness ?? .live, notices: try await notices(of: .object(id)))
  }

  /// The server's own words on an object stand in no answer but the list's; without them an object is still shown.
  private func metadata(of id: ObjectID) async -> (object: StoredObject, raw: RawAnswer, freshness: Freshness)? {
    let page = StoragePage(text: id.object.contains("%") ? nil : id.object)
    guard let answer = try? await client.objectsAnswer(id.collection, user: id.user, page).answer,
      let element = try? answer.items().first(where: { $0["id"].string == id.object })
    else { return nil }
    return (StoredObject(element), answer.raw, answer.freshness)
  }

  static func collection(of location: Location) -> Location {
    let user = location.queryValue("user")
    let parent = location.parent ?? location
    return user.map { parent.with(query: [("user", $0)]) } ?? parent
  }
}

/// Where a list that the server pages goes on: the cursor is the offset of the next row.
struct StorageCursor {
  let offset: Int
  let limit: Int

  init(_ query: ListQuery) throws(ServiceError) {
    guard let cursor = query.cursor else {
      offset = 0
      limit = min(query.limit ?? 50, StoragePage.most)
      return
    }
    guard let offset = Int(cursor), offset >= 0 else {
      throw ServiceError(.usage, "go to the next page", detail: "“\(cursor)” is no cursor of this list")
    }
    self.offset = offset
    limit = min(query.limit ?? 50, StoragePage.most)
  }

  /// Sets what follows and how many there are. `hasMore` may be missing: then a link tells. A page without rows is the
  /// last, whatever else it says (reference, trap 11).
  func close(_ listing: inout Listing, _ root: JSONValue) {
    if let total = root["totalResults"].numberText.flatMap({ Int($0) }) { listing.total = .exact(total) }
    let isLinked = root["links"].elements.contains { $0["rel"].string == "next" }
    let hasMore = root["hasMore"].bool ?? isLinked
    guard hasMore, !listing.rows.isEmpty else { return }
    listing.next = String(offset + listing.rows.count)
  }
}

extension String {
  /// Without the blanks at both ends.
  fileprivate var trimmed: String {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
