import JSON
import Model

/// A booking, read where it is asked for; knows the full and the core shapes of all versions (reference, section 3.7).
public struct Transaction: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  public var id: String { json.first("id", "transaction_id") ?? "" }
  public var type: String? { json["details"]["type"].string }
  public var description: String? { json["details"]["description"].string }
  /// When it was booked; lists are in this order.
  public var completed: Timestamp? { json["details"]["completed"].string.flatMap(Timestamp.init(rfc3339:)) }
  public var posted: Timestamp? { json["details"]["posted"].string.flatMap(Timestamp.init(rfc3339:)) }
  public var amount: Money? { json["details"]["value"].money }
  public var balance: Money? { json["details"]["new_balance"].money }
  public var otherSide: OtherAccount { OtherAccount(json["other_account"].exists ? other : json["counterparty"]) }
  public var narrative: String? { metadata["narrative"].string }
  public var comments: [Remark]? { remarks("comments") }
  public var tags: [Remark]? { remarks("tags") }
  public var images: [Remark]? { remarks("images") }
  public var place: Place? { Place(metadata["where"]) }

  private var other: JSONValue { json["other_account"] }
  private var metadata: JSONValue { json["metadata"] }

  private func remarks(_ key: String) -> [Remark]? {
    guard metadata[key].kind == .array else { return nil }
    return metadata[key].elements.map { Remark($0) }
  }

  /// What somebody wrote to a transaction: a comment, a tag, or an image with its address.
  public struct Remark: Sendable {
    let json: JSONValue
    init(_ json: JSONValue) { self.json = json }

    public var id: String { json["id"].string ?? "" }
    /// The comment or tag; of an image its label.
    public var text: String { json.first("value", "label") ?? "" }
    public var url: String? { json["URL"].string }
    public var author: String? { json["user"]["display_name"].string }
    public var date: Timestamp? { json["date"].string.flatMap(Timestamp.init(rfc3339:)) }
  }

  /// Where something happened, in degrees.
  public struct Place: Sendable, Hashable {
    public let latitude: String
    public let longitude: String

    init?(_ json: JSONValue) {
      guard let latitude = json["latitude"].numberText, let longitude = json["longitude"].numberText else { return nil }
      self.latitude = latitude
      self.longitude = longitude
    }
  }
}

/// The other side of a transaction as this account's views show it.
public struct OtherAccount: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  public var id: String? { json["id"].string }
  public var name: String? { json["holder"]["name"].string }
  /// Whether the name is an alias that stands for the real one.
  public var isAlias: Bool? { json["holder"]["is_alias"].bool }
  public var number: String? { json["number"].string }
  public var iban: String? { json["IBAN"].string ?? routing("IBAN") }
  public var bankName: String? { json["bank"]["name"].string ?? json["bank_routing"]["address"].string }

  private func routing(_ scheme: String) -> String? {
    json["account_routings"].elements.first { $0["scheme"].string == scheme }?["address"].string
  }
}
