import Model
import Wire

/// What a connection of kind `openbank` says in its configuration.
struct OpenBankSettings: Sendable {
  let server: OpenBankServer
  let method: OpenBankSession.Method
  let consumerKey: SecretSource?
  let consumerSecret: SecretSource?
  let redirectURL: String?
  /// The server's own idea of its address, which signatures are made over.
  let signingURL: String?
  /// How requests of OAuth 1.0a are signed.
  let signature: OAuth1Signer.Method
  let issuer: String?
  /// Where the steps of OAuth 1.0a go, for servers that have them elsewhere.
  let paths: OpenBankServerRecord.Paths
  /// Where the identity provider's page leads back to; 0 for any free port.
  let redirectPort: UInt16
  let clientID: String?
  /// Only for clients that the provider calls confidential.
  let clientSecret: SecretSource?
  let scope: String

  init(_ settings: Settings) throws(ServiceError) {
    let url = try settings.requiredText("url")
    guard let server = OpenBankServer(url: url, authURL: try settings.text("authURL")) else {
      throw OpenBankSettings.wrong("url", "must be like https://HOST/obp/v5.1.0, not “\(url)”", settings)
    }
    self.server = server
    consumerKey = try settings.secret("auth.consumerKey")
    consumerSecret = try settings.secret("auth.consumerSecret")
    redirectURL = try settings.text("auth.redirectURL")
    signingURL = try settings.text("auth.serverURL")
    let algorithm = try settings.text("auth.signature") ?? OAuth1Signer.Method.hmacSHA256.rawValue
    guard let signature = OAuth1Signer.Method(rawValue: algorithm.uppercased()) else {
      throw OpenBankSettings.wrong(
        "auth.signature", "must be HMAC-SHA256 or HMAC-SHA1, not “\(algorithm)”", settings)
    }
    self.signature = signature
    issuer = try settings.text("auth.issuer")
    let usual = OpenBankServerRecord.Paths()
    paths = OpenBankServerRecord.Paths(
      request: try settings.text("auth.requestPath") ?? usual.request,
      authorize: try settings.text("auth.authorizePath") ?? usual.authorize,
      token: try settings.text("auth.tokenPath") ?? usual.token)
    let port = try settings.integer("auth.redirectPort") ?? 0
    guard let redirectPort = UInt16(exactly: port) else {
      throw OpenBankSettings.wrong("auth.redirectPort", "must be 0 to 65535, not \(port)", settings)
    }
    self.redirectPort = redirectPort
    clientID = try settings.text("auth.clientID")
    clientSecret = try settings.secret("auth.clientSecret")
    scope = try settings.text("auth.scope") ?? "openid profile email offline_access"
    // Somebody who gives a consumer key means to sign in; without one nothing but anonymous use can work.
    let named = try settings.text("auth.method") ?? (consumerKey == nil ? "none" : "direct")
    guard let method = OpenBankSession.Method(rawValue: named) else {
      throw OpenBankSettings.wrong("auth.method", "must be direct, oauth1, oidc or none, not “\(named)”", settings)
    }
    self.method = method
    if (method == .direct || method == .oauth1) && consumerKey == nil { throw settings.missing("auth.consumerKey") }
    if method == .oauth1 && consumerSecret == nil { throw settings.missing("auth.consumerSecret") }
    if method == .oidc && clientID == nil { throw settings.missing("auth.clientID") }
  }

  private static func wrong(_ path: String, _ why: String, _ settings: Settings) -> ServiceError {
    let place = (settings[path]?.origin.text).flatMap { $0.isEmpty ? nil : "\($0): " } ?? ""
    return ServiceError(.configuration, "read the setting “\(path)”", detail: "\(place)“\(path)” \(why)")
  }
}
