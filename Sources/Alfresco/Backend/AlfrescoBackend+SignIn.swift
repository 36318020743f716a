import Model
import Wire

extension AlfrescoBackend {
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    let operation = "sign in to \(connection.name)"
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    if let identity { return try await signIn(request, at: identity, operation) }
    let prompt = PasswordPrompt(
      connection: connection, surroundings: surroundings, message: "Your name and password at \(client.address).")
    return try await prompt.signIn(request) { (user, password) async throws(ServiceError) -> SignInState in
      try await enter(user, password)
    }
  }

  private func enter(_ user: String, _ password: Secret) async throws(ServiceError) -> SignInState {
    let operation = "sign in to \(connection.name) as \(user)"
    let credential: AlfrescoCredential
    if method == .ticket {
      let ticket = try await client.createTicket(user: user, password: password)
      try await surroundings.keeper.keep(ticket, named: ticketName)
      credential = .ticket(ticket)
    } else {
      credential = .basic(user: user, password: password)
    }
    let person = try await person(with: credential, operation)
    client.session.signedIn(credential, user: person.id, isAdministrator: person.isAdministrator == true)
    return SignInState(isSignedIn: true, user: person.id, method: method.rawValue)
  }

  /// Whom the repository takes the bearer of this for; it alone decides whether a sign-in has worked.
  private func person(with credential: AlfrescoCredential, _ operation: String) async throws(ServiceError) -> Person {
    let probe = try AlfrescoClient(
      address: client.address, transport: client.transport, session: AlfrescoSession(credential))
    do throws(ServiceError) {
      return try await probe.person().value
    } catch {
      guard error.code == .signInNeeded else { throw error.during(operation) }
      var detail = error.detail
      if case .bearer = credential { detail = "the repository does not accept the tokens of this sign-in service" }
      throw ServiceError(.signInRefused, operation, detail: detail, status: error.status)
    }
  }

  /// A renewal where the old sign-in still holds, else the sign-in service's page or a code for another device.
  private func signIn(
    _ request: SignInRequest, at identity: IdentityService, _ operation: String
  ) async throws(ServiceError) -> SignInState {
    do throws(ServiceError) {
      let byCode = method == .device && request.page != .print
      let credential = try await identity.signIn(byCode ? .device : request.page)
      let person: Person
      do throws(ServiceError) {
        person = try await self.person(with: credential, operation)
      } catch {
        if error.code == .signInRefused { try await identity.forget() }
        throw error
      }
      try await identity.belongs(to: person.id)
      client.session.signedIn(credential, user: person.id, isAdministrator: person.isAdministrator == true)
      return SignInState(isSignedIn: true, user: person.id, expires: identity.expires, method: method.rawValue)
    } catch {
      throw error.during(operation)
    }
  }

  private var ticketName: String { "\(connection.name)/ticket" }

  /// Takes up a ticket, or tokens, kept from an earlier run.
  func recall() async throws(ServiceError) {
    try await identity?.recall()
    guard method == .ticket, client.session.credential == nil else { return }
    guard let ticket = try await surroundings.keeper.secret(named: ticketName) else { return }
    client.session.signedIn(.ticket(ticket), user: nil)
  }

  public func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    try await recall()
    if let identity {
      client.session.forget()
      return try await identity.signOut(isOffline: surroundings.isOffline)
    }
    if case .ticket? = client.session.credential {
      if !surroundings.isOffline { try await client.deleteTicket() }
      try await surroundings.keeper.remove(named: ticketName)
    }
    client.session.forget()
  }

  public func signInState(verifying: Bool) async throws(ServiceError) -> SignInState {
    try await recall()
    let isHeld = identity.map(\.isSignedIn) ?? (client.session.credential != nil)
    guard isHeld else { return SignInState(isSignedIn: false, method: method.rawValue) }
    let user = identity?.user ?? client.session.user
    guard verifying, !surroundings.isOffline else {
      return SignInState(isSignedIn: true, user: user, expires: identity?.expires, method: method.rawValue)
    }
    do throws(ServiceError) {
      let person = try await client.person().value
      if let credential = client.session.credential {
        client.session.signedIn(credential, user: person.id, isAdministrator: person.isAdministrator == true)
      }
      return SignInState(isSignedIn: true, user: person.id, expires: identity?.expires, method: method.rawValue)
    } catch {
      guard error.code == .signInNeeded else { throw error }
      return SignInState(isSignedIn: false, user: user, method: method.rawValue)
    }
  }
}
