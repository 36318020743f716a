import Model

/// A pane of entries of which some can be selected; each takes one or more rows.
struct EntryList: Sendable, Hashable {
  /// Among those that can be selected.
  private(set) var selected = 0
  private(set) var top = 0

  /// Moves over the selectable entries; false when the command does not move.
  mutating func handle(_ command: Command, times: Int, entries: [ItemLines.Entry], page: Int) -> Bool {
    let count = entries.count { $0.target != nil }
    var steps = Scroller()
    steps.select(selected, count: count, page: max(1, count))
    let rows = max(1, page - 2)
    switch command {
    case .pageUp: steps.move(by: -rows * times, count: count, page: count)
    case .pageDown: steps.move(by: rows * times, count: count, page: count)
    case .halfPageUp: steps.move(by: -max(1, rows / 2) * times, count: count, page: count)
    case .halfPageDown: steps.move(by: max(1, rows / 2) * times, count: count, page: count)
    default: guard steps.handle(command, times: times, count: count, page: max(1, count)) else { return false }
    }
    select(steps.selected, entries: entries, page: page)
    return true
  }

  mutating func select(_ index: Int, entries: [ItemLines.Entry], page: Int) {
    let targets = entries.indices.filter { entries[$0].target != nil }
    selected = min(max(0, index), max(0, targets.count - 1))
    guard targets.indices.contains(selected) else {
      top = 0
      return
    }
    let entry = targets[selected]
    let start = entries[..<entry].reduce(0) { $0 + $1.lines.count }
    let end = start + entries[entry].lines.count
    let all = entries.reduce(0) { $0 + $1.lines.count }
    // The first and the last take along what stands above and below them.
    let from = selected == 0 ? 0 : start
    let to = selected == targets.count - 1 ? all : end
    if to > top + page { top = to - page }
    if from < top { top = from }
    if start < top || start >= top + page { top = start }
    top = min(max(0, top), max(0, all - page))
  }

  func target(in entries: [ItemLines.Entry]) -> ItemLines.Target? {
    let targets = entries.compactMap(\.target)
    return targets.indices.contains(selected) ? targets[selected] : nil
  }

  /// Which selectable entry stands on a row of the pane.
  func index(atRow row: Int, entries: [ItemLines.Entry]) -> Int? {
    var line = -top
    var index = 0
    for entry in entries {
      if entry.target != nil, (line..<(line + entry.lines.count)).contains(row) { return index }
      line += entry.lines.count
      if entry.target != nil { index += 1 }
    }
    return nil
  }

  func render(into buffer: inout CellBuffer, area: Area, entries: [ItemLines.Entry], isFocused: Bool) {
    var row = area.row - top
    var index = 0
    for entry in entries {
      let isSelected = entry.target != nil && index == selected
      let ground: Style.Ground? = isSelected ? (isFocused ? .selection : .selectionUnfocused) : nil
      for (offset, line) in entry.lines.enumerated() where (area.row..<area.endRow).contains(row + offset) {
        if let ground { renderGround(ground, into: &buffer, area: area, row: row + offset, isFirst: offset == 0) }
        buffer.put(
          line, column: area.column + 1, row: row + offset, columns: area.columns - 2, ground: ground)
      }
      if isSelected, isFocused, row >= area.row { buffer.cursor = (area.column, row) }
      row += entry.lines.count
      if entry.target != nil { index += 1 }
    }
    let all = entries.reduce(0) { $0 + $1.lines.count }
    ScrollMark.render(into: &buffer, area: area, top: top, page: area.rows, count: all)
  }

  private func renderGround(
    _ ground: Style.Ground, into buffer: inout CellBuffer, area: Area, row: Int, isFirst: Bool
  ) {
    buffer.fill(
      Area(column: area.column, row: row, columns: area.columns - 1, rows: 1), style: Style(.text, on: ground))
    if isFirst { buffer.put("▌", column: area.column, row: row, style: Style(.accent, on: ground)) }
  }
}
