import Model

/// Searches all connections at once; what each answers stands under its name.
struct SearchEverywhereScreen: Screen {
  enum Phase: Sendable {
    case searching
    case found(Listing)
    case failed(ServiceError)
  }

  struct Group: Sendable {
    let connection: String
    let serial: Int
    var phase: Phase
  }

  /// A line of the results.
  enum Entry: Hashable {
    case head(group: Int), row(group: Int, index: Int), note(String, Style.Role), more(group: Int)
  }

  var id = 0
  private(set) var words = TextField()
  private(set) var isTyping = true
  private(set) var groups: [Group] = []
  private var searched = ""
  private var scroller = Scroller()
  private var serial = 0
  /// Rows of a connection that are shown here; its own search has all.
  private static let most = 8

  var place: Place { .lists }
  var crumb: Crumb { .title("Search everywhere") }
  var takesText: Bool { isTyping }

  func deadline(_ world: World) -> Timestamp? { isSearching ? Spinner.next(world.now) : nil }

  private var isSearching: Bool { groups.contains { if case .searching = $0.phase { true } else { false } } }

  private var entries: [Entry] {
    groups.indices.flatMap { group -> [Entry] in
      switch groups[group].phase {
      case .searching: return [.head(group: group)]
      case .failed(let error):
        return [.head(group: group), .note(StateView.sentence(error.reason), error.code == .notOffered ? .dim : .bad)]
      case .found(let listing):
        let rows = listing.rows.prefix(SearchEverywhereScreen.most).indices.map { Entry.row(group: group, index: $0) }
        let hasMore = listing.rows.count > SearchEverywhereScreen.most || listing.next != nil
        return [.head(group: group)] + (rows.isEmpty ? [.note("nothing found", .dim)] : rows)
          + (hasMore ? [.more(group: group)] : [])
      }
    }
  }

  private func page(_ world: World) -> Int { max(1, world.body.rows - 2) }

  // MARK: Handling

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .key(let key): return typed(key, world)
    case .paste(let text): words.insert(text)
    case .command(let command, let times): return perform(command, times: times, world)
    case .reply(let serial, let reply): take(reply, serial: serial)
    case .mouse(let mouse): return handle(mouse, world)
    case .resized: scroller.select(scroller.selected, count: entries.count, page: page(world))
    case .appeared, .arranged, .deadline: break
    }
    return []
  }

  private mutating func typed(_ key: Key, _ world: World) -> [Effect] {
    switch key {
    case .escape:
      if groups.isEmpty { return [.close] }
      isTyping = false
    case .enter: return search(world)
    case .tab, .down: isTyping = groups.isEmpty
    default: _ = words.handle(key)
    }
    return []
  }

  /// Of connections never opened it is not known whether they can be searched: they are asked, too.
  private mutating func search(_ world: World) -> [Effect] {
    guard !words.text.allSatisfy({ $0 == " " }) else { return [] }
    let stale = stop()
    searched = words.text
    isTyping = false
    scroller = Scroller()
    let names = world.connections.filter { $0.capabilities.contains(.search) || $0.capabilities.isEmpty }.map(\.name)
    groups = names.map { name in
      serial += 1
      return Group(connection: name, serial: serial, phase: .searching)
    }
    return stale
      + groups.map {
        .ask(
          RequestID(owner: id, serial: $0.serial), .search(connection: $0.connection, SearchRequest(searched)))
      }
  }

  private mutating func stop() -> [Effect] {
    groups.indices.compactMap { index in
      guard case .searching = groups[index].phase else { return nil }
      groups[index].phase = .failed(.cancelled("search \(groups[index].connection)"))
      return .cancel(RequestID(owner: id, serial: groups[index].serial))
    }
  }

  private mutating func take(_ reply: Reply, serial: Int) {
    guard let index = groups.firstIndex(where: { $0.serial == serial }) else { return }
    switch reply {
    case .listing(let listing, _): groups[index].phase = .found(listing)
    case .failure(let error): groups[index].phase = .failed(error)
    default: break
    }
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    if command == .up, scroller.selected == 0 {
      isTyping = true
      return []
    }
    if scroller.handle(command, times: times, count: entries.count, page: page(world)) { return [] }
    switch command {
    case .open: return open()
    case .nextPane: jump(1, world)
    case .previousPane: jump(-1, world)
    case .filter, .search: isTyping = true
    case .refresh, .reload: return search(world)
    case .cancel: return stop()
    case .copy:
      guard let row = selectedRow else { return [] }
      return [.present(CopyMenu.dialog([CopyMenu.Entry("Location", row.location.text)]))]
    case .back: return [.close]
    default: break
    }
    return []
  }

  private var selectedRow: Row? {
    let entries = entries
    guard entries.indices.contains(scroller.selected), case .row(let group, let index) = entries[scroller.selected],
      case .found(let listing) = groups[group].phase
    else { return nil }
    return listing.rows[index]
  }

  /// A result opens; the name of a connection, or what stands for more of it, opens its own search.
  private func open() -> [Effect] {
    let entries = entries
    guard entries.indices.contains(scroller.selected) else { return [] }
    switch entries[scroller.selected] {
    case .row:
      guard let row = selectedRow, row.opening != .nothing else { return [] }
      return [.open(row.location, row.opening)]
    case .head(let group), .more(let group):
      return [.push(SearchScreen(connection: groups[group].connection, text: searched))]
    case .note: return []
    }
  }

  /// From connection to connection.
  private mutating func jump(_ step: Int, _ world: World) {
    let heads = entries.indices.filter { if case .head = entries[$0] { true } else { false } }
    let target = step > 0 ? heads.first { $0 > scroller.selected } : heads.last { $0 < scroller.selected }
    if let target { scroller.select(target, count: entries.count, page: page(world)) }
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    let count = entries.count
    switch mouse.kind {
    case .wheelUp: scroller.wheel(by: -3, count: count, page: page(world))
    case .wheelDown: scroller.wheel(by: 3, count: count, page: page(world))
    case .press, .doublePress:
      let position = scroller.top + mouse.row - 2
      guard mouse.row >= 2, position < count else {
        isTyping = true
        return []
      }
      isTyping = false
      scroller.select(position, count: count, page: page(world))
      return mouse.kind == .doublePress ? open() : []
    case .release: break
    }
    return []
  }

  // MARK: What works just now

  func hints(_ world: World) -> [Command] { [.open, .nextPane, .search, .copy, .refresh, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .copy: selectedRow == nil ? "choose a result first" : nil
    case .open, .nextPane, .previousPane: groups.isEmpty ? "there are no results" : nil
    case .mark, .markAll, .columns, .sort, .sortReverse, .loadAll, .follow, .export, .view, .openOutside, .inspect,
      .actions,
      .nextMatch, .previousMatch:
      "open the result first"
    default: nil
    }
  }

  func status(_ world: World) -> Line {
    let count = groups.reduce(0) { count, group in
      if case .found(let listing) = group.phase { return count + listing.rows.count }
      return count
    }
    guard !groups.isEmpty else { return Line() }
    let spinner = isSearching ? Spinner.frame(world.now) + "  " : ""
    return Line([Span(spinner, .accent, on: .footer), Span(Format.count(count, "result"), .text, on: .footer)])
  }

  // MARK: Drawing

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let label = buffer.put(" Search ", column: area.column, row: area.row, style: Style(.label))
    words.render(
      into: &buffer, column: label, row: area.row, columns: area.endColumn - label - 1,
      style: Style(.text, on: isTyping ? .fieldFocused : .field), isFocused: isTyping)
    let body = area.cuttingTop(2).rest
    guard !groups.isEmpty else {
      return StateView.empty(
        "Type words; Enter looks for them in every connection.", ["what each answers stands under its name"],
        into: &buffer, area: body)
    }
    let entries = entries
    for (offset, position) in scroller.visible(count: entries.count, page: body.rows).enumerated() {
      let isSelected = position == scroller.selected && !isTyping
      let row = Area(column: body.column, row: body.row + offset, columns: body.columns - 1, rows: 1)
      render(entries[position], isSelected: isSelected, into: &buffer, area: row, world)
    }
    ScrollMark.render(into: &buffer, area: body, top: scroller.top, page: body.rows, count: entries.count)
  }

  private func render(
    _ entry: Entry, isSelected: Bool, into buffer: inout CellBuffer, area: Area, _ world: World
  ) {
    let ground: Style.Ground = isSelected ? .selection : .screen
    buffer.fill(area, style: Style(.text, on: ground))
    if isSelected {
      buffer.put("▌", column: area.column, row: area.row, style: Style(.accent, on: ground))
      buffer.cursor = (area.column, area.row)
    }
    switch entry {
    case .head(let group):
      let line = Line([
        Span(groups[group].connection, .heading, on: ground, bold: true), Span("  "), head(group, world),
      ])
      buffer.put(line, column: area.column + 1, row: area.row, columns: area.columns - 2, ground: ground)
    case .note(let text, let role):
      buffer.put(
        text, column: area.column + 3, row: area.row, columns: area.columns - 4, style: Style(role, on: ground))
    case .more:
      buffer.put("… all of them", column: area.column + 3, row: area.row, style: Style(.link, on: ground))
    case .row(let group, let index):
      guard case .found(let listing) = groups[group].phase else { return }
      let row = listing.rows[index]
      let name = text("name", of: row, in: listing) ?? row.location.path.last ?? ""
      let end = buffer.put(
        world.isPrivate ? Mask.masked(name) : name, column: area.column + 3, row: area.row, columns: area.columns - 4,
        style: Style(.text, on: ground))
      let detail = text("snippet", of: row, in: listing) ?? text("path", of: row, in: listing) ?? ""
      let room = area.endColumn - end - 3
      guard room > 8 else { return }
      buffer.put(
        world.isPrivate ? Mask.masked(detail) : detail, column: end + 2, row: area.row, columns: room,
        style: Style(.dim, on: ground))
    }
  }

  private func head(_ group: Int, _ world: World) -> Span {
    switch groups[group].phase {
    case .searching: Span(Spinner.frame(world.now), .accent)
    case .failed: Span("✗", .dim)
    case .found(let listing):
      switch listing.total {
      case .exact(let count): Span(Format.count(count, "result"), .dim)
      case .atLeast(let count): Span("\(Format.count(count))+ results", .dim)
      case .unknown: Span(Format.count(listing.rows.count) + (listing.next == nil ? "" : "+"), .dim)
      }
    }
  }

  private func text(_ column: String, of row: Row, in listing: Listing) -> String? {
    guard case .text(let text) = listing.value(column, in: row), !text.isEmpty else { return nil }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
