public import Model

/// Dates as HTTP headers write them.
public enum HTTPDate {
  private static let months = [
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
    "dec": 12,
  ]

  /// Reads the three forms of RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. Nil for anything else.
  public static func parse(_ text: String) -> Timestamp? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.map { $0.lowercased() }
    guard parts.count >= 5 else { return nil }
    let isAsctime = months[parts[1]] != nil
    let (dayText, monthText) = isAsctime ? (parts[2], parts[1]) : (parts[1], parts[2])
    let (yearText, clockText) = isAsctime ? (parts[4], parts[3]) : (parts[3], parts[4])
    guard let day = Int(dayText), (1...31).contains(day), let month = months[monthText],
      let year = fullYear(yearText), let seconds = secondsOfDay(clockText)
    else { return nil }
    return Timestamp(seconds: Int64(days(year: year, month: month, day: day)) * 86_400 + Int64(seconds))
  }

  private static func fullYear(_ text: String) -> Int? {
    guard let year = Int(text), (0...9999).contains(year) else { return nil }
    return text.utf8.count > 2 ? year : year + (year < 70 ? 2000 : 1900)
  }

  private static func secondsOfDay(_ text: String) -> Int? {
    let parts = text.split(separator: ":").compactMap { Int($0) }
    guard parts.count == 3, (0...23).contains(parts[0]), (0...59).contains(parts[1]), (0...60).contains(parts[2])
    else { return nil }
    return parts[0] * 3600 + parts[1] * 60 + parts[2]
  }

  /// Days since 1970-01-01 in the proleptic Gregorian calendar.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
