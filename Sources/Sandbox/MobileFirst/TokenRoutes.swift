import Crypto
import HTTPServer
import JSON

/// Codes, tokens and introspection (reference 2.4, 2.5, 2.7, 2.8).
enum TokenRoutes {
  static func add(to router: inout Router, _ server: MobileFirstServer) {
    router.on("GET", "/api/az/v1/authorization") { server.conflict() ?? authorize(server, $0) }
    router.on("GET", "/api/az/v1/authorization/redirect/{client}") { _ in .mobileFirst([:]) }
    router.on("POST", "/api/az/v1/token") { server.conflict() ?? token(server, $0) }
    router.on("POST", "/api/az/v1/introspection") { introspect(server, $0) }
  }

  /// Seconds a code lives.
  private static let codeSeconds = 60
  private static let refreshDays = 30

  // MARK: Codes

  private static func authorize(_ server: MobileFirstServer, _ request: SandboxRequest) -> ServerResponse {
    let id = request.query("client_id") ?? ""
    guard let client = server.withState({ $0.clients[id] }) else { return .unknownClient }
    guard request.query("response_type") == "code", let redirect = request.query("redirect_uri"), isFictitious(redirect)
    else { return .oauth("invalid_request", "response_type and redirect_uri are needed") }
    let elements = MobileFirstScope.elements(request.query("scope"))
    guard let checks = MobileFirstScope.checks(elements + server.knobs.mandatory) else {
      return .oauth("invalid_scope", "Unknown scope element")
    }
    let passed = checks.allSatisfy { check in
      if case .passed? = SecurityCheck.current(client.states[check.name], at: request.now) { true } else { false }
    }
    var answer: String
    if passed {
      let code = String(Int64(bitPattern: RandomBytes.make(8).reduce(0) { $0 << 8 | UInt64($1) }))
      server.withState { state in
        state.codes[code] = MobileFirstServer.Code(
          client: id, elements: elements, redirect: redirect, expires: request.now.adding(seconds: codeSeconds))
      }
      answer = "\(redirect)?code=\(code)"
    } else {
      answer = "\(redirect)?error=access_denied&errorMsg=\(PercentCoding.encode("Preauthorization is needed"))"
    }
    if let mark = request.query("state") { answer += "&state=\(PercentCoding.encode(mark))" }
    // Browser code cannot see a redirect, so it is sent another status.
    let status = request.query("isAjaxRequest") == "true" ? 222 : 302
    return ServerResponse(status: status, headers: [("Location", answer)], body: .bytes([]))
  }

  /// Clients name a host that does not exist; nobody is ever meant to follow it.
  private static func isFictitious(_ redirect: String) -> Bool {
    ["http://mfpredirecturi", "https://mfpredirecturi"].contains(redirect)
  }

  // MARK: Tokens

  private static func token(_ server: MobileFirstServer, _ request: SandboxRequest) -> ServerResponse {
    let form = request.form()
    do {
      switch form.first("grant_type") {
      case "authorization_code": return try exchange(server, form, request.now)
      case "refresh_token": return try refresh(server, form, request.now)
      case "client_credentials": return try confidential(server, request, form)
      default: return .oauth("unsupported_grant_type", "Unknown grant type")
      }
    } catch {
      return .oauth("server_error", "The token could not be signed", status: 500)
    }
  }

  private static func exchange(
    _ server: MobileFirstServer, _ form: [ServerRequest.Field], _ now: SandboxTime
  ) throws -> ServerResponse {
    let text = form.first("code") ?? ""
    guard let code = server.withState({ $0.codes.removeValue(forKey: text) }), now < code.expires else {
      return .oauth("invalid_grant", "The code is unknown, used or too old")
    }
    if let id = form.first("client_id"), server.withState({ $0.clients[id] }) == nil { return .unknownClient }
    let assertion = form.first("client_assertion")
    guard let client = server.client(provenBy: assertion, id: form.first("client_id"), at: now),
      client.id == code.client
    else { return .oauth("invalid_client", "The assertion is not valid", status: 401) }
    guard SignedParts(compact: assertion ?? "")?.payload["jti"].text == text else {
      return .oauth("invalid_grant", "The assertion is for another code")
    }
    guard form.first("redirect_uri") == code.redirect else { return .oauth("invalid_grant", "redirect_uri differs") }
    return try answer(
      server, client, code.elements, now, wantsRefresh: form.first("get_refresh_token")?.uppercased() == "TRUE")
  }

  private static func refresh(
    _ server: MobileFirstServer, _ form: [ServerRequest.Field], _ now: SandboxTime
  ) throws -> ServerResponse {
    guard let client = server.client(provenBy: form.first("client_assertion"), id: form.first("client_id"), at: now)
    else { return .unknownClient }
    let text = form.first("refresh_token") ?? ""
    let known = server.withState { state -> MobileFirstServer.Token? in
      guard let token = state.refreshTokens[text], token.client == client.id, now < token.expires else { return nil }
      state.refreshTokens[text] = nil
      return token
    }
    guard let known else { return .oauth("invalid_grant", "The refresh token is unknown, used or too old") }
    let token = MobileFirstServer.Token(
      client: client.id, elements: known.elements, user: known.user,
      expires: now.adding(seconds: server.knobs.tokenSeconds))
    return try written(server, token, now, refreshed: known)
  }

  private static func answer(
    _ server: MobileFirstServer, _ client: MobileFirstServer.Client, _ elements: [String], _ now: SandboxTime,
    wantsRefresh: Bool
  ) throws -> ServerResponse {
    let knobs = server.knobs
    var expires = now.adding(seconds: knobs.tokenSeconds)
    for check in MobileFirstScope.checks(elements + knobs.mandatory) ?? [] {
      guard case .passed(_, _, let until)? = SecurityCheck.current(client.states[check.name], at: now) else {
        return .oauth("invalid_grant", "A security check has expired")
      }
      expires = min(expires, until)
    }
    let token = MobileFirstServer.Token(
      client: client.id, elements: elements, user: client.user(at: now), expires: expires)
    return try written(server, token, now, refreshed: wantsRefresh && knobs.givesRefreshTokens ? token : nil)
  }

  private static func written(
    _ server: MobileFirstServer, _ token: MobileFirstServer.Token, _ now: SandboxTime,
    refreshed: MobileFirstServer.Token?
  ) throws -> ServerResponse {
    let text = try server.issueToken(token)
    var node: JSONNode = [
      "access_token": .string(text), "token_type": "Bearer",
      "expires_in": .integer(max(1, (token.expires.milliseconds - now.milliseconds) / 1_000)),
      "scope": .string(MobileFirstScope.text(token.elements)),
    ]
    if let refreshed {
      let refresh = Base64URL.encode(RandomBytes.make(32))
      let kept = MobileFirstServer.Token(
        client: refreshed.client, elements: refreshed.elements, user: refreshed.user,
        expires: now.adding(days: refreshDays))
      server.withState { $0.refreshTokens[refresh] = kept }
      node["refresh_token"] = .string(refresh)
    }
    return .mobileFirst(node)
  }

  // MARK: Confidential clients

  /// Allowed scopes may hold `*` for any letters.
  static func allowedScope(_ id: String, _ secret: String, _ secrets: MobileFirstSecrets) -> [String]? {
    switch (id, secret) {
    case ("test", secrets.testSecret): ["*"]
    case ("reader", secrets.readerSecret): ["accessRestricted", "authorization.*", "transactions"]
    default: nil
    }
  }

  private static func confidential(
    _ server: MobileFirstServer, _ request: SandboxRequest, _ form: [ServerRequest.Field]
  ) throws -> ServerResponse {
    guard let (id, secret) = request.basicCredentials, let allowed = allowedScope(id, secret, server.secrets) else {
      return .oauth("invalid_client", "Unknown client or wrong secret", status: 401)
    }
    let elements = MobileFirstScope.elements(form.first("scope"))
    let isAllowed = elements.allSatisfy { element in
      element == MobileFirstScope.registered || allowed.contains { Wildcard($0).matches(element) }
    }
    guard isAllowed else { return .oauth("invalid_scope", "The scope is not allowed for this client") }
    let token = MobileFirstServer.Token(
      client: id, elements: elements, user: nil, expires: request.now.adding(seconds: server.knobs.tokenSeconds))
    return try written(server, token, request.now, refreshed: nil)
  }

  private static func introspect(_ server: MobileFirstServer, _ request: SandboxRequest) -> ServerResponse {
    if let refusal = ResourceGuard(server).refusal(request, scope: "authorization.introspect") { return refusal }
    guard let text = request.form().first("token") else { return .oauth("invalid_request", "token is missing") }
    guard let token = server.token(text, at: request.now) else { return .mobileFirst(["active": false]) }
    var node: JSONNode = [
      "active": true, "scope": .string(MobileFirstScope.text(token.elements)), "client_id": .string(token.client),
    ]
    if let user = token.user { node["username"] = .string(user) }
    node["exp"] = .integer(token.expires.seconds)
    return .mobileFirst(node)
  }
}
