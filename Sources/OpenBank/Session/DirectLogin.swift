import JSON
import Model
import Wire

/// DirectLogin: user name, password and consumer key against a token, in one request without a signature.
///
/// - SeeAlso: Reference, section 1.3. The server answers 201 since November 2017, 200 before.
struct DirectLogin: Sendable {
  struct Credentials: Sendable {
    let user: String
    let password: Secret
    let consumerKey: Secret
  }

  let server: OpenBankServer
  let transport: any Transport
  private static let operation = "sign in"

  /// Tries the header of newer servers first, then the one that every server knows.
  func signIn(_ credentials: Credentials) async throws(ServiceError) -> OpenBankToken {
    try DirectLogin.check(credentials)
    do {
      return try await signIn(credentials, form: .directHeader)
    } catch {
      guard error.serverCode.map(DirectLogin.headerUnknown.contains) ?? false else { throw error }
      return try await signIn(credentials, form: .directAuthorization)
    }
  }

  /// Codes by which a server says that it did not see the credentials at all, not that they are wrong.
  private static let headerUnknown: Set<String> = ["OBP-20001", "OBP-20002", "OBP-20012", "OBP-20082", "OBP-20083"]

  private func signIn(
    _ credentials: Credentials, form: OpenBankToken.Form
  ) async throws(ServiceError) -> OpenBankToken {
    var call = OpenBankCall("POST", to: server.authOrigin + "/my/logins/direct", DirectLogin.operation)
    call.headers = [DirectLogin.header(credentials, form)]
    let response = try await call.send(over: transport)
    guard response.status == 200 || response.status == 201 else {
      let fault = OpenBankFault(response)
      throw fault.error(DirectLogin.operation, asSignIn: true, hiding: [credentials.password, credentials.consumerKey])
    }
    let document = try OpenBankAnswer(response, DirectLogin.operation).document
    guard let token = document.root["token"].string, !token.isEmpty else {
      throw ServiceError(
        .unreadable, DirectLogin.operation, detail: "the answer holds no token", status: response.status)
    }
    return OpenBankToken(form: form, value: Secret(token), user: credentials.user, origin: server.authOrigin)
  }

  private static func header(_ c: Credentials, _ form: OpenBankToken.Form) -> (name: String, value: String) {
    let (user, password, key) = (c.user, c.password.reveal(), c.consumerKey.reveal())
    return form == .directHeader
      ? ("DirectLogin", "username=\(user), password=\(password), consumer_key=\(key)")
      : ("Authorization", "DirectLogin username=\"\(user)\", password=\"\(password)\", consumer_key=\"\(key)\"")
  }

  /// What the header cannot carry: the server cuts it at commas, and refuses brackets and all but printable ASCII.
  private static func check(_ credentials: Credentials) throws(ServiceError) {
    let isPlain: (UInt8) -> Bool = { (0x20...0x7E).contains($0) && ![0x2C, 0x5B, 0x5D, 0x22].contains($0) }
    for (name, text) in [("user name", credentials.user), ("password", credentials.password.reveal())]
    where !text.utf8.allSatisfy(isPlain) {
      throw ServiceError(
        .signInRefused, operation,
        detail: "DirectLogin cannot carry this \(name): only plain ASCII without comma, quote and square brackets",
        remedy: "Use another method of signing in (oauth1 or oidc), or change the \(name) at the bank.")
    }
  }
}
