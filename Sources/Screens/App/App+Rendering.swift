import Model

extension App {
  /// Smallest screen on which anything can be shown truly.
  private static let least = Size(columns: 20, rows: 5)

  package func render() -> CellBuffer {
    var buffer = CellBuffer(size: world.size)
    if let lock {
      lock.render(into: &buffer, area: Area(world.size))
      return buffer
    }
    guard world.size.columns >= App.least.columns, world.size.rows >= App.least.rows else {
      renderTooSmall(into: &buffer)
      return buffer
    }
    if world.headRows > 1 { renderTabs(into: &buffer) }
    renderPanes(into: &buffer)
    renderFooter(into: &buffer)
    if !overlays.isEmpty { hideCursor(&buffer) }
    for overlay in overlays { overlay.render(into: &buffer, area: Area(world.size), world: world) }
    if let toast { ToastView.render(toast.message, into: &buffer, area: world.body) }
    return buffer
  }

  private func hideCursor(_ buffer: inout CellBuffer) {
    buffer.isCursorVisible = false
    buffer.cursor = nil
  }

  private func renderTooSmall(into buffer: inout CellBuffer) {
    let text = "Too small: \(App.least.columns)x\(App.least.rows) is the least"
    for (row, line) in Wrap.lines(text, columns: max(1, world.size.columns)).enumerated() {
      buffer.put(line, column: 0, row: row, style: Style(.warning))
    }
  }

  // MARK: Tabs and panes

  /// What stands in the line of tabs, and where.
  var tabTitles: [(columns: Range<Int>, text: String)] {
    let room = max(4, world.size.columns / tabs.count)
    return tabs.indices.map { index in
      let title = "\(index + 1) \(title(of: tabs[index].pane))".fitted(columns: room - 2)
      let start = index * room
      return (start..<(start + room), (index == tab ? "▸" : " ") + title)
    }
  }

  /// The connection and the name of the place in it, or the screen's title.
  private func title(of pane: Pane) -> String {
    switch pane.stack.last?.crumb {
    case .location(let location):
      return Visible.line(location.connection + ":" + (location.path.last ?? ""))
    case .title(let title): return Visible.line(title)
    case nil: return ""
    }
  }

  private func renderTabs(into buffer: inout CellBuffer) {
    buffer.fill(Area(columns: world.size.columns, rows: 1), style: Style(.dim, on: .columns))
    for (index, title) in tabTitles.enumerated() {
      let style =
        index == tab ? Style(.title, on: .selection, bold: true) : Style(.dim, on: .columns)
      buffer.put(
        title.text, column: title.columns.lowerBound, row: 0, columns: title.columns.count - 1, style: style)
    }
  }

  private func renderPanes(into buffer: inout CellBuffer) {
    let shown = tabs[tab].shown(columns: world.size.columns)
    // The one in focus last: the cursor is its.
    for (pane, columns) in shown.sorted(by: { $1.pane == tabs[tab].focus && $0.pane != $1.pane }) {
      hideCursor(&buffer)
      var focused = self
      focused.tabs[tab].focus = pane
      let body = world.body
      let area = Area(column: columns.lowerBound, row: body.row, columns: columns.count, rows: body.rows)
      focused.renderHeader(into: &buffer, columns: columns, isFocused: pane == tabs[tab].focus)
      focused.top?.render(into: &buffer, area: area, world: focused.view)
    }
    guard shown.count > 1 else { return }
    for row in (world.body.row - 1)..<world.body.endRow {
      buffer.put("│", column: shown[0].columns.upperBound, row: row, style: Style(.border))
    }
  }

  // MARK: Header

  private func renderHeader(into buffer: inout CellBuffer, columns: Range<Int>, isFocused: Bool) {
    let row = world.body.row - 1
    buffer.fill(Area(column: columns.lowerBound, row: row, columns: columns.count, rows: 1), style: Style(on: .header))
    if isFocused { buffer.put("▌", column: columns.lowerBound, row: row, style: Style(.accent, on: .header)) }
    let room = crumbColumns
    buffer.put(crumbLine(columns: room), column: columns.lowerBound + 2, row: row, columns: room)
    buffer.putRight(stateLine(columns: columns.count), endColumn: columns.upperBound - 1, row: row)
  }

  /// What the header leaves for the place.
  var crumbColumns: Int {
    let columns = view.size.columns
    let state = stateLine(columns: columns)
    return columns - 3 - (state.columns > 0 ? state.columns + 2 : 0)
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
    if tabs[tab].isSplit, !tabs[tab].showsBoth(world.size.columns) {
      groups.append([Span("pane \(tabs[tab].focus + 1) of 2", .dim, on: .header)])
    }
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
    var status = top.status(view)
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
    let view = view
    for command in top.hints(view) where top.offers(command, view) {
      let sign = world.keys.sign(for: command, in: top.place)
      guard !sign.isEmpty, let row = world.keys.row(of: command) else { continue }
      let width = TextWidth.columns(of: sign) + 1 + TextWidth.columns(of: row.hint)
      guard at + width < area.endColumn else { continue }
      at = buffer.put(sign, column: at, row: area.row, style: Style(.key, on: .footer, bold: true))
      at = buffer.put(" \(row.hint)", column: at, row: area.row, style: Style(.dim, on: .footer)) + 2
    }
  }
}
