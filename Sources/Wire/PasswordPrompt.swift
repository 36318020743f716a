import Model

/// Finds a name and a password: in the request, in the configuration, or by asking, at most three times.
package struct PasswordPrompt: Sendable {
  package let connection: Connection
  package let surroundings: Surroundings
  /// Whose name and password are wanted, in a sentence.
  package let message: String

  package init(connection: Connection, surroundings: Surroundings, message: String) {
    self.connection = connection
    self.surroundings = surroundings
    self.message = message
  }

  /// Calls `enter` with what it found, and again with another answer while it throws `.signInRefused` and somebody can
  /// be asked, also after the configured password was refused. What a person gave is kept under the vault name of the configuration once it has worked.
  ///
  /// The configured password goes with the configured user only. `auth.ask: true` asks all the same, with both filled in.
  ///
  /// - Parameter isWorthAnotherTry: Whether another name or password may help after this refusal.
  package func signIn<Value: Sendable>(
    _ request: SignInRequest, isWorthAnotherTry: (ServiceError) -> Bool = { $0.code == .signInRefused },
    _ enter: (_ user: String, _ password: Secret) async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    let operation = "sign in to \(connection.name)"
    let configuredUser = try connection.settings.text("auth.user")
    let user = request.user ?? configuredUser
    let source = try connection.settings.secret("auth.password")
    var password = request.password
    if password == nil, user == configuredUser, let source { password = try await configured(source) }
    let mustAsk = try connection.settings.flag("auth.ask") ?? false
    var failure: String?
    var refusal: ServiceError?
    if let user, let password, !mustAsk || request.password != nil {
      do throws(ServiceError) {
        let value = try await enter(user, password)
        if request.password != nil { try await keep(password, source) }
        return value
      } catch {
        guard request.password == nil, isWorthAnotherTry(error) else { throw error }
        refusal = error
        failure = Self.words(for: error)
      }
    }
    var name = user
    for _ in 0..<3 {
      let answer: (user: String, password: Secret)
      do throws(ServiceError) {
        answer = try await ask(name, failure == nil ? password : nil, failure, operation)
      } catch {
        // Where nobody can be asked, what the server said to the configured password is the answer.
        throw error.code == .signInNeeded ? refusal ?? error : error
      }
      name = answer.user
      do throws(ServiceError) {
        let value = try await enter(answer.user, answer.password)
        try await keep(answer.password, source)
        return value
      } catch {
        guard isWorthAnotherTry(error) else { throw error }
        failure = Self.words(for: error)
      }
    }
    throw ServiceError(.signInRefused, operation, detail: failure)
  }

  private static func words(for refusal: ServiceError) -> String {
    refusal.detail ?? "The name or the password is wrong."
  }

  /// An entry that the vault does not have yet is asked for, and kept afterwards.
  private func configured(_ source: SecretSource) async throws(ServiceError) -> Secret? {
    if case .vault(let name) = source, let kept = try await surroundings.keeper.secret(named: name) { return kept }
    do throws(ServiceError) {
      return try await surroundings.secrets.resolve(source)
    } catch {
      // Not there yet, or no vault yet: signing in is what puts it there.
      guard case .vault = source, error.code == .signInNeeded || !surroundings.keeper.isLasting else { throw error }
      return nil
    }
  }

  private func ask(
    _ user: String?, _ password: Secret?, _ failure: String?, _ operation: String
  ) async throws(ServiceError) -> (user: String, password: Secret) {
    let fields = [
      FormField("user", "User", initial: user ?? ""),
      FormField("password", "Password", .secret, initialSecret: password),
    ]
    let question = Question(
      connection: connection.name, title: "Sign in to \(connection.name)", message: message,
      kind: .form(fields, submit: "Sign in"), failure: failure)
    guard case .fields(let values) = try await surroundings.asker.ask(question) else { throw .cancelled(operation) }
    return (values["user"]?.reveal() ?? user ?? "", values["password"] ?? Secret(""))
  }

  private func keep(_ password: Secret, _ source: SecretSource?) async throws(ServiceError) {
    guard case .vault(let name)? = source else { return }
    try await surroundings.keeper.keep(password, named: name)
  }
}
