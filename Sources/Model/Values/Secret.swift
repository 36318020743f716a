/// Text that must not be seen: a password, token, PIN, key. It never prints, whatever prints it.
public struct Secret: Sendable, Hashable {
  private let value: String

  public init(_ value: String) { self.value = value }

  /// The text itself; called where the header is written or the form is filled, nowhere else.
  public func reveal() -> String { value }

  public var isEmpty: Bool { value.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "«secret»" }
  public var debugDescription: String { description }
  /// Keeps `dump` quiet too.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a secret comes from, as configuration says it: the text itself or a place that holds it.
public enum SecretSource: Sendable, Hashable {
  case literal(Secret)
  /// An environment variable.
  case environment(String)
  /// A file; one trailing newline is not part of the secret.
  case file(String)
  /// A command and its arguments; the first line it prints.
  case command([String])
  /// An entry of the data vault.
  case vault(String)
}

/// Turns a source into the secret when it is needed, not before.
public protocol SecretResolver: Sendable {
  func resolve(_ source: SecretSource) async throws(ServiceError) -> Secret
}

/// Keeps what a sign-in obtained. Names are paths such as `bank/refresh-token`.
public protocol SecretKeeper: Sendable {
  /// Whether what is kept outlives this process.
  var isLasting: Bool { get }
  func secret(named name: String) async throws(ServiceError) -> Secret?
  func keep(_ secret: Secret, named name: String) async throws(ServiceError)
  func remove(named name: String) async throws(ServiceError)
}
