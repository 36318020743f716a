import JSON
import Model

/// What is known of a synchronised set beside its rows.
package struct OfflineSet: Sendable, Equatable {
  /// Its number in the file.
  let id: Int64
  package let name: String
  /// The server's link to what has changed since; nil when everything must be read.
  package var deltaLink: String?
  /// When it was last synchronised as a whole; nil before that.
  package var synced: Timestamp?
  /// How the back end describes it: keys, properties, types.
  package var description: JSONNode
  /// Names of properties, in the order of the cells of its rows.
  var names: [String]

  init(id: Int64, name: String) {
    self.id = id
    self.name = name
    description = .null
    names = []
  }

  var bytes: [UInt8] {
    let node: JSONNode = .object([
      JSONNode.Member(key: "name", value: .string(name)),
      JSONNode.Member(key: "delta", value: deltaLink.map { .string($0) } ?? .null),
      JSONNode.Member(key: "synced", value: synced.map { .integer($0.milliseconds) } ?? .null),
      JSONNode.Member(key: "names", value: .array(names.map { .string($0) })),
      JSONNode.Member(key: "description", value: description),
    ])
    return node.encoded()
  }

  init?(id: Int64, bytes: [UInt8]) {
    guard let root = (try? JSONDocument(bytes))?.root, let name = root["name"].string else { return nil }
    self.init(id: id, name: name)
    deltaLink = root["delta"].string
    synced = root["synced"].int.map { Timestamp(milliseconds: Int64($0)) }
    names = root["names"].elements.compactMap(\.string)
    description = root["description"].node()
  }
}

/// An edit that waits to be sent.
package struct OfflineEdit: Sendable, Equatable {
  package enum Operation: String, Sendable, CaseIterable { case create, update, delete }

  package enum State: String, Sendable, CaseIterable {
    case waiting
    /// The server holds something else by now; a person decides.
    case conflict
    /// The server refused it for good.
    case refused
  }

  /// Given by the store; ascends, and never comes twice.
  package internal(set) var id: Int64 = 0
  package let set: String
  package let operation: Operation
  /// Key of the row; of one that does not exist yet, what the store calls it meanwhile.
  package let key: String
  /// Properties to send: those that change, or all of a new row.
  package var properties: [JSONNode.Member]
  /// What the server must still hold; nil to send without a condition.
  package var tag: String?
  /// The row had an earlier edit waiting: the tag is the one that edit's answer brings.
  package var follows: Bool
  /// Sent with each attempt, so that the server executes it once.
  package let requestID: String
  package let queued: Timestamp
  package var state = State.waiting
  package var attempts = 0
  /// An attempt went out and no answer came: it may have been executed.
  package var isUnanswered = false
  package var error: String?

  package init(
    set: String, operation: Operation, key: String, properties: [JSONNode.Member], tag: String?, follows: Bool,
    requestID: String, queued: Timestamp
  ) {
    self.set = set
    self.operation = operation
    self.key = key
    self.properties = properties
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
      JSONNode.Member(key: "tag", value: tag.map { .string($0) } ?? .null),
      JSONNode.Member(key: "follows", value: .bool(follows)),
      JSONNode.Member(key: "request", value: .string(requestID)),
      JSONNode.Member(key: "queued", value: .integer(queued.milliseconds)),
      JSONNode.Member(key: "state", value: .string(state.rawValue)),
      JSONNode.Member(key: "attempts", value: .int(attempts)),
      JSONNode.Member(key: "unanswered", value: .bool(isUnanswered)),
      JSONNode.Member(key: "error", value: error.map { .string($0) } ?? .null),
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
      properties: root["properties"].members.map { JSONNode.Member(key: $0.key, value: $0.value.node()) },
      tag: root["tag"].string, follows: root["follows"].bool ?? false, requestID: requestID,
      queued: Timestamp(milliseconds: Int64(queued)))
    self.id = id
    self.state = state
    attempts = root["attempts"].int ?? 0
    isUnanswered = root["unanswered"].bool ?? false
    error = root["error"].string
  }
}
