/// A currency as the bank counts it: whole minor units, and how many digits follow the point.
struct BankCurrency: Sendable, Equatable {
  /// ISO 4217.
  let code: String
  let digits: Int
  /// Minor units that buy what a euro cent buys, in thousandths.
  let perEuroCent: Int

  static let all: [BankCurrency] = [
    BankCurrency(code: "EUR", digits: 2, perEuroCent: 1_000), BankCurrency(code: "GBP", digits: 2, perEuroCent: 861),
    BankCurrency(code: "JPY", digits: 0, perEuroCent: 1_630), BankCurrency(code: "KWD", digits: 3, perEuroCent: 3_310),
    BankCurrency(code: "CHF", digits: 2, perEuroCent: 942), BankCurrency(code: "USD", digits: 2, perEuroCent: 1_084),
    BankCurrency(code: "CZK", digits: 0, perEuroCent: 251), BankCurrency(code: "KRW", digits: 0, perEuroCent: 14_900),
    BankCurrency(code: "OMR", digits: 3, perEuroCent: 4_170), BankCurrency(code: "SEK", digits: 2, perEuroCent: 11_400),
  ]

  static func named(_ code: String) -> BankCurrency? { all.first { $0.code == code } }

  /// ISO codes that the server accepts beyond those it holds accounts in.
  static let otherCodes: Set<String> = ["AUD", "BRL", "CAD", "CNY", "DKK", "INR", "ISK", "NOK", "PLN", "UAH", "XBT"]

  static func isKnown(_ code: String) -> Bool { named(code) != nil || otherCodes.contains(code) }

  func minor(euroCents: Int) -> Int { euroCents * perEuroCent / 1_000 }

  func euroCents(minor: Int) -> Int { minor * 1_000 / perEuroCent }

  /// A plain decimal with as many digits as the currency has: `-19.90`, `92100`, `0.250`.
  func text(_ minor: Int) -> String {
    guard digits > 0 else { return String(minor) }
    let magnitude = String(minor.magnitude)
    let padded = String(repeating: "0", count: max(0, digits + 1 - magnitude.utf8.count)) + magnitude
    return "\(minor < 0 ? "-" : "")\(padded.dropLast(digits)).\(padded.suffix(digits))"
  }

  /// Minor units of a decimal; nil for what is no plain decimal or finer than the currency.
  func minor(_ text: String) -> Int? {
    let isNegative = text.hasPrefix("-")
    let halves = text.dropFirst(isNegative ? 1 : 0).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = halves.first, !halves.contains(""), text.utf8.count < 16 else { return nil }
    var fraction = halves.count > 1 ? String(halves[1]) : ""
    while fraction.utf8.count > digits, fraction.hasSuffix("0") { fraction.removeLast() }
    guard fraction.utf8.count <= digits else { return nil }
    fraction += String(repeating: "0", count: digits - fraction.utf8.count)
    let joined = whole + fraction
    guard joined.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(joined) else { return nil }
    return isNegative ? -value : value
  }
}
