internal import CSimdjson

/// A JSON text, parsed once and kept as received.
///
/// It never changes after `init`, so any number of threads may read it. A byte order mark at the front is skipped.
/// Values are views into it: text and numbers are copied out of `bytes` only where they are asked for.
public final class JSONDocument: Sendable {
  /// The text exactly as given.
  public let bytes: [UInt8]
  /// Values and names in source order; see `csimdjson_node`.
  let nodes: [csimdjson_node]

  /// - Throws: `JSONError` that names the first byte which is wrong.
  public init(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
    guard bytes.count <= limits.maxBytes else {
      throw JSONError(.tooLarge, "the text has \(bytes.count) bytes, more than the \(limits.maxBytes) allowed")
    }
    self.bytes = bytes
    nodes = try Self.parse(bytes, limits).get()
  }

  public convenience init(_ text: String, limits: JSONLimits = .standard) throws(JSONError) {
    try self.init([UInt8](text.utf8), limits: limits)
  }

  public var root: JSONValue { JSONValue(self, 0) }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func parse(_ bytes: [UInt8], _ limits: JSONLimits) -> Result<[csimdjson_node], JSONError> {
    let base = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    var failure = csimdjson_failure()
    let nodes = bytes.withUnsafeBufferPointer { source -> [csimdjson_node] in
      guard let start = source.baseAddress, source.count > base else {
        failure.status = CSIMDJSON_EMPTY
        return []
      }
      let (text, count) = (start + base, source.count - base)
      guard let tokens = csimdjson_scan(text, count, &failure) else { return [] }
      defer { csimdjson_release(tokens) }
      let capacity = min(Int(csimdjson_node_bound(tokens)), max(limits.maxNodes, 0))
      let depth = max(limits.maxDepth, 0)
      return Array(unsafeUninitializedCapacity: capacity) { nodes, made in
        guard let first = nodes.baseAddress else {
          failure.status = CSIMDJSON_TOO_MANY
          return
        }
        made = csimdjson_build(tokens, text, count, depth, first, capacity, &failure)
      }
    }
    guard failure.status == CSIMDJSON_OK else { return .failure(JSONError(failure, in: bytes, from: base)) }
    guard base > 0 else { return .success(nodes) }
    return .success(nodes.map { $0.moved(by: UInt32(base)) })
  }
}

extension csimdjson_node {
  fileprivate func moved(by distance: UInt32) -> csimdjson_node {
    var node = self
    node.start += distance
    node.end += distance
    return node
  }
}

extension JSONDocument {
  /// The text between the brackets, quotes or digits of a node, without copying.
  func withText<Result>(of node: csimdjson_node, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)])) }
  }

  /// The text of a string node. A half of a surrogate pair that stands alone becomes U+FFFD, as no `String` can hold it.
  func string(_ node: csimdjson_node) -> String {
    withText(of: node) { text in
      csimdjson_node_escaped(node) ? JSONEscapes.decoded(text) : String(decoding: text, as: UTF8.self)
    }
  }
}
