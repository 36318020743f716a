import JSON
import Model
import Wire

/// What the server says of a token.
public struct Introspection: Sendable, Hashable {
  public let isActive: Bool
  public let scope: Scope?
  public let clientID: String?
  public let user: String?
  public let expires: Timestamp?
}

extension AuthorizationManager {
  /// Asks about a token; for confidential clients that may `authorization.introspect`.
  ///
  /// A refusal of our own token is cured once, by a new one.
  public func introspect(_ token: Secret) async throws(ServiceError) -> Introspection {
    let operation = "ask about a token"
    let scope = Scope("authorization.introspect", addingStandard: false)
    var own = try await accessToken(for: scope)
    var response = try await ask(token, with: own, operation)
    if response.status == 401 {
      clear(own)
      own = try await accessToken(for: scope)
      response = try await ask(token, with: own, operation)
    }
    guard response.isSuccess else { throw server.refusal(response, operation) }
    let root = try JSONReply(response, operation).root
    return Introspection(
      isActive: root["active"].bool ?? false, scope: root["scope"].string.map { Scope($0, addingStandard: false) },
      clientID: root["client_id"].text, user: root["username"].text,
      expires: root["exp"].numberText.flatMap { Int64($0) }.map { Timestamp(seconds: $0) })
  }

  private func ask(
    _ token: Secret, with own: AccessToken, _ operation: String
  ) async throws(ServiceError) -> HTTPResponse {
    let fields = [(name: "token", value: token.reveal())]
    return try await server.postForm("az/v1/introspection", fields, authorization: own.headerField, operation)
  }
}
