import Crypto
import HTTPServer
import JSON

/// Makes tokens, and the answer that carries them.
struct OpenIDTokens: Sendable {
  let issuer: OpenIDIssuer
  /// The issuer's own name: an address, as the client sees it.
  let name: String
  let now: SandboxTime

  static func uuid() -> String {
    let hex = Hex.encode(RandomBytes.make(16))
    let cut = [0, 8, 12, 16, 20, 32]
    return zip(cut, cut.dropFirst()).map { start, end in String(hex.dropFirst(start).prefix(end - start)) }
      .joined(separator: "-")
  }

  private func signed(_ payload: JSONNode) throws -> String {
    let key = try issuer.signingKey()
    let header: JSONNode = ["alg": "RS256", "typ": "JWT", "kid": .string(try issuer.keyID())]
    return try JWS.sign(header: header.encoded(), payload: payload.encoded(), key: key)
  }

  private func claims(_ session: OpenIDIssuer.Session, _ kind: String, lifetime: Int) -> JSONNode {
    [
      "exp": .integer(now.seconds + Int64(lifetime)), "iat": .integer(now.seconds), "jti": .string(Self.uuid()),
      "iss": .string(name), "sub": .string(issuer.subject(session.user)), "typ": .string(kind),
      "sid": .string(session.id),
    ]
  }

  private func addPerson(_ user: String, to claims: inout JSONNode) {
    guard let person = issuer.people.first(where: { $0.id == user }) else { return }
    claims["preferred_username"] = .string(user)
    claims["name"] = .string(person.displayName)
    claims["given_name"] = .string(person.firstName)
    if let last = person.lastName { claims["family_name"] = .string(last) }
    if let email = person.email { claims["email"] = .string(email) }
  }

  /// The token answer of every grant; refreshing one replaces the refresh token.
  func answer(
    _ session: OpenIDIssuer.Session, client: String, scope: String, nonce: String?
  ) throws -> ServerResponse {
    var access = claims(session, "Bearer", lifetime: OpenIDIssuer.accessSeconds)
    access["azp"] = .string(client)
    access["scope"] = .string(scope)
    access["realm_access"] = ["roles": ["offline_access", "default-roles-alfresco"]]
    addPerson(session.user, to: &access)
    let accessToken = try signed(access)
    let refreshToken = OpenIDIssuer.makeToken(48)
    let words = scope.split(separator: " ")
    let isOffline = words.contains("offline_access")
    issuer.withState { state in
      state.sessions[session.id]?.used = now
      state.accesses[accessToken] = OpenIDIssuer.Access(
        user: session.user, session: session.id, client: client, scope: scope,
        expires: now.adding(seconds: OpenIDIssuer.accessSeconds))
      state.refreshes[refreshToken] = OpenIDIssuer.Refresh(
        session: session.id, client: client, scope: scope, isOffline: isOffline)
    }
    var node: JSONNode = [
      "access_token": .string(accessToken), "expires_in": .int(OpenIDIssuer.accessSeconds),
      "refresh_expires_in": .int(isOffline ? 0 : OpenIDIssuer.idleSeconds), "refresh_token": .string(refreshToken),
      "token_type": "Bearer",
    ]
    if words.contains("openid") {
      var identity = claims(session, "ID", lifetime: OpenIDIssuer.accessSeconds)
      identity["aud"] = .string(client)
      identity["azp"] = .string(client)
      identity["auth_time"] = .integer(session.started.seconds)
      if let nonce { identity["nonce"] = .string(nonce) }
      addPerson(session.user, to: &identity)
      node["id_token"] = .string(try signed(identity))
    }
    node["not-before-policy"] = 0
    node["session_state"] = .string(session.id)
    node["scope"] = .string(scope)
    return .identity(node)
  }

  /// What an ID token says, if this issuer signed it; its age does not matter for signing out.
  func claims(ofHint text: String) -> JSONValue? {
    guard let parts = JWS(text), let key = try? issuer.signingKey().publicKey, parts.isSigned(by: key),
      let payload = try? JSONDocument(parts.payload).root, payload["typ"].string == "ID"
    else { return nil }
    return payload
  }
}

extension ServerResponse {
  static func identity(_ node: JSONNode, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Pragma", "no-cache")],
      body: .bytes(node.encoded()))
  }

  static func identity(_ error: String, _ text: String, status: Int = 400) -> ServerResponse {
    .identity(["error": .string(error), "error_description": .string(text)], status: status)
  }
}
