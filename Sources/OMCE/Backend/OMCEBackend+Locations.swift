import JSON
import Model

/// Places, assets and devices.
extension OMCEBackend {
  private static func columns(_ kind: MobileClient.LocationKind) -> [Column] {
    let common = [
      Column("id", "Id", rank: 2), Column("name", "Name", rank: 0, isSortable: true),
      Column("label", "Label", rank: 2, isSortable: kind != .devices), Column("description", "Description", rank: 3),
    ]
    let own =
      switch kind {
      case .places:
        [
          Column("latitude", "Latitude", .decimal, rank: 1), Column("longitude", "Longitude", .decimal, rank: 1),
          Column("radius", "Radius (m)", .decimal, rank: 3), Column("parent", "Part of", rank: 3),
        ]
      case .assets: [Column("place", "Last seen at", rank: 1)]
      case .devices: [Column("protocol", "Protocol", rank: 1), Column("attached", "Belongs to", rank: 1)]
      }
    return common + own + [Column("modified", "Modified", .time, rank: 3, isSortable: true)]
  }

  private static let orders = ["name": "name", "label": "label", "modified": "modifiedOn"]

  func locations(
    _ location: Location, _ query: ListQuery, _ kind: MobileClient.LocationKind
  ) async throws(ServiceError) -> Listing {
    let cursor = try StorageCursor(query)
    let columns = OMCEBackend.columns(kind)
    var order: String?
    if let sort = query.sort, columns.contains(where: { $0.id == sort.column && $0.isSortable }) {
      order = OMCEBackend.orders[sort.column].map { "\($0):\(sort.isDescending ? "desc" : "asc")" }
    }
    var wanted = try LocationQuery(location)
    // The service looks for a part of a name, as people filter; the rows are looked through all the same.
    for filter in query.filters where filter.column == "name" && !filter.text.isEmpty && wanted.name == nil {
      wanted.name = filter.text
    }
    let answer = try await client.locationsAnswer(
      kind, wanted, offset: cursor.offset, limit: cursor.limit, order: order)
    var listing = Listing(
      location, title: kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst(), columns: columns, rows: [],
      sortedBy: order == nil ? nil : query.sort, actions: [OMCEBackend.searchAction(kind)], raw: answer.raw,
      freshness: answer.freshness)
    let place = location.with(query: [])
    for element in try answer.items() {
      listing.rows.append(Row(place.appending(element["id"].text ?? ""), OMCEBackend.values(element, kind)))
    }
    cursor.close(&listing, answer.root)
    return listing
  }

  private static func searchAction(_ kind: MobileClient.LocationKind) -> Action {
    let all = [
      FormField("near", "Near", isRequired: false, hint: "LATITUDE,LONGITUDE, such as 48.2,16.37"),
      FormField("radius", "Within (m)", .integer, isRequired: false),
      FormField("name", "Name", isRequired: false), FormField("label", "Label", isRequired: false),
      FormField("attribute", "Attribute", isRequired: false, hint: "NAME=VALUE"),
      FormField("under", "Below place", .integer, isRequired: false),
    ]
    return Action("find", "Find", fields: kind == .places ? all : all.filter { ["name", "attribute"].contains($0.id) })
  }

  /// The place of the answer: the query is part of the location, so that it can be kept, copied and repeated.
  func find(_ location: Location, _ fields: [String: String]) throws(ServiceError) -> ActionOutcome {
    var query: [(String, String)] = []
    for name in ["near", "radius", "name", "label", "under"] {
      if let text = fields[name], !text.isEmpty { query.append((name, text)) }
    }
    if let attribute = fields["attribute"], !attribute.isEmpty {
      let parts = attribute.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw ServiceError(.usage, location.doing("find"), detail: "attribute is NAME=VALUE")
      }
      query.append(("attribute.\(parts[0])", parts[1]))
    }
    let place = location.with(query: query)
    _ = try LocationQuery(place)
    return ActionOutcome("Here is what was found.", location: place)
  }

  private static func values(_ json: JSONValue, _ kind: MobileClient.LocationKind) -> [Value] {
    let common: [Value] = ["id", "name", "label", "description"].map { .optional(json[$0].text) }
    let modified = Value.optional(json["modifiedOn"].string.flatMap(MobileTime.read))
    switch kind {
    case .places:
      let address = json["address"]
      let shape = address["gpsCircle"].exists ? address["gpsCircle"] : address["gpsPoint"]
      let corner = shape.exists ? shape : address["gpsPolygon"]["vertices"][0]
      let degrees = ["latitude", "longitude", "radius"].map { corner[$0].numberText.map { Value.decimal($0) } ?? .null }
      return common + degrees + [.optional(json["parentPlace"].text), modified]
    case .assets: return common + [.optional(json["lastKnownPlace"]["placeId"].text), modified]
    case .devices:
      let beacon = json["beacon"].members.first { _ in true }?.key
      let owner = json["place"].exists ? json["place"] : json["asset"]
      let attached = owner.text ?? owner["name"].text ?? owner["id"].text
      return common + [.optional(json["protocol"].string ?? beacon), .optional(attached), modified]
    }
  }

  func locationItem(
    _ location: Location, _ kind: MobileClient.LocationKind, _ id: String
  ) async throws(ServiceError) -> Item {
    let answer = try await client.locationAnswer(kind, id)
    _ = try answer.object()
    let columns = OMCEBackend.columns(kind)
    let own = zip(columns, OMCEBackend.values(answer.root, kind)).map { column, value in
      Field(column.id, column.title, value, column.kind)
    }
    let known = Set(own.map(\.id) + ["links", "modifiedOn", "id", "name", "label", "description"])
    let more = MobileValue.fields(of: answer.root).filter { field in
      !known.contains(String(field.id.prefix { $0 != "." }))
    }
    var related: [Link] = []
    let root = Location(connection: location.connection)
    if let parent = answer.root["parentPlace"].text {
      related.append(Link("Part of", root.appending("places").appending(parent), opening: .item))
    }
    if let place = answer.root["lastKnownPlace"]["placeId"].text {
      related.append(Link("Last seen at", root.appending("places").appending(place), opening: .item))
    }
    return Item(
      location, title: answer.root["name"].string ?? id,
      sections: [.init(String(location.path[0].dropLast()).capitalizedFirst, own), .init("More", more)]
        .filter { !$0.fields.isEmpty }, related: related, raw: answer.raw, freshness: answer.freshness)
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
