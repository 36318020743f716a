/// Writes JSON piece by piece, for listings too long to build as one value and for lines of NDJSON.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("name"); writer.string("Holiday savings")
///     writer.endObject()
///
/// Commas, colons and line breaks come by themselves. Between objects, `key` must precede each value; breaking that is
/// an error of the calling code and stops debug builds.
public struct JSONWriter: Sendable {
  private enum Container { case array, object }

  /// What was written and not yet taken.
  public private(set) var bytes: [UInt8] = []
  private let pretty: Bool
  private let escapingTerminalControls: Bool
  private var open: [Container] = []
  /// Whether the innermost container holds something already.
  private var hasElements = false
  private var afterKey = false

  public init(pretty: Bool = false, escapingTerminalControls: Bool = false) {
    self.pretty = pretty
    self.escapingTerminalControls = escapingTerminalControls
  }

  /// Hands over what was written so far and goes on with an empty buffer.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  public mutating func beginObject() { begin(.object, "{") }
  public mutating func endObject() { end(.object, "}") }
  public mutating func beginArray() { begin(.array, "[") }
  public mutating func endArray() { end(.array, "]") }

  public mutating func key(_ name: String) {
    assert(open.last == .object && !afterKey, "a key belongs into an object, before a value")
    separate()
    quote(name)
    put(pretty ? ": " : ":")
    afterKey = true
  }

  public mutating func null() { literal("null") }
  public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
  public mutating func integer(_ value: some BinaryInteger) { literal(String(value)) }

  /// A number by its exact text; text that is no JSON number is written as a string.
  public mutating func number(_ text: String) {
    JSONNumber.isLiteral(text.utf8) ? literal(text) : string(text)
  }

  public mutating func string(_ value: String) {
    beforeValue()
    quote(value)
  }

  /// Ends a line of NDJSON. Only between documents.
  public mutating func endLine() {
    assert(open.isEmpty, "a line ends after a whole value")
    put("\n")
    hasElements = false
  }

  private mutating func literal(_ text: StaticString) { literal(text.description) }

  private mutating func literal(_ text: String) {
    beforeValue()
    put(text)
  }

  private mutating func begin(_ container: Container, _ bracket: String) {
    beforeValue()
    put(bracket)
    open.append(container)
    hasElements = false
  }

  private mutating func end(_ container: Container, _ bracket: String) {
    assert(open.last == container && !afterKey, "what ends here was not begun, or a key has no value")
    _ = open.popLast()
    if hasElements { breakLine() }
    put(bracket)
    hasElements = true
  }

  private mutating func beforeValue() {
    if afterKey {
      afterKey = false
    } else {
      assert(open.last != .object, "a value in an object needs a key")
      separate()
    }
  }

  private mutating func separate() {
    if !open.isEmpty {
      if hasElements { put(",") }
      breakLine()
    }
    hasElements = true
  }

  private mutating func breakLine() {
    guard pretty else { return }
    put("\n")
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: open.count * 2))
  }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func quote(_ text: String) {
    JSONEscapes.append(text, to: &bytes, escapingTerminalControls: escapingTerminalControls)
  }
}

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

  /// A value of a document, numbers digit for digit; an absent one is written as null.
  public mutating func value(_ value: JSONValue) {
    switch value.kind {
    case .absent, .null: null()
    case .bool: bool(value.bool ?? false)
    case .number: number(value.numberText ?? "0")
    case .string: string(value.string ?? "")
    case .array:
      beginArray()
      for element in value.elements { self.value(element) }
      endArray()
    case .object:
      beginObject()
      for member in value.members {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }
}
