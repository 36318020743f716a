import JSON
import Model

/// What a sign-in obtained, tied to the backend that it was obtained for.
struct MobileCredential: Sendable, Hashable {
  enum Form: String, Sendable {
    /// User name and password with every request.
    case basic
    /// The backend's anonymous key with every request.
    case anonymousKey
    case bearer
    /// A bearer token for the client alone.
    case anonymousBearer
    /// The anonymous key, and Facebook's token beside it.
    case facebook
  }

  var form: Form
  /// The password, the key, or the token.
  var secret: Secret
  /// The anonymous key that goes beside Facebook's token.
  var key: Secret?
  var user: String?
  var expires: Timestamp?
  /// Base address and backend; a stored credential is never sent to another one.
  var backend: String
  /// Whether calls must name the backend, since the credential does not.
  var namesBackend: Bool

  var isAnonymous: Bool { form == .anonymousKey || form == .anonymousBearer }

  var kept: Secret {
    var node: JSONNode = [
      "form": .string(form.rawValue), "secret": .string(secret.reveal()), "backend": .string(backend),
      "namesBackend": .bool(namesBackend),
    ]
    if let key { node["key"] = .string(key.reveal()) }
    if let user { node["user"] = .string(user) }
    if let expires { node["expires"] = .integer(expires.milliseconds) }
    return Secret(String(decoding: node.encoded(), as: UTF8.self))
  }

  /// Reads `kept` again; nil when it is something else or belongs to another backend.
  init?(kept: Secret, backend: String) {
    guard let root = try? JSONDocument(Array(kept.reveal().utf8)).root,
      let form = root["form"].string.flatMap(Form.init), let secret = root["secret"].string,
      root["backend"].string == backend
    else { return nil }
    self.init(
      form: form, secret: Secret(secret), key: root["key"].string.map(Secret.init), user: root["user"].string,
      expires: root["expires"].int.map { Timestamp(milliseconds: Int64($0)) }, backend: backend,
      namesBackend: root["namesBackend"].bool ?? false)
  }

  init(
    form: Form, secret: Secret, key: Secret? = nil, user: String? = nil, expires: Timestamp? = nil, backend: String,
    namesBackend: Bool
  ) {
    self.form = form
    self.secret = secret
    self.key = key
    self.user = user
    self.expires = expires
    self.backend = backend
    self.namesBackend = namesBackend
  }
}
