import Model

/// Values in words for people. Exact forms are `Value.exactText`; these are for reading.
package enum Format {
  /// `1,204.50`, or as the locale writes it; thousands are grouped, decimals stay as they are.
  package static func grouped(_ decimal: String) -> String {
    let isNegative = decimal.hasPrefix("-")
    let body = isNegative ? decimal.dropFirst() : decimal[...]
    let point = body.firstIndex(of: ".") ?? body.endIndex
    let whole = body[..<point]
    guard whole.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return decimal }
    let form = LocalForm.current
    var text = isNegative ? "-" : ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.utf8.count - index) % 3 == 0 { text.append(form.group) }
      text.append(digit)
    }
    return point == body.endIndex ? text : text + String(form.decimal) + body[body.index(after: point)...]
  }

  /// `1.2 MB`: three digits at most, decimal units; the unit takes two columns so that sizes line up.
  package static func size(_ bytes: Int64) -> String {
    guard bytes >= 1000 else { return "\(bytes)  B" }
    var value = Double(bytes)
    var unit = 0
    while value >= 999.5, unit < 5 {
      value /= 1000
      unit += 1
    }
    let number = value < 9.95 ? tenths(value) : String(Int(value.rounded()))
    return "\(number) \(["B", "kB", "MB", "GB", "TB", "PB"][unit])"
  }

  /// The same within a sentence: `227 B`.
  package static func plainSize(_ bytes: Int64) -> String { size(bytes).replacing("  ", with: " ") }

  /// `3.4`: a number with one decimal.
  package static func tenths(_ value: Double) -> String {
    let scaled = Int((value * 10).rounded())
    return "\(scaled / 10)\(LocalForm.current.decimal)\(abs(scaled % 10))"
  }

  /// `14 ms`, `1.2 s`, `3 min`, `2 h`.
  package static func duration(milliseconds: Int64) -> String {
    switch milliseconds {
    case ..<1000: "\(milliseconds) ms"
    case ..<10_000: "\(tenths(Double(milliseconds) / 1000)) s"
    case ..<120_000: "\(milliseconds / 1000) s"
    case ..<7_200_000: "\(milliseconds / 60_000) min"
    case ..<172_800_000: "\(milliseconds / 3_600_000) h"
    default: "\(milliseconds / 86_400_000) days"
    }
  }

  /// How long ago, in one rough unit: `12 s`, `3 min`.
  package static func age(of time: Timestamp, now: Timestamp) -> String {
    duration(milliseconds: max(1000, now.milliseconds - time.milliseconds))
  }

  /// `12,345`.
  package static func count(_ number: Int) -> String { grouped(String(number)) }

  /// `1 row`, `12,345 rows`.
  package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(count(number)) \(number == 1 ? noun : plural ?? noun + "s")"
  }
}

/// Moments in the person's own time zone.
package struct LocalTime: Sendable {
  /// Minutes to add to UTC at a moment.
  package let offset: @Sendable (Timestamp) -> Int

  package init(offset: @escaping @Sendable (Timestamp) -> Int) { self.offset = offset }
  package static let utc = LocalTime { _ in 0 }

  private func local(_ time: Timestamp) -> Timestamp.Civil { time.adding(seconds: Int64(offset(time)) * 60).civil }

  /// Twelve columns: `today  14:32`, `14 Nov 09:12`, `14 Nov  2024`.
  package func short(_ time: Timestamp, now: Timestamp) -> String {
    let then = local(time)
    let today = local(now)
    let day = two(then.day, " ") + " " + LocalForm.current.month(then.month)
    if then.year != today.year { return "\(day)  \(four(then.year))" }
    let clock = "\(two(then.hour)):\(two(then.minute))"
    return then.month == today.month && then.day == today.day ? "today  \(clock)" : "\(day) \(clock)"
  }

  /// `14 Nov 2026 09:12:05`, with the offset where it is not UTC's.
  package func long(_ time: Timestamp) -> String {
    let then = local(time)
    let date = "\(then.day) \(LocalForm.current.months[then.month - 1]) \(four(then.year))"
    return "\(date) \(two(then.hour)):\(two(then.minute)):\(two(then.second)) \(zone(time))"
  }

  /// `09:12:05`.
  package func clock(_ time: Timestamp) -> String {
    let then = local(time)
    return "\(two(then.hour)):\(two(then.minute)):\(two(then.second))"
  }

  private func zone(_ time: Timestamp) -> String {
    let minutes = offset(time)
    guard minutes != 0 else { return "UTC" }
    return "\(minutes < 0 ? "-" : "+")\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
  }

  private func two(_ number: Int, _ fill: String = "0") -> String {
    number < 10 ? fill + String(number) : String(number)
  }
  private func four(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 4 - text.utf8.count)) + text
  }
}
