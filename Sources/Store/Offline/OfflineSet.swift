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
