/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  public var milliseconds: Int64

  /// Servers name moments as they like; what lies farther away than this is moved here, so that no sum or difference of
  /// two moments is ever too large: 73 million years.
  private static let farthest: Int64 = 1 << 61

  public init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, -Self.farthest), Self.farthest)
  }

  public init(seconds: Int64) { self.init(milliseconds: Self.milliseconds(seconds)) }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  public func adding(seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: milliseconds + min(max(Self.milliseconds(seconds), -Self.farthest), Self.farthest))
  }

  private static func milliseconds(_ seconds: Int64) -> Int64 {
    let (product, isOver) = seconds.multipliedReportingOverflow(by: 1000)
    return isOver ? (seconds < 0 ? .min : .max) : product
  }
}

/// Tells the time; a value of its own so that tests stand still.
public protocol WallClock: Sendable {
  func now() -> Timestamp
}

extension Timestamp {
  /// RFC 3339 in UTC: `2026-11-30T17:55:51Z`, with milliseconds only when there are any.
  public var rfc3339: String {
    let parts = civil
    var text = "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))T"
    text += "\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2))"
    if parts.millisecond != 0 { text += ".\(padded(parts.millisecond, 3))" }
    return text + "Z"
  }

  /// `2026-11-30`.
  public var dateText: String { String(rfc3339.prefix(10)) }

  /// Reads RFC 3339 and the ISO 8601 forms servers send: a space for the `T`, any fraction, `Z`, `+hh:mm`, `+hhmm` or
  /// no zone (read as UTC), or a date alone. Nil when it is none of these.
  public init?(rfc3339 text: String) {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var time: (hour: Int, minute: Int, second: Int, millisecond: Int) = (0, 0, 0, 0)
    var offset = 0
    if scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") {
      guard let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), hour < 25, minute < 60
      else { return nil }
      time.hour = hour
      time.minute = minute
      if scanner.skip(":") {
        guard let second = scanner.number(2), second < 61 else { return nil }
        time.second = second
        if scanner.skip(".") || scanner.skip(",") { time.millisecond = scanner.fraction() }
      }
      guard let zone = scanner.zoneMinutes() else { return nil }
      offset = zone
    }
    guard scanner.isAtEnd else { return nil }
    let days = Timestamp.days(year: year, month: month, day: day)
    let minutes = Int64(time.hour * 60 + time.minute - offset)
    milliseconds = days * 86_400_000 + minutes * 60_000 + Int64(time.second * 1000 + time.millisecond)
  }

  /// A date and time of day in UTC, taken apart.
  public struct Civil: Sendable, Hashable {
    public var year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, millisecond: Int
  }

  public var civil: Civil {
    let left = milliseconds % 86_400_000
    let days = milliseconds / 86_400_000 - (left < 0 ? 1 : 0)
    let rest = Int(left < 0 ? left + 86_400_000 : left)
    let (year, month, day) = Timestamp.date(days: days)
    return Civil(
      year: year, month: month, day: day, hour: rest / 3_600_000, minute: rest / 60_000 % 60,
      second: rest / 1000 % 60, millisecond: rest % 1000)
  }

  /// Days since 1970-01-01 of a date of the Gregorian calendar (Hinnant's civil-from-days arithmetic).
  public static func days(year: Int, month: Int, day: Int) -> Int64 {
    let y = Int64(month <= 2 ? year - 1 : year)
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(days: Int64) -> (Int, Int, Int) {
    let z = days + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let mp = (5 * dayOfYear + 2) / 153
    let month = Int(mp < 10 ? mp + 3 : mp - 9)
    return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, Int(dayOfYear - (153 * mp + 2) / 5 + 1))
  }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let text = String(number)
  return text.utf8.count >= width ? text : String(repeating: "0", count: width - text.utf8.count) + text
}

private struct DigitScanner {
  private var rest: Substring.UTF8View
  init(_ text: String) { rest = Substring(text).utf8 }
  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func number(_ width: Int) -> Int? {
    var value = 0
    for _ in 0..<width {
      guard let byte = rest.first, byte >= 48, byte <= 57 else { return nil }
      value = value * 10 + Int(byte - 48)
      rest = rest.dropFirst()
    }
    return value
  }

  /// Milliseconds of a fraction of any length; digits beyond the third are dropped.
  mutating func fraction() -> Int {
    var value = 0
    var weight = 100
    while let digit = number(1) {
      value += digit * weight
      weight /= 10
    }
    return value
  }

  mutating func zoneMinutes() -> Int? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    let sign = skip("-") ? -1 : skip("+") ? 1 : 0
    guard sign != 0, let hours = number(2) else { return nil }
    _ = skip(":")
    return sign * (hours * 60 + (number(2) ?? 0))
  }
}
