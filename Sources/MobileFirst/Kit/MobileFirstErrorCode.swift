public import Model

/// The error codes of the product's own clients, for an error of this one.
public enum MobileFirstErrorCode: String, Sendable, CaseIterable {
  case unexpectedError = "UNEXPECTED_ERROR"
  case requestTimeout = "REQUEST_TIMEOUT"
  case authorizationFailure = "AUTHORIZATION_FAILURE"
  case challengeHandlingCanceled = "CHALLENGE_HANDLING_CANCELED"
  case missingChallengeHandler = "MISSING_CHALLENGE_HANDLER"
  case illegalArgument = "ILLEGAL_ARGUMENT_EXCEPTION"
  case loginAlreadyInProcess = "LOGIN_ALREADY_IN_PROCESS"
  case logoutAlreadyInProcess = "LOGOUT_ALREADY_IN_PROCESS"
  case applicationNotRegistered = "APPLICATION_NOT_REGISTERED"
  case minimumServer = "MINIMUM_SERVER"
  case serverError = "SERVER_ERROR"

  public init(_ error: ServiceError) {
    if let named = error.serverCode.flatMap(Self.init(rawValue:)) {
      self = named
      return
    }
    switch error.code {
    case .timedOut: self = .requestTimeout
    case .cancelled: self = .challengeHandlingCanceled
    case .signInNeeded, .signInRefused, .forbidden, .vaultLocked: self = .authorizationFailure
    case .usage, .configuration: self = .illegalArgument
    case .serverFault, .busy, .conflict: self = .serverError
    default: self = .unexpectedError
    }
  }
}
