import JSON
import Model
import Wire

/// Places, assets and devices (`OMCLocation`; reference, sections 5.7 and 8.5).
public struct MobileLocation: CompletionCaller {
  let client: MobileClient

  /// `placeWithID:`.
  public func place(_ id: Int) async throws(ServiceError) -> MobilePlace {
    MobilePlace(client: client, try await client.locationAnswer(.places, String(id)).root)
  }

  /// `assetWithID:`.
  public func asset(_ id: Int) async throws(ServiceError) -> MobileAsset {
    MobileAsset(client: client, try await client.locationAnswer(.assets, String(id)).root)
  }

  /// `deviceWithID:`.
  public func device(_ id: Int) async throws(ServiceError) -> MobileDevice {
    MobileDevice(client: client, try await client.locationAnswer(.devices, String(id)).root)
  }

  /// Devices that say this when one comes near (`devicesWithBeacon:`).
  public func devices(with beacon: MobileDevice.Beacon) async throws(ServiceError) -> [MobileDevice] {
    var query = LocationQuery()
    query.beacon = beacon
    return try await devices(query, limit: 100).items
  }

  /// A page of places (`buildPlaceQuery`, `executeWithCompletionHandler:`).
  ///
  /// - Parameter order: An attribute and its direction, such as `name:asc` (`orderByAttribute`, `orderByOrder`).
  public func places(
    _ query: LocationQuery = LocationQuery(), offset: Int = 0, limit: Int = 40, order: String? = nil
  ) async throws(ServiceError) -> MobileLocationPage<MobilePlace> {
    let answer = try await client.locationsAnswer(.places, query, offset: offset, limit: limit, order: order)
    return MobileLocationPage(answer, try answer.items().map { MobilePlace(client: client, $0) }, query, order)
  }

  /// `buildAssetQuery`.
  public func assets(
    _ query: LocationQuery = LocationQuery(), offset: Int = 0, limit: Int = 40, order: String? = nil
  ) async throws(ServiceError) -> MobileLocationPage<MobileAsset> {
    let answer = try await client.locationsAnswer(.assets, query, offset: offset, limit: limit, order: order)
    return MobileLocationPage(answer, try answer.items().map { MobileAsset(client: client, $0) }, query, order)
  }

  /// `buildDeviceQuery`.
  public func devices(
    _ query: LocationQuery = LocationQuery(), offset: Int = 0, limit: Int = 40, order: String? = nil
  ) async throws(ServiceError) -> MobileLocationPage<MobileDevice> {
    let answer = try await client.locationsAnswer(.devices, query, offset: offset, limit: limit, order: order)
    return MobileLocationPage(
      answer, try answer.items().map { MobileDevice(client: client, $0) }, query, order)
  }

  /// `placeClosestToPoint:`.
  public func place(closestTo point: LocationQuery.Point) async throws(ServiceError) -> MobilePlace? {
    var query = LocationQuery()
    query.near = point
    return try await places(query, limit: 1).items.first
  }

  /// `placesInGeoFence:`; the radius is in metres.
  public func places(
    around point: LocationQuery.Point, radius: Int
  ) async throws(ServiceError) -> MobileLocationPage<MobilePlace> {
    var query = LocationQuery()
    query.near = point
    query.radius = radius
    return try await places(query, limit: 100)
  }
}

/// A page of a location query (`OMCLocationObjectQueryResult`).
public struct MobileLocationPage<Element: Sendable>: Sendable {
  public let query: LocationQuery
  public let order: String?
  public let items: [Element]
  public let totalResults: Int?
  public let offset: Int
  public let limit: Int?
  public let hasMore: Bool
  public var count: Int { items.count }
  /// Where the next page begins; nil after the last (`nextQuery`).
  public var nextOffset: Int? { hasMore && !items.isEmpty ? offset + items.count : nil }

  init(_ answer: MobileAnswer, _ items: [Element], _ query: LocationQuery, _ order: String?) {
    self.items = items
    self.query = query
    self.order = order
    limit = answer.root["limit"].int
    totalResults = answer.root["totalResults"].int
    offset = answer.root["offset"].int ?? 0
    hasMore = answer.hasMore
  }
}

/// What all three have in common (`OMCLocationObject`); `id` is its `id_`, `description` its `description_`.
public struct MobileLocationFacts: Sendable, Hashable {
  public let id: Int
  public let name: String
  public let description: String?
  public let label: String?
  /// `attributeForKey:` is a look into it.
  public let attributes: [String: String]
  public let createdBy: String?
  public let created: Timestamp?
  public let modifiedBy: String?
  public let modified: Timestamp?

  init(_ json: JSONValue) {
    id = json["id"].int ?? 0
    name = json["name"].string ?? ""
    description = json["description"].string
    label = json["label"].string
    attributes = Dictionary(
      json["attributes"].members.compactMap { key, value in value.text.map { (key, $0) } }, uniquingKeysWith: { $1 })
    createdBy = json["createdBy"].string
    created = json["createdOn"].string.flatMap(MobileTime.read)
    modifiedBy = json["modifiedBy"].string
    modified = json["modifiedOn"].string.flatMap(MobileTime.read)
  }
}

/// A place (`OMCLocationPlace`), which devices may stand in (`OMCLocationDeviceContainer`).
public struct MobilePlace: CompletionCaller {
  /// Where it is: exactly one of these forms (`OMCLocationGeoPoint`, `OMCLocationGeoCircle`, `OMCLocationGeoPolygon`);
  /// degrees as exact decimal texts.
  public enum Address: Sendable, Hashable {
    case point(LocationQuery.Point)
    /// The radius is in metres.
    case circle(LocationQuery.Point, radius: String)
    case polygon([LocationQuery.Point])
  }

  private let client: MobileClient
  public let facts: MobileLocationFacts
  public let address: Address?
  public let parentID: Int?
  public let hasChildren: Bool
  /// Ids of the devices that stand there.
  public let deviceIDs: [Int]

  init(client: MobileClient, _ json: JSONValue) {
    self.client = client
    facts = MobileLocationFacts(json)
    parentID = json["parentPlace"].int
    hasChildren = json["hasChildren"].bool ?? false
    deviceIDs = json["devices"].elements.compactMap { $0["id"].int ?? $0.int }
    let address = json["address"]
    if let center = MobilePlace.point(address["gpsCircle"]) {
      self.address = .circle(center, radius: address["gpsCircle"]["radius"].numberText ?? "0")
    } else if let point = MobilePlace.point(address["gpsPoint"]) {
      self.address = .point(point)
    } else {
      let corners = address["gpsPolygon"]["vertices"].elements.compactMap { MobilePlace.point($0) }
      self.address = corners.isEmpty ? nil : .polygon(corners)
    }
  }

  private static func point(_ json: JSONValue) -> LocationQuery.Point? {
    guard let latitude = json["latitude"].numberText, let longitude = json["longitude"].numberText else { return nil }
    return LocationQuery.Point(latitude: latitude, longitude: longitude)
  }

  /// `parentWithCompletionHandler:`.
  public func parent() async throws(ServiceError) -> MobilePlace? {
    guard let parentID else { return nil }
    return try await client.location.place(parentID)
  }

  /// From the outermost place that it lies in down to its parent (`hierarchyWithCompletionHandler:`).
  public func hierarchy() async throws(ServiceError) -> [MobilePlace] {
    var above: [MobilePlace] = []
    var next = try await parent()
    // A backend that makes a ring of places is no reason to walk it for ever.
    while let place = next, !above.contains(where: { $0.facts.id == place.facts.id }) {
      above.insert(place, at: 0)
      next = try await place.parent()
    }
    return above
  }

  /// Everything the service tells, where a short answer came before (`refreshWithCompletionHandler:`).
  public func refreshed() async throws(ServiceError) -> MobilePlace { try await client.location.place(facts.id) }

  /// What stands in it (`devicesWithCompletionHandler:`).
  public func devices() async throws(ServiceError) -> [MobileDevice] {
    guard !deviceIDs.isEmpty else { return [] }
    var query = LocationQuery()
    query.list = (key: "listOfDevices", ids: deviceIDs)
    return try await client.location.devices(query, limit: 100).items
  }

  /// What stands in it and in every place below (`allDevicesWithCompletionHandler:`).
  public func allDevices() async throws(ServiceError) -> [MobileDevice] {
    var devices = try await devices()
    for place in try await descendants() { devices += try await place.devices() }
    return devices
  }

  /// All places below it, never paged (`descendantsWithCompletionHandler:`).
  public func descendants() async throws(ServiceError) -> [MobilePlace] {
    var query = LocationQuery()
    query.descendantOf = facts.id
    var places: [MobilePlace] = []
    var next: Int? = 0
    while let offset = next {
      let page = try await client.location.places(query, offset: offset, limit: 100)
      places += page.items
      next = page.nextOffset
    }
    return places
  }

  /// Those that stand directly below (`childrenWithCompletionHandler:`).
  public func children() async throws(ServiceError) -> [MobilePlace] {
    try await descendants().filter { $0.parentID == facts.id }
  }
}

/// A thing that has a place (`OMCLocationAsset`), and may carry devices (`OMCLocationDeviceContainer`).
public struct MobileAsset: CompletionCaller {
  private let client: MobileClient
  public let facts: MobileLocationFacts
  public let lastKnownPlaceID: Int?

  init(client: MobileClient, _ json: JSONValue) {
    self.client = client
    facts = MobileLocationFacts(json)
    lastKnownPlaceID = json["lastKnownPlace"]["placeId"].int
  }

  /// Everything the service tells (`refreshWithCompletionHandler:`).
  public func refreshed() async throws(ServiceError) -> MobileAsset { try await client.location.asset(facts.id) }

  /// What it carries (`devicesWithCompletionHandler:`).
  public func devices() async throws(ServiceError) -> [MobileDevice] {
    var query = LocationQuery()
    query.assetID = facts.id
    return try await client.location.devices(query, limit: 100).items
  }

  public func lastKnownPlace() async throws(ServiceError) -> MobilePlace? {
    guard let lastKnownPlaceID else { return nil }
    return try await client.location.place(lastKnownPlaceID)
  }
}

/// A device that tells a place (`OMCLocationDevice`).
public struct MobileDevice: CompletionCaller {
  /// What a device says when one comes near (`OMCLocationIBeacon`, `OMCLocationAltBeacon`, `OMCLocationEddystoneBeacon`).
  public enum Beacon: Sendable, Hashable {
    case iBeacon(uuid: String, major: String, minor: String)
    case altBeacon(id1: String, id2: String, id3: String)
    case eddystone(namespace: String?, instance: String?, url: String?)
  }

  private let client: MobileClient
  public let facts: MobileLocationFacts
  public let beacon: Beacon?
  public let placeID: Int?
  public let assetID: Int?

  init(client: MobileClient, _ json: JSONValue) {
    self.client = client
    facts = MobileLocationFacts(json)
    placeID = json["place"]["id"].int ?? json["place"].int
    assetID = json["asset"]["id"].int ?? json["asset"].int
    let beacon = json["beacon"]
    func text(_ kind: String, _ name: String) -> String { beacon[kind][name].text ?? "" }
    if beacon["iBeacon"].exists {
      self.beacon = .iBeacon(
        uuid: text("iBeacon", "uuid"), major: text("iBeacon", "major"), minor: text("iBeacon", "minor"))
    } else if beacon["altBeacon"].exists {
      self.beacon = .altBeacon(
        id1: text("altBeacon", "id1"), id2: text("altBeacon", "id2"), id3: text("altBeacon", "id3"))
    } else if beacon["eddystone"].exists {
      let eddystone = beacon["eddystone"]
      self.beacon = .eddystone(
        namespace: eddystone["eddystoneUid"]["namespace"].string,
        instance: eddystone["eddystoneUid"]["instance"].string, url: eddystone["eddystoneUrl"]["url"].string)
    } else {
      self.beacon = nil
    }
  }
}

extension MobileDevice {
  /// Where it stands, or what carries it.
  public enum Container: Sendable { case place(MobilePlace), asset(MobileAsset) }

  /// `container`.
  public func container() async throws(ServiceError) -> Container? {
    if let placeID { return .place(try await client.location.place(placeID)) }
    if let assetID { return .asset(try await client.location.asset(assetID)) }
    return nil
  }

  /// Everything the service tells (`refreshWithCompletionHandler:`).
  public func refreshed() async throws(ServiceError) -> MobileDevice { try await client.location.device(facts.id) }
}

extension MobileLocation {
  /// The page that follows; nil after the last (`nextWithCompletionHandler:`).
  public func next(
    after page: MobileLocationPage<MobilePlace>
  ) async throws(ServiceError) -> MobileLocationPage<MobilePlace>? {
    guard let offset = page.nextOffset else { return nil }
    return try await places(page.query, offset: offset, limit: page.limit ?? 40, order: page.order)
  }

  public func next(
    after page: MobileLocationPage<MobileAsset>
  ) async throws(ServiceError) -> MobileLocationPage<MobileAsset>? {
    guard let offset = page.nextOffset else { return nil }
    return try await assets(page.query, offset: offset, limit: page.limit ?? 40, order: page.order)
  }

  public func next(
    after page: MobileLocationPage<MobileDevice>
  ) async throws(ServiceError) -> MobileLocationPage<MobileDevice>? {
    guard let offset = page.nextOffset else { return nil }
    return try await devices(page.query, offset: offset, limit: page.limit ?? 40, order: page.order)
  }
}

extension MobileClient {
  public var location: MobileLocation { MobileLocation(client: self) }
}

/// Completion forms.
extension MobileLocation {
  @discardableResult
  public func place(_ id: Int, _ completion: @escaping Completion<MobilePlace>) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.place(id) }
  }

  @discardableResult
  public func places(
    _ query: LocationQuery = LocationQuery(), offset: Int = 0, limit: Int = 40,
    _ completion: @escaping Completion<MobileLocationPage<MobilePlace>>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in
      try await self.places(query, offset: offset, limit: limit)
    }
  }

  @discardableResult
  public func place(
    closestTo point: LocationQuery.Point, _ completion: @escaping Completion<MobilePlace?>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.place(closestTo: point) }
  }
}
