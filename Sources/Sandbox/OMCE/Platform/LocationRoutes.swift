import HTTPServer
import JSON

/// Places, assets and devices, looked up and searched; reference omce.md, section 5.7.
extension OMCRoutes {
  mutating func addLocation() {
    for kind in LocationObject.Kind.allCases {
      let path = "/mobile/platform/location/\(kind.rawValue)"
      on("GET", path) { call throws(OMCError) in
        let name = call.request.query("name")?.lowercased()
        let found = LocationObject.all(kind, call.server.setting).filter { name == nil || $0.name.lowercased() == name }
        return try call.locationPage(found, order: call.request.query("orderBy"), body: nil)
      }
      on("GET", path + "/{id}") { call throws(OMCError) in
        let all = LocationObject.all(kind, call.server.setting)
        guard let id = Int(call["id"]), let found = all.first(where: { $0.id == id }) else {
          throw .notFound("The \(kind.rawValue.dropLast()) \(call["id"])")
        }
        return .json(call.json(found, isShort: false))
      }
      on("POST", path + "/query") { call throws(OMCError) in
        let body = try call.json()
        let query = LocationQuery(body, all: LocationObject.all(.places, call.server.setting))
        let found = query.sorted(LocationObject.all(kind, call.server.setting).filter(query.matches))
        return try call.locationPage(found, order: body["orderBy"].string, body: body)
      }
    }
  }
}

/// A place, an asset or a device (a beacon).
struct LocationObject: Sendable {
  enum Kind: String, Sendable, CaseIterable { case places, assets, devices }

  let id: Int
  let kind: Kind
  let name: String
  let label: String
  let description: String
  /// In degrees; places only.
  var latitude = 0.0, longitude = 0.0
  /// In metres.
  var radius = 0
  /// The place above, the asset's last place, or the device's place.
  var parent: Int?
  /// A device's kind of beacon.
  var protocolName = ""
  /// What the beacon says, by the names that queries use.
  var beacon: [String: String] = [:]
  /// The device that tells an asset's place, or the asset that a device hangs on.
  var associated: Int?
  var attributes: [(key: String, value: String)] = []

  /// A city's depots: one root with districts, each with depots, and a beacon for every depot.
  static func all(_ kind: Kind, _ setting: DoorSetting) -> [LocationObject] {
    let town = setting.city.place(1)
    return switch kind {
    case .places: places(setting, town)
    case .assets:
      (0..<9).map { index in
        LocationObject(
          id: 500 + index, kind: .assets, name: "\(["Crane", "Truck", "Pump"][index % 3]) \(index + 1)", label: "Asset",
          description: setting.city.words(3, "mobile/asset", index: index), parent: 101 + index % 4,
          associated: index < 2 ? 7 + index : nil, attributes: [("owner", setting.city.company(index))])
      }
    case .devices:
      (0..<8).map { index in
        let protocolName = ["iBeacon", "altBeacon", "eddystone"][index % 3]
        // The last two hang on assets that move, the others on depots.
        return LocationObject(
          id: 1 + index, kind: .devices, name: "beacon-\(index + 1)", label: "", description: "",
          parent: index < 6 ? 120 + index : nil, protocolName: protocolName, beacon: beacon(protocolName, 1 + index),
          associated: index < 6 ? nil : 494 + index, attributes: [("battery", "\(90 - index * 7)")])
      }
    }
  }

  private static func beacon(_ protocolName: String, _ number: Int) -> [String: String] {
    switch protocolName {
    case "iBeacon":
      [
        "iBeacon_uid": "f7826da6-4fa2-4e98-8024-bc5b71e0893e", "iBeacon_major": "1", "iBeacon_minor": "\(number)",
      ]
    case "altBeacon": ["altBeacon_id1": "a1", "altBeacon_id2": "b2", "altBeacon_id3": "\(number)"]
    default: ["eddystone_namespace": "edd1ebeac04e5defa017", "eddystone_instance": "\(number)"]
    }
  }

  private static func places(_ setting: DoorSetting, _ town: Places.Place) -> [LocationObject] {
    let root = LocationObject(
      id: 100, kind: .places, name: town.town, label: "City", description: "The whole city", latitude: town.latitude,
      longitude: town.longitude, radius: 15_000)
    let districts = ["West", "East", "Nord – Süd", "中央"].enumerated().map { index, name in
      LocationObject(
        id: 101 + index, kind: .places, name: "District \(name)", label: "District", description: "",
        latitude: town.latitude + Double(index - 2) * 0.02, longitude: town.longitude + Double(index % 2) * 0.03,
        radius: 2_000, parent: 100)
    }
    let depots = (0..<24).map { index in
      let district = districts[index % districts.count]
      return LocationObject(
        id: 120 + index, kind: .places, name: "Depot \(index + 1)", label: "Depot",
        description: setting.city.words(3, "mobile/depot", index: index),
        latitude: district.latitude + Double(index / 4) * 0.001,
        longitude: district.longitude - Double(index / 4) * 0.001, radius: 80, parent: district.id,
        attributes: [("floor", "\(index % 3)"), ("colour", ["red", "blue"][index % 2])])
    }
    return [root] + districts + depots
  }
}

/// What a query's body asks for.
private struct LocationQuery {
  let body: JSONValue
  let descendants: Set<Int>?

  init(_ body: JSONValue, all places: [LocationObject]) {
    self.body = body
    descendants = body["descendantOf"].int.map { root in
      var found: Set<Int> = [root]
      // Parents stand before their children, so one pass reaches every depth.
      for place in places where place.parent.map(found.contains) == true { found.insert(place.id) }
      return found.subtracting([root])
    }
  }

  func matches(_ object: LocationObject) -> Bool {
    func contains(_ key: String, _ texts: String...) -> Bool {
      guard let wanted = body[key].string?.lowercased() else { return true }
      return texts.contains { $0.lowercased().contains(wanted) }
    }
    let listed = ["listOfPlaces", "listOfAssets", "listOfDevices"].map { body[$0] }.first { $0.kind == .array }
    return contains("name", object.name) && contains("label", object.label)
      && contains("description", object.description)
      && contains("search", object.name, object.label, object.description)
      && body["attributes"].members.allSatisfy { key, value in
        object.attributes.contains { $0.key == key && $0.value == value.string }
      }
      && (descendants?.contains(object.id) ?? true)
      && (body["protocol"].string.map { $0 == object.protocolName } ?? true) && isAssociated(object)
      && body.members.allSatisfy { key, value in
        !Self.beaconNames.contains(key) || object.beacon[key] == value.string
      }
      && (listed.map { $0.elements.contains { $0.int == object.id } } ?? true) && isInside(object)
  }

  private static let beaconNames = [
    "iBeacon_uid", "iBeacon_major", "iBeacon_minor", "altBeacon_id1", "altBeacon_id2", "altBeacon_id3",
    "eddystone_namespace", "eddystone_instance", "eddystone_url",
  ]

  private func isAssociated(_ object: LocationObject) -> Bool {
    let wanted = object.kind == .assets ? body["associatedDeviceId"].int : body["associatedAssetId"].int
    return wanted == nil || wanted == object.associated
  }

  private func isInside(_ object: LocationObject) -> Bool {
    let circle = body["inGeoFence"]["gpsCircle"]
    guard let latitude = circle["latitude"].double, let longitude = circle["longitude"].double,
      let radius = circle["radius"].double
    else { return true }
    return Self.squaredMetres(object, latitude, longitude) <= radius * radius
  }

  /// Nearest first, where a point is given.
  func sorted(_ objects: [LocationObject]) -> [LocationObject] {
    let point = body["nearestTo"]["gpsPoint"]
    guard let latitude = point["latitude"].double, let longitude = point["longitude"].double else { return objects }
    return objects.sorted {
      Self.squaredMetres($0, latitude, longitude) < Self.squaredMetres($1, latitude, longitude)
    }
  }

  /// On a flat map, which is exact enough within a city; a degree of longitude is taken at the middle latitudes.
  private static func squaredMetres(_ object: LocationObject, _ latitude: Double, _ longitude: Double) -> Double {
    let north = (object.latitude - latitude) * 111_320
    let east = (object.longitude - longitude) * 74_000
    return north * north + east * east
  }
}

extension OMCCall {
  fileprivate func locationPage(
    _ found: [LocationObject], order: String?, body: JSONValue?
  ) throws(OMCError) -> ServerResponse {
    var ordered = found
    if let order {
      let isDescending = order.hasSuffix(":desc")
      ordered.sort { isDescending ? ($0.name, $0.id) > ($1.name, $1.id) : ($0.name, $0.id) < ($1.name, $1.id) }
    }
    let asked = (offset: try number("offset", standard: 0), limit: try number("limit", standard: 40))
    let offset = body?["offset"].int ?? asked.offset
    let limit = min(body?["limit"].int ?? asked.limit, 100)
    guard offset >= 0, limit >= 0 else { throw .badRequest("offset and limit must not be negative.") }
    let range = min(offset, ordered.count)..<min(offset + limit, ordered.count)
    let isShort = (body?["format"].string ?? request.query("format")) == "short"
    return .json([
      "items": .list(Array(ordered[range])) { json($0, isShort: isShort) }, "totalResults": .int(ordered.count),
      "offset": .int(offset), "count": .int(range.count), "limit": .int(limit),
      "hasMore": .bool(range.upperBound < ordered.count), "links": [],
    ])
  }

  fileprivate func json(_ object: LocationObject, isShort: Bool) -> JSONNode {
    var node: JSONNode = ["id": .int(object.id), "name": .string(object.name)]
    switch object.kind {
    case .places: describe(place: object, &node)
    case .assets: node["lastKnownPlace"] = ["placeId": .int(object.parent ?? 0)]
    case .devices: describe(device: object, &node)
    }
    node["links"] = [link("self", "/mobile/platform/location/\(object.kind.rawValue)/\(object.id)")]
    guard !isShort else { return node }
    node["label"] = .string(object.label)
    node["description"] = .string(object.description)
    node["attributes"] = .object(object.attributes.map { .init(key: $0.key, value: .string($0.value)) })
    node["createdBy"] = "ops"
    node["createdOn"] = .string(date(DoorSetting.present.adding(days: -60)))
    node["modifiedBy"] = "ops"
    node["modifiedOn"] = .string(date(DoorSetting.present.adding(days: -59)))
    return node
  }

  private func describe(place: LocationObject, _ node: inout JSONNode) {
    node["address"] = [
      "gpsCircle": [
        "latitude": .degrees(place.latitude), "longitude": .degrees(place.longitude), "radius": .int(place.radius),
      ]
    ]
    if let parent = place.parent { node["parentPlace"] = .int(parent) }
    node["hasChildren"] = .bool(place.id < 120)
    let devices = LocationObject.all(.devices, server.setting).filter { $0.parent == place.id }
    node["devices"] = .list(devices) { ["id": .int($0.id), "name": .string($0.name)] }
  }

  private func describe(device: LocationObject, _ node: inout JSONNode) {
    func said(_ name: String) -> JSONNode { device.beacon[name].map { .string($0) } ?? .null }
    let beacon: JSONNode =
      switch device.protocolName {
      case "iBeacon":
        ["iBeacon": ["uuid": said("iBeacon_uid"), "major": said("iBeacon_major"), "minor": said("iBeacon_minor")]]
      case "altBeacon":
        ["altBeacon": ["id1": said("altBeacon_id1"), "id2": said("altBeacon_id2"), "id3": said("altBeacon_id3")]]
      default:
        [
          "eddystone": [
            "eddystoneUid": ["namespace": said("eddystone_namespace"), "instance": said("eddystone_instance")]
          ]
        ]
      }
    node["protocol"] = .string(device.protocolName)
    node["beacon"] = beacon
    if let place = device.parent { node["place"] = ["id": .int(place)] }
    if let asset = device.associated { node["asset"] = ["id": .int(asset)] }
  }
}
