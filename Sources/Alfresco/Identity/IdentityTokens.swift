import JSON
import Model
import Wire

/// What a sign-in at the identity service obtained, with all that is needed to use it again in a later run.
struct IdentityTokens: Sendable {
  var tokens: OAuthTokens
  /// The repository's id of the person; nil until it was asked.
  var user: String?
  /// Whose tokens these are; they are never sent on behalf of another client, nor to another issuer.
  let issuer: String
  let clientID: String

  init(_ tokens: OAuthTokens, user: String?, issuer: String, clientID: String) {
    self.tokens = tokens
    self.user = user
    self.issuer = issuer
    self.clientID = clientID
  }

  /// Whether there is a token to send, or one that brings it.
  func isUsable(at now: Timestamp) -> Bool { !tokens.isStale(at: now) || canRenew(at: now) }

  /// Whether the refresh token may still be good.
  func canRenew(at now: Timestamp) -> Bool {
    tokens.refresh != nil && (tokens.refreshExpires.map { now < $0 } ?? true)
  }

  /// One text for the keeper.
  var kept: Secret {
    var node: JSONNode = [
      "issuer": .string(issuer), "client": .string(clientID), "access": .string(tokens.access.reveal()),
    ]
    if let refresh = tokens.refresh { node["refresh"] = .string(refresh.reveal()) }
    if let id = tokens.id { node["id"] = .string(id.reveal()) }
    if let user { node["user"] = .string(user) }
    if let expires = tokens.expires { node["expires"] = .integer(expires.milliseconds) }
    if let expires = tokens.refreshExpires { node["refreshExpires"] = .integer(expires.milliseconds) }
    return Secret(String(decoding: node.encoded(), as: UTF8.self))
  }

  /// Reads `kept` again; nil when it is something else, or belongs to another issuer or client.
  init?(kept: Secret, issuer: String, clientID: String) {
    guard let root = try? JSONDocument([UInt8](kept.reveal().utf8)).root, let access = root["access"].string,
      root["issuer"].string == issuer, root["client"].string == clientID
    else { return nil }
    let moment = { (key: String) in root[key].int.map { Timestamp(milliseconds: Int64($0)) } }
    let tokens = OAuthTokens(
      access: Secret(access), refresh: root["refresh"].string.map { Secret($0) },
      id: root["id"].string.map { Secret($0) }, expires: moment("expires"), refreshExpires: moment("refreshExpires"))
    self.init(tokens, user: root["user"].string, issuer: issuer, clientID: clientID)
  }
}
