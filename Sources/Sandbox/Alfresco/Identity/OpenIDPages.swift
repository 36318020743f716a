import Crypto
import HTTPServer

/// What a person's browser sees: the sign-in form, the code for a device, and signing out.
struct OpenIDPages: Sendable {
  static let cookie = "KEYCLOAK_IDENTITY"
  private static let outOfBandRedirect = "urn:ietf:wg:oauth:2.0:oob"

  let issuer: OpenIDIssuer

  // MARK: Authorization

  @Sendable func authorize(_ request: SandboxRequest) -> ServerResponse {
    let fields = request.method == "POST" ? request.form() : request.server.query
    guard let client = issuer.client(fields.first("client_id")) else { return Page.failure("Client not found.") }
    guard let redirect = fields.first("redirect_uri"), Self.isRegistered(redirect, for: client) else {
      return Page.failure("Invalid parameter: redirect_uri")
    }
    guard let type = fields.first("response_type") else { return Page.failure("Missing parameter: response_type") }
    func refuse(_ error: String, _ text: String) -> ServerResponse {
      Self.redirect(
        redirect,
        [
          ("error", error), ("error_description", text), ("state", fields.first("state")),
          ("iss", OpenIDRoutes.name(request)),
        ])
    }
    guard type == "code" else {
      return refuse(
        "unsupported_response_type", "Client is not allowed to initiate browser login with given response_type.")
    }
    let method = fields.first("code_challenge_method")
    let challenge = fields.first("code_challenge")
    if client.needsChallenge {
      guard method != nil else { return refuse("invalid_request", "Missing parameter: code_challenge_method") }
      guard method == "S256" else {
        return refuse("invalid_request", "Invalid parameter: code challenge method is not configured one")
      }
    }
    if method != nil || client.needsChallenge {
      guard let challenge, (43...128).contains(challenge.count) else {
        return refuse("invalid_request", "Missing parameter: code_challenge")
      }
    }
    let asked = OpenIDIssuer.AuthorizationRequest(
      client: client.id, redirect: redirect, scope: Self.granted(fields.first("scope")), state: fields.first("state"),
      nonce: fields.first("nonce"), challenge: challenge, isPlainChallenge: method != "S256",
      expires: request.now.adding(seconds: OpenIDIssuer.loginSeconds))
    let prompt = fields.first("prompt") ?? ""
    if prompt != "login", let session = issuer.browserSession(request) {
      return finish(asked, session, request)
    }
    guard prompt != "none" else { return refuse("login_required", "Authentication required") }
    let ticket = OpenIDIssuer.makeToken(16)
    issuer.withState { state in
      state.logins = state.logins.filter { request.now < $0.value.expires }
      state.logins[ticket] = asked
    }
    return form(ticket, client.id, user: fields.first("login_hint") ?? "", error: nil)
  }

  /// The scopes that this realm knows, in the order asked for.
  static func granted(_ scope: String?) -> String {
    let known: Set<Substring> = ["openid", "profile", "email", "offline_access"]
    return (scope ?? "").split(separator: " ").filter(known.contains).joined(separator: " ")
  }

  /// `http://127.0.0.1/*` and `http://localhost/*` match any port; `[::1]` gets no such treatment.
  static func isRegistered(_ redirect: String, for client: OpenIDIssuer.Client) -> Bool {
    if client.takesAnyRedirect || redirect == outOfBandRedirect { return true }
    for host in ["http://127.0.0.1", "http://localhost"] where redirect.hasPrefix(host) {
      var rest = redirect.dropFirst(host.count)
      if rest.first == ":" {
        rest = rest.dropFirst()
        let digits = rest.prefix { $0.isNumber }
        guard let port = Int(digits), (1...65_535).contains(port) else { return false }
        rest = rest.dropFirst(digits.count)
      }
      return rest.first == "/" && !rest.contains("#")
    }
    return false
  }

  static func redirect(_ target: String, _ fields: [(name: String, value: String?)]) -> ServerResponse {
    let query = fields.compactMap { field in field.value.map { "\(field.name)=\(PercentCoding.encode($0))" } }
    let joint = target.contains("?") ? "&" : "?"
    return ServerResponse(
      status: 302,
      headers: [("Location", "\(target)\(joint)\(query.joined(separator: "&"))"), ("Cache-Control", "no-store")])
  }

  private func form(_ ticket: String, _ client: String, user: String, error: String?) -> ServerResponse {
    let note = error.map { "<p id=\"input-error\">\(Page.escape($0))</p>" } ?? ""
    let body = """
      <p>to go on to \(Page.escape(client))</p>\(note)
      <form id="kc-form-login" method="post" action="\(OpenIDRoutes.realm)/login-actions/authenticate?session_code=\(ticket)">
      <p><label>Username <input id="username" name="username" value="\(Page.escape(user))" autofocus autocomplete="username"></label></p>
      <p><label>Password <input id="password" name="password" type="password" autocomplete="current-password"></label></p>
      <p><button id="kc-login" name="login" value="yes">Sign in</button>
      <button id="kc-cancel" name="cancel" value="yes">Cancel</button></p></form>
      """
    return Page(title: "Sign in to your account", body: body).response().adding("Cache-Control", "no-store")
  }

  @Sendable func authenticate(_ request: SandboxRequest) -> ServerResponse {
    let ticket = request.query("session_code") ?? ""
    guard let asked = issuer.withState({ $0.logins[ticket] }), request.now < asked.expires else {
      return Page.failure("You are too late, or signed in already. Please go back to the app and try again.")
    }
    let fields = request.form()
    if fields.first("cancel") != nil {
      issuer.withState { $0.logins[ticket] = nil }
      return Self.redirect(
        asked.redirect,
        [
          ("error", "access_denied"), ("error_description", "User denied the request"), ("state", asked.state),
          ("iss", OpenIDRoutes.name(request)),
        ])
    }
    let user = fields.first("username") ?? ""
    guard let person = issuer.person(user, password: fields.first("password") ?? "") else {
      return form(ticket, asked.client, user: user, error: "Invalid username or password.")
    }
    issuer.withState { $0.logins[ticket] = nil }
    let session = issuer.openSession(person.id, at: request.now, withCookie: true)
    let path = "\(OpenIDRoutes.realm)/"
    return finish(asked, session, request)
      .adding("Set-Cookie", "\(Self.cookie)=\(session.cookie ?? ""); Path=\(path); HttpOnly; SameSite=Lax")
  }

  /// Sends the browser back with a code.
  private func finish(
    _ asked: OpenIDIssuer.AuthorizationRequest, _ session: OpenIDIssuer.Session, _ request: SandboxRequest
  ) -> ServerResponse {
    let code = "\(OpenIDTokens.uuid()).\(session.id).\(OpenIDTokens.uuid())"
    issuer.withState { state in
      state.sessions[session.id]?.used = request.now
      state.codes = state.codes.filter { request.now < $0.value.expires.adding(seconds: 600) }
      state.codes[code] = OpenIDIssuer.Code(
        request: asked, session: session.id, expires: request.now.adding(seconds: OpenIDIssuer.codeSeconds))
    }
    guard asked.redirect != Self.outOfBandRedirect else {
      let page = "\(OpenIDRoutes.realm)/protocol/openid-connect/oauth/oob"
      return Self.redirect(page, [("code", code)])
    }
    return Self.redirect(
      asked.redirect,
      [("state", asked.state), ("session_state", session.id), ("iss", OpenIDRoutes.name(request)), ("code", code)])
  }

  @Sendable func outOfBand(_ request: SandboxRequest) -> ServerResponse {
    let code = Page.escape(request.query("code") ?? "")
    return Page(title: "Success", body: "<p>Copy this code into the app:</p><div id=\"code\">\(code)</div>").response()
  }

  // MARK: Signing out

  @Sendable func logout(_ request: SandboxRequest) -> ServerResponse {
    guard request.query("redirect_uri") == nil else { return Page.failure("Invalid parameter: redirect_uri") }
    let target = request.query("post_logout_redirect_uri")
    let tokens = OpenIDTokens(issuer: issuer, name: OpenIDRoutes.name(request), now: request.now)
    let hint = request.query("id_token_hint")
    let claims = hint.flatMap { tokens.claims(ofHint: $0) }
    guard hint == nil || claims != nil else { return Page.failure("Invalid parameter: id_token_hint") }
    let named = request.query("client_id")
    if let party = claims?["aud"].string, let named, party != named {
      return Page.failure("Invalid parameter: client_id")
    }
    let client = issuer.client(claims?["aud"].string ?? named)
    if let target {
      guard let client else { return Page.failure("Missing parameters: id_token_hint") }
      guard Self.isRegistered(target, for: client) else { return Page.failure("Invalid redirect uri") }
    }
    guard let session = claims?["sid"].string else { return confirmation(target, request.query("state")) }
    issuer.endSession(session)
    return signedOut(target, request.query("state"))
  }

  private func confirmation(_ target: String?, _ state: String?) -> ServerResponse {
    func hidden(_ name: String, _ value: String?) -> String {
      value.map { "<input type=\"hidden\" name=\"\(name)\" value=\"\(Page.escape($0))\">" } ?? ""
    }
    let body = """
      <form id="kc-logout-confirm" method="post" action="\(OpenIDRoutes.realm)/protocol/openid-connect/logout">
      <p>Do you want to sign out?</p><input type="hidden" name="confirmed" value="yes">
      \(hidden("post_logout_redirect_uri", target))\(hidden("state", state))
      <p><button id="kc-logout">Sign out</button></p></form>
      """
    return Page(title: "Signing out", body: body).response()
  }

  private func signedOut(_ target: String?, _ state: String?) -> ServerResponse {
    let expired = "\(Self.cookie)=; Path=\(OpenIDRoutes.realm)/; Max-Age=0"
    guard let target else {
      return Page(title: "You are signed out", body: "<p>You may close this window.</p>").response()
        .adding("Set-Cookie", expired)
    }
    return Self.redirect(target, [("state", state)]).adding("Set-Cookie", expired)
  }

  /// Back channel by refresh token, or the form of the confirmation page.
  @Sendable func endSession(_ request: SandboxRequest) -> ServerResponse {
    let fields = request.form()
    if fields.first("confirmed") != nil {
      if let session = issuer.browserSession(request) { issuer.endSession(session.id) }
      let target = fields.first("post_logout_redirect_uri")
      let isKnown = target.map { target in issuer.clients.contains { Self.isRegistered(target, for: $0) } } ?? true
      return signedOut(isKnown ? target : nil, fields.first("state"))
    }
    let known = fields.first("refresh_token").flatMap { token in issuer.withState { $0.refreshes[token] } }
    guard let known, known.client == fields.first("client_id") else {
      return .identity("invalid_grant", "Invalid refresh token")
    }
    issuer.endSession(known.session)
    return .empty(204)
  }
}
