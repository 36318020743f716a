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
    // A precondition that failed means a change; any other conflict says itself what it is.
    let standsAlone = code.standsAlone || code == .conflict && status != 412
    if let detail, !detail.isEmpty { text = standsAlone ? detail : "\(text): \(detail)" }
    if let serverCode, !text.contains(serverCode) { text += " [\(serverCode)]" }
    return text
  }

  /// Where an error is shown: keys help in the browser, commands on a command line.
  public enum Place: Sendable, CaseIterable { case browser, command }

  /// How to go on, for somebody in the browser.
  public var advice: String { advice(at: .browser) }

  public func advice(at place: Place) -> String { remedy ?? code.advice(at: place) }

  /// The whole thing in words, for a message line or a dialog.
  public var message: String { message(at: .browser) }

  public func message(at place: Place) -> String { "Could not \(operation): \(reason). \(advice(at: place))" }

  /// The same as one line of a command: `WHAT: WHY (HOW TO GO ON)`.
  public var line: String {
    var how = advice(at: .command)
    if how.hasSuffix(".") { how.removeLast() }
    return "could not \(operation): \(reason) (\(how))"
  }

  /// The same error about something else being done; used where a lower part's words are replaced once.
  public func during(_ operation: String) -> ServiceError {
    ServiceError(
      code, operation, detail: detail, remedy: remedy, status: status, serverCode: serverCode, cause: cause)
  }

  /// The same error with status and code of the answer that led to it, where it has none of its own.
  public func following(_ first: ServiceError) -> ServiceError {
    guard status == nil, serverCode == nil else { return self }
    return ServiceError(
      code, operation, detail: detail, remedy: remedy, status: first.status, serverCode: first.serverCode,
      cause: cause ?? first)
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
  /// A listing of what holds nothing.
  public static func noContainer(_ location: Location) -> ServiceError {
    ServiceError(
      .usage, "list \(location)", detail: "there is nothing below it", remedy: "Show it with: atrium show.")
  }
  /// A look at the fields of what has none.
  public static func noItem(_ location: Location) -> ServiceError {
    ServiceError(.usage, "show \(location)", detail: "it is a list", remedy: "List it with: atrium ls.")
  }
  public static func notFound(_ location: Location) -> ServiceError {
    ServiceError(.notFound, "open \(location)", remedy: "Check the path, or list the level above it.")
  }
}

extension ServiceError.Code {
  /// Whether the detail says it all, without the code's own words before it.
  var standsAlone: Bool { [.failed, .usage, .configuration, .notOffered].contains(self) }

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

  func advice(at place: ServiceError.Place) -> String {
    switch (self, place) {
    case (.failed, .browser): "Read the answer in the exchange log (x), change the input and try again."
    case (.failed, .command): "Change the input and try again; --trace FILE keeps the answer."
    case (.forbidden, _): "Ask the owner for access, or sign in as somebody else."
    case (.usage, _): "See --help."
    case (.configuration, _): "Correct the file and try again."
    case (.insecure, _): "Use https, or set allowInsecure: true for this connection."
    case (.signInNeeded, .browser): "Sign in and try again."
    case (.signInNeeded, .command): "Sign in with: atrium login CONNECTION."
    case (.signInRefused, _): "Check the name and the password and sign in again."
    case (.vaultLocked, _): "Unlock it with: atrium vault unlock."
    case (.notFound, _): "Check the name, or list the level above it."
    case (.unreachable, _): "Check the address and the network, then try again."
    case (.timedOut, _): "Try again, or set a longer timeout for this connection."
    case (.brokenOff, _): "Try again."
    case (.serverFault, .browser): "Try again later; the exchange log (x) holds the answer."
    case (.serverFault, .command): "Try again later; --trace FILE keeps the answer."
    case (.unreadable, .browser):
      "Check that the address is this kind of server; the exchange log (x) holds the answer."
    case (.unreadable, .command): "Check that the address is this kind of server; --trace FILE keeps the answer."
    case (.busy, _): "Wait a while and try again."
    case (.tooLarge, .browser): "Ask for less at a time."
    case (.tooLarge, .command): "Ask for fewer rows with --limit."
    case (.offline, _): "Leave out --offline."
    case (.conflict, _): "Load it again, look at the change, and decide."
    case (.notOffered, .browser): "Look at the actions offered here (a)."
    case (.notOffered, .command): "See what is offered with: atrium do LOCATION."
    case (.readOnly, _): "Remove readOnly from the connection if writing is meant."
    case (.redirected, _): "If the new address is right, put it into the configuration."
    case (.cancelled, _): "Nothing was changed."
    }
  }
}
