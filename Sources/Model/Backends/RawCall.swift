/// A request a person writes by hand, sent with the connection's base address and authorisation.
public struct RawCall: Sendable {
  public var method: String
  /// Appended to the connection's address; may hold a query.
  public var path: String
  public var headers: [(name: String, value: String)]
  public var body: (any ByteSource)?
  /// Without authorisation.
  public var isPublic: Bool
  /// Statuses that count as done; nil for all of 200…299.
  public var expected: Set<Int>?

  public init(
    _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: (any ByteSource)? = nil,
    isPublic: Bool = false, expected: Set<Int>? = nil
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
    self.isPublic = isPublic
    self.expected = expected
  }

  public func accepts(_ status: Int) -> Bool { expected?.contains(status) ?? (200...299).contains(status) }

  /// Whether it changes nothing by what its method promises.
  public var isSafe: Bool { method == "GET" || method == "HEAD" }
}

/// Head of the answer to a raw call; its body went to the sink, whatever the status.
public struct RawReply: Sendable {
  public let status: Int
  /// `HTTP/1.1`, `HTTP/2`.
  public let version: String
  public let headers: [(name: String, value: String)]
  /// The server's own code for a refusal, where the beginning of the body has one.
  public let serverCode: String?

  public init(status: Int, version: String, headers: [(name: String, value: String)], serverCode: String? = nil) {
    self.status = status
    self.version = version
    self.headers = headers
    self.serverCode = serverCode
  }
}
