import JSON
import Model
import Store

/// A synchronised set with what the service said of it at the time.
struct KeptSet: Sendable {
  let set: OfflineSet
  /// Nil when the service did not describe it.
  let type: ODataMetadata.EntityType?
  let version: ODataVersion

  init(_ set: OfflineSet) {
    self.set = set
    let description = set.description
    version = description["version"].flatMap(Self.text).flatMap(ODataVersion.init) ?? .v2
    guard let name = description["name"].flatMap(Self.text), case .array(let keys)? = description["keys"],
      case .array(let properties)? = description["properties"]
    else {
      type = nil
      return
    }
    var type = ODataMetadata.EntityType(name: name)
    type.keys = keys.compactMap(Self.text)
    type.properties = properties.compactMap { property in
      guard let name = property["name"].flatMap(Self.text), let kind = property["type"].flatMap(Self.text) else {
        return nil
      }
      return ODataMetadata.Property(name: name, type: kind, isNullable: property["nullable"] != .bool(false))
    }
    self.type = type
  }

  private static func text(_ node: JSONNode) -> String? {
    guard case .string(let text) = node else { return nil }
    return text
  }

  static func description(_ type: ODataMetadata.EntityType?, _ version: ODataVersion) -> JSONNode {
    var node: JSONNode = ["version": .string(version.rawValue)]
    guard let type else { return node }
    node["name"] = .string(type.name)
    node["keys"] = .array(type.keys.map { .string($0) })
    node["properties"] = .array(
      type.properties.map {
        ["name": .string($0.name), "type": .string($0.type), "nullable": .bool($0.isNullable)]
      })
    return node
  }

  func value(_ name: String, _ node: JSONNode?) -> Value { EntityValues.value(node, type: type?.property(name)?.type) }

  func reading(_ name: String) -> OfflineQuery.Reading {
    switch EntityValues.kind(type?.property(name)?.type) {
    case .integer, .decimal: .number
    case .time: .moment { ODataLiteral.moment($0) ?? Timestamp(rfc3339: $0) }
    default: .text
    }
  }

  /// A row as the server sent it; nil when it cannot be told what its key is.
  func row(_ entity: Entity) -> OfflineRow? { OfflineRow(entity, keys: type?.keys ?? []) }

  /// The service's path of a row.
  func path(_ key: String) -> String {
    set.name + EntityKey(text: key, names: type?.keys ?? []).predicate(type, version)
  }

  /// Properties to send: without keys and version tag, moments as this version of the protocol writes them.
  func sendable(_ properties: [JSONNode.Member], withKeys: Bool) -> [JSONNode.Member] {
    properties.compactMap { member in
      let property = type?.property(member.key)
      if member.key == "etag", property == nil { return nil }
      if !withKeys, type?.keys.contains(member.key) == true { return nil }
      guard version == .v2, property?.type == "Edm.DateTime", case .string(let text) = member.value,
        let moment = Timestamp(rfc3339: text)
      else { return member }
      return JSONNode.Member(key: member.key, value: .string("/Date(\(moment.milliseconds))/"))
    }
  }
}

extension OfflineRow {
  init?(_ entity: Entity, keys: [String]) {
    let key = EntityKey(entity, names: keys) ?? entity.address.flatMap { EntityKey(address: $0) }
    guard let key else { return nil }
    self.init(key: key.text, tag: entity.tag, properties: entity.properties)
  }

  /// The row with these properties in place of its own.
  func changed(_ properties: [JSONNode.Member]) -> OfflineRow {
    var row = self
    for member in properties {
      if let index = row.properties.firstIndex(where: { $0.key == member.key }) {
        row.properties[index] = member
      } else {
        row.properties.append(member)
      }
    }
    return row
  }
}

extension [OfflineEdit] {
  /// Those about one row, in order.
  func about(_ set: String, _ key: String) -> [OfflineEdit] { filter { $0.set == set && $0.key == key } }

  /// How a row looks with its edits; nil when it is to be deleted, or does not exist.
  func laid(over row: OfflineRow?, key: String) -> OfflineRow? {
    reduce(row) { row, edit in
      switch edit.operation {
      case .delete: nil
      case .create: OfflineRow(key: key, tag: nil, properties: edit.properties)
      case .update: row?.changed(edit.properties)
      }
    }
  }
}
