/// A place in the tree of everything Atrium can show: `bank:/banks/rbs/accounts`.
///
/// What the breadcrumb shows, `:` jumps to, `y` copies and scripts name is this same text. Inside a name only `%`, `/`,
/// `?`, `#`, control characters and a leading `@` are percent-encoded; anything percent-encoded is accepted.
public struct Location: Sendable, Hashable {
  /// The canonical text.
  public let text: String
  private let nameLength: Int

  /// The top of a connection.
  public init(connection: String) {
    text = connection + ":/"
    nameLength = connection.utf8.count
  }

  public init(connection: String, path: [String], query: [(String, String)] = []) {
    var text = connection + ":"
    for name in path { text += "/" + Location.encoded(name) }
    if path.isEmpty { text += "/" }
    for (index, pair) in query.enumerated() {
      text += index == 0 ? "?" : "&"
      text += Location.encodedQuery(pair.0) + "=" + Location.encodedQuery(pair.1)
    }
    self.text = text
    nameLength = connection.utf8.count
  }

  /// Reads `CONNECTION:/path`, also without the slash or the path (`bank`, `bank:`).
  ///
  /// - Throws: `LocationError` saying what is wrong; a connection name holds letters, digits, `-`, `_` and `.`.
  public init(parsing text: String) throws(LocationError) {
    let colon = text.firstIndex(of: ":") ?? text.endIndex
    let connection = String(text[..<colon])
    guard Location.isConnectionName(connection) else { throw LocationError(text: text, problem: .connectionName) }
    var rest = colon == text.endIndex ? text[colon...] : text[text.index(after: colon)...]
    var query: [(String, String)] = []
    if let mark = rest.firstIndex(of: "?") {
      query = try Location.parsedQuery(rest[rest.index(after: mark)...], of: text)
      rest = rest[..<mark]
    }
    var path: [String] = []
    for name in rest.split(separator: "/", omittingEmptySubsequences: true) {
      // A leading @ that stands as such names a facet of the item (`@versions`); an encoded one is part of a name.
      guard let decoded = Location.decoded(name) else { throw LocationError(text: text, problem: .percentEncoding) }
      path.append(name.first == "@" ? Location.facetMark + decoded : decoded)
    }
    self.init(connection: connection, path: path, query: query)
  }

  public var connection: String { String(text.utf8.prefix(nameLength)) ?? "" }

  /// The decoded names below the connection. A facet (`@versions`) begins with `Location.facetMark`.
  public var path: [String] {
    var rest = text.utf8.dropFirst(nameLength + 1)
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) { rest = rest[..<mark] }
    return rest.split(separator: UInt8(ascii: "/")).map { part in
      let name = Substring(part)
      let decoded = Location.decoded(name) ?? String(name)
      return name.first == "@" ? Location.facetMark + decoded : decoded
    }
  }

  public var query: [(name: String, value: String)] {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    let pairs = try? Location.parsedQuery(text[text.utf8.index(after: mark)...], of: text)
    return (pairs ?? []).map { (name: $0.0, value: $0.1) }
  }

  public func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

  public var isRoot: Bool { path.isEmpty }

  /// The place one level up, without the query; nil at the top.
  public var parent: Location? {
    let path = path
    return path.isEmpty ? nil : Location(connection: connection, path: Array(path.dropLast()))
  }

  public func appending(_ name: String) -> Location {
    Location(connection: connection, path: path + [name])
  }

  /// A facet of this item: `facet("versions")` is `…/@versions`.
  public func facet(_ name: String) -> Location { appending(Location.facetMark + "@" + name) }

  public func with(query: [(String, String)]) -> Location {
    Location(connection: connection, path: path, query: query)
  }

  /// Stands before a path element that is a facet rather than a name; never in a canonical text.
  public static let facetMark = "\u{0}"
}

extension Location: CustomStringConvertible {
  public var description: String { text }
}

/// A location text that cannot be read, and why.
public struct LocationError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Problem: Sendable { case connectionName, percentEncoding }
  public let text: String
  public let problem: Problem

  public var description: String {
    switch problem {
    case .connectionName: "“\(text)” is not a location; write CONNECTION:/path, for example bank:/banks"
    case .percentEncoding: "“\(text)” has a % that is not followed by two hex digits; write %25 for a % in a name"
    }
  }
}

extension Location {
  /// Whether a text can name a connection: letters, digits, `-`, `_`, `.`, at most 64 of them.
  public static func isConnectionName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil || "-_.".unicodeScalars.contains($0)
      }
  }

  static func encoded(_ name: String) -> String {
    if name.hasPrefix(facetMark) { return "@" + encodedBody(String(name.dropFirst(2))) }
    return name.first == "@" ? "%40" + encodedBody(String(name.dropFirst())) : encodedBody(name)
  }

  private static func encodedBody(_ name: String) -> String {
    // `.` and `..` stay names: a path here is never resolved against a file system.
    guard name.unicodeScalars.contains(where: needsEncoding) else { return name }
    var text = ""
    for scalar in name.unicodeScalars {
      if needsEncoding(scalar) {
        for byte in String(scalar).utf8 { text += percent(byte) }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func encodedQuery(_ part: String) -> String {
    var text = ""
    for scalar in part.unicodeScalars {
      if needsEncoding(scalar) || scalar == "&" || scalar == "=" || scalar == "+" {
        for byte in String(scalar).utf8 { text += percent(byte) }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func needsEncoding(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "%", "/", "?", "#": true
    default: scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
  }

  private static func percent(_ byte: UInt8) -> String {
    let hex = String(byte, radix: 16, uppercase: true)
    return hex.utf8.count == 1 ? "%0" + hex : "%" + hex
  }

  static func decoded(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }

  private static func parsedQuery(_ text: Substring, of whole: String) throws(LocationError) -> [(String, String)] {
    var pairs: [(String, String)] = []
    for part in text.split(separator: "&", omittingEmptySubsequences: true) {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : "") else {
        throw LocationError(text: whole, problem: .percentEncoding)
      }
      pairs.append((name, value))
    }
    return pairs
  }
}
