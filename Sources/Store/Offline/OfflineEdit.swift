import JSON
import Model

/// An edit that waits to be sent.
package struct OfflineEdit: Sendable, Equatable {
  package enum Operation: String, Sendable, CaseIterable { case create, update, delete }

  package enum State: String, Sendable, CaseIterable {
    case waiting
    /// Made but not submitted: it stays here until somebody says that it may go.
    case draft
    /// The server holds something else by now; a person decides.
    case conflict
    /// The server refused it for good.
    case refused
  }

  /// Given by the store; ascends, and never comes twice.
  package internal(set) var id: Int64 = 0
  package let set: String
  package var operation: Operation
  /// Key of the row; of one that does not exist yet, what the store calls it meanwhile.
  package let key: String
  /// Properties to send: those that change, or all of a new row.
  package var properties: [JSONNode.Member]
  /// The row as it stood here when the edit was made; empty for a new row.
  package let base: [JSONNode.Member]
  /// What the server must still hold; nil to send without a condition.
  package var tag: String?
  /// The row had an earlier edit waiting: the tag is the one that edit's answer brings.
  package var follows: Bool
  /// Sent with each attempt, so that the server executes it once.
  package var requestID: String
  package let queued: Timestamp
  package var state = State.waiting
  package var attempts = 0
  /// An attempt went out and no answer came: it may have been executed.
  package var isUnanswered = false
  package var error: String?
  /// What the server answered when it did not take it, and when.
  package var status: Int?
  package var refused: Timestamp?

  package init(
    set: String, operation: Operation, key: String, properties: [JSONNode.Member], base: [JSONNode.Member] = [],
    tag: String?, follows: Bool, requestID: String, queued: Timestamp
  ) {
    self.set = set
    self.operation = operation
    self.key = key
    self.properties = properties
    self.base = base
    self.tag = tag
    self.follows = follows
    self.requestID = requestID
    self.queued = queued
  }

  var bytes: [UInt8] {
    let node: JSONNode = .object([
      JSONNode.Member(key: "set", value: .string(set)),
      JSONNode.Member(key: "operation", value: .string(operation.rawValue)),
      JSONNode.Member(key: "key", value: .string(key)),
      JSONNode.Member(key: "properties", value: .object(properties)),
      JSONNode.Member(key: "base", value: .object(base)),
      JSONNode.Member(key: "tag", value: tag.map { .string($0) } ?? .null),
      JSONNode.Member(key: "follows", value: .bool(follows)),
      JSONNode.Member(key: "request", value: .string(requestID)),
      JSONNode.Member(key: "queued", value: .integer(queued.milliseconds)),
      JSONNode.Member(key: "state", value: .string(state.rawValue)),
      JSONNode.Member(key: "attempts", value: .int(attempts)),
      JSONNode.Member(key: "unanswered", value: .bool(isUnanswered)),
      JSONNode.Member(key: "error", value: error.map { .string($0) } ?? .null),
      JSONNode.Member(key: "status", value: status.map { .int($0) } ?? .null),
      JSONNode.Member(key: "refused", value: refused.map { .integer($0.milliseconds) } ?? .null),
    ])
    return node.encoded()
  }

  init?(id: Int64, bytes: [UInt8]) {
    guard let root = (try? JSONDocument(bytes))?.root, let set = root["set"].string,
      let operation = root["operation"].string.flatMap(Operation.init), let key = root["key"].string,
      let requestID = root["request"].string, let queued = root["queued"].int,
      let state = root["state"].string.flatMap(State.init)
    else { return nil }
    self.init(
      set: set, operation: operation, key: key,
      properties: Self.members(root["properties"]), base: Self.members(root["base"]), tag: root["tag"].string,
      follows: root["follows"].bool ?? false, requestID: requestID, queued: Timestamp(milliseconds: Int64(queued)))
    self.id = id
    self.state = state
    attempts = root["attempts"].int ?? 0
    isUnanswered = root["unanswered"].bool ?? false
    error = root["error"].string
    status = root["status"].int
    refused = root["refused"].int.map { Timestamp(milliseconds: Int64($0)) }
  }

  private static func members(_ object: JSONValue) -> [JSONNode.Member] {
    object.members.map { JSONNode.Member(key: $0.key, value: $0.value.node()) }
  }
}
