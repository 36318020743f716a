import Model

/// Chooses the columns of a list: which, in which order, how wide. The list below follows at once.
struct ColumnMenu: Overlay {
  private struct Entry {
    let column: Column
    var isShown: Bool
    /// Nil for as wide as the values need.
    var columns: Int?
    /// As it stands now, where a change of the width begins.
    let current: Int
  }

  var id = 0
  private let key: String
  private var entries: [Entry]
  private var scroller = Scroller()

  /// - Parameters:
  ///   - columns: Those that can be chosen.
  ///   - inView: What stands in the list now, from left to right, with its width.
  init(key: String, _ columns: [Column], inView: [(id: String, columns: Int)], _ arrangement: ColumnArrangement?) {
    self.key = key
    let shown = inView.compactMap { seen in
      columns.first { $0.id == seen.id }.map {
        Entry(column: $0, isShown: true, columns: arrangement?.choice($0.id)?.columns, current: seen.columns)
      }
    }
    let hidden = columns.filter { column in !inView.contains { $0.id == column.id } }.map {
      Entry(column: $0, isShown: false, columns: nil, current: 12)
    }
    entries = shown + hidden
  }

  private var page: Int { 14 }

  mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    switch event {
    case .key(let key): return handle(key)
    case .mouse(let mouse) where mouse.kind == .wheelUp || mouse.kind == .wheelDown:
      scroller.move(by: mouse.kind == .wheelUp ? -1 : 1, count: entries.count, page: page)
    case .mouse(let mouse) where mouse.kind == .press:
      let inner = inner(Area(world.size))
      let position = scroller.top + mouse.row - inner.row
      guard inner.contains(column: mouse.column, row: mouse.row), entries.indices.contains(position) else {
        return [.dismiss]
      }
      scroller.select(position, count: entries.count, page: page)
      return toggle()
    default: break
    }
    return []
  }

  private mutating func handle(_ key: Key) -> [Effect] {
    switch key {
    case .escape, .enter, .character("c"), .character("q"): return [.dismiss]
    case .up, .character("k"): scroller.move(by: -1, count: entries.count, page: page)
    case .down, .character("j"): scroller.move(by: 1, count: entries.count, page: page)
    case .home: scroller.select(0, count: entries.count, page: page)
    case .end: scroller.select(entries.count - 1, count: entries.count, page: page)
    case .character(" "): return toggle()
    case .shiftUp, .character("K"): return move(-1)
    case .shiftDown, .character("J"): return move(1)
    case .left, .character("-"): return resize(-1)
    case .right, .character("+"): return resize(1)
    case .character("0"):
      entries[scroller.selected].columns = nil
      return [arranged]
    case .delete, .character("r"): return [.dismiss, .arrange(key: self.key, nil), .run(.columns)]
    default: break
    }
    return []
  }

  private mutating func toggle() -> [Effect] {
    let at = scroller.selected
    guard !entries[at].isShown || entries.count(where: \.isShown) > 1 else {
      return [.say(Message(.info, "One column must stay"))]
    }
    entries[at].isShown.toggle()
    return [arranged]
  }

  private mutating func move(_ step: Int) -> [Effect] {
    let (from, to) = (scroller.selected, scroller.selected + step)
    guard entries.indices.contains(to) else { return [] }
    entries.swapAt(from, to)
    scroller.select(to, count: entries.count, page: page)
    return entries[to].isShown ? [arranged] : []
  }

  private mutating func resize(_ step: Int) -> [Effect] {
    let at = scroller.selected
    guard entries[at].isShown else { return [] }
    entries[at].columns = min(200, max(3, (entries[at].columns ?? entries[at].current) + step))
    return [arranged]
  }

  private var arranged: Effect {
    let shown = entries.filter(\.isShown).map { ColumnArrangement.Choice($0.column.id, columns: $0.columns) }
    return .arrange(key: key, ColumnArrangement(shown))
  }

  // MARK: Drawing

  private func rows(_ area: Area) -> Int { max(1, min(page, entries.count, area.rows - 3)) }

  private func inner(_ area: Area) -> Area {
    let box = area.centered(columns: DialogFrame.innerColumns(area, wanted: 44) + 4, rows: rows(area) + 2)
    return Area(column: box.column + 2, row: box.row + 1, columns: box.columns - 4, rows: box.rows - 2)
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let keys = [("Space", "show"), ("J K", "move"), ("← →", "width"), ("r", "reset"), ("Esc", "close")]
    let inner = DialogFrame.render(
      into: &buffer, area: area, title: "Columns", rows: rows(area), wanted: 44,
      keys: keys.map { (sign: $0.0, words: $0.1) })
    var scroller = scroller
    scroller.select(scroller.selected, count: entries.count, page: inner.rows)
    for (offset, position) in scroller.visible(count: entries.count, page: inner.rows).enumerated() {
      let entry = entries[position]
      let row = inner.row + offset
      let isSelected = position == scroller.selected
      let ground: Style.Ground = isSelected ? .selection : .dialog
      buffer.fill(
        Area(column: inner.column - 1, row: row, columns: inner.columns + 2, rows: 1), style: Style(.text, on: ground))
      if isSelected {
        buffer.put("▌", column: inner.column - 1, row: row, style: Style(.accent, on: ground))
        buffer.cursor = (inner.column - 1, row)
      }
      buffer.put(entry.isShown ? "✓" : " ", column: inner.column, row: row, style: Style(.good, on: ground))
      let style = Style(entry.isShown ? .text : .dim, on: ground)
      let width = !entry.isShown ? "" : entry.columns.map { "\($0) wide" } ?? "auto"
      let end = buffer.put(
        entry.column.title, column: inner.column + 2, row: row, columns: inner.columns - 2, style: style)
      let room = inner.endColumn - end - 1
      guard room > 6 else { continue }
      let detail = entry.column.id == entry.column.title ? width : "\(entry.column.id)  \(width)"
      buffer.putRight(
        room >= TextWidth.columns(of: detail) ? detail : width, endColumn: inner.endColumn, row: row, columns: room,
        style: Style(.dim, on: ground))
    }
  }
}
