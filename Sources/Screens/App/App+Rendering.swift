import Model

extension App {
  /// Smallest screen on which anything can be shown truly.
  private static let least = Size(columns: 20, rows: 5)

  package func render() -> CellBuffer {
    var buffer = CellBuffer(size: world.size)
    guard world.size.columns >= App.least.columns, world.size.rows >= App.least.rows else {
      renderTooSmall(into: &buffer)
      return buffer
    }
    renderHeader(into: &buffer)
    top?.render(into: &buffer, area: world.body, world: world)
    renderFooter(into: &buffer)
    if !overlays.isEmpty {
      buffer.isCursorVisible = false
      buffer.cursor = nil
    }
    for overlay in overlays { overlay.render(into: &buffer, area: Area(world.size), world: world) }
    if let toast { ToastView.render(toast.message, into: &buffer, area: world.body) }
    return buffer
  }

  private func renderTooSmall(into buffer: inout CellBuffer) {
    let text = "Too small: \(App.least.columns)x\(App.least.rows) is the least"
    for (row, line) in Wrap.lines(text, columns: max(1, world.size.columns)).enumerated() {
      buffer.put(line, column: 0, row: row, style: Style(.warning))
    }
  }

  // MARK: Header

  private func renderHeader(into buffer: inout CellBuffer) {
    let area = Area(columns: world.size.columns, rows: 1)
    buffer.fill(area, style: Style(.text, on: .header))
    buffer.put("▌", column: 0, row: 0, style: Style(.accent, on: .header))
    let state = stateLine(columns: area.columns)
    let room = area.columns - 3 - (state.columns > 0 ? state.columns + 2 : 0)
    buffer.put(crumbLine(columns: room), column: 2, row: 0, columns: room)
    buffer.putRight(state, endColumn: area.endColumn - 1, row: 0)
  }

  private func crumbLine(columns: Int) -> Line {
    switch top?.crumb {
    case .location(let location): return Breadcrumb(location, columns: columns).line
    case .title(let title): return Line([Span(title, .title, on: .header, bold: true)])
    case nil: return Line()
    }
  }

  /// Who and how: user, state, jobs; on a narrow screen only what is left of it.
  private func stateLine(columns: Int) -> Line {
    var groups: [[Span]] = []
    if world.isPrivate { groups.append([Span("▒ private", .warning, on: .header)]) }
    if let name = connection, !(top is ConnectionsScreen), let info = world.connection(name) {
      if info.isReadOnly { groups.append([Span("read-only", .warning, on: .header)]) }
      var shown = info
      if columns < 50, case .live = info.state { shown.state = .live(user: nil) }
      if world.isPrivate, case .live(let user?) = info.state { shown.state = .live(user: Mask.masked(user)) }
      groups.append(ConnectionSign.spans(shown, on: .header))
    }
    let running = world.jobs.count { !$0.isOver }
    if running > 0 { groups.append([Span("⇅ \(Format.count(running, "job"))", .info, on: .header)]) }
    let line = Line(Array(groups.joined(separator: [Span("  ", .dim, on: .header)])))
    return line.columns <= columns / 2 ? line : Line(Array(groups.suffix(1).joined()))
  }

  // MARK: Footer

  private func renderFooter(into buffer: inout CellBuffer) {
    let row = world.size.rows - 1
    let area = Area(column: 0, row: row, columns: world.size.columns, rows: 1)
    buffer.fill(area, style: Style(.dim, on: .footer))
    guard let top else { return }
    var status = top.status(world)
    if let count { status = Line([Span("\(count)", .accent, on: .footer)]) }
    if status.columns > area.columns * 2 / 3 {
      status = Line([Span(status.text.fitted(columns: area.columns * 2 / 3), .text, on: .footer)])
    }
    let keys = Area(
      column: 0, row: row, columns: area.columns - (status.columns > 0 ? status.columns + 2 : 0), rows: 1)
    buffer.putRight(status, endColumn: area.endColumn - 1, row: row)
    if top.renderPrompt(into: &buffer, area: keys) { return }
    renderHints(into: &buffer, area: keys, of: top)
  }

  /// As many of the keys that work here as fit, each whole.
  private func renderHints(into buffer: inout CellBuffer, area: Area, of top: any Screen) {
    var at = area.column + 1
    // What the prompt line left standing, such as the filter in force.
    while at < area.endColumn, buffer[at, area.row].text != " " || buffer[at + 1, area.row].text != " " { at += 1 }
    if at > area.column + 1 { at += 2 }
    for command in top.hints(world) where top.offers(command, world) {
      let sign = world.keys.sign(for: command, in: top.place)
      guard !sign.isEmpty, let row = world.keys.row(of: command) else { continue }
      let width = TextWidth.columns(of: sign) + 1 + TextWidth.columns(of: row.hint)
      guard at + width < area.endColumn else { continue }
      at = buffer.put(sign, column: at, row: area.row, style: Style(.key, on: .footer, bold: true))
      at = buffer.put(" \(row.hint)", column: at, row: area.row, style: Style(.dim, on: .footer)) + 2
    }
  }
}
