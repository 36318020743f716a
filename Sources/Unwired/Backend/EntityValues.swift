import JSON
import Model

/// Properties as values and columns, by what the service says of them.
enum EntityValues {
  static func value(_ node: JSONNode?, type: String?) -> Value {
    switch node {
    case nil, .null?: return .null
    case .bool(let flag)?: return .flag(flag)
    case .integer(let number)?: return .integer(number)
    case .number(let text)?: return .decimal(text)
    case .string(let text)?: return value(text, type: type)
    case .array?, .object?: return .text(String(decoding: (node ?? .null).encoded(), as: UTF8.self))
    }
  }

  private static func value(_ text: String, type: String?) -> Value {
    if let moment = ODataLiteral.moment(text) { return .time(moment) }
    switch type {
    case "Edm.DateTime", "Edm.DateTimeOffset": return Timestamp(rfc3339: text).map { .time($0) } ?? .text(text)
    case "Edm.Date": return .date(text)
    // Version 2 writes these as text, so that no digit is lost.
    case "Edm.Int64": return Int64(text).map { .integer($0) } ?? .text(text)
    case "Edm.Decimal", "Edm.Double", "Edm.Single": return .decimal(text)
    default: return .text(text)
    }
  }

  static func kind(_ type: String?) -> Column.Kind {
    switch type {
    case "Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64": .integer
    case "Edm.Decimal", "Edm.Double", "Edm.Single": .decimal
    case "Edm.Boolean": .flag
    case "Edm.DateTime", "Edm.DateTimeOffset": .time
    case "Edm.Date": .date
    default: .text
    }
  }

  /// A typed text as the property's JSON value; empty is null where the property may be.
  static func node(_ text: String, _ property: ODataMetadata.Property?) -> JSONNode {
    guard let property else { return .string(text) }
    if text.isEmpty, property.isNullable { return .null }
    switch property.type {
    case "Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32": return Int64(text).map { .integer($0) } ?? .string(text)
    case "Edm.Boolean": return .bool(text == "true")
    case "Edm.Double", "Edm.Single": return Double(text) == nil ? .string(text) : .number(text)
    default: return .string(text)
    }
  }

  static func columns(_ type: ODataMetadata.EntityType?, _ rows: [Entity]) -> [Column] {
    if let type, !type.properties.isEmpty {
      return type.properties.enumerated().map { place, property in
        Column(
          property.name, property.name, kind(property.type), rank: type.keys.contains(property.name) ? 0 : place + 1,
          isSortable: true)
      }
    }
    var names: [String] = []
    for row in rows {
      for member in row.properties where !names.contains(member.key) { names.append(member.key) }
    }
    return names.enumerated().map { Column($0.element, $0.element, rank: $0.offset, isSortable: true) }
  }
}
