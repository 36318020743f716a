/// Reads XML event by event: enough for service descriptions and Atom entries, and nothing that could be turned
/// against a reader. Entities are the five of XML and numbers; declarations of others are passed over, never expanded.
struct XMLScanner {
  enum Event: Equatable {
    /// Local name, attributes by local name, and whether it has no content.
    case start(String, [String: String], isEmpty: Bool)
    case end(String)
    case text(String)
  }

  struct Failure: Error, Sendable, Equatable {
    let offset: Int
    let problem: String
  }

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Deepest nesting that is read.
  static let mostDepth = 512

  /// Nil at the end of the document.
  mutating func next() throws(Failure) -> Event? {
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "<") else { return .text(try text()) }
      if starts("<!--") {
        try skip(past: "-->")
      } else if starts("<![CDATA[") {
        return .text(try rawText())
      } else if starts("<?") {
        try skip(past: "?>")
      } else if starts("<!") {
        try skip(past: ">")
      } else {
        return try tag()
      }
    }
    guard depth == 0 else { throw failure("it ends inside an element") }
    return nil
  }

  private func failure(_ problem: String) -> Failure { Failure(offset: position, problem: problem) }

  private func starts(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    return text.withUTF8Buffer { buffer in (0..<count).allSatisfy { bytes[position + $0] == buffer[$0] } }
  }

  private mutating func skip(past end: StaticString) throws(Failure) {
    while position < bytes.count {
      if starts(end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    throw failure("something is not closed")
  }

  private mutating func text() throws(Failure) -> String {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
    return Self.unescaped(bytes[start..<position])
  }

  private mutating func rawText() throws(Failure) -> String {
    position += 9
    let start = position
    try skip(past: "]]>")
    return String(decoding: bytes[start..<(position - 3)], as: UTF8.self)
  }

  private mutating func tag() throws(Failure) -> Event {
    position += 1
    if position < bytes.count, bytes[position] == UInt8(ascii: "/") {
      position += 1
      let name = try name()
      try skip(past: ">")
      guard depth > 0 else { throw failure("an element is closed that was not opened") }
      depth -= 1
      return .end(name)
    }
    let name = try name()
    var attributes: [String: String] = [:]
    while true {
      skipBlanks()
      guard position < bytes.count else { throw failure("a tag is not closed") }
      switch bytes[position] {
      case UInt8(ascii: ">"):
        position += 1
        depth += 1
        guard depth <= Self.mostDepth else { throw failure("it is nested too deeply") }
        return .start(name, attributes, isEmpty: false)
      case UInt8(ascii: "/"):
        try skip(past: ">")
        return .start(name, attributes, isEmpty: true)
      default:
        let (attribute, value) = try attribute()
        attributes[attribute] = value
      }
    }
  }

  private mutating func attribute() throws(Failure) -> (String, String) {
    let name = try name()
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
      throw failure("an attribute has no value")
    }
    position += 1
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
      throw failure("an attribute's value is not quoted")
    }
    let quote = bytes[position]
    position += 1
    let start = position
    while position < bytes.count, bytes[position] != quote { position += 1 }
    guard position < bytes.count else { throw failure("an attribute is not closed") }
    defer { position += 1 }
    return (name, Self.unescaped(bytes[start..<position]))
  }

  /// A name without its prefix.
  private mutating func name() throws(Failure) -> String {
    let start = position
    while position < bytes.count, !" \t\r\n/>=".utf8.contains(bytes[position]) { position += 1 }
    guard position > start else { throw failure("a name is missing") }
    let name = bytes[start..<position]
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return String(decoding: local, as: UTF8.self)
  }

  private mutating func skipBlanks() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    let whole = String(decoding: bytes, as: UTF8.self)
    guard whole.contains("&") else { return whole }
    var text = ""
    var rest = whole[...]
    while let mark = rest.firstIndex(of: "&") {
      text += rest[..<mark]
      rest = rest[mark...]
      guard let end = rest.prefix(12).firstIndex(of: ";"),
        let value = character(rest[rest.index(after: mark)..<end])
      else {
        text.append(rest.removeFirst())
        continue
      }
      text += value
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }

  private static func character(_ name: Substring) -> String? {
    if let known = entities[String(name)] { return known }
    guard name.first == "#" else { return nil }
    let digits = name.dropFirst()
    let code = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return code.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
  }
}
