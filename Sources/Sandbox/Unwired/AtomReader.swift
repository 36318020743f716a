/// Reads the properties of an Atom entry, by local name; `m:null` is nil.
///
/// Enough XML for what clients of this service send: elements, attributes, the five entities, numbers and CDATA.
enum AtomReader {
  /// nil where there is no `properties` element or its XML is broken.
  static func properties(_ bytes: [UInt8]) -> [(name: String, value: String?)]? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let open = openTag("properties", in: text[...]) else { return nil }
    if open.isEmpty { return [] }
    var rest = text[open.end...]
    var found: [(name: String, value: String?)] = []
    while let mark = rest.firstIndex(of: "<") {
      rest = rest[mark...]
      if rest.hasPrefix("</") { return found }
      if rest.hasPrefix("<!--") {
        guard let end = rest.firstRange(of: "-->") else { return nil }
        rest = rest[end.upperBound...]
        continue
      }
      guard let close = rest.firstIndex(of: ">") else { return nil }
      let tag = rest[rest.index(after: rest.startIndex)..<close]
      let isEmpty = tag.hasSuffix("/")
      let name = localName(tag.prefix { !$0.isWhitespace && $0 != "/" })
      let isNull = tag.contains("null=\"true\"") || tag.contains("null='true'")
      rest = rest[rest.index(after: close)...]
      guard !isEmpty else {
        found.append((name, isNull ? nil : ""))
        continue
      }
      guard let end = rest.firstRange(of: "</") else { return nil }
      let value = unescaped(rest[..<end.lowerBound])
      found.append((name, isNull ? nil : value))
      guard let after = rest[end.upperBound...].firstIndex(of: ">") else { return nil }
      rest = rest[rest.index(after: after)...]
    }
    return nil
  }

  private static func openTag(_ name: String, in text: Substring) -> (end: String.Index, isEmpty: Bool)? {
    var rest = text
    while let mark = rest.firstIndex(of: "<"), let close = rest[mark...].firstIndex(of: ">") {
      let tag = rest[rest.index(after: mark)..<close]
      if localName(tag.prefix { !$0.isWhitespace && $0 != "/" }) == name {
        return (rest.index(after: close), tag.hasSuffix("/"))
      }
      rest = rest[rest.index(after: close)...]
    }
    return nil
  }

  private static func localName(_ name: Substring) -> String {
    String(name.split(separator: ":").last ?? "")
  }

  private static func unescaped(_ text: Substring) -> String {
    if text.hasPrefix("<![CDATA["), text.hasSuffix("]]>") { return String(text.dropFirst(9).dropLast(3)) }
    var result = ""
    var rest = text
    while let mark = rest.firstIndex(of: "&"), let end = rest[mark...].firstIndex(of: ";") {
      result += rest[..<mark]
      let name = rest[rest.index(after: mark)..<end]
      switch name {
      case "amp": result += "&"
      case "lt": result += "<"
      case "gt": result += ">"
      case "quot": result += "\""
      case "apos": result += "'"
      default:
        let isHex = name.hasPrefix("#x")
        let number = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
        if name.hasPrefix("#"), let scalar = number.flatMap({ Unicode.Scalar($0) }) {
          result.unicodeScalars.append(scalar)
        } else {
          result += "&\(name);"
        }
      }
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
