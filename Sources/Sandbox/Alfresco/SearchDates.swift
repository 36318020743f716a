/// Dates in queries: `NOW/DAY-7DAYS`, `2026-11-27`, `'2026-01-01T00:00:00'`, `MIN` and `MAX` (reference 4.4).
enum SearchDates {
  /// The moment and the length of what was named, in milliseconds: a day for a date, a millisecond for a time.
  static func moment(_ text: String, now: SandboxTime) -> (start: SandboxTime, length: Int64)? {
    var rest = text[...]
    var time: SandboxTime
    var length: Int64 = 1
    if rest.uppercased().hasPrefix("NOW") {
      time = now
      rest = rest.dropFirst(3)
    } else if rest.uppercased().hasPrefix("TODAY") {
      time = rounded(now, "DAY")
      length = 86_400_000
      rest = rest.dropFirst(5)
    } else {
      let base = rest.prefix { $0 != "/" && $0 != "+" && !$0.isWhitespace }
      guard let parsed = date(String(base)) else { return nil }
      (time, length) = parsed
      rest = rest.dropFirst(base.count)
    }
    while let sign = rest.popFirst() {
      if sign == "/" {
        let unit = rest.prefix { $0.isLetter }
        time = rounded(time, singular(unit))
        rest = rest.dropFirst(unit.count)
      } else if sign == "+" || sign == "-" {
        let digits = rest.prefix { $0.isNumber }
        rest = rest.dropFirst(digits.count)
        let unit = rest.prefix { $0.isLetter }
        guard let count = Int(digits) else { return nil }
        time = moved(time, sign == "+" ? count : -count, singular(unit))
        rest = rest.dropFirst(unit.count)
      } else {
        return nil
      }
    }
    return (time, length)
  }

  private static func date(_ text: String) -> (SandboxTime, Int64)? {
    let parts = text.split(separator: "-")
    if parts.count == 1, let year = Int(text), text.count == 4 {
      return (SandboxTime(year: year, month: 1, day: 1), 365 * 86_400_000)
    }
    if parts.count == 2, let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month) {
      return (SandboxTime(year: year, month: month, day: 1), 30 * 86_400_000)
    }
    guard let time = SandboxTime(iso: text) else { return nil }
    return (time, text.contains("T") ? 1 : 86_400_000)
  }

  private static func singular(_ unit: Substring) -> String {
    let upper = unit.uppercased()
    return upper.hasSuffix("S") ? String(upper.dropLast()) : upper
  }

  private static func rounded(_ time: SandboxTime, _ unit: String) -> SandboxTime {
    let parts = time.parts
    switch unit {
    case "YEAR": return SandboxTime(year: parts.year, month: 1, day: 1)
    case "MONTH": return SandboxTime(year: parts.year, month: parts.month, day: 1)
    case "DAY", "DATE": return SandboxTime(year: parts.year, month: parts.month, day: parts.day)
    case "HOUR": return SandboxTime(year: parts.year, month: parts.month, day: parts.day, hour: parts.hour)
    default: return time
    }
  }

  private static func moved(_ time: SandboxTime, _ count: Int, _ unit: String) -> SandboxTime {
    let parts = time.parts
    switch unit {
    case "YEAR", "MONTH":
      let months = parts.year * 12 + parts.month - 1 + (unit == "YEAR" ? count * 12 : count)
      let day = min(parts.day, 28)
      let rest = time.milliseconds - rounded(time, "DAY").milliseconds
      let moved = SandboxTime(year: months / 12, month: months % 12 + 1, day: day)
      return SandboxTime(milliseconds: moved.milliseconds + rest)
    case "DAY", "DATE": return time.adding(days: count)
    case "HOUR": return time.adding(seconds: count * 3_600)
    case "MINUTE": return time.adding(seconds: count * 60)
    default: return time.adding(seconds: count)
    }
  }
}
