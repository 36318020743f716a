import HTTPServer
import JSON

/// Security checks before a token is handed out (reference 2.3, 2.6).
enum PreauthorizationRoutes {
  static func add(to router: inout Router, _ server: MobileFirstServer) {
    router.on("POST", "/api/preauth/v1/preauthorize") { server.conflict() ?? preauthorize(server, $0) }
    router.on("POST", "/api/preauth/v1/logout") { logout(server, $0) }
    router.on("POST", "/api/preauth/v1/heartbeat") { request in
      let form = request.form()
      guard let client = server.client(provenBy: form.first("client_assertion"), id: nil, at: request.now) else {
        return .unknownClient
      }
      server.withState { $0.clients[client.id]?.lastActivity = request.now }
      return .mobileFirst([:])
    }
  }

  private static func preauthorize(_ server: MobileFirstServer, _ request: SandboxRequest) -> ServerResponse {
    guard let body = try? JSONDocument(request.body()).root, body.kind == .object else {
      return .oauth("invalid_request", "The request cannot be read")
    }
    let elements = MobileFirstScope.elements(body["scope"].string)
    let knobs = server.knobs
    guard let checks = MobileFirstScope.checks(elements + knobs.mandatory) else {
      return .oauth("invalid_scope", "Unknown scope element")
    }
    if !knobs.disabled.isEmpty { return disabled(knobs.disabled) }
    let isStepUp = elements.contains(where: MobileFirstScope.stepUps.contains)
    let id = body["client_id"].string ?? ""
    let rounds = server.withState { state -> PreauthorizationRound? in
      guard var client = state.clients[id] else { return nil }
      var round = PreauthorizationRound()
      round.notice(knobs, answered: body["challengeResponse"][Self.versionCheck], &client)
      for check in checks {
        // A step-up check keeps silent until the ones before it have passed; others are asked all at once.
        if isStepUp, !round.challenges.isEmpty { break }
        let verdict = check.consider(
          body["challengeResponse"][check.name], &client.states[check.name], knowing: server.secrets,
          enrolledPIN: client.enrolledPIN, at: request.now)
        round.note(check.name, verdict, client.states[check.name])
      }
      client.lastActivity = request.now
      state.clients[id] = client
      return round
    }
    return rounds?.response(at: request.now) ?? .unknownClient
  }

  /// The check that speaks for a whole version of the application.
  static let versionCheck = "wl_remoteDisableRealm"

  private static func disabled(_ words: String) -> ServerResponse {
    let failure: JSONNode = ["message": .string(words), "downloadLink": "https://example.com/newer"]
    return .mobileFirst(["failures": .object([.init(key: versionCheck, value: failure)])], status: 403)
  }

  private static func logout(_ server: MobileFirstServer, _ request: SandboxRequest) -> ServerResponse {
    let form = request.form()
    guard form.first("client_assertion") != nil, let check = form.first("security_check") else {
      return .oauth("invalid_request", "client_assertion and security_check are needed")
    }
    guard let client = server.client(provenBy: form.first("client_assertion"), id: nil, at: request.now) else {
      return .oauth("invalid_client", "The assertion is not valid", status: 401)
    }
    guard SecurityCheck.named(check) != nil else { return .oauth("invalid_request", "Unknown security check") }
    server.withState { state in
      state.clients[client.id]?.states[check] = nil
      func rests(_ token: MobileFirstServer.Token) -> Bool {
        let checks = MobileFirstScope.checks(token.elements) ?? []
        return token.client == client.id && checks.contains { $0.name == check }
      }
      state.tokens = state.tokens.filter { !rests($0.value) }
      state.refreshTokens = state.refreshTokens.filter { !rests($0.value) }
    }
    return .mobileFirst([:])
  }
}

/// The outcome of one preauthorize call.
private struct PreauthorizationRound: Sendable {
  var challenges: [JSONNode.Member] = []
  var successes: [JSONNode.Member] = []
  var failures: [JSONNode.Member] = []

  /// Says once to each client what an administrator has to say to its user.
  mutating func notice(_ knobs: MobileFirstKnobs, answered: JSONValue, _ client: inout MobileFirstServer.Client) {
    guard !knobs.notice.isEmpty, client.noticeSeen != knobs.noticeNumber else { return }
    if answered["messageId"].int == knobs.noticeNumber {
      client.noticeSeen = knobs.noticeNumber
      return
    }
    let notice: JSONNode = [
      "message": .string(knobs.notice), "messageId": .int(knobs.noticeNumber), "messageType": "NOTIFY",
    ]
    challenges.append(.init(key: PreauthorizationRoutes.versionCheck, value: notice))
  }

  mutating func note(_ name: String, _ verdict: SecurityCheck.Verdict, _ state: SecurityCheck.State?) {
    switch verdict {
    case .challenge(let challenge): challenges.append(.init(key: name, value: challenge))
    case .refused(let reason): failures.append(.init(key: name, value: ["failure": .string(reason)]))
    case .passed:
      guard case .passed(let user?, let since, _)? = state else {
        successes.append(.init(key: name, value: [:]))
        return
      }
      successes.append(
        .init(
          key: name,
          value: [
            "user": [
              "id": .string(user), "displayName": "Susan Müller", "authenticatedAt": .integer(since.milliseconds),
              "authenticatedBy": .string(name), "attributes": [:],
            ]
          ]))
    }
  }

  func response(at now: SandboxTime) -> ServerResponse {
    if !failures.isEmpty { return .mobileFirst(["failures": .object(failures)], status: 403) }
    let clock = JSONNode.Member(key: "clockSynchronization", value: ["serverTimeStamp": .integer(now.milliseconds)])
    guard !challenges.isEmpty else { return .mobileFirst(["successes": .object(successes + [clock])]) }
    let authentic = JSONNode.Member(key: "appAuthenticity", value: [:])
    return .mobileFirst(
      ["challenges": .object(challenges), "successes": .object(successes + [authentic, clock])], status: 401
    ).adding("WWW-Authenticate", "MFP-Challenge")
  }
}

extension [ServerRequest.Field] {
  /// The first value of a field; nil where it is missing or empty.
  func first(_ name: String) -> String? { first { $0.name == name && !$0.value.isEmpty }?.value }
}
