import JSON
import Model

extension AuthorizationManager {
  /// Asks to be let in for a scope, round by round, until the checks are content.
  ///
  /// - Parameter credentials: An answer known beforehand, so that its check need not ask.
  func preauthorize(
    _ scope: String, _ registration: ClientRegistration, credentials: JSONNode.Member?
  ) async throws(ServiceError) -> [CheckSuccess] {
    var answers = credentials.map { [$0] } ?? []
    for _ in 0...Self.mostRounds {
      let answer = try await server.preauthorize(
        clientID: registration.clientID, scope: scope, answers: answers, failed: noteFailure)
      switch answer {
      case .granted(let successes, let time):
        await noteSuccesses(successes, time)
        return successes
      case .challenged(let challenges, let successes, let time):
        await noteSuccesses(successes, time)
        note(challenges)
        // Each challenged check wants its answer before the same request goes out again.
        answers = []
        for challenge in challenges {
          answers.append(JSONNode.Member(key: challenge.check, value: try await self.answer(challenge)))
        }
      }
    }
    throw ServiceError(
      .signInRefused, "be let in for “\(scope)”",
      detail: "the checks went on asking after \(Self.mostRounds) rounds of answers")
  }

  private func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode {
    // A notice to the user of this version; it is answered by its own number.
    if let id = challenge.noticeID {
      state.withLock { $0.notice = challenge.notice }
      return ["messageId": id]
    }
    return try await handler.answer(challenge)
  }

  /// The server's word to everybody who uses this version of the application.
  public var notice: String? { state.withLock { $0.notice } }

  /// Signs in to one check, before it asks where there are credentials. A token is still to be obtained then.
  ///
  /// - Throws: `.signInRefused` for wrong credentials once the attempts are used up or the person gives up; `.busy` with
  ///   the code `LOGIN_ALREADY_IN_PROCESS` while another sign-in to a check runs.
  public func login(check: String, credentials: JSONNode?) async throws(ServiceError) -> CheckSuccess? {
    guard case .registered(let application) = client else {
      throw .notOffered("sign in to “\(check)”", "a confidential client passes no checks")
    }
    try await load()
    try begin(\.isSigningIn, "sign in to “\(check)”", "LOGIN_ALREADY_IN_PROCESS")
    defer { state.withLock { $0.isSigningIn = false } }
    return try await exclusively("sign in to “\(check)”") { () async throws(ServiceError) -> CheckSuccess? in
      let credentials = credentials.map { JSONNode.Member(key: check, value: $0) }
      state.withLock { $0.memory.checks[check, default: SessionMemory.Check()].isAnswered = true }
      var registration = try await registration(application)
      let successes: [CheckSuccess]
      do throws(ServiceError) {
        successes = try await preauthorize(check, registration, credentials: credentials)
      } catch {
        guard error.serverCode == Self.unknownClient else { throw error }
        try await forgetRegistration()
        registration = try await self.registration(application)
        successes = try await preauthorize(check, registration, credentials: credentials)
      }
      try await save()
      return successes.first { $0.check == check }
    }
  }

  private func begin(
    _ flag: WritableKeyPath<State, Bool>, _ operation: String, _ code: String
  ) throws(ServiceError) {
    let isFree = state.withLock { state in
      defer { state[keyPath: flag] = true }
      return !state[keyPath: flag]
    }
    guard isFree else {
      throw ServiceError(
        .busy, operation, detail: "another one is under way", remedy: "Wait until it has finished.", serverCode: code)
    }
  }

  /// Says to the server that this client is still there. The product's own clients do so every seven minutes; here it is
  /// done where somebody asks for it.
  public func heartbeat() async throws(ServiceError) {
    let operation = "say that this client is there"
    guard case .registered(let application) = client else {
      throw .notOffered(operation, "a confidential client is none that the server watches")
    }
    try await load()
    guard let registration = state.withLock({ $0.registration }) else {
      throw ServiceError(
        .signInNeeded, operation, detail: "this application is not registered", remedy: "Open a resource first.")
    }
    try await server.heartbeat(assertion: try assertion(registration, application, id: nil))
  }

  /// Signs out of one check. Its next request is challenged again, and all tokens are dropped.
  ///
  /// - Throws: `.busy` with the code `LOGOUT_ALREADY_IN_PROCESS` while another sign-out runs.
  public func logout(check: String) async throws(ServiceError) {
    guard case .registered(let application) = client else {
      throw .notOffered("sign out of “\(check)”", "a confidential client passes no checks")
    }
    try await load()
    try begin(\.isSigningOut, "sign out of “\(check)”", "LOGOUT_ALREADY_IN_PROCESS")
    defer { state.withLock { $0.isSigningOut = false } }
    try await exclusively("sign out of “\(check)”") { () async throws(ServiceError) -> Void in
      guard let registration = state.withLock({ $0.registration }) else {
        throw ServiceError(
          .signInNeeded, "sign out of “\(check)”", detail: "this application is not registered",
          remedy: "There is nothing to sign out of.")
      }
      let assertion = try assertion(registration, application, id: nil)
      do throws(ServiceError) {
        try await server.logout(check: check, assertion: assertion)
      } catch {
        // A client that the server does not know is signed in to nothing.
        guard error.serverCode == Self.unknownClient else { throw error }
        return try await forgetRegistration()
      }
      state.withLock { state in
        state.memory.tokens = [:]
        state.memory.checks[check] = SessionMemory.Check()
      }
      try await save()
    }
  }

  /// Every check heard of, by name.
  public var knownChecks: [String] { state.withLock { $0.memory.checks.keys.sorted() } }

  func check(_ name: String) -> SessionMemory.Check {
    state.withLock { $0.memory.checks[name] } ?? SessionMemory.Check()
  }

  private func note(_ challenges: [Challenge]) {
    state.withLock { state in
      for challenge in challenges {
        var check = SessionMemory.Check(state: .challenged, remaining: challenge.attemptsLeft)
        check.reason = challenge.failure
        check.isAnswered = true
        state.memory.checks[challenge.check] = check
      }
    }
  }

  private func noteSuccesses(_ successes: [CheckSuccess], _ serverTime: Int64?) async {
    let now = surroundings.clock.now().milliseconds
    state.withLock { state in
      if let serverTime { state.clockOffset = Timestamp(milliseconds: serverTime).milliseconds - now }
      for success in successes {
        let user = success.userName ?? success.userID
        let isAnswered = state.memory.checks[success.check]?.isAnswered ?? false
        state.memory.checks[success.check] = SessionMemory.Check(state: .success, user: user, isAnswered: isAnswered)
      }
    }
    for success in successes { await handler.succeeded(success) }
  }

  private func noteFailure(_ check: String, _ reason: String) async {
    state.withLock { $0.memory.checks[check] = SessionMemory.Check(state: .failed, remaining: 0, reason: reason) }
    await handler.failed(check, reason)
  }

  /// A token ends with the first of its checks, so its checks hold at least as long.
  func note(_ passed: [CheckSuccess], until moment: Timestamp) {
    state.withLock { state in
      for success in passed { state.memory.checks[success.check]?.expires = moment }
    }
  }
}
