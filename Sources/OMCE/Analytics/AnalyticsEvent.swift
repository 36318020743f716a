import JSON
import Model

/// Something that happened, as the analytics collector takes it (reference, section 5.4).
public struct AnalyticsEvent: Sendable, Hashable {
  public let name: String
  /// One of the collector's own: `context`, `sessionStart`, `sessionEnd`.
  public let isSystem: Bool
  public let timestamp: Timestamp
  public let sessionID: String?
  /// The part of an app that it belongs to.
  public let component: String?
  public let properties: [String: String]

  static let systemNames = ["context", "sessionStart", "sessionEnd"]
  /// Names that only a context event may use.
  public static let reservedPropertyNames: Set<String> = [
    "timezone", "carrier", "model", "manufacturer", "osName", "osVersion", "osBuild", "latitude", "longitude",
    "locality", "region", "postalCode", "country",
  ]

  init(
    _ name: String, isSystem: Bool = false, at timestamp: Timestamp, session: String?, component: String? = nil,
    properties: [String: String] = [:]
  ) {
    self.name = name
    self.isSystem = isSystem
    self.timestamp = timestamp
    sessionID = session
    self.component = component
    self.properties = properties
  }

  /// What the collector would refuse, and with it the whole batch (trap 20); empty when it will do.
  public var objections: [String] {
    var objections: [String] = []
    if name.isEmpty { objections.append("an event needs a name") }
    if name.count > 100 { objections.append("a name has at most 100 characters") }
    if isSystem != AnalyticsEvent.systemNames.contains(name) {
      objections.append(isSystem ? "“\(name)” is no system event" : "“\(name)” is the collector's own name")
    }
    for (key, value) in properties {
      if key.count > 500 { objections.append("a property's name has at most 500 characters") }
      if value.count > 1000 { objections.append("“\(key.prefix(40))” has more than 1000 characters") }
      if !isSystem, AnalyticsEvent.reservedPropertyNames.contains(key) { objections.append("“\(key)” is reserved") }
    }
    let hasPoint = properties["latitude"] != nil || properties["longitude"] != nil
    let hasPlace = ["locality", "region", "postalCode", "country"].contains { properties[$0] != nil }
    if isSystem, hasPoint, hasPlace { objections.append("a context has a position or a place, not both") }
    return objections
  }

  var node: JSONNode {
    var node: JSONNode = ["name": .string(name), "timestamp": .string(MobileHeaders.time(timestamp))]
    if isSystem { node["type"] = "system" }
    if let sessionID { node["sessionID"] = .string(sessionID) }
    if let component { node["component"] = .string(component) }
    if !properties.isEmpty {
      node["properties"] = .object(
        properties.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: .string($0.value)) })
    }
    return node
  }
}
