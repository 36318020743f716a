internal import CSimdjson

/// A view of one value of a document; cheap to copy.
///
/// Looking up what is not there gives an absent value, never an error, so `root["a"][0]["b"].string` needs no checks on
/// the way. Names are compared byte by byte. Where an object holds a name twice, the last one counts, as in JavaScript;
/// `members` shows both.
public struct JSONValue: Sendable {
  public enum Kind: Sendable, CaseIterable {
    case absent, null, bool, number, string, array, object
  }

  /// What a lookup gives that finds nothing, for code that has no document at hand.
  public static let absent = JSONValue(nil, 0, missing: "")

  let document: JSONDocument?
  /// The node; of an absent value, the nearest one above that exists.
  let index: UInt32
  /// Of an absent value, the part of its path below `index`.
  private let missing: String?

  init(_ document: JSONDocument?, _ index: UInt32, missing: String? = nil) {
    self.document = document
    self.index = index
    self.missing = missing
  }

  /// The document and node of a value that exists.
  var place: (document: JSONDocument, node: csimdjson_node)? {
    guard missing == nil, let document else { return nil }
    return (document, document.nodes[Int(index)])
  }

  public var kind: Kind {
    guard let (_, node) = place else { return .absent }
    switch csimdjson_node_kind(node) {
    case CSIMDJSON_TRUE, CSIMDJSON_FALSE: return .bool
    case CSIMDJSON_NUMBER: return .number
    case CSIMDJSON_STRING: return .string
    case CSIMDJSON_ARRAY: return .array
    case CSIMDJSON_OBJECT: return .object
    default: return .null
    }
  }

  /// Whether the value stands in the document, be it null or not.
  public var exists: Bool { missing == nil && document != nil }
  public var isNull: Bool { kind == .null }

  /// Elements of an array or members of an object; 0 for all else.
  public var count: Int {
    guard let (_, node) = place, node.isContainer else { return 0 }
    return Int(csimdjson_node_count(node))
  }

  /// The member of that name; absent when there is none, or when this is no object.
  public subscript(key: String) -> JSONValue {
    guard let (document, node) = place, csimdjson_node_kind(node) == CSIMDJSON_OBJECT else { return absent(.key(key)) }
    var anyEscaped = false
    var key = key
    let found = key.withUTF8 { name in
      document.bytes.withUnsafeBufferPointer { bytes in
        document.nodes.withUnsafeBufferPointer { nodes in
          name.withMemoryRebound(to: CChar.self) {
            csimdjson_find(bytes.baseAddress, nodes.baseAddress, index, $0.baseAddress, $0.count, &anyEscaped)
          }
        }
      }
    }
    if anyEscaped, let last = members.last(where: { $0.key.utf8.elementsEqual(key.utf8) }) { return last.value }
    return found == 0 ? absent(.key(key)) : JSONValue(document, found)
  }

  /// The element at that index; absent when there is none, or when this is no array. Takes time by the index.
  public subscript(index: Int) -> JSONValue {
    guard index >= 0, index < count, kind == .array else { return absent(.index(index)) }
    var iterator = elements.makeIterator()
    for _ in 0..<index { _ = iterator.next() }
    return iterator.next() ?? absent(.index(index))
  }

  private func absent(_ step: JSONPath.Step) -> JSONValue {
    JSONValue(document, index, missing: (missing ?? "") + JSONPath.text(of: step))
  }

  /// Where this value stands, for example `$.accounts[3].balance`. Found by searching the document: for messages.
  public var path: String {
    guard let document else { return "$" + (missing ?? "") }
    return JSONPath.text(of: index, in: document) + (missing ?? "")
  }
}

extension csimdjson_node {
  var isContainer: Bool {
    let kind = csimdjson_node_kind(self)
    return kind == CSIMDJSON_ARRAY || kind == CSIMDJSON_OBJECT
  }
}
