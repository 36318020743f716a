import Model

/// One condition of a filter, on one column or on any.
struct FilterTerm: Equatable, Sendable {
  enum Test: Equatable, Sendable {
    /// Contains the text, any case; lower case already.
    case contains(String)
    /// Is the text, any case; lower case already.
    case equals(String)
    case within(FilterBounds)
  }

  /// Index of the column; nil for any that holds it.
  var column: Int?
  var isNegated = false
  var test: Test

  /// Whether what this term finds is among what the other finds: `rai` is continued by `rail`.
  func continues(_ other: FilterTerm) -> Bool {
    if self == other { return true }
    guard column == other.column, !isNegated, !other.isNegated, case .contains(let text) = test,
      case .contains(let shorter) = other.test
    else { return false }
    return text.contains(shorter)
  }
}

/// An exact number to compare with: `units` times ten to the power of `-decimals`.
struct ExactNumber: Comparable, Sendable {
  let units: Int128
  let decimals: Int

  init(_ units: Int128, decimals: Int = 0) {
    self.units = units
    self.decimals = decimals
  }

  /// Reads `1204.5`, `1,204.50`, `-3`, and with a unit `10k`, `1.5MB`, `2 GB`.
  init?(_ text: some StringProtocol) {
    var text = text.lowercased().filter { $0 != "," && $0 != " " }
    if text.hasSuffix("b"), text.count > 1 { text.removeLast() }
    var factor: Int128 = 1
    for (sign, size) in [("k", Int128(1000)), ("m", 1_000_000), ("g", 1_000_000_000), ("t", 1_000_000_000_000)]
    where text.hasSuffix(sign) {
      text.removeLast()
      factor = size
    }
    guard let money = Money(decimal: text, currency: "") else { return nil }
    self.init(Int128(money.units) * factor, decimals: money.decimals)
  }

  static func < (a: ExactNumber, b: ExactNumber) -> Bool { scaled(a, b) < scaled(b, a) }
  static func == (a: ExactNumber, b: ExactNumber) -> Bool { scaled(a, b) == scaled(b, a) }

  /// The greatest number of so many decimals that is not greater, and whether it is the same.
  fileprivate func floored(decimals wanted: Int) -> (units: Int128, isExact: Bool) {
    // Farther than any amount reaches, with room for one more.
    let limit: Int128 = 1 << 100
    var units = min(max(self.units, -limit), limit)
    var isExact = true
    for _ in decimals..<max(decimals, wanted) where units.magnitude <= limit.magnitude / 16 { units *= 10 }
    for _ in wanted..<max(wanted, decimals) {
      let (quotient, remainder) = units.quotientAndRemainder(dividingBy: 10)
      isExact = isExact && remainder == 0
      units = remainder < 0 ? quotient - 1 : quotient
    }
    return (units, isExact)
  }

  /// The units of one number with as many decimals as the finer of two has.
  private static func scaled(_ number: ExactNumber, _ other: ExactNumber) -> Int128 {
    var units = number.units
    for _ in number.decimals..<max(number.decimals, other.decimals) {
      let (product, overflow) = units.multipliedReportingOverflow(by: 10)
      guard !overflow else { return units < 0 ? .min : .max }
      units = product
    }
    return units
  }
}

/// From where to where a value may lie. Moments are milliseconds of the person's own clock.
struct FilterBounds: Equatable, Sendable {
  enum Kind: Hashable, Sendable { case number, moment }

  var kind: Kind
  var least: ExactNumber?
  /// Whether `least` itself lies within.
  var takesLeast = true
  var greatest: ExactNumber?
  var takesGreatest = true

  func contains(_ number: ExactNumber) -> Bool {
    if let least, takesLeast ? number < least : number <= least { return false }
    if let greatest, takesGreatest ? number > greatest : number >= greatest { return false }
    return true
  }

  /// The units of so many decimals that lie within; nil when none can.
  func range(decimals: Int) -> ClosedRange<Int64>? {
    var low = Int128(Int64.min)
    var high = Int128(Int64.max)
    if let least {
      let (units, isExact) = least.floored(decimals: decimals)
      low = isExact && takesLeast ? units : units + 1
    }
    if let greatest {
      let (units, isExact) = greatest.floored(decimals: decimals)
      high = isExact && !takesGreatest ? units - 1 : units
    }
    low = max(low, Int128(Int64.min))
    high = min(high, Int128(Int64.max))
    return low <= high ? Int64(low)...Int64(high) : nil
  }

  /// The number a value is compared as; nil when it is of another kind.
  func number(of value: Value, _ zone: LocalTime) -> ExactNumber? {
    switch (kind, value) {
    case (.number, .integer(let number)), (.number, .size(let number)): ExactNumber(Int128(number))
    case (.number, .money(let money)): ExactNumber(Int128(money.units), decimals: money.decimals)
    case (.number, .decimal(let text)): ExactNumber(text)
    case (.moment, .time(let time)): ExactNumber(Int128(time.milliseconds) + Int128(zone.offset(time)) * 60_000)
    case (.moment, .date(let text)): Timestamp(rfc3339: text).map { ExactNumber(Int128($0.milliseconds)) }
    default: nil
    }
  }
}

/// What stands at one side of a comparison: a number, or a stretch of time such as a month.
struct FilterOperand: Sendable {
  let kind: FilterBounds.Kind
  let start: ExactNumber
  /// The first moment behind it; for a number the number itself.
  let end: ExactNumber

  /// - Parameters:
  ///   - prefersMoment: Reads `2026` as the year rather than as the number.
  ///   - today: Midnight of the person's day.
  init?(_ text: some StringProtocol, prefersMoment: Bool, today: Timestamp) {
    if !prefersMoment || !text.allSatisfy(\.isNumber), let number = ExactNumber(text) {
      (kind, start, end) = (.number, number, number)
    } else if let span = FilterOperand.span(text.lowercased(), today: today) {
      kind = .moment
      start = ExactNumber(Int128(span.lowerBound.milliseconds))
      end = ExactNumber(Int128(span.upperBound.milliseconds))
    } else if let number = ExactNumber(text) {
      (kind, start, end) = (.number, number, number)
    } else {
      return nil
    }
  }

  /// `2026`, `2026-03`, `2026-03-14`, `2026-03-14T09:12`, `today`, `yesterday`.
  private static func span(_ text: String, today: Timestamp) -> Range<Timestamp>? {
    if text == "today" { return today..<today.adding(seconds: 86_400) }
    if text == "yesterday" { return today.adding(seconds: -86_400)..<today }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    switch parts.count {
    case 1:
      guard text.utf8.count == 4, let year = Int(text) else { return nil }
      return day(year, 1, 1)..<day(year + 1, 1, 1)
    case 2:
      guard parts[0].utf8.count == 4, let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month),
        parts[1].utf8.count == 2
      else { return nil }
      return day(year, month, 1)..<(month == 12 ? day(year + 1, 1, 1) : day(year, month + 1, 1))
    case 3:
      guard let start = Timestamp(rfc3339: text) else { return nil }
      return start..<start.adding(seconds: text.contains("t") ? 60 : 86_400)
    default: return nil
    }
  }

  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Timestamp {
    Timestamp(milliseconds: Timestamp.days(year: year, month: month, day: day) * 86_400_000)
  }
}
