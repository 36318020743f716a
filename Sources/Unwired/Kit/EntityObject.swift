import JSON
import Model
import Store

/// A row of a synchronised set, with what waits to be sent about it (a mobile business object).
public struct EntityObject: Sendable, Equatable {
  public let set: String
  /// As a location writes it; nil for one that was never saved.
  public internal(set) var key: String?
  /// Properties in the server's order.
  public internal(set) var properties: [JSONNode.Member]
  /// The server's version tag.
  public internal(set) var tag: String?
  /// A change was saved here and not submitted yet, or submitted and not replayed yet.
  public internal(set) var isPending = false
  /// The kind of that change; nil for none.
  public internal(set) var pendingChange: PendingChange?
  /// The edit that was submitted and waits for its replay; nil for none.
  public internal(set) var replayPending: Int64?
  /// Why the last replay failed; nil unless one did.
  public internal(set) var replayFailure: LogRecord?

  /// A new row, which exists nowhere before it is saved.
  public init(in set: String, _ properties: [JSONNode.Member] = []) {
    self.set = set
    self.properties = properties
  }

  public var reference: EntityReference? { key.map { EntityReference(set: set, key: $0) } }

  public subscript(_ name: String) -> JSONNode? {
    get { properties.node(name) }
    set {
      if let index = properties.firstIndex(where: { $0.key == name }) {
        properties[index] = JSONNode.Member(key: name, value: newValue ?? .null)
      } else {
        properties.append(JSONNode.Member(key: name, value: newValue ?? .null))
      }
    }
  }
}

extension EntityObject {
  init(_ set: String, _ row: OfflineRow, _ edits: [OfflineEdit]) {
    self.init(in: set, row.properties)
    key = row.key
    tag = row.tag
    note(edits)
  }

  mutating func note(_ edits: [OfflineEdit]) {
    isPending = !edits.isEmpty
    pendingChange = edits.first?.change
    replayPending = edits.first { $0.state == .waiting }?.id
    replayFailure = edits.first { $0.state == .conflict || $0.state == .refused }?.logRecord
  }
}
