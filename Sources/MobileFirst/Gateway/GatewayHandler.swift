public import Model
public import Wire

/// Signs in at a reverse proxy that stands before the server and answers with a page of its own. Mirrors
/// `GatewayChallengeHandler`; what it returns or throws is its end, so it cannot be forgotten.
public protocol GatewayHandler: Sendable {
  /// Whether an answer is the gateway's, not the server's behind it.
  func recognizes(_ response: HTTPResponse) -> Bool

  /// The form that gets a client past it.
  ///
  /// - Parameter failure: Why the last one did not; nil at the first time.
  /// - Throws: `.cancelled` to give up; `.signInNeeded` where nobody can be asked.
  func form(_ response: HTTPResponse, failure: String?) async throws(ServiceError) -> GatewayForm
}

/// A sign-in form, filled in.
public struct GatewayForm: Sendable {
  /// Absolute, or relative to the page.
  public var address: String
  public var fields: [(name: String, value: Secret)]

  public init(_ address: String, _ fields: [(name: String, value: Secret)]) {
    self.address = address
    self.fields = fields
  }
}

/// The usual gateway: an HTML page with a form for name and password, recognised by a text in it.
public struct FormGateway: GatewayHandler {
  public var connection: String
  /// Stands in every page of the gateway and in none of the server's.
  public var marker: String
  public var address: String
  public var userField: String
  public var passwordField: String
  public var user: String?
  public var password: SecretSource?
  let surroundings: Surroundings

  public init(
    connection: String, marker: String = "j_security_check", address: String = "j_security_check",
    userField: String = "j_username", passwordField: String = "j_password", user: String? = nil,
    password: SecretSource? = nil, surroundings: Surroundings
  ) {
    self.connection = connection
    self.marker = marker
    self.address = address
    self.userField = userField
    self.passwordField = passwordField
    self.user = user
    self.password = password
    self.surroundings = surroundings
  }

  public func recognizes(_ response: HTTPResponse) -> Bool {
    response.headers.mediaType == "text/html" && response.text.contains(marker)
  }

  public func form(_ response: HTTPResponse, failure: String?) async throws(ServiceError) -> GatewayForm {
    if failure == nil, let user, let password {
      return filled(Secret(user), try await surroundings.secrets.resolve(password))
    }
    let operation = "sign in at the gateway of \(connection)"
    let fields = [
      FormField(userField, "User", .text, initial: user ?? ""), FormField(passwordField, "Password", .secret),
    ]
    do throws(ServiceError) {
      let answer = try await surroundings.asker.ask(
        Question(
          connection: connection, title: "Sign in at the gateway of \(connection)",
          message: "A gateway stands before the server and wants a sign-in of its own.",
          kind: .form(fields, submit: "Sign in"), failure: failure))
      guard case .fields(let values) = answer else { throw .cancelled(operation) }
      return filled(values[userField] ?? Secret(""), values[passwordField] ?? Secret(""))
    } catch {
      guard error.code == .signInNeeded else { throw error }
      throw ServiceError(
        failure == nil ? .signInNeeded : .signInRefused, operation, detail: failure ?? "it wants a name and a password",
        remedy: "Put them under gateway: of the connection.")
    }
  }

  private func filled(_ user: Secret, _ password: Secret) -> GatewayForm {
    GatewayForm(address, [(name: userField, value: user), (name: passwordField, value: password)])
  }
}
