import JSON
public import Model

/// Why a sign-in at an authorisation server failed.
public struct OAuthError: Error, Sendable {
  public enum Code: Sendable, Equatable {
    /// The server's own word: `invalid_grant`, `access_denied`.
    case refused(String)
    /// The person took too long.
    case expired
    /// The answer belongs to another question: state, issuer or nonce differ, or a signature is wrong.
    case mismatch
    /// What the server says is not OAuth.
    case unreadable
    /// The server has no such endpoint.
    case notOffered
    /// No answer at all; `cause` is the `TransportError`.
    case transport
    case cancelled
  }

  public let code: Code
  /// The server's description, or the exact reason.
  public let detail: String
  /// HTTP status, 0 where there was none.
  public let status: Int
  public let cause: (any Error)?

  public init(_ code: Code, _ detail: String, status: Int = 0, cause: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.status = status
    self.cause = cause
  }

  init(_ error: TransportError) {
    self.init(error.code == .cancelled ? .cancelled : .transport, error.detail, cause: error)
  }

  /// Reads `{"error":…,"error_description":…}`, RFC 6749 section 5.2. Servers differ in the status, so the word counts.
  init(_ response: HTTPResponse) {
    guard let root = try? JSONDocument(response.body).root, let word = root["error"].string else {
      let reason = response.isSuccess ? "the answer is not JSON" : "status \(response.status) without an OAuth error"
      self.init(.unreadable, reason, status: response.status)
      return
    }
    self.init(.refused(word), root["error_description"].string ?? word, status: response.status)
  }

  /// The grant is used up or withdrawn: signing in anew is the way on.
  public var needsSignIn: Bool { code == .refused("invalid_grant") || code == .expired }

  /// The same in the words of the service layer.
  public func serviceError(_ operation: String) -> ServiceError {
    if let cause = cause as? TransportError { return cause.serviceError(operation) }
    let word: String? = if case .refused(let word) = code { word } else { nil }
    return ServiceError(
      serviceCode, operation, detail: detail, status: status == 0 ? nil : status, serverCode: word, cause: self)
  }

  private var serviceCode: ServiceError.Code {
    switch code {
    case .refused(let word):
      switch word {
      case "server_error": .serverFault
      case "temporarily_unavailable": .busy
      case "invalid_scope", "unsupported_grant_type", "unsupported_response_type", "invalid_request": .configuration
      default: .signInRefused
      }
    case .expired, .mismatch: .signInRefused
    case .unreadable: status >= 500 ? .serverFault : .unreadable
    case .notOffered: .notOffered
    case .transport: .unreachable
    case .cancelled: .cancelled
    }
  }
}

extension OAuthError: CustomStringConvertible {
  public var description: String { "\(code): \(detail)" }
}
