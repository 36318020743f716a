import Glibc

/// A moment, in milliseconds since 1970 UTC, and the forms in which the five servers write it.
package struct SandboxTime: Sendable, Hashable, Comparable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// A moment in UTC; months and days count from 1.
  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0) {
    let seconds = Self.days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    milliseconds = Int64(seconds) * 1_000 + Int64(millisecond)
  }

  /// Whole seconds since 1970.
  package var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000 }

  package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  package func adding(seconds: Int) -> SandboxTime {
    SandboxTime(milliseconds: milliseconds + Int64(seconds) * 1_000)
  }

  package func adding(days: Int) -> SandboxTime { adding(seconds: days * 86_400) }
}

/// Where the servers read the time, so that tests can hold it still.
package struct SandboxClock: Sendable {
  private let read: @Sendable () -> SandboxTime

  package init(_ read: @escaping @Sendable () -> SandboxTime) { self.read = read }

  package var now: SandboxTime { read() }

  package static let system = SandboxClock {
    var spec = timespec()
    clock_gettime(CLOCK_REALTIME, &spec)
    return SandboxTime(milliseconds: Int64(spec.tv_sec) * 1_000 + Int64(spec.tv_nsec) / 1_000_000)
  }

  package static func fixed(_ time: SandboxTime) -> SandboxClock { SandboxClock { time } }
}

extension SandboxTime {
  /// A moment taken apart in UTC.
  package struct Parts: Sendable {
    package let year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, millisecond: Int
    /// 0 is Monday.
    package let weekday: Int
  }

  package var parts: Parts {
    let whole = Int(seconds)
    let day = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
    let second = whole - day * 86_400
    let date = Self.date(days: day)
    return Parts(
      year: date.year, month: date.month, day: date.day,
      hour: second / 3_600, minute: second / 60 % 60, second: second % 60,
      millisecond: Int(milliseconds - seconds * 1_000), weekday: ((day + 3) % 7 + 7) % 7
    )
  }

  /// `2026-11-30T09:15:00Z`, without fractions.
  package var iso: String { "\(isoDate)T\(clockText(parts))Z" }

  /// `2026-11-30T09:15:00.042Z`, always three digits of fraction.
  package var isoMilliseconds: String {
    let parts = parts
    return "\(isoDate)T\(clockText(parts)).\(Self.padded(parts.millisecond, 3))Z"
  }

  /// `2026-11-30`.
  package var isoDate: String {
    let parts = parts
    return "\(Self.padded(parts.year, 4))-\(Self.padded(parts.month, 2))-\(Self.padded(parts.day, 2))"
  }

  /// `Mon, 30 Nov 2026 09:15:00 GMT`, as HTTP headers carry it.
  package var http: String {
    let parts = parts
    let day = Self.padded(parts.day, 2)
    return
      "\(Self.weekdays[parts.weekday]), \(day) \(Self.months[parts.month - 1]) \(parts.year) \(clockText(parts)) GMT"
  }

  /// A moment from an HTTP header, nil unless it is in the preferred form of RFC 9110.
  package init?(http text: String) {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]),
      let month = Self.months.firstIndex(of: String(words[2]))
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3 else { return nil }
    self.init(year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
  }

  /// A moment from `yyyy-MM-dd[THH:mm:ss[.SSS]](Z|±hhmm|±hh:mm)`; a missing zone means UTC.
  package init?(iso text: String) {
    var reader = DigitReader(text)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var time = SandboxTime(year: year, month: month, day: day)
    if reader.skip("T") {
      guard let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
        let second = reader.number(2), hour < 24, minute < 60, second < 61
      else { return nil }
      time = time.adding(seconds: hour * 3_600 + minute * 60 + second)
      if reader.skip(".") {
        guard let fraction = reader.fraction() else { return nil }
        time.milliseconds += Int64(fraction)
      }
    }
    guard let zone = reader.zone(), reader.isAtEnd else { return nil }
    self = time.adding(seconds: -zone)
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private func clockText(_ parts: Parts) -> String {
    "\(Self.padded(parts.hour, 2)):\(Self.padded(parts.minute, 2)):\(Self.padded(parts.second, 2))"
  }

  package static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return text.count >= width ? text : String(repeating: "0", count: width - text.count) + text
  }

  /// Days since 1970 of a date of the Gregorian calendar, counted in years that begin in March.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}

/// Reads the fixed-width numbers of a timestamp.
private struct DigitReader {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(_ digits: Int) -> Int? {
    guard rest.count >= digits else { return nil }
    var value = 0
    for byte in rest.prefix(digits) {
      guard (48...57).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 48)
    }
    rest.removeFirst(digits)
    return value
  }

  /// Milliseconds of a fraction of any length.
  mutating func fraction() -> Int? {
    var value = 0
    var scale = 100
    var isEmpty = true
    while let byte = rest.first, (48...57).contains(byte) {
      value += Int(byte - 48) * scale
      scale /= 10
      isEmpty = false
      rest.removeFirst()
    }
    return isEmpty ? nil : value
  }

  /// Seconds east of UTC.
  mutating func zone() -> Int? {
    if isAtEnd || skip("Z") { return 0 }
    let sign = skip("+") ? 1 : skip("-") ? -1 : 0
    guard sign != 0, let hours = number(2) else { return nil }
    _ = skip(":")
    return sign * (hours * 3_600 + (number(2) ?? 0) * 60)
  }
}
