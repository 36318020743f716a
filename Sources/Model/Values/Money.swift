/// An exact amount: minor units and how many decimals they stand for, with an ISO 4217 currency.
public struct Money: Sendable, Hashable {
  /// The amount times ten to the power of `decimals`.
  public let units: Int64
  /// Digits behind the point, 0…18, at least what the currency uses.
  public let decimals: Int
  /// ISO 4217 code, upper case; empty when the server names none.
  public let currency: String

  public init(units: Int64, decimals: Int, currency: String) {
    self.units = units
    self.decimals = decimals
    self.currency = currency
  }

  /// Reads a decimal string such as `-1204.5`; nil when it is not a plain decimal or does not fit 64 bits.
  ///
  /// Missing decimals are filled up to the currency's own number (`1204.5` EUR is `1204.50`); more than that are kept,
  /// zeros beyond it are dropped.
  public init?(decimal text: String, currency: String) {
    var digits = Substring(text).utf8[...]
    var isNegative = false
    if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      digits = digits.dropFirst()
    }
    var units: Int64 = 0
    var decimals = 0
    var seenPoint = false
    var seenDigit = false
    let usual = Money.decimals(of: currency)
    for byte in Money.trimmed(digits, keeping: usual) {
      if byte == UInt8(ascii: "."), !seenPoint {
        seenPoint = true
        continue
      }
      guard byte >= 48, byte <= 57 else { return nil }
      seenDigit = true
      guard let next = Money.appending(Int64(byte - 48), to: units, negative: isNegative) else { return nil }
      units = next
      if seenPoint { decimals += 1 }
    }
    guard seenDigit, decimals <= 18 else { return nil }
    while decimals < usual {
      guard let next = Money.appending(0, to: units, negative: isNegative) else { return nil }
      units = next
      decimals += 1
    }
    self.init(units: units, decimals: decimals, currency: currency)
  }

  /// The exact amount as a decimal string: `-1.25`, `92100`, `0.005`.
  public var decimalText: String {
    var digits = String(units.magnitude)
    if decimals > 0 {
      if digits.utf8.count <= decimals {
        digits = String(repeating: "0", count: decimals + 1 - digits.utf8.count) + digits
      }
      digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -decimals))
    }
    return units < 0 ? "-" + digits : digits
  }

  public var isNegative: Bool { units < 0 }

  /// Decimals a currency uses (ISO 4217 exponent); 2 for those not listed, which is what most use.
  public static func decimals(of currency: String) -> Int { exponents[currency] ?? 2 }

  /// ISO 4217, list one: currencies whose exponent is not 2.
  private static let exponents: [String: Int] = [
    "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
    "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0, "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3,
    "OMR": 3, "TND": 3, "CLF": 4, "UYW": 4,
  ]

  private static func appending(_ digit: Int64, to units: Int64, negative: Bool) -> Int64? {
    let (shifted, tooFar) = units.multipliedReportingOverflow(by: 10)
    let (sum, over) =
      negative
      ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
    return tooFar || over ? nil : sum
  }

  /// Drops zeros at the end that stand beyond the currency's own decimals.
  private static func trimmed(_ digits: Substring.UTF8View, keeping usual: Int) -> Substring.UTF8View {
    guard let point = digits.firstIndex(of: UInt8(ascii: ".")) else { return digits }
    var end = digits.endIndex
    while digits.distance(from: point, to: end) - 1 > usual {
      let last = digits.index(before: end)
      guard digits[last] == UInt8(ascii: "0") else { break }
      end = last
    }
    return digits[..<end]
  }
}

extension Money: CustomStringConvertible {
  public var description: String { currency.isEmpty ? decimalText : "\(decimalText) \(currency)" }
}
