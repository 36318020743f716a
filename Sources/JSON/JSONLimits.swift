/// How much a document may hold; what exceeds it is refused before memory is spent on it.
public struct JSONLimits: Sendable, Equatable {
  public static let standard = JSONLimits()

  /// Bytes of text; at most 256 MiB - 1.
  public var maxBytes: Int
  /// Arrays and objects inside each other; at most 1024, as in simdjson.
  public var maxDepth: Int
  /// Values and member names together; 16 bytes of memory each.
  public var maxNodes: Int

  public init(maxBytes: Int = 64 << 20, maxDepth: Int = 512, maxNodes: Int = 16 << 20) {
    self.maxBytes = maxBytes
    self.maxDepth = maxDepth
    self.maxNodes = maxNodes
  }
}
