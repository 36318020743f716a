import Model

/// Sets of rights to begin a view with; single ones are added and taken away where a view is changed.
enum RightsSet: String, Sendable, CaseIterable {
  case read, comment, everything

  static var choices: [FormField.Choice] { allCases.map { .init($0.rawValue, $0.title) } }

  private var title: String {
    switch self {
    case .read: "see transactions"
    case .comment: "see them, and write comments and tags"
    case .everything: "see everything, balances and numbers too, and write notes"
    }
  }

  var rights: [String] {
    switch self {
    case .read: RightsSet.seeing
    case .comment: RightsSet.seeing + ["can_add_comment", "can_add_tag", "can_see_comments", "can_see_tags"]
    case .everything:
      RightsSet.comment.rights + RightsSet.seeingAll + ["can_edit_owner_comment", "can_add_image", "can_add_where_tag"]
    }
  }

  /// Single rights as a person lists them: apart by commas or spaces.
  static func names(_ text: String?) -> [String] {
    (text ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
  }

  private static let seeing = [
    "can_see_transaction_this_bank_account", "can_see_transaction_other_bank_account", "can_see_transaction_metadata",
    "can_see_transaction_description", "can_see_transaction_amount", "can_see_transaction_type",
    "can_see_transaction_currency", "can_see_transaction_start_date", "can_see_transaction_finish_date",
    "can_see_bank_account_label", "can_see_bank_account_currency", "can_see_bank_account_type",
    "can_see_public_alias", "can_see_private_alias",
  ]

  private static let seeingAll = [
    "can_see_transaction_balance", "can_see_bank_account_balance", "can_see_bank_account_number",
    "can_see_bank_account_iban", "can_see_bank_account_owners", "can_see_bank_account_bank_name",
    "can_see_other_account_iban", "can_see_other_account_number", "can_see_other_account_bank_name",
    "can_see_owner_comment", "can_see_images", "can_see_where_tag",
  ]
}
