import JSON
import Model

/// Names an account: its bank and its id there.
public struct AccountID: Sendable, Hashable {
  public let bank: String
  public let account: String
  public init(bank: String, account: String) {
    self.bank = bank
    self.account = account
  }
}

/// A view in short: which one, and whether anybody may look through it.
public struct ViewSummary: Sendable, Hashable {
  public let id: String
  public let name: String
  public let isPublic: Bool
}

/// An account as a list or its own call gives it, read where it is asked for.
///
/// What the server leaves out, or a view hides, is nil; reads every version's shape (reference, sections 3.3 and 3.4).
public struct Account: Sendable {
  let json: JSONValue
  /// The bank asked, for shapes that do not name it.
  private let askedBank: String

  init(_ json: JSONValue, bank: String = "") {
    self.json = json
    askedBank = bank
  }

  public var id: AccountID { AccountID(bank: bank, account: json.first("id", "account_id") ?? "") }
  public var bank: String { json["bank_id"].string ?? askedBank }
  public var label: String? { json["label"].string }
  public var number: String? { json["number"].string }
  /// `type`, in later versions `product_code`, in lists `account_type`.
  public var type: String? { json.first("type", "product_code", "account_type") }
  public var balance: Money? { json["balance"].money }
  public var currency: String? { json["balance"]["currency"].string }
  public var iban: String? { json["IBAN"].string ?? routing("IBAN") }
  public var bic: String? { json["swift_bic"].string ?? routing("BIC") }

  /// The address under a routing scheme, such as `IBAN`.
  public func routing(_ scheme: String) -> String? {
    let single = json["account_routing"]
    if single["scheme"].string == scheme { return single["address"].string }
    return json["account_routings"].elements.first { $0["scheme"].string == scheme }?["address"].string
  }

  public var owners: [String]? {
    guard json["owners"].kind == .array else { return nil }
    return json["owners"].elements.map { $0["display_name"].string ?? $0["id"].string ?? "" }
  }

  /// Views named here: objects, or in version 4 and later nothing but their ids.
  public var views: [ViewSummary] {
    for key in ["views", "views_available", "views_basic"] where json[key].kind == .array {
      return json[key].elements.compactMap { view in
        if let id = view.string { return ViewSummary(id: id, name: id, isPublic: false) }
        guard let id = view["id"].string else { return nil }
        return ViewSummary(
          id: id, name: view["short_name"].string ?? id, isPublic: view["is_public"].bool ?? false)
      }
    }
    return []
  }
}
