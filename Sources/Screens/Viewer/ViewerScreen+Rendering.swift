import Model

extension ViewerScreen {
  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    switch phase {
    case .idle, .loading: StateView.loading("Loading \(title)", into: &buffer, area: area, world: world)
    case .failed(let error): StateView.failed(error, into: &buffer, area: area, world: world, place: place)
    case .loaded:
      let (head, body) = area.cuttingTop(headRows(area))
      renderHead(into: &buffer, area: head)
      renderBody(into: &buffer, area: body, world: world)
    }
  }

  func renderHead(into buffer: inout CellBuffer, area: Area) {
    guard !area.isEmpty else { return }
    buffer.fill(area, style: Style(.heading, on: .columns))
    let facts = "\(mediaType)  \(Format.plainSize(Int64(bytes.count)))\(isCut ? ", only the beginning" : "")"
    let room = area.columns - 4 - TextWidth.columns(of: title)
    buffer.put(
      title, column: 1, row: area.row, columns: area.columns - 2, style: Style(.title, on: .columns, bold: true))
    guard room > 12 else { return }
    buffer.putRight(
      facts, endColumn: area.endColumn - 1, row: area.row, columns: room, style: Style(.dim, on: .columns))
  }

  func renderBody(into buffer: inout CellBuffer, area: Area, world: World) {
    if world.isPrivate {
      let key = world.keys.sign(for: .privacy, in: place)
      return StateView.empty("Privacy mode hides what is in here.", ["\(key) shows it"], into: &buffer, area: area)
    }
    if bytes.isEmpty { return StateView.empty("Nothing in it: 0 bytes.", [], into: &buffer, area: area) }
    switch mode {
    case .tree: tree?.render(into: &buffer, area: area)
    case .text: pager.render(into: &buffer, area: area)
    case .picture:
      if let conversionFailure {
        StateView.failed(conversionFailure, into: &buffer, area: area, world: world, place: place)
      } else if converted == nil {
        StateView.loading("Making it visible", into: &buffer, area: area, world: world)
      } else if let converted, isGraphic {
        let (_, inner) = area.cuttingLeft(1)
        buffer.picture = Graphic(
          converted, area: Area(column: inner.column, row: inner.row, columns: inner.columns - 1, rows: inner.rows))
      } else {
        pager.render(into: &buffer, area: area)
      }
    case .hex:
      let width = HexLines.width(area.columns - 2)
      let count = HexLines.rows(bytes.count, width: width)
      for (offset, row) in hexTop.visible(count: count, page: area.rows).enumerated() {
        buffer.put(
          HexLines.line(bytes, row: row, width: width), column: area.column + 1, row: area.row + offset,
          columns: area.columns - 2)
      }
      ScrollMark.render(into: &buffer, area: area, top: hexTop.top, page: area.rows, count: count)
    }
  }
}
