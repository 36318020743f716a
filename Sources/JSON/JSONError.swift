/// Why a text is not the JSON that was asked for, and where that shows.
public struct JSONError: Error, Sendable, Equatable {
  public enum Code: Sendable, CaseIterable {
    /// Nothing but white space.
    case empty
    /// More bytes, depth or values than the limits allow.
    case tooLarge, tooDeep, tooMany
    /// Bytes that are no UTF-8.
    case notUTF8
    /// The text ends before the document does.
    case unfinished
    /// The text breaks the grammar.
    case syntax
    /// A value that must be there is not, or is null.
    case missing
    /// A value is there, but of another kind.
    case mistyped
    case outOfMemory
  }

  public let code: Code
  /// Byte of the text, counted from 0, where the error shows.
  public let offset: Int?
  /// Line and column of `offset`, counted from 1; columns count characters (Unicode scalars).
  public let line: Int?
  public let column: Int?
  /// The value concerned, for example `$.accounts[3].balance`.
  public let path: String?
  /// What must be there, as a clause: "a comma or } must stand here".
  public let reason: String

  package init(
    _ code: Code, _ reason: String, offset: Int? = nil, line: Int? = nil, column: Int? = nil, path: String? = nil
  ) {
    self.code = code
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
    self.path = path
  }

  /// One sentence without a full stop: what is wrong and where.
  public var message: String {
    if let path { return "\(path) \(reason)" }
    guard let offset else { return "the JSON cannot be read: \(reason)" }
    guard let line, let column else { return "the JSON cannot be read at byte \(offset): \(reason)" }
    return "the JSON cannot be read at line \(line), column \(column) (byte \(offset)): \(reason)"
  }
}

extension JSONError: CustomStringConvertible {
  public var description: String { message }
}
