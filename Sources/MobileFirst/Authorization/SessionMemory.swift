import JSON
import Model

/// What a client remembers between requests: tokens by scope, scopes by resource, how each check stands.
struct SessionMemory: Sendable {
  struct Check: Sendable, Hashable {
    enum State: String, Sendable { case unknown, challenged, success, expired, failed }
    var state = State.unknown
    var remaining: Int?
    /// Not before this moment will a check that let us in want another answer, as far as tokens tell.
    var expires: Timestamp?
    var user: String?
    var reason: String?
    /// It asked us, or we answered it: one of those that can be signed out of, unlike the server's silent ones.
    var isAnswered = false

    /// As it is now: what let us in only until a moment that has passed does so no more.
    func state(at now: Timestamp) -> State {
      guard state == .success, let expires, expires <= now else { return state }
      return .expired
    }
  }

  var tokens: [Scope: AccessToken] = [:]
  var learnt = LearntScopes()
  var checks: [String: Check] = [:]

  /// A living token that is good for a scope.
  func token(for scope: Scope, at now: Timestamp) -> AccessToken? {
    tokens[scope].flatMap { $0.isAlive(at: now) ? $0 : nil }
  }

  mutating func keep(_ token: AccessToken) { tokens[token.scope] = token }

  /// For the keeper: tokens are secrets, and the rest goes with them.
  var secret: Secret {
    let tokens = tokens.values.sorted { "\($0.scope)" < "\($1.scope)" }.map { token -> JSONNode in
      var node: JSONNode = [
        "scope": .string("\(token.scope)"), "value": .string(token.value.reveal()),
        "expires": .integer(token.expires.milliseconds),
      ]
      if let refresh = token.refreshToken { node["refresh"] = .string(refresh.reveal()) }
      return node
    }
    let learnt = learnt.entries.map { JSONNode.Member(key: $0.resource, value: .string("\($0.scope)")) }
    let checks = checks.sorted { $0.key < $1.key }.map { name, check -> JSONNode.Member in
      var node: JSONNode = ["state": .string(check.state.rawValue)]
      if let remaining = check.remaining { node["remaining"] = .integer(Int64(remaining)) }
      if let expires = check.expires { node["expires"] = .integer(expires.milliseconds) }
      if let user = check.user { node["user"] = .string(user) }
      if let reason = check.reason { node["reason"] = .string(reason) }
      if check.isAnswered { node["answered"] = true }
      return JSONNode.Member(key: name, value: node)
    }
    let node: JSONNode = ["tokens": .array(tokens), "learnt": .object(learnt), "checks": .object(checks)]
    return Secret(String(decoding: node.encoded(), as: UTF8.self))
  }

  init() {}

  init?(_ secret: Secret) {
    guard let root = try? JSONDocument(secret.reveal()).root else { return nil }
    for entry in root["tokens"].elements {
      guard let scope = entry["scope"].string, let value = entry["value"].string,
        let expires = entry["expires"].numberText.flatMap({ Int64($0) })
      else { continue }
      keep(
        AccessToken(
          value: Secret(value), scope: Scope(scope), expires: Timestamp(milliseconds: expires),
          refreshToken: entry["refresh"].string.map { Secret($0) }))
    }
    for (key, scope) in root["learnt"].members { if let text = scope.string { learnt.learn(Scope(text), for: key) } }
    for (name, entry) in root["checks"].members {
      checks[name] = Check(
        state: Check.State(rawValue: entry["state"].string ?? "") ?? .unknown, remaining: entry["remaining"].int,
        expires: entry["expires"].numberText.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) },
        user: entry["user"].string, reason: entry["reason"].string, isAnswered: entry["answered"].bool ?? false)
    }
  }
}
