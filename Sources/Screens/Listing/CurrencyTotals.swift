import Model

/// Sums of amounts, one for each currency, exact.
struct CurrencyTotals: Hashable, Sendable {
  private struct Sum: Hashable {
    var units: Int128 = 0
    var decimals = 0
    var count = 0
  }

  private var sums: [String: Sum] = [:]

  var isEmpty: Bool { sums.isEmpty }

  mutating func add(_ value: Value) { change(value, by: 1) }
  mutating func remove(_ value: Value) { change(value, by: -1) }

  private mutating func change(_ value: Value, by sign: Int) {
    guard case .money(let money) = value else { return }
    add(Int128(sign) * Int128(money.units), MoneyUnit(currency: money.currency, decimals: money.decimals), count: sign)
  }

  /// Adds so many amounts which together are so many units.
  mutating func add(_ units: Int128, _ unit: MoneyUnit, count: Int) {
    var sum = sums[unit.currency] ?? Sum(decimals: unit.decimals)
    var units = units
    while sum.decimals < unit.decimals {
      sum.units *= 10
      sum.decimals += 1
    }
    for _ in unit.decimals..<max(unit.decimals, sum.decimals) { units *= 10 }
    sum.units += units
    sum.count += count
    sums[unit.currency] = sum.count == 0 ? nil : sum
  }

  /// `1,204.50 EUR`, one for each currency, the most frequent first.
  var texts: [String] {
    sums.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { currency, sum in
      let money = Money(units: Int64(clamping: sum.units), decimals: sum.decimals, currency: currency)
      return Format.grouped(money.decimalText) + (currency.isEmpty ? "" : " \(currency)")
    }
  }

  /// As many of the sums as fit into so many columns; nil when not even one does.
  func text(columns: Int) -> String? {
    let texts = texts
    for count in stride(from: texts.count, to: 0, by: -1) {
      let rest = texts.count - count
      let text = "Σ " + texts.prefix(count).joined(separator: ", ") + (rest > 0 ? " +\(rest)" : "")
      if TextWidth.columns(of: text) <= columns { return text }
    }
    return nil
  }
}
