/// A refusal: a status, and the text that clients match on by its `OBP-` code.
struct OBPError: Error, Sendable {
  let status: Int
  let message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// Texts as the servers of the field write them; reference obp.md, sections 1 and 4.
extension OBPError {
  static let notLoggedIn = OBPError(401, "OBP-20001: User not logged in. Authentication is required!")
  static let badLogin = OBPError(401, "OBP-20004: Invalid login credentials. Check username/password.")
  static let locked = OBPError(401, "OBP-20013: The account has been locked, please contact an administrator!")
  static let badConsumer = OBPError(401, "OBP-20008: Invalid Consumer Key.")
  static let paymentsOff = OBPError(
    400, "OBP-40018: Sorry, Transaction Requests are not enabled in this API instance.")
  static let publicViewsOff = OBPError(400, "OBP-00005: Public views not allowed on this instance.")
  static let unknownHeader = OBPError(
    401, "OBP-20080: Authorization Header format is not supported at this instance.")

  static func badJSON(_ type: String) -> OBPError {
    OBPError(400, "OBP-10001: Incorrect json format. The Json body should be the \(type)")
  }

  static func noBank(_ id: String, isOld: Bool) -> OBPError {
    OBPError(
      isOld ? 400 : 404,
      "OBP-30001: Bank not found. Please specify a valid value for BANK_ID. Current BankId is \(id)")
  }

  static func noAccount(_ key: BankAccountKey, isOld: Bool) -> OBPError {
    OBPError(
      isOld ? 400 : 404,
      "OBP-30018: Bank Account not found. Please specify valid values for BANK_ID and ACCOUNT_ID. "
        + " Current BankId is \(key.bank) and Current AccountId is \(key.account)")
  }

  static func noView(_ view: String, isOld: Bool) -> OBPError {
    guard !isOld else { return OBPError(400, "OBP-50010: Scala return Empty box to Liftweb.") }
    return OBPError(
      403,
      "OBP-20017: Current user does not have access to the view. Please specify a valid value for VIEW_ID. "
        + "Current ViewId is \(view)")
  }

  static func needsOwner(_ user: BankUser, _ key: BankAccountKey, isOld: Bool) -> OBPError {
    let text = "OBP-20019: Current user does not have access to the owner view."
    return OBPError(400, isOld ? text : "\(text)\(user.id)\(key.bank)\(key.account)")
  }

  static func viewLacks(_ permission: String) -> OBPError {
    OBPError(403, "OBP-30022: The current source view does not have the permission \(permission).")
  }

  static func lacksRole(_ roles: [String]) -> OBPError {
    OBPError(403, "OBP-20006: User is missing one or more roles: \(roles.joined(separator: " or "))")
  }

  static func deadToken(_ token: String, status: Int) -> OBPError {
    OBPError(status, "OBP-20003: This DirectLogin token is invalid or expired:\(token)")
  }

  static func noTransaction(_ id: String) -> OBPError {
    OBPError(400, "OBP-60009: Transaction not found. Current TransactionId is \(id)")
  }

  static func unknownURI(_ path: String, contentType: String?) -> OBPError {
    OBPError(
      404,
      "OBP-10404: 404 Not Found. The server could not find the requested URI. Please double check your URL, headers "
        + "and body. Note: When you are making a POST or PUT request, the Content-Type header MUST be "
        + "`application/json`. Note: OBP only supports JSON formatted bodies.Current Url is (\(path)), "
        + "Current Content-Type Header is (\(contentType ?? ""))")
  }
}
