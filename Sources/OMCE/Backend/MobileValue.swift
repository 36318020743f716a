import JSON
import Model

/// JSON whose shape nobody fixed, as cells and fields: custom APIs, policies, attributes.
enum MobileValue {
  private static let mostDepth = 5

  static func of(_ json: JSONValue) -> Value {
    switch json.kind {
    case .absent, .null: .null
    case .bool: .flag(json.bool ?? false)
    case .number: json.int.map { .integer(Int64($0)) } ?? .decimal(json.numberText ?? "")
    case .string: .text(json.string ?? "")
    case .array where json.elements.allSatisfy({ $0.text != nil }): .list(json.elements.map { of($0) })
    case .array: .text("[\(json.count)]")
    case .object: .text("{\(json.count)}")
    }
  }

  /// The same of a value that was kept.
  static func of(_ node: JSONNode) -> Value {
    switch node {
    case .null: .null
    case .bool(let flag): .flag(flag)
    case .integer(let number): .integer(number)
    case .number(let digits): .decimal(digits)
    case .string(let text): .text(text)
    case .array(let elements): .text("[\(elements.count)]")
    case .object(let members): .text("{\(members.count)}")
    }
  }

  static func kind(_ value: Value) -> Column.Kind {
    switch value {
    case .flag: .flag
    case .integer: .integer
    case .decimal: .decimal
    default: .text
    }
  }

  /// What all values of a column are; text when they are of several kinds.
  static func kind(of values: [Value]) -> Column.Kind {
    let kinds = Set(values.filter { !$0.isNull }.map { kind($0) })
    return kinds.count == 1 ? kinds.first ?? .text : .text
  }

  /// A value as its column has it: in a column of several kinds all are texts.
  static func value(_ value: Value, in kind: Column.Kind) -> Value {
    switch value {
    case .flag, .integer, .decimal: kind == .text ? .text(value.exactText) : value
    default: value
    }
  }

  /// Every value of an object with its way down as id: `address.gpsPoint.latitude`.
  static func fields(of json: JSONValue) -> [Field] {
    var fields: [Field] = []
    collect(json, at: "", depth: 0, into: &fields)
    return fields
  }

  private static func collect(_ json: JSONValue, at path: String, depth: Int, into fields: inout [Field]) {
    let isDeep = depth >= mostDepth
    switch json.kind {
    case .object where !isDeep && json.count > 0:
      for (key, value) in json.members {
        collect(value, at: path.isEmpty ? key : "\(path).\(key)", depth: depth + 1, into: &fields)
      }
    case .array where !isDeep && !json.elements.allSatisfy({ $0.text != nil }):
      for (index, value) in json.elements.enumerated() {
        collect(value, at: path.isEmpty ? "\(index + 1)" : "\(path).\(index + 1)", depth: depth + 1, into: &fields)
      }
    default:
      let value = of(json)
      fields.append(Field(path.isEmpty ? "value" : path, path.isEmpty ? "Value" : path, value, kind(value)))
    }
  }
}
