import JSON

/// An explicit payee (reference, section 3.10).
public struct Counterparty: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  public var id: String { json["counterparty_id"].string ?? "" }
  public var name: String? { json["name"].string }
  public var description: String? { json["description"].string }
  public var currency: String? { json["currency"].string }
  /// Whether it may be paid.
  public var isBeneficiary: Bool? { json["is_beneficiary"].bool }

  /// The IBAN, whichever of its two routings holds it.
  public var iban: String? {
    for kind in ["other_account", "other_account_secondary"] where json["\(kind)_routing_scheme"].string == "IBAN" {
      return json["\(kind)_routing_address"].string
    }
    return nil
  }
}
