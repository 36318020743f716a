import Model

/// A chart's numbers in words.
enum ChartText {
  /// Exact, as it stands under the cursor.
  static func value(_ value: Int64, _ unit: Chart.Unit) -> String {
    switch unit {
    case .money(let currency, let decimals):
      let money = Money(units: value, decimals: decimals, currency: currency)
      return Format.grouped(money.decimalText) + (currency.isEmpty ? "" : " \(currency)")
    case .bytes:
      return value < 1000 ? "\(value) bytes" : "\(Format.plainSize(value)) (\(Format.grouped(String(value))) bytes)"
    case .milliseconds: return "\(Format.grouped(String(value))) ms"
    case .count: return Format.grouped(String(value))
    }
  }

  /// Behind a bar, where the numbers of all bars stand below one another.
  static func column(_ value: Int64, _ unit: Chart.Unit) -> String {
    guard case .money(let currency, let decimals) = unit else { return short(value, unit) }
    return Format.grouped(Money(units: value, decimals: decimals, currency: currency).decimalText)
  }

  /// Short, as it stands at an axis.
  static func short(_ value: Int64, _ unit: Chart.Unit) -> String {
    switch unit {
    case .money(let currency, let decimals):
      let text = Money(units: value, decimals: decimals, currency: currency).decimalText
      guard let point = text.firstIndex(of: ".") else { return shortened(text) }
      let isWhole = text[text.index(after: point)...].allSatisfy { $0 == "0" }
      return isWhole ? shortened(String(text[..<point])) : Format.grouped(text)
    case .bytes: return value < 0 ? "-" + Format.plainSize(-value) : Format.plainSize(value)
    case .milliseconds: return value < 0 ? "\(value) ms" : Format.duration(milliseconds: value)
    case .count: return shortened(String(value))
    }
  }

  /// `12,500` stays; `250000` becomes `250k`, where nothing is lost by it.
  private static func shortened(_ digits: String) -> String {
    guard let number = Int64(digits) else { return Format.grouped(digits) }
    for (size, sign) in [(Int64(1_000_000_000), "G"), (1_000_000, "M"), (1_000, "k")] {
      guard number.magnitude >= size.magnitude * 10, number % (size / 10) == 0 else { continue }
      let tenths = number / (size / 10)
      return tenths % 10 == 0 ? "\(tenths / 10)\(sign)" : "\(tenths / 10).\(abs(tenths % 10))\(sign)"
    }
    return Format.grouped(digits)
  }
}
