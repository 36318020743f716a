import JSON
import Model
import Store

/// What is looked for among places, assets and devices (`OMCLocation…Query`; reference, section 5.7).
public struct LocationQuery: Sendable {
  public struct Point: Sendable, Hashable {
    /// Degrees, as exact decimal texts.
    public var latitude: String
    public var longitude: String

    public init(latitude: String, longitude: String) {
      self.latitude = latitude
      self.longitude = longitude
    }

    /// Reads `48.2,16.37`; nil when it is no point of the earth.
    public init?(_ text: String) {
      let parts = text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
      guard parts.count == 2, let north = Double(parts[0]), let east = Double(parts[1]), abs(north) <= 90,
        abs(east) <= 180
      else { return nil }
      self.init(latitude: parts[0], longitude: parts[1])
    }

    var node: JSONNode { ["latitude": .number(latitude), "longitude": .number(longitude)] }
  }

  public var name: String?
  public var label: String?
  public var description: String?
  /// Anywhere in name, label or description.
  public var search: String?
  /// `setAttribute:forKey:`.
  public var attributes: [(name: String, value: String)] = []
  /// Places around it, nearest first (`geoPoint`).
  public var near: Point?
  /// Metres around `near`; then only what lies within (`geoFence`).
  public var radius: Int?
  /// Places below this one (`parentID`, `setParent:`).
  public var descendantOf: Int?
  /// Only these (`addID:`), under the name that the kind of thing gives them: `listOfPlaces`, `listOfAssets`, `listOfDevices`.
  public var list: (key: String, ids: [Int])?
  /// Assets only: the one that this device tells the place of (`deviceID`, `setDevice:`).
  public var deviceID: Int?
  /// Devices only: what this asset carries (`assetID`, `setAsset:`).
  public var assetID: Int?
  /// Devices only: those that say this.
  public var beacon: MobileDevice.Beacon?
  /// Devices only: `altBeacon`, `eddystone` or `iBeacon`.
  public var deviceProtocol: String?
  /// `short` for fewer properties.
  public var format: String?

  public init() {}

  /// From the query of a location: `?near=48.2,16.37&radius=500&name=Depot&attribute.floor=0`.
  ///
  /// - Throws: `.usage` for what is no query of places.
  init(_ location: Location) throws(ServiceError) {
    for (key, value) in location.query {
      switch key {
      case "name": name = value
      case "label": label = value
      case "description": description = value
      case "search", "q": search = value
      case "under":
        guard let id = Int(value) else { throw LocationQuery.wrong(location, "under is the number of a place") }
        descendantOf = id
      case "near":
        guard let point = Point(value) else {
          throw LocationQuery.wrong(location, "near is LATITUDE,LONGITUDE, such as 48.2,16.37")
        }
        near = point
      case "radius":
        guard let metres = Int(value), metres > 0 else { throw LocationQuery.wrong(location, "radius is in metres") }
        radius = metres
      case "protocol": deviceProtocol = value
      case _ where key.hasPrefix("attribute."): attributes.append((String(key.dropFirst(10)), value))
      default:
        throw LocationQuery.wrong(
          location,
          "“\(key)” is none of name, label, description, search, under, near, radius, protocol, attribute.NAME")
      }
    }
    if radius != nil, near == nil { throw LocationQuery.wrong(location, "radius needs near") }
  }

  private static func wrong(_ location: Location, _ why: String) -> ServiceError {
    ServiceError(.usage, "list \(location)", detail: why)
  }

  var body: JSONNode {
    var node: JSONNode = [:]
    if let name { node["name"] = .string(name) }
    if let label { node["label"] = .string(label) }
    if let description { node["description"] = .string(description) }
    if let search { node["search"] = .string(search) }
    if !attributes.isEmpty {
      node["attributes"] = .object(attributes.map { .init(key: $0.name, value: .string($0.value)) })
    }
    switch (near, radius) {
    case (let point?, let metres?):
      var circle = point.node
      circle["radius"] = .int(metres)
      node["inGeoFence"] = ["gpsCircle": circle]
      node["nearestTo"] = ["gpsPoint": point.node]
    case (let point?, nil): node["nearestTo"] = ["gpsPoint": point.node]
    case (nil, _): break
    }
    if let descendantOf { node["descendantOf"] = .int(descendantOf) }
    if let list { node[list.key] = .array(list.ids.map { .int($0) }) }
    if let deviceProtocol { node["protocol"] = .string(deviceProtocol) }
    if let deviceID { node["associatedDeviceId"] = .int(deviceID) }
    if let assetID { node["associatedAssetId"] = .int(assetID) }
    if let beacon { for (key, value) in beacon.query { node[key] = .string(value) } }
    if let format { node["format"] = .string(format) }
    return node
  }

  /// Whether the rows kept here can tell the same.
  var isKept: Bool {
    near == nil && descendantOf == nil && list == nil && deviceProtocol == nil && format == nil && hasNoDevice
  }
  private var hasNoDevice: Bool { deviceID == nil && assetID == nil && beacon == nil }

  var filter: (@Sendable (OfflineRow) -> Bool)? {
    guard name != nil || label != nil || description != nil || search != nil || !attributes.isEmpty else { return nil }
    let wanted = [("name", name), ("label", label), ("description", description)].compactMap { key, text in
      text.map { (key, $0.lowercased()) }
    }
    let search = search?.lowercased()
    let attributes = attributes
    return { row in
      wanted.allSatisfy { row.text($0.0)?.lowercased().contains($0.1) ?? false }
        && (search.map { text in
          ["name", "label", "description"].contains { row.text($0)?.lowercased().contains(text) ?? false }
        } ?? true) && attributes.allSatisfy { row["attributes"]?[$0.name] == .string($0.value) }
    }
  }
}

extension MobileDevice.Beacon {
  /// As members of a query of devices; their names are the service's.
  fileprivate var query: [(key: String, value: String)] {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      [("protocol", "iBeacon"), ("iBeacon_uid", uuid), ("iBeacon_major", major), ("iBeacon_minor", minor)]
    case .altBeacon(let id1, let id2, let id3):
      [("protocol", "altBeacon"), ("altBeacon_id1", id1), ("altBeacon_id2", id2), ("altBeacon_id3", id3)]
    case .eddystone(let namespace, let instance, let url):
      [("protocol", "eddystone")]
        + [
          ("eddystone_namespace", namespace), ("eddystone_instance", instance), ("eddystone_url", url),
        ].compactMap { key, value in value.map { (key, $0) } }
    }
  }
}
