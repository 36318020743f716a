import JSON
import Model

/// What a sign-in obtained, with all that is needed to use it again in a later run.
struct OpenBankToken: Sendable, Hashable {
  /// How the token travels.
  enum Form: String, Sendable {
    /// `DirectLogin: token=…`, servers since June 2021.
    case directHeader
    /// `Authorization: DirectLogin token="…"`, every server.
    case directAuthorization
    case oauth1
    case bearer
  }

  var form: Form
  var value: Secret
  /// The token secret of OAuth 1.0a, or the refresh token of OpenID Connect.
  var companion: Secret?
  var user: String?
  var expires: Timestamp?
  /// The server that gave it; it is never sent to another.
  var origin: String

  /// A token is taken for dead this long before it ends.
  private static let leeway: Int64 = 20

  func isAlive(at now: Timestamp) -> Bool {
    !value.isEmpty && (expires.map { now.adding(seconds: OpenBankToken.leeway) < $0 } ?? true)
  }

  /// What is left of a dead token: who it was for, and what renews it.
  var withoutValue: OpenBankToken {
    var token = self
    token.value = Secret("")
    token.expires = nil
    return token
  }

  /// One text for the keeper.
  var kept: Secret {
    var node: JSONNode = ["form": .string(form.rawValue), "token": .string(value.reveal()), "origin": .string(origin)]
    if let companion { node["companion"] = .string(companion.reveal()) }
    if let user { node["user"] = .string(user) }
    if let expires { node["expires"] = .integer(expires.milliseconds) }
    return Secret(String(decoding: node.encoded(), as: UTF8.self))
  }

  /// Reads `kept` again; nil when it is something else or belongs to another server.
  init?(kept: Secret, origin: String) {
    guard let root = try? JSONDocument([UInt8](kept.reveal().utf8)).root,
      let form = root["form"].string.flatMap(Form.init), let token = root["token"].string,
      root["origin"].string == origin
    else { return nil }
    self.init(
      form: form, value: Secret(token), companion: root["companion"].string.map(Secret.init),
      user: root["user"].string, expires: root["expires"].int.map { Timestamp(milliseconds: Int64($0)) },
      origin: origin)
  }

  init(
    form: Form, value: Secret, companion: Secret? = nil, user: String? = nil, expires: Timestamp? = nil,
    origin: String
  ) {
    self.form = form
    self.value = value
    self.companion = companion
    self.user = user
    self.expires = expires
    self.origin = origin
  }
}
