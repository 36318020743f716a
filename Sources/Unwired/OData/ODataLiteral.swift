import Model
import Wire

/// Values as OData addresses write them.
enum ODataLiteral {
  /// A quote inside a text is written twice.
  static func doubled(_ text: String) -> String {
    text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
  }

  static func text(_ text: String) -> String { "'\(doubled(text))'" }

  /// - Parameter type: `Edm.Int32`…; nil when not known, and then numbers stand bare and all else is text.
  static func literal(_ value: String, type: String?, version: ODataVersion) -> String {
    switch type {
    case nil: return Int64(value) == nil ? text(value) : value
    case "Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Boolean": return value
    case "Edm.Int64": return version == .v2 ? value + "L" : value
    case "Edm.Decimal": return version == .v2 ? value + "M" : value
    case "Edm.Guid": return version == .v2 ? "guid'\(value)'" : value
    case "Edm.DateTime": return "datetime'\(value)'"
    case "Edm.DateTimeOffset": return version == .v2 ? "datetimeoffset'\(value)'" : value
    case "Edm.Date", "Edm.TimeOfDay", "Edm.Duration": return value
    default: return text(value)
    }
  }

  /// The plain value of a literal: without quotes, type word or suffix.
  static func plain(_ literal: String) -> String {
    if let quote = literal.firstIndex(of: "'"), literal.last == "'", literal.index(after: quote) < literal.endIndex {
      let inside = literal[literal.index(after: quote)...].dropLast()
      var text = ""
      var wasQuote = false
      for character in inside {
        if character == "'", wasQuote {
          wasQuote = false
          continue
        }
        wasQuote = character == "'"
        text.append(character)
      }
      return text
    }
    if let last = literal.last, "LMlm".contains(last),
      literal.dropLast().allSatisfy({ $0.isNumber || "-.".contains($0) })
    {
      return String(literal.dropLast())
    }
    return literal
  }

  /// `/Date(1796040000000)/`, perhaps with minutes of a zone before the bracket; nil for anything else.
  static func moment(_ text: String) -> Timestamp? {
    guard text.hasPrefix("/Date("), text.hasSuffix(")/") else { return nil }
    let inside = text.dropFirst(6).dropLast(2)
    let digits = inside.dropFirst(inside.first == "-" ? 1 : 0).prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits) else { return nil }
    return Timestamp(milliseconds: inside.first == "-" ? -number : number)
  }
}

public enum ODataVersion: String, Sendable { case v2, v4 }
