import JSON

/// What a view hides: the server then writes null, where an empty text is empty and a member that is not there belongs to
/// another version (reference, trap 22).
enum HiddenFields {
  typealias Known = (path: [String], title: String)

  static let account: [Known] = [
    (["label"], "label"), (["number"], "number"), (["owners"], "owners"), (["balance", "amount"], "balance"),
    (["balance"], "balance"), (["IBAN"], "IBAN"), (["type"], "type"), (["product_code"], "product"),
    (["account_routings"], "routings"),
  ]

  static let transaction: [Known] = [
    (["details", "description"], "description"), (["details", "value", "amount"], "amount"),
    (["details", "new_balance", "amount"], "balance"), (["details", "new_balance"], "balance"),
    (["details", "posted"], "posting day"), (["details", "type"], "type"), (["other_account"], "the other side"),
    (["other_account", "account_routings"], "the other side's account"),
    (["other_account", "number"], "the other side's number"), (["metadata"], "notes"),
    (["metadata", "comments"], "comments"), (["metadata", "tags"], "tags"), (["metadata", "images"], "images"),
  ]

  /// One sentence, or none where nothing is hidden.
  static func notices(in root: JSONValue, _ known: [Known], view: String) -> [String] {
    var titles: [String] = []
    for (path, title) in known where path.reduce(root, { $0[$1] }).isNull && !titles.contains(title) {
      titles.append(title)
    }
    return titles.isEmpty ? [] : ["The view “\(view)” hides: \(titles.joined(separator: ", "))."]
  }
}
