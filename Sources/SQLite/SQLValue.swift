/// A value in a cell or for a parameter.
package enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  package init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  package init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  package init(_ value: [UInt8]?) { self = value.map { .blob($0) } ?? .null }
  package init(_ value: Bool) { self = .integer(value ? 1 : 0) }

  package var isNull: Bool { self == .null }

  package var int: Int? {
    guard case .integer(let value) = self else { return nil }
    return Int(value)
  }

  /// A real number, or an integer as one.
  package var double: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  package var bool: Bool? { int.map { $0 != 0 } }

  package var text: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }

  package var blob: [UInt8]? {
    guard case .blob(let value) = self else { return nil }
    return value
  }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation
{
  package init(nilLiteral: ()) { self = .null }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .real(value) }
  package init(booleanLiteral value: Bool) { self.init(value) }
  package init(stringLiteral value: String) { self = .text(value) }
}

/// One row of a result, copied out of the database.
package struct SQLRow: Sendable, Equatable {
  package let names: [String]
  package let values: [SQLValue]

  /// Null when there is no such column.
  package subscript(index: Int) -> SQLValue { values.indices.contains(index) ? values[index] : .null }

  /// By the column's name in the query; null when there is no such column.
  package subscript(name: String) -> SQLValue { names.firstIndex(of: name).map { values[$0] } ?? .null }
}
