internal import CSimdjson

extension JSONWriter {
  public mutating func value(_ node: JSONNode) {
    switch node {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .number(let text): number(text)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key)
        value(member.value)
      }
      endObject()
    }
  }
}

extension JSONWriter {
  /// A value of a document, numbers digit for digit; an absent one is written as null.
  public mutating func value(_ value: JSONValue) {
    guard let (document, node) = value.place else { return null() }
    switch csimdjson_node_kind(node) {
    case CSIMDJSON_STRING:
      beforeValue()
      quote(node, in: document)
    case CSIMDJSON_ARRAY:
      beginArray()
      for element in value.elements { self.value(element) }
      endArray()
    case CSIMDJSON_OBJECT:
      beginObject()
      var members = value.members.makeIterator()
      while let (name, value) = members.nextNodes() {
        key { $0.quote(name, in: document) }
        self.value(value)
      }
      endObject()
    default:
      // Numbers, true, false and null go over as they are.
      beforeValue()
      document.withText(of: node) { copy($0) }
    }
  }

  /// A string without escapes can go over as it is too, as long as nothing in it could steer a terminal.
  private mutating func quote(_ node: csimdjson_node, in document: JSONDocument) {
    let isCopied = document.withText(of: node) { text in
      guard !csimdjson_node_escaped(node), !escapesControls || text.allSatisfy({ $0 < 0x7F }) else { return false }
      copyQuoted(text)
      return true
    }
    if !isCopied { quote(document.string(node)) }
  }
}
