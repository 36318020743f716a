import Model

/// The exchange log: every request and its answer, the newest first.
struct ExchangesScreen: Screen {
  var id = 0
  /// Only of this connection; nil for all.
  private let connection: String?
  private var all: [ExchangeInfo] = []
  /// Those shown: all, or those in which something was found.
  private var exchanges: [ExchangeInfo] { found.map { found in all.filter { found.ids.contains($0.id) } } ?? all }
  private var table = TableModel()
  private var serial = 0
  private var isLoaded = false
  private var prompt: TextField?
  /// What is looked for in headers and bodies, while it is typed.
  private var search: TextField?
  /// What was found so, and where.
  private var found: (text: String, ids: Set<Int>)?
  private var isWaterfall = false

  init(connection: String?) { self.connection = connection }

  var place: Place { [.lists, .exchanges] }
  var crumb: Crumb { .title("Exchanges" + (connection.map { " of \($0)" } ?? "")) }
  var takesText: Bool { prompt != nil || search != nil }

  private static let columns = [
    Column("at", "At", rank: 2), Column("method", "Method", rank: 1), Column("status", "Status", rank: 0),
    Column("path", "Path", rank: 0), Column("ms", "ms", .integer, rank: 1), Column("bytes", "Size", .size, rank: 3),
    Column("connection", "Connection", rank: 4),
  ]

  private func page(_ world: World) -> Int { TableRendering.page(world.body) }

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared, .command(.refresh, _), .command(.reload, _):
      serial += 1
      return [.ask(RequestID(owner: id, serial: serial), .exchanges)]
    case .reply(let serial, .exchanges(let exchanges)) where serial == self.serial:
      all = exchanges.filter { connection == nil || $0.connection == connection || $0.connection.isEmpty }.reversed()
      isLoaded = true
      lay(world)
    case .command(let command, let times):
      if table.scroller.handle(command, times: times, count: table.count, page: page(world)) { return [] }
      return perform(command, world)
    case .mouse(let mouse): return handle(mouse, world)
    case .key(let key): typed(key, world)
    case .paste(let text):
      search?.insert(text)
      guard prompt != nil else { return [] }
      prompt?.insert(text)
      table.setFilter(prompt?.text ?? "", world, page: page(world))
    case .reply(_, .outcome(let outcome)): return [.say(Message(.good, outcome.message))]
    case .reply(_, .failure(let error)): return [.say(Message(.bad, error.message))]
    case .arranged, .deadline, .resized, .reply:
      table.scroller.select(table.scroller.selected, count: table.count, page: page(world))
    }
    return []
  }

  private mutating func lay(_ world: World) {
    table.replace(columns: ExchangesScreen.columns, rows: exchanges.map { row($0, world) }, world, page: page(world))
  }

  private mutating func perform(_ command: Command, _ world: World) -> [Effect] {
    switch command {
    case .open, .inspect: return selected.map { [.push(ExchangeScreen($0.id, finding: found?.text ?? ""))] } ?? []
    case .filter: prompt = TextField(table.filter?.text ?? "")
    case .search: search = TextField(found?.text ?? "")
    case .view:
      // Table, waterfall, chart; then from the front.
      isWaterfall.toggle()
      if !isWaterfall { return [.push(ChartScreen(title: "Response times", ExchangeCharts.charts(shown)))] }
    case .mark:
      table.toggleMark()
      table.scroller.move(by: 1, count: table.count, page: page(world))
    case .markAll: table.toggleAllMarks()
    case .compare: return compare()
    case .replay: return selected.map { Replay.form($0, world) } ?? []
    case .export:
      serial += 1
      let chosen = table.marks.isEmpty ? shown : targets
      let name = "exchanges-\(chosen.last?.id ?? 0)-\(chosen.first?.id ?? 0).har"
      return [.ask(RequestID(owner: id, serial: serial), .saveExchanges(chosen.map(\.id).reversed(), name: name))]
    case .copy: return selected.map { [.present(CopyMenu.dialog(ExchangeScreen.copyEntries($0)))] } ?? []
    case .back: return back(world)
    case .exchanges: return [.close]
    default: break
    }
    return []
  }

  /// Esc first clears the filter, then what was found, then the marks.
  private mutating func back(_ world: World) -> [Effect] {
    if table.filter != nil {
      table.setFilter("", world, page: page(world))
    } else if found != nil {
      found = nil
      lay(world)
    } else if !table.marks.isEmpty {
      table.clearMarks()
    } else {
      return [.close]
    }
    return []
  }

  /// The marked ones, the newest first.
  private var targets: [ExchangeInfo] {
    let marked = Set(table.targets.map(\.location))
    return exchanges.filter { marked.contains(ExchangesScreen.location($0)) }
  }

  private func compare() -> [Effect] {
    let two = targets
    guard table.marks.count == 2, two.count == 2 else {
      return [.say(Message(.info, "Mark two exchanges with Space, then compare them"))]
    }
    let sides = two.reversed().map { DifferencesScreen.Side("\($0.id) \($0.method)", ExchangeLines.plain($0)) }
    return [.push(DifferencesScreen(title: "Exchanges \(two[1].id) and \(two[0].id)", sides[0], sides[1]))]
  }

  private mutating func typed(_ key: Key, _ world: World) {
    if search != nil { return typedSearch(key, world) }
    switch key {
    case .escape:
      prompt = nil
      table.setFilter("", world, page: page(world))
    case .enter: prompt = nil
    default:
      guard prompt?.handle(key) == true else { return }
      table.setFilter(prompt?.text ?? "", world, page: page(world))
    }
  }

  /// Bodies are many: they are looked through once, when the words stand.
  private mutating func typedSearch(_ key: Key, _ world: World) {
    switch key {
    case .escape: search = nil
    case .enter:
      let text = search?.text ?? ""
      search = nil
      found = text.isEmpty ? nil : (text, Set(all.filter { ExchangesScreen.holds(text.lowercased(), $0) }.map(\.id)))
      lay(world)
    default: _ = search?.handle(key)
    }
  }

  private static func holds(_ needle: String, _ exchange: ExchangeInfo) -> Bool {
    let headers = exchange.requestHeaders + exchange.responseHeaders
    return TextSearch.contains(exchange.url, needle)
      || headers.contains { TextSearch.contains("\($0.name): \($0.value)", needle) }
      || [exchange.requestBody, exchange.responseBody].contains {
        TextSearch.contains(String(decoding: $0, as: UTF8.self), needle)
      }
  }

  private static func location(_ exchange: ExchangeInfo) -> Location {
    Location(connection: "exchange-\(exchange.id)")
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    switch mouse.kind {
    case .wheelUp: table.scroller.wheel(by: -3, count: table.count, page: page(world))
    case .wheelDown: table.scroller.wheel(by: 3, count: table.count, page: page(world))
    case .press, .doublePress:
      let position = table.scroller.top + mouse.row - TableRendering.headingRows(world.body)
      guard (0..<table.count).contains(position) else { return [] }
      table.scroller.select(position, count: table.count, page: page(world))
      if mouse.kind == .doublePress { return perform(.open, world) }
    case .release: break
    }
    return []
  }

  private var selected: ExchangeInfo? {
    guard table.selected != nil else { return nil }
    return exchanges[table.rowIndex(at: table.scroller.selected)]
  }

  /// Those that pass the filter, the newest first.
  private var shown: [ExchangeInfo] { (0..<table.count).map { exchanges[table.rowIndex(at: $0)] } }

  private func row(_ exchange: ExchangeInfo, _ world: World) -> Row {
    let status =
      exchange.status.map { $0 >= 400 ? "✗ \($0)" : String($0) } ?? (exchange.failure == nil ? "…" : "✗ none")
    return Row(
      ExchangesScreen.location(exchange),
      [
        .text(world.zone.clock(exchange.started)), .text(exchange.method), .text(status),
        .text(ExchangeText.path(exchange.url)), .integer(Int64(exchange.milliseconds.rounded())),
        exchange.bytes.map { .size($0) } ?? .null, .text(exchange.connection),
      ])
  }

  func hints(_ world: World) -> [Command] {
    [.open, .view, .filter, .search, .mark, .compare, .replay, .export, .copy, .refresh, .help, .back]
  }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .open, .inspect, .copy, .mark, .markAll, .export: table.selected == nil ? "there are no exchanges" : nil
    case .compare: table.marks.count == 2 ? nil : "mark two exchanges first"
    case .replay: Replay.reason(selected, world)
    case .filter, .search: all.isEmpty ? "there are no exchanges" : nil
    case .view: exchanges.contains { !$0.isRunning } ? nil : "there are no answers to draw"
    case .columns, .sort, .sortReverse, .loadAll, .follow, .actions, .openOutside, .nextMatch, .previousMatch,
      .nextPane,
      .previousPane:
      "this is the exchange log, the newest first"
    default: nil
    }
  }

  func status(_ world: World) -> Line {
    if let problem = FilterPrompt.problem(table.filter) { return problem }
    let count = Format.count(all.count, "exchange")
    let isPart = table.filter != nil || found != nil
    var text = isPart ? "\(Format.count(table.count)) of \(count)" : count
    if let found { text = "with “\(found.text)”: \(text)" }
    if !table.marks.isEmpty { text = "\(table.marks.count) marked  \(text)" }
    return Line([Span(text, .text, on: .footer)])
  }

  func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    if let search {
      PromptLine.render(search, sign: "find", into: &buffer, area: area)
      return true
    }
    return FilterPrompt.render(prompt, table.filter, into: &buffer, area: area)
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    guard !exchanges.isEmpty else {
      if let found {
        return StateView.empty("“\(found.text)” stands in no exchange.", ["Esc shows all"], into: &buffer, area: area)
      }
      return StateView.empty(
        isLoaded ? "No exchanges yet." : "", isLoaded ? ["Every request to a server will stand here."] : [],
        into: &buffer, area: area)
    }
    guard isWaterfall else { return TableRendering(table: table, world: world).render(into: &buffer, area: area) }
    let visible = table.scroller.visible(count: table.count, page: page(world))
    ExchangeWaterfall(
      exchanges: visible.map { exchanges[table.rowIndex(at: $0)] },
      selected: table.scroller.selected - visible.lowerBound, world: world
    ).render(into: &buffer, area: area)
  }
}

enum ExchangeText {
  /// What of an address tells exchanges apart: path and query.
  static func path(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
  }
}
