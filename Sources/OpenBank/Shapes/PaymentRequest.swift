import JSON
import Model

/// A transaction request, which is how one pays; reads all versions' shapes (reference, section 3.11).
public struct PaymentRequest: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  public var id: String { json.first("id", "transaction_request_id") ?? "" }
  public var type: String? { json["type"].string }
  public var status: String? { json["status"].string }
  public var amount: Money? { json["details"]["value"].money }
  public var description: String? { json["details"]["description"].string }
  public var started: Value { json["start_date"].time }
  public var ended: Value { json["end_date"].time }
  public var charge: Money? { json["charge"]["value"].money }
  public var chargeSummary: String? { json["charge"]["summary"].string }

  /// A text in version 2.0.0, a list later; nil and empty texts are no transactions.
  public var transactions: [String] {
    let ids = json["transaction_ids"]
    let found = ids.kind == .array ? ids.elements.compactMap(\.string) : [ids.string ?? ""]
    return found.filter { !$0.isEmpty }
  }

  public struct Challenge: Sendable, Hashable {
    public let id: String
    public let attempts: Int?
  }

  /// The challenge that waits for an answer: one in version 2, a list of them from version 4 on.
  public var challenge: Challenge? {
    let one = json["challenges"][0].exists ? json["challenges"][0] : json["challenge"]
    guard let id = one["id"].string, !id.isEmpty else { return nil }
    return Challenge(id: id, attempts: one["allowed_attempts"].int)
  }

  /// Whether nothing more will happen to it.
  public var isFinal: Bool { ["COMPLETED", "FAILED", "REJECTED", "CANCELLED"].contains(status ?? "") }

  /// Where the money goes, in one line.
  public var recipient: String? {
    let details = json["details"]
    for (key, value) in details.members where key.hasPrefix("to") {
      let known = [value["iban"], value["counterparty_id"], value["account_id"], value["name"]]
      if let text = known.lazy.compactMap(\.string).first {
        return value["bank_id"].string.map { "\(text) at \($0)" } ?? text
      }
    }
    return nil
  }
}
