import Model

/// The exchange log in pictures: how long each answer took, and how long each address takes.
enum ExchangeCharts {
  /// - Parameter exchanges: The newest first.
  static func charts(_ exchanges: [ExchangeInfo]) -> [Chart] {
    let answered = exchanges.filter { $0.status != nil }
    guard !answered.isEmpty else { return [] }
    let course = answered.reversed().map { Chart.Point("\($0.id)", Int64($0.milliseconds.rounded())) }
    return [
      Chart("Response times, by exchange", .line, .milliseconds, [Chart.Series("Time", course)]),
      slowest(answered),
      Chart(
        "Bytes received, by address", .bars, .bytes, [Chart.Series("Bytes", points(sums(answered) { $0.bytes ?? 0 }))]),
    ]
  }

  /// Median and longest time of each address, the slowest first.
  private static func slowest(_ exchanges: [ExchangeInfo]) -> Chart {
    let times = Dictionary(grouping: exchanges, by: name).mapValues {
      $0.map { Int64($0.milliseconds.rounded()) }.sorted()
    }
    let order = times.sorted { ($1.value[$1.value.count / 2], $0.key) < ($0.value[$0.value.count / 2], $1.key) }
    return Chart(
      "Response times, by address", .bars, .milliseconds,
      [
        Chart.Series("Median", order.map { Chart.Point($0.key, $0.value[$0.value.count / 2]) }),
        Chart.Series("Longest", order.map { Chart.Point($0.key, $0.value.last ?? 0) }),
      ])
  }

  private static func sums(_ exchanges: [ExchangeInfo], _ value: (ExchangeInfo) -> Int64) -> [String: Int64] {
    exchanges.reduce(into: [:]) { $0[name($1), default: 0] += value($1) }
  }

  private static func points(_ sums: [String: Int64]) -> [Chart.Point] {
    sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { Chart.Point($0.key, $0.value) }
  }

  /// Method and path without its query, so that pages of a list stand together.
  private static func name(_ exchange: ExchangeInfo) -> String {
    "\(exchange.method) \(ExchangeText.path(exchange.url).prefix { $0 != "?" })"
  }
}
