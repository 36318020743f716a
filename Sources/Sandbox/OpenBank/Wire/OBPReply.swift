import JSON

/// What a handler answers, before headers and the version's spelling of JSON.
struct OBPReply: Sendable {
  enum Body: Sendable {
    case none
    case json(JSONNode)
    /// For long lists, written without building them first.
    case written(@Sendable (inout JSONWriter) -> Void)
  }

  var status = 200
  var body: Body
  /// Offset and limit of a paged answer, echoed as `Range: items=OFFSET-LIMIT`.
  var range: (offset: Int, limit: Int)?

  static func ok(_ node: JSONNode) -> OBPReply { OBPReply(body: .json(node)) }
  static func created(_ node: JSONNode) -> OBPReply { OBPReply(status: 201, body: .json(node)) }
  static let deleted = OBPReply(status: 204, body: .none)

  func bytes(pretty: Bool) -> [UInt8] {
    switch body {
    case .none: return []
    case .json(let node): return node.encoded(pretty: pretty)
    case .written(let write):
      var writer = JSONWriter(pretty: pretty)
      write(&writer)
      return writer.bytes
    }
  }
}
