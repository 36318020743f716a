import Model

/// The exchanges in view as bars on one axis of time, each bar in its phases. Time in which nothing ran is left out.
struct ExchangeWaterfall {
  let exchanges: [ExchangeInfo]
  let selected: Int
  let world: World

  /// What stands for each phase; they differ in their shade, not in colour alone.
  private static let shades: [(phase: String, sign: String, ascii: String)] = [
    ("resolve", "·", "."), ("connect", "░", "c"), ("TLS", "▒", "t"), ("wait", "▓", "w"), ("receive", "█", "r"),
  ]

  private func shade(_ phase: String) -> String {
    let shade = ExchangeWaterfall.shades.first { $0.phase == phase } ?? ("", "▓", "w")
    return world.isUnicode ? shade.sign : shade.ascii
  }

  /// The least time between two exchanges that keeps its place, in milliseconds.
  private static let gap = 20.0

  /// Where each exchange begins on the axis, and how long the axis is.
  private func starts() -> (starts: [Double], length: Double) {
    guard let first = exchanges.map(\.started).min() else { return ([], 1) }
    var starts = [Double](repeating: 0, count: exchanges.count)
    var (skipped, busyUntil) = (0.0, 0.0)
    for index in exchanges.indices.sorted(by: { exchanges[$0].started < exchanges[$1].started }) {
      let begin = Double(exchanges[index].started.milliseconds - first.milliseconds) - skipped
      let idle = max(0, begin - busyUntil - ExchangeWaterfall.gap)
      skipped += idle
      starts[index] = begin - idle
      busyUntil = max(busyUntil, starts[index] + exchanges[index].milliseconds)
    }
    return (starts, max(1, busyUntil))
  }

  func render(into buffer: inout CellBuffer, area: Area) {
    let (head, rows) = area.cuttingTop(area.rows >= 3 ? 1 : 0)
    if !head.isEmpty { renderLegend(into: &buffer, area: head) }
    let (starts, length) = starts()
    let names = max(10, min(48, area.columns * 2 / 5))
    let room = max(4, area.columns - names - 14)
    for (offset, exchange) in exchanges.prefix(rows.rows).enumerated() {
      let row = rows.row + offset
      let ground: Style.Ground = offset == selected ? .selection : .screen
      buffer.fill(
        Area(column: area.column, row: row, columns: area.columns - 1, rows: 1), style: Style(.text, on: ground))
      if offset == selected {
        buffer.put("▌", column: area.column, row: row, style: Style(.accent, on: ground))
        buffer.cursor = (area.column, row)
      }
      let name = "\(exchange.method) \(ExchangeText.path(exchange.url))"
      let isBad = exchange.failure != nil || (exchange.status ?? 0) >= 400
      buffer.put(
        (isBad ? "✗ " : "") + name, column: area.column + 1, row: row, columns: names - 1,
        style: Style(isBad ? .bad : .text, on: ground))
      renderBar(
        exchange, from: starts[offset], scale: Double(room) / length, room: room, column: area.column + names + 1,
        row: row, ground, &buffer)
      let time = exchange.isRunning ? "running" : Format.duration(milliseconds: Int64(exchange.milliseconds.rounded()))
      buffer.putRight(time, endColumn: area.endColumn - 2, row: row, columns: 9, style: Style(.number, on: ground))
    }
  }

  private func renderLegend(into buffer: inout CellBuffer, area: Area) {
    buffer.fill(area, style: Style(.heading, on: .columns))
    var spans: [Span] = []
    for shade in ExchangeWaterfall.shades {
      spans += [
        Span(world.isUnicode ? shade.sign : shade.ascii, .accent, on: .columns),
        Span(" \(shade.phase)   ", .heading, on: .columns),
      ]
    }
    buffer.put(Line(spans), column: area.column + 1, row: area.row, columns: area.columns - 2)
  }

  private func renderBar(
    _ exchange: ExchangeInfo, from start: Double, scale: Double, room: Int, column: Int, row: Int,
    _ ground: Style.Ground, _ buffer: inout CellBuffer
  ) {
    var at = start
    var drawn = min(room - 1, Int(start * scale))
    for phase in exchange.phases where phase.milliseconds > 0 {
      at += phase.milliseconds
      // A phase too short to be seen gives its place to the next, but the last is always seen.
      let isLast = phase == exchange.phases.last { $0.milliseconds > 0 }
      let end = min(room, max(Int((at * scale).rounded()), isLast ? drawn + 1 : drawn))
      guard end > drawn else { continue }
      buffer.put(
        String(repeating: shade(phase.name), count: end - drawn), column: column + drawn, row: row,
        style: Style(.bar, on: ground))
      drawn = end
    }
  }
}
