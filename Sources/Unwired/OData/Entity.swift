import JSON
import Model

/// One row of an entity set, in either version's JSON.
public struct Entity: Sendable {
  /// Properties in the server's order, without annotations.
  public let properties: [JSONNode.Member]
  /// Changes with every change of the row; sent back as `If-Match`.
  public let tag: String?
  /// The server's own address of it, `…/Customers(901)`; nil when it gives none.
  public let address: String?
  /// Relations that can be followed, by name, with the address behind each where the server gives one.
  public let relations: [(name: String, address: String?)]

  /// A row that does not come from an answer.
  init(properties: [JSONNode.Member], tag: String?) {
    self.properties = properties
    self.tag = tag
    address = nil
    relations = []
  }

  init(
    _ properties: [JSONNode.Member], _ tag: String?, _ address: String?, _ relations: [(name: String, address: String?)]
  ) {
    self.properties = properties
    self.tag = tag
    self.address = address
    self.relations = relations
  }

  init(_ value: JSONValue) {
    var properties: [JSONNode.Member] = []
    var relations: [(name: String, address: String?)] = []
    for (key, member) in value.members {
      if key == "__metadata" || key.hasPrefix("@") { continue }
      if let mark = key.firstIndex(of: "@") {
        if key[mark...] == "@odata.navigationLink" { relations.append((String(key[..<mark]), member.string)) }
        continue
      }
      if member["__deferred"].exists {
        relations.append((key, member["__deferred"]["uri"].string))
      } else {
        properties.append(JSONNode.Member(key: key, value: member.node()))
      }
    }
    self.properties = properties
    self.relations = relations
    let metadata = value["__metadata"]
    tag = metadata["etag"].string ?? value["@odata.etag"].string
    address = metadata["uri"].string ?? value["@odata.id"].string
  }

  public subscript(_ name: String) -> JSONNode? { properties.first { $0.key == name }?.value }
}

/// A page of an entity set.
public struct EntityPage: Sendable {
  public let entities: [Entity]
  public let version: ODataVersion
  /// Rows in all, when asked for and known.
  public let total: Int?
  /// The server's own link to the next page.
  public let next: String?
  /// The server's link to what will have changed since; on the last page, where the server tracks changes.
  public let delta: String?
  /// Addresses of rows that were deleted; nil when the server does not say which.
  public let deleted: [String]?
  public let raw: RawAnswer
}
