import Model

/// The pictures that a list of transactions, newest first, gives: its balance, what came in and went out, and on what.
struct TransactionCharts: Sendable {
  /// More points than this are hard to tell apart; then months are drawn instead of days.
  private static let mostDays = 120
  /// Bars of a picture of spending; the rest is one bar.
  private static let mostBars = 12

  private struct Booking {
    let day: String
    let amount: Int64?
    let balance: Int64?
    let party: String
    let tags: [String]
    var month: String { String(day.prefix(7)) }
  }

  private let bookings: [Booking]
  private let unit: Chart.Unit
  private let notices: [String]

  /// Those without a time, or in another currency than the newest, are left out; so are those that are dated later than
  /// now, which would draw the axis out for years.
  init(_ transactions: [Transaction], _ notices: [String], now: Timestamp) {
    let transactions = transactions.filter { $0.completed.map { $0 <= now } ?? true }
    let currency = transactions.lazy.compactMap { $0.amount?.currency ?? $0.balance?.currency }.first ?? ""
    let own = transactions.filter { ($0.amount ?? $0.balance)?.currency == currency && $0.completed != nil }
    let places = own.flatMap { [$0.amount?.decimals, $0.balance?.decimals] }.compactMap { $0 }.max() ?? 2
    unit = .money(currency: currency, decimals: places)
    bookings = own.map { booking in
      Booking(
        day: booking.completed?.dateText ?? "", amount: booking.amount?.units(with: places),
        balance: booking.balance?.units(with: places), party: booking.otherSide.name ?? "somebody",
        tags: booking.tags?.map(\.text) ?? [])
    }
    let left = transactions.count - own.count
    self.notices = notices + (left > 0 ? ["\(left) in another currency or without a time are left out."] : [])
  }

  var all: [Chart] {
    let tags = spending("Spending by tag") { $0.tags }
    return [balance, flow, spending("Spending by counterparty") { [$0.party] }, tags].compactMap { $0 }
  }

  /// The balance at the end of each day, or of each month where there are many days.
  private var balance: Chart? {
    var last: [String: Int64] = [:]
    // Newest first: the first one of a day is its last.
    for booking in bookings {
      if let balance = booking.balance, last[booking.day] == nil { last[booking.day] = balance }
    }
    guard let first = last.keys.min(), let end = last.keys.max() else { return nil }
    var days = CalendarNames.days(from: first, to: end, atMost: TransactionCharts.mostDays)
    if days == nil {
      var months: [String: (day: String, balance: Int64)] = [:]
      for (day, balance) in last where months[String(day.prefix(7))].map({ $0.day < day }) ?? true {
        months[String(day.prefix(7))] = (day, balance)
      }
      last = months.mapValues(\.balance)
      days = CalendarNames.months(from: String(first.prefix(7)), to: String(end.prefix(7)))
    }
    var current: Int64 = 0
    let points = (days ?? []).map { day in
      current = last[day] ?? current
      return Chart.Point(day, current)
    }
    return Chart("Balance", .line, unit, [.init("Balance", points)], isPrivate: true, notices: notices)
  }

  private var flow: Chart? {
    var flows: [String: (into: Int64, out: Int64)] = [:]
    for booking in bookings {
      guard let amount = booking.amount else { continue }
      let known = flows[booking.month] ?? (0, 0)
      flows[booking.month] = amount < 0 ? (known.into, known.out &- amount) : (known.into &+ amount, known.out)
    }
    guard let first = flows.keys.min(), let end = flows.keys.max() else { return nil }
    let months = CalendarNames.months(from: first, to: end)
    return Chart(
      "In and out by month", .bars, unit,
      [
        .init("In", months.map { .init($0, flows[$0]?.into ?? 0) }),
        .init("Out", months.map { .init($0, flows[$0]?.out ?? 0) }),
      ], isPrivate: true, notices: notices)
  }

  /// What was spent, by whatever a booking is counted under; the largest first.
  private func spending(_ title: String, _ names: (Booking) -> [String]) -> Chart? {
    var sums: [String: Int64] = [:]
    for booking in bookings {
      guard let amount = booking.amount, amount < 0 else { continue }
      for name in names(booking) { sums[name, default: 0] &-= amount }
    }
    guard !sums.isEmpty else { return nil }
    let sorted = sums.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
    var points = sorted.prefix(TransactionCharts.mostBars).map { Chart.Point($0.key, $0.value) }
    let rest = sorted.dropFirst(TransactionCharts.mostBars)
    if !rest.isEmpty { points.append(.init("\(rest.count) others", rest.reduce(0) { $0 &+ $1.value })) }
    return Chart(title, .bars, unit, [.init("Spent", points)], isPrivate: true, notices: notices)
  }
}

/// Days and months in a row, as texts.
enum CalendarNames {
  private static let dayLength: Int64 = 86_400_000

  /// Every day from one to another; nil where there are more.
  static func days(from first: String, to last: String, atMost most: Int) -> [String]? {
    guard let start = Timestamp(rfc3339: first), let end = Timestamp(rfc3339: last) else { return [] }
    let count = (end.milliseconds - start.milliseconds) / dayLength + 1
    guard count <= Int64(most) else { return nil }
    return (0..<max(count, 0)).map { Timestamp(milliseconds: start.milliseconds + $0 * dayLength).dateText }
  }

  /// Every month from one to another.
  static func months(from first: String, to last: String) -> [String] {
    guard var year = Int(first.prefix(4)), var month = Int(first.suffix(2)) else { return [] }
    var months: [String] = []
    while name(year, month) <= last {
      months.append(name(year, month))
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
    }
    return months
  }

  private static func name(_ year: Int, _ month: Int) -> String {
    let digits = String(year)
    let years = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    return "\(years)-\(month < 10 ? "0" : "")\(month)"
  }
}
