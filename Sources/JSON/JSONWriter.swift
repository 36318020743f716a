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
  let escapesControls: Bool
  private var open: [Container] = []
  /// Whether the innermost container holds something already.
  private var hasElements = false
  private var afterKey = false

  public init(pretty: Bool = false, escapingTerminalControls: Bool = false) {
    self.pretty = pretty
    escapesControls = escapingTerminalControls
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
    key { $0.quote(name) }
  }

  mutating func key(_ write: (inout JSONWriter) -> Void) {
    assert(open.last == .object && !afterKey, "a key belongs into an object, before a value")
    separate()
    write(&self)
    put(":")
    if pretty { put(" ") }
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
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func begin(_ container: Container, _ bracket: Unicode.Scalar) {
    beforeValue()
    put(bracket)
    open.append(container)
    hasElements = false
  }

  private mutating func end(_ container: Container, _ bracket: Unicode.Scalar) {
    assert(open.last == container && !afterKey, "what ends here was not begun, or a key has no value")
    _ = open.popLast()
    if hasElements { breakLine() }
    put(bracket)
    hasElements = true
  }

  mutating func beforeValue() {
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
    for _ in open { bytes.append(contentsOf: [0x20, 0x20]) }
  }

  private mutating func put(_ symbol: Unicode.Scalar) { bytes.append(UInt8(ascii: symbol)) }

  /// Appends text that is JSON already.
  mutating func copy(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }

  mutating func copyQuoted(_ text: UnsafeBufferPointer<UInt8>) {
    put("\"")
    copy(text)
    put("\"")
  }

  mutating func quote(_ text: String) {
    JSONEscapes.append(text, to: &bytes, escapingTerminalControls: escapesControls)
  }
}
