/// What a cell or a field holds. `null` is what the server hides or does not say, which is not the same as empty.
public enum Value: Sendable, Hashable {
  case null
  case text(String)
  case integer(Int64)
  /// A number that need not be whole, as its exact decimal text.
  case decimal(String)
  case money(Money)
  case time(Timestamp)
  /// A calendar day as the server says it, `2026-11-30`.
  case date(String)
  /// A count of bytes.
  case size(Int64)
  case flag(Bool)
  case list([Value])

  /// Text or `null`.
  public static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
  public static func optional(_ time: Timestamp?) -> Value { time.map { .time($0) } ?? .null }
  public static func optional(_ number: Int?) -> Value { number.map { .integer(Int64($0)) } ?? .null }
  public static func optional(size: Int?) -> Value { size.map { .size(Int64($0)) } ?? .null }
  public static func optional(_ money: Money?) -> Value { money.map { .money($0) } ?? .null }
  public static func optional(_ flag: Bool?) -> Value { flag.map { .flag($0) } ?? .null }

  public var isNull: Bool { self == .null }

  /// The exact text: amounts and numbers as decimals, times in RFC 3339, sizes in bytes; empty for `null`.
  public var exactText: String {
    switch self {
    case .null: ""
    case .text(let text), .decimal(let text), .date(let text): text
    case .integer(let number), .size(let number): String(number)
    case .money(let money): money.decimalText
    case .time(let time): time.rfc3339
    case .flag(let flag): flag ? "true" : "false"
    case .list(let values): values.map(\.exactText).joined(separator: ", ")
    }
  }
}
