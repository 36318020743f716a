/// What a back end needs from a person, as data: the browser answers it with a dialog, a command with a prompt.
public struct Question: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// Fields to fill in, such as a user name and a password, or a security check's answer.
    case form([FormField], submit: String)
    /// Open this page and come back; ends when the back end has what it waits for, or is cancelled.
    case browser(url: String)
    /// Type this code at this address on any device; ends like `browser`.
    case device(code: String, url: String, expires: Timestamp?)
    /// Yes or no; `destructive` when yes loses something, and then yes is never the default.
    case confirmation(accept: String, isDestructive: Bool)
    /// One of several ways to go on, such as theirs / mine / keep both.
    case choice([FormField.Choice])
  }

  public let connection: String
  public let title: String
  /// What is asked and why, in a sentence or two.
  public let message: String
  public let kind: Kind
  /// Tries that are left, when the server says so.
  public let attemptsLeft: Int?
  /// Why the last answer did not do; nil at the first time.
  public let failure: String?

  public init(
    connection: String, title: String, message: String, kind: Kind, attemptsLeft: Int? = nil, failure: String? = nil
  ) {
    self.connection = connection
    self.title = title
    self.message = message
    self.kind = kind
    self.attemptsLeft = attemptsLeft
    self.failure = failure
  }
}

/// What a person said. Cancelling is not an answer but the error `ServiceError.cancelled`.
public enum Answer: Sendable, Hashable {
  /// Values by field id; every one is a `Secret`, since any of them may be.
  case fields([String: Secret])
  case accepted
  case chosen(String)
}

/// Puts questions to a person. A question cannot be forgotten: it is answered, cancelled by the person, or withdrawn
/// by cancelling the task that asks.
public protocol Asker: Sendable {
  /// - Throws: `.cancelled` when the person cancels or the task is cancelled; `.signInNeeded` where nobody can be asked.
  func ask(_ question: Question) async throws(ServiceError) -> Answer
}

/// How a person wants to sign in.
public struct SignInRequest: Sendable, Hashable {
  public enum Page: Sendable, Hashable {
    /// Open the system's browser and wait on a loopback port.
    case open
    /// Only print the address and wait.
    case print
    /// The device grant.
    case device
    /// Print the address and read a verifier.
    case outOfBand
  }
  public var user: String?
  public var password: Secret?
  /// A third-party token to exchange.
  public var token: Secret?
  public var page: Page
  /// One security check to sign in to; nil for the connection itself.
  public var check: String?

  public init(
    user: String? = nil, password: Secret? = nil, token: Secret? = nil, page: Page = .open, check: String? = nil
  ) {
    self.user = user
    self.password = password
    self.token = token
    self.page = page
    self.check = check
  }
}

public struct SignOutRequest: Sendable, Hashable {
  /// Also delete the registration of this device or application.
  public var unregisters: Bool
  public var check: String?
  public init(unregisters: Bool = false, check: String? = nil) {
    self.unregisters = unregisters
    self.check = check
  }
}

/// Who a connection is to its server.
public struct SignInState: Sendable, Hashable {
  public var isSignedIn: Bool
  public var user: String?
  /// When the token ends; nil when the server does not say.
  public var expires: Timestamp?
  /// The method used: `direct`, `basic`, `pkce`…
  public var method: String?
  public init(isSignedIn: Bool, user: String? = nil, expires: Timestamp? = nil, method: String? = nil) {
    self.isSignedIn = isSignedIn
    self.user = user
    self.expires = expires
    self.method = method
  }
}
