import Model

extension DetailScreen {
  func isSplit(_ world: World) -> Bool {
    guard let item else { return false }
    return world.hasPreview && !(item.related.isEmpty && item.actions.isEmpty)
  }

  func areas(_ area: Area, _ world: World) -> [Area] {
    let head = area.rows >= 6 ? 2 : 1
    let inner = area.cuttingTop(head).rest
    guard isSplit(world) else { return [inner] }
    let right = min(48, area.columns * 2 / 5)
    let (left, rest) = inner.cuttingLeft(area.columns - right)
    return [left, rest.cuttingLeft(1).rest]
  }

  func entries(_ world: World) -> [[ItemLines.Entry]] {
    guard let item else { return [[]] }
    let areas = areas(world.body, world)
    let lines = ItemLines(item, columns: areas[0].columns - 2, world: world)
    guard areas.count == 2 else { return [lines.stacked] }
    return [lines.fields, ItemLines(item, columns: areas[1].columns - 2, world: world).ways]
  }

  func target(_ world: World) -> ItemLines.Target? {
    let entries = entries(world)
    let pane = min(focus, entries.count - 1)
    return panes[pane].target(in: entries[pane])
  }

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    switch phase {
    case .idle, .loading: StateView.loading("Loading", into: &buffer, area: area, world: world)
    case .failed(let error): StateView.failed(error, into: &buffer, area: area, world: world, place: place)
    case .loaded(let item): render(item, into: &buffer, area: area, world: world)
    }
  }

  private func render(_ item: Item, into buffer: inout CellBuffer, area: Area, world: World) {
    let title = world.isPrivate ? Mask.masked(item.title) : item.title
    buffer.put(
      title, column: area.column + 1, row: area.row, columns: area.columns - 2, style: Style(.title, bold: true))
    let entries = entries(world)
    let areas = areas(area, world)
    if areas[0].row - area.row == 2 {
      let rule = String(repeating: "─", count: max(0, area.columns - 2))
      buffer.put(rule, column: area.column + 1, row: area.row + 1, style: Style(.border))
    }
    for (index, pane) in areas.enumerated() {
      panes[index].render(
        into: &buffer, area: pane, entries: entries[index], isFocused: index == min(focus, entries.count - 1))
    }
    guard areas.count == 2 else { return }
    let edge = areas[1].column - 1
    buffer.put("┬", column: edge, row: areas[1].row - 1, style: Style(.border))
    for row in areas[1].row..<areas[1].endRow { buffer.put("│", column: edge, row: row, style: Style(.border)) }
  }
}
