internal import LockedMemory

/// Text that must not be seen: a password, token, PIN, key. It never prints, whatever prints it.
///
/// It lies in memory that is kept out of swap and core dumps where the system allows, and is wiped with the last copy.
/// What `reveal` returns is an ordinary text: it goes where it is needed at once and is kept nowhere.
public struct Secret: Sendable, Hashable {
  /// UTF-8; nil when there is none of it.
  private let bytes: LockedBytes?

  public init(_ value: String) {
    var value = value
    bytes = value.withUTF8 { text in text.isEmpty ? nil : LockedBytes(count: text.count) { $0.copyBytes(from: text) } }
  }

  /// - Parameter utf8: Copied; the caller wipes its own.
  public init(utf8: some Collection<UInt8>) {
    bytes = utf8.isEmpty ? nil : LockedBytes(count: utf8.count) { $0.copyBytes(from: utf8) }
  }

  /// The text itself; called where the header is written or the form is filled, nowhere else.
  public func reveal() -> String { withUTF8 { String(decoding: $0, as: UTF8.self) } }

  /// The text's bytes, valid during the call only.
  public func withUTF8<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let bytes else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return try bytes.withBytes(body)
  }

  public var isEmpty: Bool { bytes == nil }
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
