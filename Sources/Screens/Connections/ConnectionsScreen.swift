import Model

/// The hall: all connections, and how to get one. Without any configuration it is the welcome.
package struct ConnectionsScreen: Screen {
  private enum Entry { case connection(ConnectionInfo), sandbox, add }

  package var id = 0
  private var scroller = Scroller()

  package init() {}

  package var place: Place { [.lists, .connections] }
  package var crumb: Crumb { .title("Connections") }

  private func entries(_ world: World) -> [Entry] {
    world.connections.map { .connection($0) } + (world.connections.isEmpty ? [.sandbox] : []) + [.add]
  }

  private func selected(_ world: World) -> Entry? {
    let entries = entries(world)
    return entries.indices.contains(scroller.selected) ? entries[scroller.selected] : nil
  }

  /// Rows each entry takes: two where there is room, for its address and state.
  private func entryRows(_ area: Area, _ count: Int) -> Int {
    area.columns < 60 && area.rows >= headRows(area) + count * 2 ? 2 : 1
  }

  private func headRows(_ area: Area) -> Int { area.rows >= 14 ? 5 : area.rows >= 8 ? 2 : 0 }

  private func page(_ world: World) -> Int {
    let area = world.body
    return max(1, (area.rows - headRows(area)) / entryRows(area, entries(world).count))
  }

  // MARK: Handling

  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    let count = entries(world).count
    switch event {
    case .command(let command, let times):
      if scroller.handle(command, times: times, count: count, page: page(world)) { return [] }
      return perform(command, world)
    case .mouse(let mouse): return handle(mouse, world)
    case .appeared, .arranged, .deadline, .resized:
      scroller.select(scroller.selected, count: count, page: page(world))
    case .key, .paste, .reply: break
    }
    return []
  }

  private func perform(_ command: Command, _ world: World) -> [Effect] {
    switch command {
    case .open: return open(world)
    case .addConnection: return [.present(FormDialog.address())]
    case .copy:
      guard case .connection(let info) = selected(world) else { return [] }
      return [
        .present(
          CopyMenu.dialog([
            CopyMenu.Entry("Location", info.root.text), CopyMenu.Entry("Name", info.name),
            CopyMenu.Entry("Address", info.address),
          ]))
      ]
    case .actions:
      guard case .connection(let info) = selected(world) else { return [] }
      return [.present(MenuDialog.connection(info, world))]
    default: return []
    }
  }

  private func open(_ world: World) -> [Effect] {
    switch selected(world) {
    case .connection(let info): [.open(info.root, .listing)]
    case .sandbox: [.startSandbox]
    case .add: [.present(FormDialog.address())]
    case nil: []
    }
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    let count = entries(world).count
    switch mouse.kind {
    case .wheelUp: scroller.move(by: -1, count: count, page: page(world))
    case .wheelDown: scroller.move(by: 1, count: count, page: page(world))
    case .press, .doublePress:
      let row = mouse.row - headRows(world.body)
      let position = scroller.top + row / entryRows(world.body, count)
      guard row >= 0, position < count else { return [] }
      scroller.select(position, count: count, page: page(world))
      if mouse.kind == .doublePress { return open(world) }
    case .release: break
    }
    return []
  }

  package func hints(_ world: World) -> [Command] {
    [.open, .addConnection, .actions, .go, .palette, .help, .bookmarks, .themes, .transfers, .exchanges, .close]
  }

  package func reason(against command: Command, _ world: World) -> String? {
    var isConnection = false
    if case .connection = selected(world) { isConnection = true }
    switch command {
    case .actions, .copy, .search, .signIn, .signOut: return isConnection ? nil : "choose a connection first"
    case .mark, .markAll, .columns, .sort, .sortReverse, .filter, .loadAll, .follow, .export, .nextMatch,
      .previousMatch:
      return "there are few connections; open one first"
    case .view, .inspect, .openOutside, .download, .upload, .delete, .bookmark: return "open a connection first"
    case .nextPane, .previousPane: return "there is only one pane"
    case .refresh, .reload: return "open a connection first"
    default: return nil
    }
  }

  /// The connection the selection stands on, for search and sign-in.
  package func selectedConnection(_ world: World) -> String? {
    guard case .connection(let info) = selected(world) else { return nil }
    return info.name
  }

  package func status(_ world: World) -> Line {
    world.connections.isEmpty
      ? Line() : Line([Span(Format.count(world.connections.count, "connection"), .text, on: .footer)])
  }

  // MARK: Drawing

  package func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let (head, body) = area.cuttingTop(headRows(area))
    renderHead(into: &buffer, area: head, world: world)
    let entries = entries(world)
    let rows = entryRows(area, entries.count)
    let names = min(24, entries.map { TextWidth.columns(of: title($0)) }.max() ?? 0)
    for (offset, position) in scroller.visible(count: entries.count, page: max(1, body.rows / rows)).enumerated() {
      let place = Area(column: body.column, row: body.row + offset * rows, columns: body.columns, rows: rows)
      render(entries[position], isSelected: position == scroller.selected, names: names, into: &buffer, area: place)
    }
  }

  private func renderHead(into buffer: inout CellBuffer, area: Area, world: World) {
    let welcome = world.connections.isEmpty
    let title = welcome ? "Welcome to Atrium" : "Atrium"
    let text = welcome ? "One hall with doors to every back end. Try the sandbox, or add your own." : "Choose a door."
    let first = area.rows >= 5 ? area.row + 1 : area.row
    guard area.rows > 0 else { return }
    buffer.put(title, column: area.column + 2, row: first, columns: area.columns - 4, style: Style(.title, bold: true))
    buffer.put(text, column: area.column + 2, row: first + 1, columns: area.columns - 4, style: Style(.dim))
  }

  private static let kindColumns = BackendKind.allCases.map { TextWidth.columns(of: $0.title) }.max() ?? 0

  private func title(_ entry: Entry) -> String {
    switch entry {
    case .connection(let info): info.name
    case .sandbox: "Built-in sandbox"
    case .add: "Add a connection"
    }
  }

  private func details(_ entry: Entry) -> [Span] {
    switch entry {
    case .connection(let info):
      var spans = [Span(info.kind.title.padded(columns: ConnectionsScreen.kindColumns), .text)]
      if info.isReadOnly { spans.append(Span("  read-only", .warning)) }
      return spans + [Span("  \(info.address)", .dim)]
    case .sandbox: return [Span("five servers in this program, with a city of invented people and data", .dim)]
    case .add: return [Span("a bank, a repository, a mobile back end of your own", .dim)]
    }
  }

  private func render(
    _ entry: Entry, isSelected: Bool, names: Int, into buffer: inout CellBuffer, area: Area
  ) {
    let ground: Style.Ground = isSelected ? .selection : .screen
    buffer.fill(area, style: Style(.text, on: ground))
    if isSelected {
      buffer.put("▌", column: area.column, row: area.row, style: Style(.accent, on: ground))
      buffer.cursor = (area.column, area.row)
    }
    let end = buffer.put(
      title(entry), column: area.column + 2, row: area.row, columns: area.columns - 3,
      style: Style(.accent, on: ground, bold: true))
    var state = Line()
    if case .connection(let info) = entry { state = Line(ConnectionSign.spans(info, on: ground)) }
    if area.rows == 2 {
      buffer.put(
        Line(details(entry)), column: area.column + 4, row: area.row + 1, columns: area.columns - 5, ground: ground)
    } else {
      let start = max(end, area.column + 2 + names) + 3
      let room = area.endColumn - start - state.columns - 3
      if room >= 16 {
        buffer.put(Line(details(entry)), column: start, row: area.row, columns: room, ground: ground)
      }
    }
    guard end + state.columns + 2 < area.endColumn else { return }
    buffer.putRight(state, endColumn: area.endColumn - 1, row: area.row, ground: ground)
  }
}

/// The state of a connection: a sign and a word, the same everywhere.
enum ConnectionSign {
  static func spans(_ info: ConnectionInfo, on ground: Style.Ground) -> [Span] {
    switch info.state {
    case .untouched: [Span("○ not opened", .dim, on: ground)]
    case .signedOut: [Span("○ signed out", .warning, on: ground)]
    case .live(let user):
      (user.map { [Span($0, .text, on: ground), Span("  ", .dim, on: ground)] } ?? [])
        + [Span("● live", .good, on: ground)]
    case .offline: [Span("◌ offline", .warning, on: ground)]
    case .unreachable: [Span("✗ not reached", .bad, on: ground)]
    }
  }
}

extension MenuDialog {
  static func connection(_ info: ConnectionInfo, _ world: World) -> MenuDialog {
    MenuDialog(
      title: info.name,
      entries: [
        Entry("Open", detail: info.root.text) { [.open(info.root, .listing)] },
        Entry("Sign in") {
          [.errand(.signIn(connection: info.name), at: info.root, doing: "sign in to \(info.name)")]
        },
        Entry("Sign out") {
          [.errand(.signOut(connection: info.name), at: info.root, doing: "sign out of \(info.name)")]
        },
        Entry("Edit", detail: "address, colour, read-only") { [.present(FormDialog.edit(info))] },
        Entry("Duplicate") { [.present(FormDialog.connection(info.kind, url: info.address, world))] },
        Entry("Remove from the configuration") {
          [
            .present(
              ConfirmDialog(
                title: "Remove \(info.name)",
                message: "Take \(info.name) out of config.yaml? Nothing on its server changes.",
                accept: "Remove", isDestructive: true, accepted: [.changeConnection(.remove(info.name))]))
          ]
        },
      ])
  }
}
