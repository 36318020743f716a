import JSON
import Model

extension MobileFirstBackend {
  /// Signs in to one check, or, without one, registers the application and obtains the default token.
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    let operation = "sign in to \(connection.name)"
    try online(operation)
    if let check = request.check ?? (request.user == nil ? nil : userCheck) {
      try await signIn(to: check, request, operation)
    } else {
      _ = try await manager.accessToken()
    }
    return try await signInState(verifying: false)
  }

  /// The check that a user name is meant for when none was named.
  private var userCheck: String {
    settings.answers.first { $0.value.contains { $0.field == "username" } }?.key ?? "UserLogin"
  }

  /// Waits to be challenged where no answer came with the request: then the configured one is sent, or a person is asked.
  private func signIn(to check: String, _ request: SignInRequest, _ operation: String) async throws(ServiceError) {
    let form = answers.form(check)
    var values: [String: Secret] = [:]
    if let user = request.user { values["username"] = Secret(user) }
    if let password = request.password { values[form.fields.contains("pin") ? "pin" : "password"] = password }
    if !values.isEmpty {
      for (field, source) in settings.answers[check] ?? [] where values[field] == nil {
        values[field] = try await surroundings.secrets.resolve(source)
      }
      if !form.isComplete(Array(values.keys)) {
        let question = Question(
          connection: connection.name, title: "Pass the check “\(check)”",
          message: "Sign in to the security check “\(check)”.",
          kind: .form(form.formFields(values, keepsSecrets: true), submit: "Sign in"))
        guard case .fields(let given) = try await surroundings.asker.ask(question) else { throw .cancelled(operation) }
        values.merge(given) { _, new in new }
      }
    }
    // A bare nil would be the JSON null.
    let credentials = values.isEmpty ? JSONNode?.none : form.answer(values)
    do throws(ServiceError) {
      _ = try await manager.login(check: check, credentials: credentials)
    } catch {
      guard error.serverCode == "invalid_scope" else { throw error }
      throw ServiceError(
        .notFound, "sign in to the check “\(check)”", detail: "the server knows no check of this name",
        remedy: "See the checks with: atrium ls \(connection.name):/checks.", status: error.status,
        serverCode: error.serverCode)
    }
  }

  public func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    try await manager.load()
    if request.unregisters { return try await manager.forgetRegistration() }
    if let check = request.check {
      try online("sign out of \(connection.name)")
      return try await manager.logout(check: check)
    }
    if case .registered = settings.client, manager.clientID != nil, !surroundings.isOffline {
      for name in manager.knownChecks {
        let check = manager.check(name)
        if check.state == .success, check.isAnswered { try await manager.logout(check: name) }
      }
    }
    try await manager.forgetTokens()
  }

  public func signInState(verifying: Bool) async throws(ServiceError) -> SignInState {
    try await manager.load()
    let tokens = manager.heldTokens
    // Who has passed a check; the application itself is nobody.
    let user = manager.knownChecks.lazy.map { manager.check($0) }.first { $0.state == .success && $0.user != nil }?.user
    let method = if case .confidential = settings.client { "confidential" } else { "client" }
    var isSignedIn = !tokens.isEmpty
    if isSignedIn, verifying, !surroundings.isOffline { isSignedIn = try await manager.isRegistered() }
    return SignInState(
      isSignedIn: isSignedIn, user: isSignedIn ? user : nil, expires: tokens.map(\.expires).min(),
      method: method)
  }

  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = location.doing(action)
    try await manager.load()
    switch (try MobileFirstPlace(location), action) {
    case (.check(let check), "answer-challenge"):
      try online(operation)
      let form = answers.form(check)
      let credentials = form.answer(fields.mapValues { Secret($0) })
      guard credentials != .object([]) else {
        throw ServiceError(
          .usage, operation, detail: "no field of the answer was given",
          remedy: "Give them as \(form.fields.map { "\($0)=…" }.joined(separator: " ")).")
      }
      let success = try await manager.login(check: check, credentials: credentials)
      let user = success?.userName ?? success?.userID
      return ActionOutcome("Passed “\(check)”" + (user.map { " as \($0)." } ?? "."), location: location)
    case (.check(let check), "logout"):
      try online(operation)
      try await manager.logout(check: check)
      return ActionOutcome("Signed out of “\(check)”.", location: location)
    case (.token(let scope), "delete"):
      try await manager.forgetToken(for: Scope(scope))
      return ActionOutcome("Forgot the token for “\(Scope(scope))”.")
    case (.token(let scope), "introspect"):
      try online(operation)
      return ActionOutcome(try await introspection(Scope(scope), location))
    case (.checks, "heartbeat"):
      try online(operation)
      try await manager.heartbeat()
      return ActionOutcome("The server knows that this client is there.")
    default: throw .notOffered(operation, "there is no action “\(action)” here")
    }
  }

  /// What the server says of a token that is held, in a sentence.
  private func introspection(_ scope: Scope, _ location: Location) async throws(ServiceError) -> String {
    guard let token = manager.heldTokens.first(where: { $0.scope == scope }) else { throw .notFound(location) }
    let said = try await manager.introspect(token.value)
    guard said.isActive else { return "The token is no longer valid." }
    var words = ["valid" + (said.expires.map { " until \($0.rfc3339)" } ?? "")]
    if let scope = said.scope { words.append("for “\(scope)”") }
    if let client = said.clientID { words.append("held by \(client)") }
    if let user = said.user { words.append("on behalf of \(user)") }
    return "The token is \(words.joined(separator: ", "))."
  }

  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    guard case .token = try MobileFirstPlace(location) else {
      throw .notOffered("delete \(location)", "it cannot be deleted")
    }
    return try await perform("delete", at: location, fields: [:])
  }
}
