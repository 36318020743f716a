import JSON
import Model
import Wire

/// A row's key as a location writes it (`901`, `id=2001,line_id=1`) and as OData does (`(901)`, `(id=2001,line_id=1)`).
struct EntityKey: Sendable, Hashable {
  /// Plain values; a lone key may have no name.
  let parts: [(name: String?, value: String)]

  static func == (left: EntityKey, right: EntityKey) -> Bool { left.text == right.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  init(parts: [(name: String?, value: String)]) { self.parts = parts }

  /// Reads a location's form. A lone key may hold `=` and `,`; with several names they are percent-encoded.
  init(text: String, names: [String]) {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false)
    let pairs = pieces.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
    guard names.count != 1, pairs.count > 1 || !names.isEmpty, pairs.allSatisfy({ $0.count == 2 }) else {
      parts = [(names.count == 1 ? names[0] : nil, text)]
      return
    }
    parts = pairs.map { (URLForm.unescape($0[0]), URLForm.unescape($0[1])) }
  }

  /// From a row, when all its key properties are known.
  init?(_ entity: Entity, names: [String]) {
    guard !names.isEmpty else { return nil }
    var parts: [(name: String?, value: String)] = []
    for name in names {
      guard let value = entity[name].flatMap(Self.plain) else { return nil }
      parts.append((name, value))
    }
    self.parts = parts
  }

  /// From the server's address of a row: what stands in the last parentheses.
  init?(address: String) {
    guard address.hasSuffix(")"), let open = Self.lastOpening(address) else { return nil }
    let inside = URLForm.unescape(String(address[address.index(after: open)...].dropLast()))
    let pieces = Self.splitOutsideQuotes(inside)
    parts = pieces.map { piece in
      guard let equals = piece.firstIndex(of: "="), !piece.hasPrefix("'"), pieces.count > 1 || !piece.contains("'")
      else { return (nil, ODataLiteral.plain(piece)) }
      return (String(piece[..<equals]), ODataLiteral.plain(String(piece[piece.index(after: equals)...])))
    }
  }

  private static func lastOpening(_ address: String) -> String.Index? {
    let tail = address.lastIndex(of: "/").map { address.index(after: $0) } ?? address.startIndex
    return address[tail...].firstIndex(of: "(") ?? address.lastIndex(of: "(")
  }

  private static func splitOutsideQuotes(_ text: String) -> [String] {
    var pieces = [""]
    var quoted = false
    for character in text {
      if character == "'" { quoted.toggle() }
      if character == ",", !quoted { pieces.append("") } else { pieces[pieces.count - 1].append(character) }
    }
    return pieces
  }

  private static func plain(_ node: JSONNode) -> String? {
    switch node {
    case .string(let text), .number(let text): text
    case .integer(let number): String(number)
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// The form of a location.
  var text: String {
    guard parts.count > 1 else { return parts.first?.value ?? "" }
    return parts.map { "\(Self.bounded($0.name ?? ""))=\(Self.bounded($0.value))" }.joined(separator: ",")
  }

  private static func bounded(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "%": result += "%25"
      case ",": result += "%2C"
      case "=": result += "%3D"
      default: result.append(character)
      }
    }
    return result
  }

  /// `(901)`, escaped for an address.
  func predicate(_ type: ODataMetadata.EntityType?, _ version: ODataVersion) -> String {
    let texts = parts.map { part in
      let kind = (part.name ?? type?.keys.first).flatMap { type?.property($0)?.type }
      let literal = URLForm.escape(ODataLiteral.literal(part.value, type: kind, version: version))
      return parts.count > 1 ? "\(URLForm.escape(part.name ?? ""))=\(literal)" : literal
    }
    return "(\(texts.joined(separator: ",")))"
  }
}
