import JSON

/// What resource docs show of bodies to send and answers to expect, by the endpoint's function.
enum OBPExamples {
  static func body(of function: String) -> JSONNode? { bodies[function] }
  static func answer(of function: String) -> JSONNode? { answers[function] }

  private static let euros: JSONNode = ["currency": "EUR", "amount": "10.00"]

  private static let bodies: [String: JSONNode] = [
    "createTransactionRequest": [
      "to": ["bank_id": "kiln.01.fi", "account_id": "8ca8a7e4-6d02-48e3-a029-0b2bf89de9f0"], "value": euros,
      "description": "rent",
    ],
    "answerTransactionRequestChallenge": ["id": "b8be0f6a-17c5-4ac4-8d0f-6a1d3f2c9e11", "answer": "123"],
    "updateAccountLabel": ["label": "Holiday"],
    "createViewForBankAccount": [
      "name": "_team", "description": "for the team", "metadata_view": "owner", "is_public": false,
      "which_alias_to_use": "private", "hide_metadata_if_alias_used": true, "allowed_actions": ["can_see_tags"],
    ],
    "updateViewForBankAccount": [
      "description": "for the team", "metadata_view": "owner", "is_public": false, "which_alias_to_use": "private",
      "hide_metadata_if_alias_used": true, "allowed_actions": ["can_see_tags", "can_add_tag"],
    ],
    "createAccount": [
      "user_id": "", "label": "Holiday", "product_code": "CUR1", "balance": ["currency": "EUR", "amount": "0"],
      "branch_id": "", "account_routings": [],
    ],
    "createCounterparty": [
      "name": "Deli Oy", "description": "corner shop", "currency": "EUR", "other_account_routing_scheme": "IBAN",
      "other_account_routing_address": "FI5512345600000785", "other_account_secondary_routing_scheme": "",
      "other_account_secondary_routing_address": "", "other_bank_routing_scheme": "OBP",
      "other_bank_routing_address": "nord.01.fi", "other_branch_routing_scheme": "",
      "other_branch_routing_address": "", "is_beneficiary": true, "bespoke": [],
    ],
    "addEntitlementRequest": ["bank_id": "", "role_name": "CanGetAnyUser"],
    "addEntitlement": ["bank_id": "", "role_name": "CanGetAnyUser"],
    "addAccountTag": ["value": "family"],
    "createMyApiCollection": [
      "api_collection_name": "Favourites", "is_sharable": false, "description": "Calls at hand",
    ],
    "createMyApiCollectionEndpoint": ["operation_id": "OBPv4.0.0-getBanks"],
    "createConsent": ["everything": true, "views": [], "entitlements": []],
    "answerConsentChallenge": ["answer": "123"],
    "createStandingOrder": [
      "customer_id": "0ae5", "user_id": "b273", "counterparty_id": "9fc0", "amount": euros,
      "when": ["frequency": "MONTHLY", "detail": "LAST_DAY"], "date_signed": "2026-11-30T00:00:00Z",
      "date_starts": "2027-01-01T00:00:00Z",
    ],
    "createDirectDebit": [
      "customer_id": "0ae5", "user_id": "b273", "counterparty_id": "9fc0", "date_signed": "2026-11-30T00:00:00Z",
      "date_starts": "2027-01-01T00:00:00Z",
    ],
  ]

  private static let answers: [String: JSONNode] = [
    "getBanks": [
      "banks": [["id": "kiln.01.fi", "short_name": "Kiln", "full_name": "Kiln Savings Bank"]]
    ],
    "updateAccountLabel": ["success": "Success"],
    "addEntitlementRequest": ["entitlement_request_id": "7d1c", "role_name": "CanGetAnyUser", "bank_id": ""],
    "checkFundsAvailable": ["answer": "yes", "date": "2026-11-30T09:15:00Z", "available_funds_request_id": "7d1c"],
  ]
}
