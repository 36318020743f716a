/// What failed, why, and what to do about it.
public struct ServiceError: Error, Sendable {
  public enum Code: String, Sendable, CaseIterable {
    case failed, forbidden, usage, configuration, insecure
    case signInNeeded, signInRefused, vaultLocked
    case notFound
    case unreachable, timedOut, brokenOff, serverFault, unreadable, busy, tooLarge, offline
    case conflict
    case notOffered, readOnly, redirected
    case cancelled
  }

  public let code: Code
  /// What was being done, in the user's words: "load the accounts of Rainbow Bank".
  public let operation: String
  /// The back end's own text, cleaned of secrets, or the exact reason.
  public let detail: String?
  /// How to go on, when this case knows better than its code.
  public let remedy: String?
  /// HTTP status, when there was one.
  public let status: Int?
  /// The server's own code, such as `OBP-20001`.
  public let serverCode: String?
  /// Kept for the log; never shown.
  public let cause: (any Error)?

  public init(
    _ code: Code, _ operation: String, detail: String? = nil, remedy: String? = nil, status: Int? = nil,
    serverCode: String? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.operation = operation
    self.detail = detail
    self.remedy = remedy
    self.status = status
    self.serverCode = serverCode
    self.cause = cause
  }

  /// Why it failed, without a full stop: the code's own words, then the server's.
  public var reason: String {
    var text = code.reason
    if let detail, !detail.isEmpty { text = code.standsAlone ? detail : "\(text): \(detail)" }
    if let serverCode, !text.contains(serverCode) { text += " [\(serverCode)]" }
    return text
  }

  public var advice: String { remedy ?? code.advice }

  /// The whole thing in words, for a message line or a dialog.
  public var message: String { "Could not \(operation): \(reason). \(advice)" }

  /// The same as one line of a command: `WHAT: WHY (HOW TO GO ON)`.
  public var line: String {
    var how = advice
    if how.hasSuffix(".") { how.removeLast() }
    return "could not \(operation): \(reason) (\(how))"
  }

  /// The same error about something else being done; used where a lower part's words are replaced once.
  public func during(_ operation: String) -> ServiceError {
    ServiceError(
      code, operation, detail: detail, remedy: remedy, status: status, serverCode: serverCode, cause: cause)
  }
}

extension ServiceError: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { message }
  public var debugDescription: String {
    "\(code.rawValue) status=\(status.map(String.init) ?? "-") \(message) cause=\(cause.map { "\($0)" } ?? "-")"
  }
}

extension ServiceError {
  public static func cancelled(_ operation: String) -> ServiceError { ServiceError(.cancelled, operation) }
  public static func notOffered(_ operation: String, _ detail: String? = nil) -> ServiceError {
    ServiceError(.notOffered, operation, detail: detail)
  }
  public static func notFound(_ location: Location) -> ServiceError {
    ServiceError(.notFound, "open \(location)", remedy: "Check the path, or list the level above it.")
  }
}

extension ServiceError.Code {
  /// Whether the detail says it all, without the code's own words before it.
  var standsAlone: Bool { self == .failed || self == .usage || self == .configuration || self == .notOffered }

  var reason: String {
    switch self {
    case .failed: "the server refused"
    case .forbidden: "this is not permitted"
    case .usage: "that is not how it is used"
    case .configuration: "the configuration is wrong"
    case .insecure: "the connection would not be encrypted"
    case .signInNeeded: "you are not signed in"
    case .signInRefused: "the sign-in was refused"
    case .vaultLocked: "the vault is locked"
    case .notFound: "there is no such thing"
    case .unreachable: "the server could not be reached"
    case .timedOut: "the server did not answer in time"
    case .brokenOff: "the connection broke off"
    case .serverFault: "the server had an error of its own"
    case .unreadable: "the answer could not be read"
    case .busy: "the server is too busy"
    case .tooLarge: "the answer is too large"
    case .offline: "this needs the server, and Atrium is offline"
    case .conflict: "it was changed meanwhile"
    case .notOffered: "this is not offered here"
    case .readOnly: "this connection is read-only"
    case .redirected: "the server points somewhere else"
    case .cancelled: "it was cancelled"
    }
  }

  var advice: String {
    switch self {
    case .failed: "Read the answer in the exchange log (x), change the input and try again."
    case .forbidden: "Ask the owner for access, or sign in as somebody else."
    case .usage: "See --help."
    case .configuration: "Correct the file and try again."
    case .insecure: "Use https, or set allowInsecure: true for this connection."
    case .signInNeeded: "Sign in with: atrium login CONNECTION."
    case .signInRefused: "Check the name and the password and sign in again."
    case .vaultLocked: "Unlock it with: atrium vault unlock."
    case .notFound: "Check the name, or list the level above it."
    case .unreachable: "Check the address and the network, then try again."
    case .timedOut: "Try again, or set a longer timeout for this connection."
    case .brokenOff: "Try again."
    case .serverFault: "Try again later; the exchange log holds the answer."
    case .unreadable: "Check that the address is this kind of server; --trace FILE keeps the answer."
    case .busy: "Wait a while and try again."
    case .tooLarge: "Ask for fewer rows with --limit."
    case .offline: "Leave out --offline."
    case .conflict: "Load it again, look at the change, and decide."
    case .notOffered: "Look at the actions offered here (a)."
    case .readOnly: "Remove readOnly from the connection if writing is meant."
    case .redirected: "If the new address is right, put it into the configuration."
    case .cancelled: "Nothing was changed."
    }
  }
}
