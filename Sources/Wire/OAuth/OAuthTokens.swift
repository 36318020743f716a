import JSON
public import Model

/// What a token endpoint gave out.
public struct OAuthTokens: Sendable {
  public var access: Secret
  /// Nil where the server sent none; the old one then stays valid.
  public var refresh: Secret?
  public var id: Secret?
  /// `Bearer`, as a rule.
  public var type: String
  /// Nil where the server does not say.
  public var expires: Timestamp?
  public var refreshExpires: Timestamp?
  public var scope: String?

  public init(
    access: Secret, refresh: Secret? = nil, id: Secret? = nil, type: String = "Bearer", expires: Timestamp? = nil,
    refreshExpires: Timestamp? = nil, scope: String? = nil
  ) {
    self.access = access
    self.refresh = refresh
    self.id = id
    self.type = type
    self.expires = expires
    self.refreshExpires = refreshExpires
    self.scope = scope
  }

  /// Whether it ends within `margin` seconds.
  public func isStale(at now: Timestamp, margin: Int64 = 20) -> Bool {
    expires.map { $0 <= now.adding(seconds: margin) } ?? false
  }

  /// Some servers write numbers as texts; a refresh life of 0 has no end.
  init(_ response: HTTPResponse, now: Timestamp) throws(OAuthError) {
    guard response.isSuccess else { throw OAuthError(response) }
    guard let root = try? JSONDocument(response.body).root, root.kind == .object else {
      throw OAuthError(.unreadable, "the answer is not JSON", status: response.status)
    }
    if root["error"].string != nil { throw OAuthError(response) }
    guard let access = root["access_token"].string, !access.isEmpty else {
      throw OAuthError(.unreadable, "the answer holds no access_token", status: response.status)
    }
    func expiry(_ key: String) -> Timestamp? {
      root[key].numberText.flatMap { Double($0) }.flatMap { $0 > 0 && $0 < 1e10 ? now.adding(seconds: Int64($0)) : nil }
    }
    func secret(_ key: String) -> Secret? { root[key].string.flatMap { $0.isEmpty ? nil : Secret($0) } }
    self.init(
      access: Secret(access), refresh: secret("refresh_token"), id: secret("id_token"),
      type: root["token_type"].string ?? "Bearer", expires: expiry("expires_in"),
      refreshExpires: expiry("refresh_expires_in"), scope: root["scope"].string)
  }
}
