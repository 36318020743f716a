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

extension JSONNode {
  /// Text, or null where there is none.
  static func text(_ value: String?) -> JSONNode { value.map { .string($0) } ?? .null }

  /// Text, or null where it is empty, as shapes derived from v1.2.1 write it.
  static func filled(_ value: String?) -> JSONNode { value.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null }

  static func list<Element>(_ elements: [Element], _ transform: (Element) -> JSONNode) -> JSONNode {
    .array(elements.map(transform))
  }

  static func double(_ value: Double) -> JSONNode { .number("\(value)") }

  /// A coordinate with at most five decimals, which is about a metre.
  static func degrees(_ value: Double) -> JSONNode { .number("\((value * 100_000).rounded() / 100_000)") }

  /// Money as every version writes it: the amount is a string.
  static func money(_ currency: String?, _ amount: String?) -> JSONNode {
    ["currency": .text(currency), "amount": .text(amount)]
  }
}
