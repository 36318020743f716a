public import Model
public import Wire

/// A server with an id and a secret of its own: tokens without registration and checks, and questions about the tokens
/// of others.
public struct ConfidentialClient: Sendable {
  public let manager: AuthorizationManager

  /// - Parameters:
  ///   - address: `https://HOST/mfp`.
  ///   - name: Under which its tokens are kept.
  public init(
    id: String, secret: Secret, address: String, name: String = "confidential", transport: any Transport,
    surroundings: Surroundings
  ) throws(ServiceError) {
    manager = try AuthorizationManager(
      address: address, client: .confidential(id: id, secret: .literal(secret)), name: name, transport: transport,
      surroundings: surroundings, handler: ChallengeHandlers(), wantsRefresh: false)
  }

  /// A token for scope elements that the server allows this client.
  public func token(scope: Scope) async throws(ServiceError) -> AccessToken {
    try await manager.accessToken(for: scope)
  }

  /// What the server says of a token; needs the scope `authorization.introspect`.
  public func introspect(_ token: Secret) async throws(ServiceError) -> Introspection {
    try await manager.introspect(token)
  }
}

/// Guards a resource of one's own: asks the authorization server about each token that comes with a request.
///
/// - SeeAlso: reference/mobilefirst.md section 4, the filter in front of an external resource.
public struct TokenFilter: Sendable {
  public enum Verdict: Sendable, Hashable {
    case pass(Introspection)
    /// The answer in place of the resource's own.
    case refuse(status: Int, header: String, value: String)
  }

  private let client: ConfidentialClient

  public init(_ client: ConfidentialClient) { self.client = client }

  /// - Parameter authorization: The request's `Authorization` header.
  /// - Throws: What asking throws when the authorization server cannot be asked, or refuses this client.
  public func verdict(
    on authorization: Secret?, scope: Scope
  ) async throws(ServiceError) -> Verdict {
    let words = authorization?.reveal().split(separator: " ", maxSplits: 1) ?? []
    guard words.count == 2, words[0].lowercased() == "bearer" else { return Self.unauthorized("Bearer") }
    let introspection: Introspection
    do throws(ServiceError) {
      introspection = try await client.introspect(Secret(String(words[1])))
    } catch {
      guard error.code == .conflict else { throw error }
      return .refuse(status: 409, header: "MFP-Conflict", value: "true")
    }
    guard introspection.isActive else { return Self.unauthorized(#"Bearer error="invalid_token""#) }
    guard introspection.scope?.covers(scope) ?? false else {
      return .refuse(
        status: 403, header: "WWW-Authenticate", value: #"Bearer error="insufficient_scope", scope="\#(scope)""#)
    }
    return .pass(introspection)
  }

  private static func unauthorized(_ value: String) -> Verdict {
    .refuse(status: 401, header: "WWW-Authenticate", value: value)
  }
}
