import Wire

// The three questions about an answer under the product's own names.
extension AuthorizationManager {
  /// Whether an answer is about authorization, conflicts included (`isAuthorizationRequiredForResponse`).
  public static func isAuthorizationRequired(status: Int, headers: HTTPHeaders) -> Bool {
    ResourceAnswer(status: status, headers: headers).isAuthorizationRequired
  }

  /// Whether the same request has to go out again: 409 with `MFP-Conflict`.
  public static func isConflict(status: Int, headers: HTTPHeaders) -> Bool {
    ResourceAnswer(status: status, headers: headers).isConflict
  }

  /// The scope that a refusal names; nil where it names none (`resourceScopeFromResponseHeaders`).
  public static func resourceScope(headers: HTTPHeaders) -> String? {
    ResourceAnswer(status: 403, headers: headers).scope
  }
}
