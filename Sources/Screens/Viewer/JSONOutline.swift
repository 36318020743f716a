import Model

/// A JSON text as a flat list of nodes in reading order, for a folding tree. Reads leniently: what cannot be read ends it.
struct JSONOutline: Sendable, Hashable {
  enum Kind: Sendable, Hashable { case object, array, string, number, word }

  struct Node: Sendable, Hashable {
    var depth: Int
    /// Name within an object, or position within an array.
    var name: String?
    var isIndex: Bool
    var kind: Kind
    /// The value, decoded; empty for objects and arrays.
    var text: String
    /// Members of an object or elements of an array.
    var count = 0
    /// Index behind the last node below this one.
    var end = 0

    var isContainer: Bool { kind == .object || kind == .array }
  }

  private(set) var nodes: [Node] = []

  /// Deeper than this nothing is read: no person looks there, and a hostile answer must not take the stack.
  private static let maxDepth = 512

  /// Nil when the bytes are not one JSON value.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    reader.skipSpace()
    guard reader.value(name: nil, isIndex: false, depth: 0) else { return nil }
    reader.skipSpace()
    guard reader.isAtEnd else { return nil }
    nodes = reader.nodes
  }

  private struct Reader {
    let bytes: [UInt8]
    var at = 0
    var nodes: [Node] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { at >= bytes.count }
    var current: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func skipSpace() {
      while let byte = current, byte == 32 || byte == 9 || byte == 10 || byte == 13 { at += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard current == byte else { return false }
      at += 1
      return true
    }

    mutating func value(name: String?, isIndex: Bool, depth: Int) -> Bool {
      guard depth < JSONOutline.maxDepth, let first = current else { return false }
      let index = nodes.count
      nodes.append(Node(depth: depth, name: name, isIndex: isIndex, kind: .word, text: ""))
      defer { nodes[index].end = nodes.count }
      switch first {
      case UInt8(ascii: "{"): return object(index, depth)
      case UInt8(ascii: "["): return array(index, depth)
      case UInt8(ascii: "\""):
        guard let text = string() else { return false }
        nodes[index].kind = .string
        nodes[index].text = text
        return true
      default: return scalar(index)
      }
    }

    private mutating func object(_ index: Int, _ depth: Int) -> Bool {
      nodes[index].kind = .object
      at += 1
      skipSpace()
      if skip(UInt8(ascii: "}")) { return true }
      repeat {
        skipSpace()
        guard let name = string() else { return false }
        skipSpace()
        guard skip(UInt8(ascii: ":")) else { return false }
        skipSpace()
        guard value(name: name, isIndex: false, depth: depth + 1) else { return false }
        nodes[index].count += 1
        skipSpace()
      } while skip(UInt8(ascii: ","))
      return skip(UInt8(ascii: "}"))
    }

    private mutating func array(_ index: Int, _ depth: Int) -> Bool {
      nodes[index].kind = .array
      at += 1
      skipSpace()
      if skip(UInt8(ascii: "]")) { return true }
      repeat {
        skipSpace()
        guard value(name: String(nodes[index].count), isIndex: true, depth: depth + 1) else { return false }
        nodes[index].count += 1
        skipSpace()
      } while skip(UInt8(ascii: ","))
      return skip(UInt8(ascii: "]"))
    }

    private mutating func scalar(_ index: Int) -> Bool {
      let start = at
      while let byte = current, !",]} \n\r\t".utf8.contains(byte) { at += 1 }
      let text = String(decoding: bytes[start..<at], as: UTF8.self)
      nodes[index].text = text
      let isWord = text == "true" || text == "false" || text == "null"
      nodes[index].kind = isWord ? .word : .number
      return isWord || text.utf8.first.map { $0 == UInt8(ascii: "-") || (48...57).contains($0) } == true
    }

    private mutating func string() -> String? {
      guard skip(UInt8(ascii: "\"")) else { return nil }
      var text: [UInt8] = []
      while let byte = current {
        at += 1
        if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
        if byte == UInt8(ascii: "\\") {
          guard escape(into: &text) else { return nil }
        } else {
          text.append(byte)
        }
      }
      return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
      guard let byte = current else { return false }
      at += 1
      switch byte {
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "t"): text.append(9)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"):
        guard let unit = hex() else { return false }
        text += Array(String(decoding: surrogates(unit), as: UTF16.self).utf8)
      default: text.append(byte)
      }
      return true
    }

    /// A high surrogate takes its low one along.
    private mutating func surrogates(_ first: UInt16) -> [UInt16] {
      guard (0xD800...0xDBFF).contains(first), at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
        bytes[at + 1] == UInt8(ascii: "u")
      else { return [first] }
      let before = at
      at += 2
      if let second = hex(), (0xDC00...0xDFFF).contains(second) { return [first, second] }
      at = before
      return [first]
    }

    private mutating func hex() -> UInt16? {
      guard at + 4 <= bytes.count,
        let value = UInt16(String(decoding: bytes[at..<(at + 4)], as: UTF8.self), radix: 16)
      else { return nil }
      at += 4
      return value
    }
  }
}

extension JSONOutline {
  /// Path of a node: `$.accounts[3].balance`.
  func path(of index: Int) -> String {
    var path = ""
    var at: Int? = index
    while let here = at {
      if let name = nodes[here].name {
        let isPlain = name.utf8.allSatisfy { ($0 | 32 >= 97 && $0 | 32 <= 122) || $0 == 95 || ($0 >= 48 && $0 <= 57) }
        path = (nodes[here].isIndex ? "[\(name)]" : isPlain ? ".\(name)" : "['\(name)']") + path
      }
      at = parent(of: here)
    }
    return "$" + path
  }

  func parent(of index: Int) -> Int? {
    let depth = nodes[index].depth
    return depth == 0 ? nil : nodes[..<index].lastIndex { $0.depth == depth - 1 }
  }

  /// The line of a node in the tree; containers say how much is in them.
  func line(_ index: Int, isFolded: Bool) -> Line {
    let node = nodes[index]
    var spans = [Span(String(repeating: "  ", count: min(node.depth, 40)))]
    if node.isContainer, node.count > 0 {
      spans.append(Span(isFolded ? "▸ " : "▾ ", .dim))
    } else {
      spans.append(Span("  "))
    }
    if let name = node.name { spans += [Span(name, node.isIndex ? .dim : .jsonKey), Span(": ", .dim)] }
    switch node.kind {
    case .object: spans.append(Span(node.count == 0 ? "{}" : "{\(node.count)}", .dim))
    case .array: spans.append(Span(node.count == 0 ? "[]" : "[\(node.count)]", .dim))
    case .string: spans.append(Span("\"\(node.text)\"", .jsonString))
    case .number: spans.append(Span(node.text, .jsonNumber))
    case .word: spans.append(Span(node.text, .jsonWord))
    }
    return Line(spans)
  }

  /// The whole text laid out with two spaces a level, as lines; still JSON unless it was cut.
  func prettyLines(limit: Int = 20_000) -> [Line] {
    var lines: [Line] = []
    var open: [(end: Int, kind: Kind)] = []
    for (index, node) in nodes.enumerated() {
      while let last = open.last, last.end <= index { close(&open, &lines) }
      guard lines.count < limit else { return lines + [Line("…", .dim)] }
      var spans = [Span(String(repeating: "  ", count: node.depth))]
      if let name = node.name, !node.isIndex { spans += [Span("\"\(name)\"", .jsonKey), Span(": ", .dim)] }
      spans.append(valueSpan(node))
      if node.isContainer, node.count > 0 {
        open.append((node.end, node.kind))
      } else {
        spans += comma(after: node.end, in: open.last?.end)
      }
      lines.append(Line(spans))
    }
    while !open.isEmpty { close(&open, &lines) }
    return lines
  }

  private func valueSpan(_ node: Node) -> Span {
    switch node.kind {
    case .object: Span(node.count == 0 ? "{}" : "{", .dim)
    case .array: Span(node.count == 0 ? "[]" : "[", .dim)
    case .string: Span(JSONOutline.quoted(node.text), .jsonString)
    case .number: Span(node.text, .jsonNumber)
    case .word: Span(node.text, .jsonWord)
    }
  }

  /// A comma unless the value is the last of what it stands in.
  private func comma(after end: Int, in outer: Int?) -> [Span] {
    outer.map { end < $0 ? [Span(",", .dim)] : [] } ?? []
  }

  private func close(_ open: inout [(end: Int, kind: Kind)], _ lines: inout [Line]) {
    guard let last = open.popLast() else { return }
    let indent = String(repeating: "  ", count: open.count)
    lines.append(
      Line([Span(indent), Span(last.kind == .object ? "}" : "]", .dim)] + comma(after: last.end, in: open.last?.end)))
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for character in text {
      switch character {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n", "\r\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default: quoted.append(character)
      }
    }
    return quoted + "\""
  }
}
