import Model

/// A token and what it is good for. Its text means nothing to a client.
public struct AccessToken: Sendable, Hashable {
  public let value: Secret
  public let scope: Scope
  public let expires: Timestamp
  public let refreshToken: Secret?

  public init(value: Secret, scope: Scope, expires: Timestamp, refreshToken: Secret? = nil) {
    self.value = value
    self.scope = scope
    self.expires = expires
    self.refreshToken = refreshToken
  }

  /// The value of the `Authorization` header.
  public var headerField: Secret { Secret("Bearer " + value.reveal()) }
  /// For a form, as RFC 6750 allows.
  public var formField: Secret { Secret("access_token=" + value.reveal()) }

  public func isAlive(at now: Timestamp) -> Bool { now < expires }
}
