import FoundationEssentials
import Model
import Wire

/// A request of one's own as it may go out, made by ``OpenBankSession/authorized(_:)``.
public struct AuthorizedRequest: Sendable {
  public let request: HTTPRequest
  /// What goes with it; nil for a session without a method.
  let token: OpenBankToken?
}

extension OpenBankSession {
  /// The request with the session's authorisation (`authorizeURLRequest:andWrapErrorHandler:` of OBPKit).
  ///
  /// The last step before it is sent, as a signature covers everything else. A session without a method adds nothing.
  ///
  /// - Throws: `.signInNeeded` without a live token; `.usage` for an address of another server, which gets no token.
  public func authorized(_ request: HTTPRequest) async throws(ServiceError) -> AuthorizedRequest {
    let operation = request.label ?? "authorize a request"
    guard method != .none else { return AuthorizedRequest(request: request, token: nil) }
    guard isOwn(request.url) else {
      throw ServiceError(
        .usage, operation, detail: "“\(request.url.absoluteString)” is not at \(settings.server.base)",
        remedy: "Use the session of that server.")
    }
    guard let token = try await token() else { throw ServiceError(.signInNeeded, operation) }
    let header = try await authorization(of: request.method, request.url.absoluteString, operation, with: token)
    var request = request
    request.headers[header.name] = header.value
    return AuthorizedRequest(request: request, token: token)
  }

  /// Hears what came back for a request, so that a token that has died ends the session.
  ///
  /// - Throws: The server's refusal in its words, without the token; nothing for a success.
  public func check(_ response: HTTPResponse, to sent: AuthorizedRequest) async throws(ServiceError) {
    guard !response.isSuccess else { return }
    let error = OpenBankFault(response).error(
      sent.request.label ?? "send a request", token: sent.token, isRead: sent.request.method == "GET")
    if error.code == .signInNeeded, let token = sent.token { await invalidate(token) }
    throw error
  }

  private func isOwn(_ url: URL) -> Bool {
    [settings.server.base, settings.server.authOrigin].contains { url.absoluteString.hasPrefix($0 + "/") }
  }
}

/// The same with a completion that arrives on the main actor.
extension OpenBankSession {
  @discardableResult
  public func authorized(
    _ request: HTTPRequest, _ completion: @escaping Completion<AuthorizedRequest>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.authorized(request) }
  }

  @discardableResult
  public func check(
    _ response: HTTPResponse, to sent: AuthorizedRequest, _ completion: @escaping Completion<Void>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) in try await self.check(response, to: sent) }
  }
}
