public import Model

/// Why there is no answer.
public struct TransportError: Error, Sendable {
  public enum Code: Sendable, Equatable {
    /// No connection came about: no such host, refused, no route.
    case unreachable
    /// Nothing arrived for as long as the connection's timeout says.
    case timedOut
    /// The other side could not prove who it is, or refused our certificate.
    case tls
    /// The connection ended before the answer did.
    case brokenOff
    /// The answer, or its headers, are larger than we accept.
    case tooLarge
    /// The server points to an address where the request must not follow.
    case redirectRefused(target: String)
    /// Plain http to another machine.
    case insecure
    /// What arrived is not HTTP, or is not encoded as it says.
    case unreadable
    /// The server asks for a longer wait than we grant; seconds where it says how long.
    case busy(retryAfter: Int?)
    /// The request cannot be written: its address, a header, a setting.
    case badRequest
    /// The side that gives or takes the bytes failed; `cause` says why.
    case interrupted
    case cancelled
    /// Nothing may be sent just now.
    case offline
  }

  public let code: Code
  /// The exact reason, without secrets.
  public let detail: String
  public let cause: (any Error)?
  /// Number of the exchange in the log; 0 when there is none.
  public var exchange = 0
  /// HTTP status, when there was an answer.
  public var status: Int?

  public init(_ code: Code, _ detail: String, cause: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.cause = cause
  }

  /// The same in the words of the service layer.
  ///
  /// - Parameter operation: What was being done: "load the accounts of Rainbow Bank".
  public func serviceError(_ operation: String) -> ServiceError {
    if code == .interrupted, let cause = cause as? ServiceError { return cause }
    return ServiceError(serviceCode, operation, detail: detail, remedy: remedy, status: status, cause: self)
  }

  private var remedy: String? {
    guard code == .tls else { return nil }
    // libcurl's own word for a key that is none of `CURLOPT_PINNEDPUBLICKEY`.
    if detail.contains("pinned public key") {
      return "If the server has a new key, name its hash under tls.pins of the connection; else somebody is in between."
    }
    return "If the server is right, name the file of its authority as tls.ca of the connection; else check its address."
  }

  private var serviceCode: ServiceError.Code {
    switch code {
    case .unreachable, .tls: .unreachable
    case .timedOut: .timedOut
    case .brokenOff: .brokenOff
    case .tooLarge: .tooLarge
    case .redirectRefused: .redirected
    case .insecure: .insecure
    case .unreadable: .unreadable
    case .busy: .busy
    case .badRequest: .configuration
    case .interrupted: .failed
    case .cancelled: .cancelled
    case .offline: .offline
    }
  }
}

extension TransportError: CustomStringConvertible {
  public var description: String { "\(code): \(detail)" }
}
