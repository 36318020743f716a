import FoundationEssentials
import JSON
import Model
import Wire

/// The identity server's token endpoint (reference, sections 2.1 to 2.5).
struct TokenEndpoint: Sendable {
  enum Grant: Sendable {
    case password(user: String, password: Secret)
    case clientCredentials
    /// A signed token of somebody else's, against the backend's own endpoint.
    case assertion(Secret)
  }

  struct Token: Sendable {
    let value: Secret
    let expires: Timestamp?
  }

  let profile: MobileProfile
  let transport: any Transport
  let clock: any WallClock
  private static let operation = "sign in"

  func token(_ grant: Grant, clientID: String, clientSecret: Secret) async throws(ServiceError) -> Token {
    var call = HTTPRequest.form(try url(for: grant), fields(for: grant), label: TokenEndpoint.operation)
    call.headers["Authorization"] = BasicHeader.value(user: clientID, password: clientSecret)
    call.headers["Accept"] = "application/json"
    call.headers["Oracle-Mobile-Client-SDK-Info"] = MobileHeaders.client("Authorization")
    if let domain = profile.identityDomain { call.headers["X-User-Identity-Domain-Name"] = domain }
    if let key = profile.applicationKey { call.headers["Oracle-Mobile-Application-Key"] = key }
    let response: HTTPResponse
    do {
      response = try await transport.send(call)
    } catch {
      throw error.serviceError(TokenEndpoint.operation)
    }
    guard response.isSuccess else { throw refusal(response, grant) }
    return try TokenEndpoint.token(response, now: clock.now())
  }

  private func url(for grant: Grant) throws(ServiceError) -> URL {
    var text = profile.tokenURL
    if case .assertion = grant { text = profile.baseURL + "/mobile/platform/auth/token" }
    guard let text, let url = URL(string: text) else {
      throw ServiceError(
        .configuration, TokenEndpoint.operation, detail: "oAuthTokenEndPoint is missing or is no address")
    }
    return url
  }

  private func fields(for grant: Grant) -> [(name: String, value: String)] {
    let scope = profile.scope.map { [(name: "scope", value: $0)] } ?? []
    switch grant {
    case .password(let user, let password):
      return [
        (name: "grant_type", value: "password"), (name: "username", value: user),
        (name: "password", value: password.reveal()),
      ] + scope
    case .clientCredentials: return [(name: "grant_type", value: "client_credentials")] + scope
    case .assertion(let token):
      return [
        (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:jwt-bearer"),
        (name: "assertion", value: token.reveal()),
      ]
    }
  }

  /// A wrong password is `invalid_grant`, with status 400 or 401; a wrong client or scope is the configuration's fault.
  private func refusal(_ response: HTTPResponse, _ grant: Grant) -> ServiceError {
    let fault = MobileFault(response)
    switch fault.code {
    case "invalid_client", "unauthorized_client":
      return fault.error(
        TokenEndpoint.operation, as: .signInRefused, remedy: "Check clientID and clientSecret of the profile.")
    case "invalid_scope":
      return fault.error(
        TokenEndpoint.operation, as: .configuration,
        remedy: "The scope is made of baseURL, which must be exactly the backend's own: \(profile.scope ?? "-").")
    case "invalid_grant": return fault.error(TokenEndpoint.operation, as: .signInRefused)
    default:
      return fault.error(TokenEndpoint.operation, as: response.status == 401 ? .signInRefused : nil)
    }
  }

  static func token(_ response: HTTPResponse, now: Timestamp) throws(ServiceError) -> Token {
    let root: JSONValue
    do {
      root = try JSONDocument(response.body).root
    } catch {
      throw ServiceError(.unreadable, operation, detail: error.message, status: response.status, cause: error)
    }
    guard let token = root["access_token"].string, !token.isEmpty else {
      throw ServiceError(.unreadable, operation, detail: "the answer holds no access_token", status: response.status)
    }
    // Some servers write the number as a text.
    let seconds = root["expires_in"].numberText.flatMap { Int64($0) }
    return Token(value: Secret(token), expires: seconds.map { now.adding(seconds: $0) })
  }
}

/// The header of HTTP Basic.
enum BasicHeader {
  static func value(user: String, password: Secret) -> String {
    "Basic " + Data("\(user):\(password.reveal())".utf8).base64EncodedString()
  }
}
