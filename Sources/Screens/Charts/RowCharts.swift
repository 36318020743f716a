import Model

/// Charts of rows that are here already, for places whose back end draws none.
struct RowCharts {
  private let columns: [Column]
  private let rows: [Row]
  private let notices: [String]
  /// Most bars worth looking at.
  private static let most = 200

  /// - Parameter isPart: Whether there are more rows than these.
  init(_ columns: [Column], _ rows: [Row], isPart: Bool) {
    self.columns = columns
    self.rows = rows
    notices = isPart ? ["of the first \(Format.count(rows.count, "row"))"] : []
  }

  /// Whether the columns hold anything that can be drawn.
  static func offered(_ columns: [Column]) -> Bool { columns.contains { $0.kind == .size || $0.kind == .amount } }

  var charts: [Chart] {
    let amount = LeadingColumn.index(of: [.amount], in: columns)
    let time = LeadingColumn.index(of: [.time, .date], in: columns)
    var charts: [Chart] = []
    if let amount {
      charts += time.map { inAndOut(amount, $0) } ?? amounts(amount)
      if let time, let balance = columns.firstIndex(where: { $0.id == "balance" }), balance != amount {
        charts += course(balance, time)
      }
    }
    if let size = LeadingColumn.index(of: [.size], in: columns) { charts += sizes(size) }
    return charts
  }

  private func value(_ row: Row, _ column: Int) -> Value { column < row.values.count ? row.values[column] : .null }

  private func name(_ row: Row) -> String {
    for (column, value) in zip(columns, row.values) where column.rank == 0 && column.id != "id" {
      if case .text(let text) = value, !text.isEmpty { return text }
    }
    return row.location.path.last ?? ""
  }

  private func day(_ value: Value) -> String? {
    switch value {
    case .time(let time): time.dateText
    case .date(let text): String(text.prefix(10))
    default: nil
    }
  }

  /// The amounts of a column by currency, all with the decimals of the finest.
  private func byCurrency(_ column: Int) -> [(currency: String, decimals: Int, rows: [(row: Row, units: Int64)])] {
    var found: [String: [(row: Row, money: Money)]] = [:]
    for row in rows {
      if case .money(let money) = value(row, column) { found[money.currency, default: []].append((row, money)) }
    }
    return found.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { currency, rows in
      let decimals = rows.map(\.money.decimals).max() ?? 0
      return (
        currency, decimals, rows.map { row, money in (row, Int64(clamping: money.scaledUnits(to: decimals))) }
      )
    }
  }

  private func inAndOut(_ amount: Int, _ time: Int) -> [Chart] {
    byCurrency(amount).compactMap { currency, decimals, rows in
      var months: [String: (in: Int64, out: Int64)] = [:]
      for (row, units) in rows {
        guard let month = day(value(row, time))?.prefix(7) else { continue }
        let old = months[String(month)] ?? (0, 0)
        months[String(month)] = units < 0 ? (old.in, old.out &- units) : (old.in &+ units, old.out)
      }
      guard !months.isEmpty else { return nil }
      let sorted = months.sorted { $0.key < $1.key }.suffix(RowCharts.most)
      return Chart(
        "In and out by month, \(currency)", .bars, .money(currency: currency, decimals: decimals),
        [
          Chart.Series("In", sorted.map { Chart.Point($0.key, $0.value.in) }),
          Chart.Series("Out", sorted.map { Chart.Point($0.key, $0.value.out) }),
        ], isPrivate: columns[amount].isPrivate, notices: notices)
    }
  }

  private func course(_ balance: Int, _ time: Int) -> [Chart] {
    byCurrency(balance).compactMap { currency, decimals, rows in
      // Rows come newest first; those of one day keep their order when they are turned round.
      let points = rows.reversed().enumerated().compactMap { index, row in
        day(value(row.row, time)).map { (index: index, point: Chart.Point($0, row.units)) }
      }.sorted { ($0.point.label, $0.index) < ($1.point.label, $1.index) }.map(\.point)
      guard points.count > 1 else { return nil }
      return Chart(
        "Balance over time, \(currency)", .line, .money(currency: currency, decimals: decimals),
        [Chart.Series("Balance", points)], isPrivate: columns[balance].isPrivate, notices: notices)
    }
  }

  private func amounts(_ amount: Int) -> [Chart] {
    byCurrency(amount).map { currency, decimals, rows in
      let points = rows.prefix(RowCharts.most).map { Chart.Point(name($0.row), $0.units) }
      return Chart(
        "\(columns[amount].title), \(currency)", .bars, .money(currency: currency, decimals: decimals),
        [Chart.Series(columns[amount].title, points)], isPrivate: columns[amount].isPrivate, notices: notices)
    }
  }

  private func sizes(_ size: Int) -> [Chart] {
    let points = rows.compactMap { row -> Chart.Point? in
      guard case .size(let bytes) = value(row, size) else { return nil }
      return Chart.Point(name(row), bytes)
    }.sorted { $0.value > $1.value }.prefix(RowCharts.most)
    guard !points.isEmpty else { return [] }
    let isPrivate = columns.contains { $0.rank == 0 && $0.isPrivate }
    return [
      Chart("Sizes", .bars, .bytes, [Chart.Series("Size", Array(points))], isPrivate: isPrivate, notices: notices)
    ]
  }
}

/// The column of some kind that matters most: the one that gives way last on a narrow screen.
enum LeadingColumn {
  static func index(of kinds: Set<Column.Kind>, in columns: [Column]) -> Int? {
    columns.indices.filter { kinds.contains(columns[$0].kind) }.min { columns[$0].rank < columns[$1].rank }
  }
}

extension Money {
  /// The amount in units of ten to the power of `-decimals`, which must not be coarser than its own.
  func scaledUnits(to decimals: Int) -> Int128 {
    var scaled = Int128(units)
    for _ in self.decimals..<max(self.decimals, decimals) { scaled *= 10 }
    return scaled
  }
}
