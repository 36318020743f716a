import JSON
import Model
import Wire

/// A page of a list, with what the server says of the rest.
public struct Page<Entry: Sendable>: Sendable {
  public let entries: [Entry]
  /// Whether more follow; fewer entries than asked for do not mean the end.
  public let hasMore: Bool
  public let skipCount: Int
  /// Entries in all; nil when the server does not know.
  public let total: Int?
  /// The parent's entry, when it was asked for.
  public let source: Node?
  /// The answer as received.
  public let raw: RawAnswer

  /// - Throws: `.unreadable` when the answer holds no list of entries.
  init(_ reply: JSONReply, _ make: (JSONValue) -> Entry) throws(ServiceError) {
    let list = reply.root["list"]
    let pagination = list["pagination"]
    let rows = try list["entries"].rows("“entries”", reply.operation, status: reply.response.status)
    entries = rows.map { make($0["entry"].exists ? $0["entry"] : $0) }
    hasMore = pagination["hasMoreItems"].bool ?? false
    skipCount = min(max(pagination["skipCount"].int ?? 0, 0), 1 << 40)
    total = pagination["totalItems"].int
    source = list["source"].exists ? Node(list["source"]) : nil
    raw = reply.raw
  }
}

/// One entry with the answer that brought it.
public struct Entry<Value: Sendable>: Sendable {
  public let value: Value
  public let raw: RawAnswer

  /// - Throws: `.unreadable` when the answer holds no entry.
  init(_ reply: JSONReply, _ make: (JSONValue) -> Value) throws(ServiceError) {
    let entry = reply.root["entry"]
    guard entry.kind == .object else {
      throw ServiceError(
        .unreadable, reply.operation, detail: "the answer holds no entry", status: reply.response.status)
    }
    value = make(entry)
    raw = reply.raw
  }
}

/// Which part of a list is wanted.
public struct PageRequest: Sendable, Hashable {
  public var skip: Int
  public var limit: Int
  public init(skip: Int = 0, limit: Int = 100) {
    self.skip = skip
    self.limit = limit
  }

  var query: [(String, String)] { [("skipCount", String(skip)), ("maxItems", String(limit))] }
}
