import Crypto
import HTTPServer
import JSON

/// The token endpoint and what belongs to it (reference 1.6 to 1.9).
struct OpenIDGrants: Sendable {
  let issuer: OpenIDIssuer

  @Sendable func token(_ request: SandboxRequest) -> ServerResponse {
    let fields = request.form()
    guard let client = authenticated(request, fields) else {
      return .identity("invalid_client", "Invalid client or Invalid client credentials", status: 401)
    }
    let tokens = OpenIDTokens(issuer: issuer, name: OpenIDRoutes.name(request), now: request.now)
    do {
      switch fields.first("grant_type") {
      case "authorization_code": return try exchange(fields, client, tokens)
      case "refresh_token": return try refresh(fields, client, tokens)
      case "password": return try password(fields, client, tokens)
      case "urn:ietf:params:oauth:grant-type:device_code": return try device(fields, client, tokens)
      case nil: return .identity("invalid_request", "Missing form parameter: grant_type")
      default: return .identity("unsupported_grant_type", "Unsupported grant_type")
      }
    } catch {
      return .identity("server_error", "The token could not be signed", status: 500)
    }
  }

  /// The client that the request names and, where it has a secret, proves to be.
  private func authenticated(_ request: SandboxRequest, _ fields: [ServerRequest.Field]) -> OpenIDIssuer.Client? {
    let basic = request.basicCredentials
    guard let client = issuer.client(basic?.user ?? fields.first("client_id")) else { return nil }
    guard let secret = client.secret else { return client }
    return secret == (basic?.password ?? fields.first("client_secret")) ? client : nil
  }

  // MARK: Grants

  private func exchange(
    _ fields: [ServerRequest.Field], _ client: OpenIDIssuer.Client, _ tokens: OpenIDTokens
  ) throws -> ServerResponse {
    guard let text = fields.first("code") else { return .identity("invalid_request", "Missing parameter: code") }
    enum Outcome: Sendable { case unknown, reused(String), found(OpenIDIssuer.Code, OpenIDIssuer.Session?) }
    let outcome = issuer.withState { state -> Outcome in
      guard let code = state.codes[text] else { return .unknown }
      if code.isUsed { return .reused(code.session) }
      state.codes[text]?.isUsed = true
      return .found(code, OpenIDIssuer.active(code.session, &state, at: tokens.now))
    }
    switch outcome {
    case .unknown: return .identity("invalid_grant", "Code not valid")
    case .reused(let session):
      // A second use means that somebody else has the code.
      issuer.endSession(session)
      return .identity("invalid_grant", "Code not valid")
    case .found(let code, let session):
      guard tokens.now < code.expires else { return .identity("invalid_grant", "Code is expired") }
      guard code.request.client == client.id else {
        return .identity("invalid_grant", "Auth error: Found different client_id in clientSession")
      }
      guard fields.first("redirect_uri") == code.request.redirect else {
        return .identity("invalid_grant", "Incorrect redirect_uri")
      }
      if let refusal = Self.check(fields.first("code_verifier"), code.request.challenge, code.request.isPlainChallenge)
      {
        return .identity("invalid_grant", refusal)
      }
      guard let session else { return .identity("invalid_grant", "User session not found") }
      return try tokens.answer(session, client: client.id, scope: code.request.scope, nonce: code.request.nonce)
    }
  }

  /// Why a verifier does not fit its challenge; nil where it does.
  static func check(_ verifier: String?, _ challenge: String?, _ isPlain: Bool) -> String? {
    guard let challenge else {
      return verifier == nil ? nil : "PKCE code verifier specified but challenge not present in authorization"
    }
    guard let verifier else { return "PKCE code verifier not specified" }
    let derived = isPlain ? verifier : Base64URL.encode(Hash.sha256.digest(Array(verifier.utf8)))
    return derived == challenge ? nil : "PKCE verification failed: Code mismatch"
  }

  private func refresh(
    _ fields: [ServerRequest.Field], _ client: OpenIDIssuer.Client, _ tokens: OpenIDTokens
  ) throws -> ServerResponse {
    guard let text = fields.first("refresh_token") else { return .identity("invalid_request", "No refresh token") }
    enum Outcome: Sendable { case refused(String), found(OpenIDIssuer.Refresh, OpenIDIssuer.Session) }
    let outcome = issuer.withState { state -> Outcome in
      guard let known = state.refreshes[text] else { return .refused("Invalid refresh token") }
      guard known.client == client.id else {
        return .refused("Invalid refresh token. Token client and authorized client don't match")
      }
      guard !known.isUsed else { return .refused("Maximum allowed refresh token reuse exceeded") }
      if known.isOffline { state.sessions[known.session]?.used = tokens.now }
      guard let session = OpenIDIssuer.active(known.session, &state, at: tokens.now) else {
        return .refused(known.isOffline ? "Offline user session not found" : "Token is not active")
      }
      state.refreshes[text]?.isUsed = true
      return .found(known, session)
    }
    switch outcome {
    case .refused(let text): return .identity("invalid_grant", text)
    case .found(let known, let session):
      return try tokens.answer(session, client: client.id, scope: known.scope, nonce: nil)
    }
  }

  private func password(
    _ fields: [ServerRequest.Field], _ client: OpenIDIssuer.Client, _ tokens: OpenIDTokens
  ) throws -> ServerResponse {
    guard client.mayUsePassword else {
      return .identity("unauthorized_client", "Client not allowed for direct access grants")
    }
    guard let user = fields.first("username") else {
      return .identity("invalid_request", "Missing parameter: username")
    }
    guard let person = issuer.person(user, password: fields.first("password") ?? "") else {
      return .identity("invalid_grant", "Invalid user credentials", status: 401)
    }
    let session = issuer.openSession(person.id, at: tokens.now, withCookie: false)
    return try tokens.answer(
      session, client: client.id, scope: OpenIDPages.granted(fields.first("scope")), nonce: nil)
  }

  // MARK: Devices

  @Sendable func device(_ request: SandboxRequest) -> ServerResponse {
    let fields = request.form()
    guard let client = authenticated(request, fields) else {
      return .identity("invalid_client", "Invalid client or Invalid client credentials", status: 401)
    }
    guard client.mayUseDevice else {
      return .identity("invalid_grant", "Client not allowed for OAuth 2.0 Device Authorization Grant")
    }
    let letters = RandomBytes.make(8).map { Array("BCDFGHJKLMNPQRSTVWXZ")[Int($0) % 20] }
    let userCode = "\(String(letters[0..<4]))-\(String(letters[4..<8]))"
    let code = OpenIDIssuer.makeToken()
    let made = OpenIDIssuer.Device(
      client: client.id, scope: OpenIDPages.granted(fields.first("scope")), userCode: userCode,
      challenge: fields.first("code_challenge"), expires: request.now.adding(seconds: OpenIDIssuer.deviceSeconds),
      interval: OpenIDIssuer.deviceInterval)
    issuer.withState { state in
      state.devices = state.devices.filter { request.now < $0.value.expires.adding(seconds: 600) }
      state.devices[code] = made
    }
    let page = "\(OpenIDRoutes.name(request))/device"
    return .identity([
      "device_code": .string(code), "user_code": .string(userCode), "verification_uri": .string(page),
      "verification_uri_complete": .string("\(page)?user_code=\(userCode)"),
      "expires_in": .int(OpenIDIssuer.deviceSeconds), "interval": .int(OpenIDIssuer.deviceInterval),
    ])
  }

  private func device(
    _ fields: [ServerRequest.Field], _ client: OpenIDIssuer.Client, _ tokens: OpenIDTokens
  ) throws -> ServerResponse {
    guard let text = fields.first("device_code") else {
      return .identity("invalid_request", "Missing parameter: device_code")
    }
    enum Outcome: Sendable { case refused(String, String), granted(OpenIDIssuer.Device, OpenIDIssuer.Session) }
    let outcome = issuer.withState { state -> Outcome in
      guard var known = state.devices[text], known.client == client.id else {
        return .refused("invalid_grant", "Device code not valid")
      }
      guard tokens.now < known.expires else { return .refused("expired_token", "Device code is expired") }
      if let refusal = Self.check(fields.first("code_verifier"), known.challenge, false) {
        return .refused("invalid_grant", refusal)
      }
      let isTooFast = known.polled.map { tokens.now < $0.adding(seconds: known.interval) } ?? false
      known.polled = tokens.now
      if isTooFast { known.interval += 5 }
      defer { state.devices[text] = known }
      switch known.decision {
      case .denied: return .refused("access_denied", "The end user denied the authorization request")
      case .done: return .refused("invalid_grant", "Device code not valid")
      case _ where isTooFast: return .refused("slow_down", "Slow down")
      case .open: return .refused("authorization_pending", "The authorization request is still pending")
      case .granted(let id):
        known.decision = .done
        guard let session = OpenIDIssuer.active(id, &state, at: tokens.now) else {
          return .refused("invalid_grant", "Session not active")
        }
        return .granted(known, session)
      }
    }
    switch outcome {
    case .refused(let error, let text): return .identity(error, text)
    case .granted(let known, let session):
      return try tokens.answer(session, client: client.id, scope: known.scope, nonce: nil)
    }
  }

  // MARK: Looking at tokens

  @Sendable func userInfo(_ request: SandboxRequest) -> ServerResponse {
    guard let text = request.bearerToken, let access = issuer.access(text, at: request.now),
      issuer.withState({ OpenIDIssuer.active(access.session, &$0, at: request.now) }) != nil
    else {
      return .identity("invalid_token", "Token verification failed", status: 401)
        .adding("WWW-Authenticate", "Bearer realm=\"alfresco\", error=\"invalid_token\"")
    }
    guard access.scope.split(separator: " ").contains("openid") else {
      return .identity("insufficient_scope", "Missing openid scope", status: 403)
        .adding("WWW-Authenticate", "Bearer realm=\"alfresco\", error=\"insufficient_scope\"")
    }
    let person = issuer.people.first { $0.id == access.user }
    var node: JSONNode = [
      "sub": .string(issuer.subject(access.user)), "preferred_username": .string(access.user), "email_verified": true,
    ]
    if let person {
      node["name"] = .string(person.displayName)
      if let email = person.email { node["email"] = .string(email) }
    }
    return .identity(node)
  }

  @Sendable func introspect(_ request: SandboxRequest) -> ServerResponse {
    let fields = request.form()
    guard let client = authenticated(request, fields), client.secret != nil else {
      return .identity("invalid_request", "Client not allowed.", status: 403)
    }
    guard let access = fields.first("token").flatMap({ issuer.access($0, at: request.now) }) else {
      return .identity(["active": false])
    }
    return .identity([
      "active": true, "username": .string(access.user), "client_id": .string(access.client),
      "scope": .string(access.scope), "exp": .integer(access.expires.seconds), "token_type": "Bearer",
    ])
  }

  /// 200 and nothing, also for what nobody knows.
  @Sendable func revoke(_ request: SandboxRequest) -> ServerResponse {
    let fields = request.form()
    guard let client = authenticated(request, fields) else {
      return .identity("invalid_client", "Invalid client or Invalid client credentials", status: 401)
    }
    guard let text = fields.first("token") else { return .identity("invalid_request", "Token not provided") }
    let session = issuer.withState { state -> String? in
      if let known = state.refreshes[text], known.client == client.id { return known.session }
      state.accesses[text] = nil
      return nil
    }
    if let session { issuer.endSession(session) }
    return .empty(200)
  }
}
