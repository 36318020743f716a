import Model
import Wire

extension AlfrescoBackend {
  public func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState {
    let operation = "sign in to \(connection.name)"
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    guard method == .basic || method == .ticket else {
      throw ServiceError.notOffered(
        operation, "signing in through an identity service is not part of this version; use basic or ticket")
    }
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
    let probe = try AlfrescoClient(
      address: client.address, transport: client.transport, session: AlfrescoSession(credential))
    let person: Person
    do throws(ServiceError) {
      person = try await probe.person().value
    } catch {
      guard error.code == .signInNeeded else { throw error }
      throw ServiceError(.signInRefused, operation, detail: error.detail, status: error.status)
    }
    client.session.signedIn(credential, user: person.id)
    return SignInState(isSignedIn: true, user: person.id, method: method.rawValue)
  }

  private var ticketName: String { "\(connection.name)/ticket" }

  /// Takes up a ticket kept from an earlier run.
  func recall() async throws(ServiceError) {
    guard method == .ticket, client.session.credential == nil else { return }
    guard let ticket = try await surroundings.keeper.secret(named: ticketName) else { return }
    client.session.signedIn(.ticket(ticket), user: nil)
  }

  public func signOut(_ request: SignOutRequest) async throws(ServiceError) {
    try await recall()
    if case .ticket? = client.session.credential {
      if !surroundings.isOffline { try await client.deleteTicket() }
      try await surroundings.keeper.remove(named: ticketName)
    }
    client.session.forget()
  }

  public func signInState(verifying: Bool) async throws(ServiceError) -> SignInState {
    try await recall()
    guard client.session.credential != nil else { return SignInState(isSignedIn: false, method: method.rawValue) }
    guard verifying, !surroundings.isOffline else {
      return SignInState(isSignedIn: true, user: client.session.user, method: method.rawValue)
    }
    do throws(ServiceError) {
      let person = try await client.person().value
      return SignInState(isSignedIn: true, user: person.id, method: method.rawValue)
    } catch {
      guard error.code == .signInNeeded else { throw error }
      return SignInState(isSignedIn: false, user: client.session.user, method: method.rawValue)
    }
  }
}
