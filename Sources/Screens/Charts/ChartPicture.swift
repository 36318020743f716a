import Model

/// Draws one chart into an area: axes, lines or bars, and where the cursor stands.
struct ChartPicture {
  let chart: Chart
  let world: World
  /// The point under the cursor.
  let point: Int
  /// First point in view where the bars lie and are scrolled.
  var top = 0

  /// How each series looks, after the last from the first again. Lines and bars differ in their pattern, too.
  static let roles: [Style.Role] = [.bar, .accent, .positive, .warning]
  static let asciiMarks = ["*", "+", "o", "x"]
  private static let fills = ["█", "▓", "▒", "░"]
  private static let eighths = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇"]
  private static let lyingEighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  private var points: [Chart.Point] { chart.series.first?.points ?? [] }
  private var isMasked: Bool { world.isPrivate && chart.isPrivate }
  private func shown(_ text: String) -> String { isMasked ? Mask.masked(text) : text }

  static func role(_ series: Int) -> Style.Role { roles[series % roles.count] }

  /// What stands for a series in the legend.
  func sign(_ series: Int) -> String {
    if !world.isUnicode { return ChartPicture.asciiMarks[series % ChartPicture.asciiMarks.count] }
    switch chart.form {
    case .bars: return ChartPicture.fills[series % ChartPicture.fills.count]
    case .line: return ["──", "╌╌", "┄┄", "··"][series % 4]
    }
  }

  // MARK: Layout

  private struct Frame {
    var plot: Area
    var scale: ChartScale
    /// Columns of the numbers at the left.
    var labels: Int
  }

  private func frame(_ area: Area) -> Frame {
    let plotRows = max(1, area.rows - (area.rows >= 5 ? 2 : area.rows >= 3 ? 1 : 0))
    let values = chart.series.flatMap { $0.points.map(\.value) }
    let scale = ChartScale(values, steps: max(1, plotRows / 3), fromZero: chart.form == .bars)
    let widest = scale.ticks.map { TextWidth.columns(of: ChartText.short($0, chart.unit)) }.max() ?? 0
    let labels = area.columns >= widest + 12 ? widest : 0
    let left = labels == 0 ? 0 : labels + 2
    return Frame(
      plot: Area(column: area.column + left, row: area.row, columns: area.columns - left - 1, rows: plotRows),
      scale: scale, labels: labels)
  }

  /// Bars lie when their names would not fit below them; of dates some are left out instead.
  func isLying(_ area: Area) -> Bool {
    guard chart.form == .bars else { return false }
    let columns = frame(area).plot.columns
    let group = points.isEmpty ? columns : columns / points.count
    if group < chart.series.count + (chart.series.count > 1 ? 1 : 0) || group < 1 { return true }
    let areDates = points.allSatisfy { $0.label.first?.isNumber == true }
    let longest = points.map { TextWidth.columns(of: Visible.line($0.label)) }.max() ?? 0
    return !areDates && longest + 1 > group
  }

  /// Points in view where the bars lie.
  func lyingPage(_ area: Area) -> Int { max(1, area.rows / lyingRows) }
  private var lyingRows: Int { max(1, chart.series.count) + (chart.series.count > 1 ? 1 : 0) }

  /// Which point stands at a place of the screen.
  func point(atColumn column: Int, row: Int, in area: Area) -> Int? {
    guard area.contains(column: column, row: row), !points.isEmpty else { return nil }
    if isLying(area) {
      let index = top + (row - area.row) / lyingRows
      return points.indices.contains(index) ? index : nil
    }
    let plot = frame(area).plot
    guard plot.columns > 1 else { return 0 }
    let offset = min(max(0, column - plot.column), plot.columns - 1)
    if chart.form == .bars { return min(points.count - 1, offset / max(1, plot.columns / points.count)) }
    return (offset * (points.count - 1) * 2 + plot.columns - 1) / ((plot.columns - 1) * 2)
  }

  // MARK: Drawing

  func render(into buffer: inout CellBuffer, area: Area) {
    guard !points.isEmpty, area.columns > 4, area.rows > 0 else { return }
    if isLying(area) { return renderLying(into: &buffer, area: area) }
    let frame = frame(area)
    renderScale(frame, into: &buffer, area: area)
    switch chart.form {
    case .line: renderLines(frame, into: &buffer)
    case .bars: renderBars(frame, into: &buffer)
    }
    renderLabels(frame, into: &buffer, area: area)
    let column = columns(of: point, frame.plot)
    buffer.setGround(
      .selection, in: Area(column: column.lowerBound, row: frame.plot.row, columns: column.count, rows: frame.plot.rows)
    )
    buffer.cursor = (column.lowerBound, frame.plot.endRow - 1)
  }

  private func row(of value: Int64, _ frame: Frame) -> Int {
    frame.plot.endRow - 1 - Int((frame.scale.place(of: value) * Double(frame.plot.rows - 1)).rounded())
  }

  private func renderScale(_ frame: Frame, into buffer: inout CellBuffer, area: Area) {
    guard frame.labels > 0 else { return }
    for row in frame.plot.row..<frame.plot.endRow {
      buffer.put("│", column: frame.plot.column - 1, row: row, style: Style(.border))
    }
    for tick in frame.scale.ticks {
      let row = row(of: tick, frame)
      let text = shown(ChartText.short(tick, chart.unit))
      buffer.putRight(text, endColumn: frame.plot.column - 2, row: row, columns: frame.labels, style: Style(.dim))
      buffer.put("┤", column: frame.plot.column - 1, row: row, style: Style(.border))
    }
  }

  /// The columns a point takes.
  private func columns(of index: Int, _ plot: Area) -> Range<Int> {
    guard points.count > 0 else { return plot.column..<(plot.column + 1) }
    if chart.form == .bars {
      let group = max(1, plot.columns / points.count)
      let start = plot.column + index * group
      return start..<(start + max(1, group - (group > 1 ? 1 : 0)))
    }
    let offset = points.count == 1 ? plot.columns / 2 : index * (plot.columns - 1) / (points.count - 1)
    return (plot.column + offset)..<(plot.column + offset + 1)
  }

  private func renderLabels(_ frame: Frame, into buffer: inout CellBuffer, area: Area) {
    let plot = frame.plot
    var row = plot.endRow
    guard row < area.endRow else { return }
    if area.endRow - row >= 2 {
      buffer.put(
        "└" + String(repeating: "─", count: plot.columns), column: plot.column - (frame.labels > 0 ? 1 : 0), row: row,
        columns: plot.columns + 1, style: Style(.border))
      row += 1
    }
    var free = plot.column
    for index in points.indices {
      let text = shown(points[index].label)
      let width = TextWidth.columns(of: Visible.line(text))
      let middle = columns(of: index, plot)
      let start = max(plot.column, min((middle.lowerBound + middle.upperBound - width) / 2, plot.endColumn - width))
      guard start >= free, start + width <= plot.endColumn else { continue }
      buffer.put(text, column: start, row: row, style: Style(index == point ? .text : .dim, bold: index == point))
      free = start + width + 2
    }
  }

  private func renderLines(_ frame: Frame, into buffer: inout CellBuffer) {
    let plot = frame.plot
    guard world.isUnicode else { return renderMarks(frame, into: &buffer) }
    var grid = BrailleGrid(columns: plot.columns, rows: plot.rows)
    for (series, line) in chart.series.enumerated() {
      let dots = line.points.enumerated().map { index, point in
        let x =
          line.points.count == 1
          ? grid.dotColumns / 2 : index * (grid.dotColumns - 1) / (line.points.count - 1)
        let place = frame.scale.place(of: point.value)
        return (x: x, y: grid.dotRows - 1 - Int((place * Double(grid.dotRows - 1)).rounded()))
      }
      if dots.count == 1, let only = dots.first { grid.set(only.x, only.y, owner: series) }
      for (from, to) in zip(dots, dots.dropFirst()) {
        // The first line is whole, the second dashed, the third dotted.
        grid.line(from: from, to: to, owner: series) { x, _ in
          series % 4 == 0 || (series % 4 == 1 ? x % 4 < 2 : x % (series % 4 + 1) == 0)
        }
      }
    }
    for row in 0..<grid.rows {
      for column in 0..<grid.columns {
        guard let cell = grid[column, row] else { continue }
        buffer.put(
          cell.text, column: plot.column + column, row: plot.row + row, style: Style(ChartPicture.role(cell.owner)))
      }
    }
  }

  /// One mark a point, where there is no Unicode.
  private func renderMarks(_ frame: Frame, into buffer: inout CellBuffer) {
    for (series, line) in chart.series.enumerated() {
      for (index, point) in line.points.enumerated() {
        let column = columns(of: index, frame.plot).lowerBound
        buffer.put(
          sign(series), column: column, row: row(of: point.value, frame), style: Style(ChartPicture.role(series)))
      }
    }
  }

  private func renderBars(_ frame: Frame, into buffer: inout CellBuffer) {
    let plot = frame.plot
    let zero = frame.scale.place(of: 0)
    for index in points.indices {
      let group = columns(of: index, plot)
      let width = max(1, group.count / max(1, chart.series.count))
      for (series, line) in chart.series.enumerated() where index < line.points.count {
        let start = group.lowerBound + series * width
        let columns = series == chart.series.count - 1 && chart.series.count == 1 ? group.count : width
        renderBar(
          from: zero, to: frame.scale.place(of: line.points[index].value), series,
          Area(column: start, row: plot.row, columns: columns, rows: plot.rows), into: &buffer)
      }
    }
  }

  /// A bar between two heights of 0…1; its end in eighths of a cell upwards, in halves downwards.
  private func renderBar(
    from zero: Double, to value: Double, _ series: Int, _ area: Area, into buffer: inout CellBuffer
  ) {
    let base = Int((zero * Double(area.rows * 8)).rounded())
    let end = Int((value * Double(area.rows * 8)).rounded())
    let style = Style(ChartPicture.role(series))
    let full = world.isUnicode ? ChartPicture.fills[series % ChartPicture.fills.count] : sign(series)
    for line in 0..<area.rows {
      let below = line * 8
      let filled = min(max(base, end), below + 8) - max(min(base, end), below)
      guard filled > 0 else { continue }
      var text = filled >= 8 || series > 0 ? (filled >= 4 ? full : "") : ChartPicture.eighths[filled]
      if end < base, filled < 8 { text = filled >= 4 ? "▀" : "" }
      if !world.isUnicode { text = filled >= 4 ? full : "" }
      // The least that is not nothing is seen.
      if text.isEmpty, below <= max(base, end), abs(end - base) == filled { text = world.isUnicode ? "▁" : "_" }
      guard !text.isEmpty else { continue }
      for column in area.column..<area.endColumn {
        buffer.put(text, column: column, row: area.endRow - 1 - line, style: style)
      }
    }
  }

  // MARK: Lying bars

  private func renderLying(into buffer: inout CellBuffer, area: Area) {
    let names = min(
      max(8, area.columns / 3), points.map { TextWidth.columns(of: Visible.line($0.label)) }.max() ?? 0)
    let all = chart.series.flatMap { $0.points.map(\.value) }
    let values = all.map { TextWidth.columns(of: ChartText.column($0, chart.unit)) }.max() ?? 0
    let room = max(1, area.columns - names - values - 6)
    let greatest = all.map { $0.magnitude }.max() ?? 1
    for (offset, index) in (top..<min(points.count, top + lyingPage(area))).enumerated() {
      let first = area.row + offset * lyingRows
      let ground: Style.Ground = index == point ? .selection : .screen
      for (series, line) in chart.series.enumerated() where index < line.points.count && first + series < area.endRow {
        let row = first + series
        let value = line.points[index].value
        buffer.fill(
          Area(column: area.column, row: row, columns: area.columns - 1, rows: 1), style: Style(.text, on: ground))
        if series == 0 {
          buffer.put(
            shown(points[index].label), column: area.column + 1, row: row, columns: names,
            style: Style(.text, on: ground))
          if index == point {
            buffer.put("▌", column: area.column, row: row, style: Style(.accent, on: ground))
            buffer.cursor = (area.column, row)
          }
        }
        renderLyingBar(
          value, of: greatest, series, room: room, column: area.column + names + 3, row: row, ground, &buffer)
        buffer.putRight(
          shown(ChartText.column(value, chart.unit)), endColumn: area.endColumn - 2, row: row, columns: values,
          style: Style(value < 0 ? .negative : .number, on: ground))
      }
    }
    ScrollMark.render(into: &buffer, area: area, top: top, page: lyingPage(area), count: points.count)
  }

  /// Its length is the amount; one below zero is drawn lighter, and its number says so.
  private func renderLyingBar(
    _ value: Int64, of greatest: UInt64, _ series: Int, room: Int, column: Int, row: Int, _ ground: Style.Ground,
    _ buffer: inout CellBuffer
  ) {
    let parts = greatest == 0 ? 0 : Int((Double(value.magnitude) / Double(greatest) * Double(room * 8)).rounded())
    let role: Style.Role = value < 0 ? .negative : ChartPicture.role(series)
    guard world.isUnicode else {
      let mark = value < 0 ? "-" : sign(series)
      buffer.put(
        String(repeating: mark, count: (parts + 4) / 8), column: column, row: row, style: Style(role, on: ground))
      return
    }
    let full = value < 0 ? "▒" : ChartPicture.fills[series % ChartPicture.fills.count]
    var text = String(repeating: full, count: parts / 8)
    if value > 0, series == 0 { text += ChartPicture.lyingEighths[parts % 8] }
    if text.isEmpty, value != 0 { text = "▏" }
    buffer.put(text, column: column, row: row, style: Style(role, on: ground))
  }
}
