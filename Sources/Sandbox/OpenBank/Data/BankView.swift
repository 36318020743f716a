import JSON

/// A named set of permissions on one account.
struct BankView: Sendable {
  /// Whose name the other side shows.
  enum Alias: String, Sendable {
    case none = ""
    case `public`, `private`
  }

  let id: String
  let shortName: String
  var description: String
  var isPublic: Bool
  var alias: Alias
  var hidesMetadataIfAliasUsed: Bool
  var metadataView: String
  /// Names of `permissions(for:)` that it grants.
  var granted: Set<String>

  var isSystem: Bool { !id.hasPrefix("_") }

  func grants(_ permission: String) -> Bool { granted.contains(permission) }

  /// May do and see everything.
  static let owner = BankView(
    id: "owner", shortName: "Owner", description: "Owner View", isPublic: false, alias: .none,
    hidesMetadataIfAliasUsed: false, metadataView: "owner", granted: Set(allPermissions))

  /// Sees transactions and metadata, but neither balances, numbers and owners nor the other side's account.
  static let auditor = BankView(
    id: "auditor", shortName: "Auditor", description: "Auditors View", isPublic: false, alias: .private,
    hidesMetadataIfAliasUsed: false, metadataView: "owner",
    granted: Set(
      allPermissions.filter { name in
        name.hasPrefix("can_see") && !name.contains("balance") && !hiddenFromAuditors.contains(name)
      }))

  static let accountant = BankView(
    id: "accountant", shortName: "Accountant", description: "Accountants View", isPublic: false, alias: .none,
    hidesMetadataIfAliasUsed: false, metadataView: "owner",
    granted: Set(allPermissions.filter { $0.hasPrefix("can_see") || $0.hasPrefix("can_add_comment") }))

  /// Open to everybody where the server allows public views.
  static let everybody = BankView(
    id: "_public", shortName: "Public", description: "Public View", isPublic: true, alias: .public,
    hidesMetadataIfAliasUsed: true, metadataView: "_public",
    granted: [
      "can_see_transaction_amount", "can_see_transaction_currency", "can_see_transaction_finish_date",
      "can_see_transaction_this_bank_account", "can_see_transaction_other_bank_account", "can_see_bank_account_label",
      "can_see_bank_account_bank_name", "can_see_bank_account_currency", "can_see_public_alias",
      "can_see_transaction_metadata", "can_see_comments", "can_see_tags",
    ])

  private static let hiddenFromAuditors: Set<String> = [
    "can_see_bank_account_number", "can_see_bank_account_owners", "can_see_bank_account_iban",
    "can_see_other_account_iban", "can_see_other_account_number", "can_see_owner_comment",
    "can_see_available_views_for_bank_account", "can_see_images", "can_see_other_account_routing_address",
  ]
}

extension BankView {
  private static let oldPermissions: [String] = [
    adding("comment", "corporate_location", "image", "image_url", "more_info", "open_corporates_url"),
    adding("physical_location", "private_alias", "public_alias", "tag", "url", "where_tag"),
    ["comment", "corporate_location", "image", "physical_location", "tag", "where_tag"].map { "can_delete_\($0)" },
    ["can_edit_owner_comment"],
    ["balance", "bank_name", "currency", "iban", "label"].map { "can_see_bank_account_\($0)" },
    ["national_identifier", "number", "owners", "swift_bic", "type"].map { "can_see_bank_account_\($0)" },
    ["comments", "corporate_location", "image_url", "images", "more_info", "open_corporates_url"].map {
      "can_see_\($0)"
    },
    ["bank_name", "iban", "kind", "metadata", "national_identifier", "number", "swift_bic"]
      .map { "can_see_other_account_\($0)" },
    ["can_see_owner_comment", "can_see_physical_location", "can_see_private_alias", "can_see_public_alias"],
    ["can_see_tags"],
    ["amount", "balance", "currency", "description", "finish_date", "metadata"].map { "can_see_transaction_\($0)" },
    ["other_bank_account", "start_date", "this_bank_account", "type"].map { "can_see_transaction_\($0)" },
    ["can_see_url", "can_see_where_tag"],
  ].flatMap { $0 }

  private static let newPermissions: [String] = [
    "can_query_available_funds", "can_see_bank_routing_scheme", "can_see_bank_routing_address",
    "can_see_bank_account_routing_scheme", "can_see_bank_account_routing_address", "can_see_other_bank_routing_scheme",
    "can_see_other_bank_routing_address", "can_see_other_account_routing_scheme",
    "can_see_other_account_routing_address", "can_add_transaction_request_to_own_account",
    "can_add_transaction_request_to_any_account", "can_see_bank_account_credit_limit", "can_create_direct_debit",
    "can_create_standing_order",
  ]

  /// Granted or not, but never written into a view's JSON.
  private static let silentPermissions = [
    "can_see_available_views_for_bank_account", "can_get_counterparty", "can_delete_counterparty",
    "can_create_custom_view", "can_delete_custom_view", "can_update_custom_view",
  ]

  static let allPermissions = oldPermissions + ["can_add_counterparty"] + newPermissions + silentPermissions

  private static func adding(_ names: String...) -> [String] { names.map { "can_add_\($0)" } }

  /// The view with a boolean for each permission that the version knows; reference obp.md, section 3.5.
  func json(_ version: OBPVersion) -> JSONNode {
    var node: JSONNode = [
      "id": .string(id), "short_name": .string(shortName), "description": .string(description),
      "is_public": .bool(isPublic), "alias": .string(alias.rawValue),
      "hide_metadata_if_alias_used": .bool(hidesMetadataIfAliasUsed),
    ]
    if version >= .v300 {
      node["metadata_view"] = .string(metadataView)
      node["is_system"] = .bool(isSystem)
      node["is_firehose"] = false
    }
    var names = Self.oldPermissions
    if version >= .v220 { names.append("can_add_counterparty") }
    if version >= .v300 { names += Self.newPermissions }
    for name in names { node[name] = .bool(grants(name)) }
    if version >= .v500 {
      node["can_grant_access_to_views"] = isSystem ? ["auditor", "accountant"] : []
      node["can_revoke_access_to_views"] = isSystem ? ["auditor", "accountant"] : []
    }
    return node
  }

  /// As account lists name it.
  func basic(withDescription: Bool = false) -> JSONNode {
    var node: JSONNode = ["id": .string(id), "short_name": .string(shortName)]
    if withDescription { node["description"] = .string(description) }
    node["is_public"] = .bool(isPublic)
    return node
  }
}
