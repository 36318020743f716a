import JSON

/// A bank; reads the shapes of all versions (reference, section 3.2).
public struct Bank: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  public var id: String { json.first("id", "bank_id") ?? "" }
  /// `short_name`, from version 5 on `bank_code`.
  public var shortName: String? { json.first("short_name", "bank_code") }
  public var fullName: String? { json["full_name"].string }
  public var website: String? { json["website"].string }
  public var logo: String? { json["logo"].string }

  public struct Routing: Sendable, Hashable {
    public let scheme: String
    public let address: String
  }

  public var routings: [Routing] {
    let single = json["bank_routing"]
    let found = single.kind == .object ? [single] : Array(json["bank_routings"].elements)
    return found.map { Routing(scheme: $0["scheme"].string ?? "", address: $0["address"].string ?? "") }
  }

  public var attributes: [(name: String, value: String)] {
    json["attributes"].elements.map { ($0["name"].string ?? "", $0["value"].text ?? "") }
  }
}
