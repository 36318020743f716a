import Model

/// The exchange log: every request and its answer, the newest first.
struct ExchangesScreen: Screen {
  var id = 0
  /// Only of this connection; nil for all.
  private let connection: String?
  private var exchanges: [ExchangeInfo] = []
  private var table = TableModel()
  private var serial = 0
  private var isLoaded = false
  private var prompt: TextField?

  init(connection: String?) { self.connection = connection }

  var place: Place { .lists }
  var crumb: Crumb { .title("Exchanges" + (connection.map { " of \($0)" } ?? "")) }
  var takesText: Bool { prompt != nil }

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
    case .reply(let serial, .exchanges(let all)) where serial == self.serial:
      exchanges = all.filter { connection == nil || $0.connection == connection || $0.connection.isEmpty }.reversed()
      isLoaded = true
      table.replace(columns: ExchangesScreen.columns, rows: exchanges.map { row($0, world) }, world, page: page(world))
    case .command(let command, let times):
      if table.scroller.handle(command, times: times, count: table.count, page: page(world)) { return [] }
      return perform(command, world)
    case .mouse(let mouse): return handle(mouse, world)
    case .key(let key): typed(key, world)
    case .paste(let text):
      prompt?.insert(text)
      table.setFilter(prompt?.text ?? "", world, page: page(world))
    case .arranged, .deadline, .resized, .reply:
      table.scroller.select(table.scroller.selected, count: table.count, page: page(world))
    }
    return []
  }

  private mutating func perform(_ command: Command, _ world: World) -> [Effect] {
    switch command {
    case .open, .inspect: return selected.map { [.push(ExchangeScreen($0.id))] } ?? []
    case .filter: prompt = TextField(table.filter?.text ?? "")
    case .view: return [.push(ChartScreen(title: "Response times", ExchangeCharts.charts(shown)))]
    case .sort, .sortReverse: break
    case .copy: return selected.map { [.present(CopyMenu.dialog(ExchangeScreen.copyEntries($0)))] } ?? []
    case .back where table.filter != nil: table.setFilter("", world, page: page(world))
    case .back, .exchanges: return [.close]
    default: break
    }
    return []
  }

  private mutating func typed(_ key: Key, _ world: World) {
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
      Location(connection: "exchange-\(exchange.id)"),
      [
        .text(world.zone.clock(exchange.started)), .text(exchange.method), .text(status),
        .text(ExchangeText.path(exchange.url)), .integer(Int64(exchange.milliseconds.rounded())),
        exchange.bytes.map { .size($0) } ?? .null, .text(exchange.connection),
      ])
  }

  func hints(_ world: World) -> [Command] { [.open, .filter, .copy, .refresh, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .open, .inspect, .copy: table.selected == nil ? "there are no exchanges" : nil
    case .filter: exchanges.isEmpty ? "there are no exchanges" : nil
    case .view: exchanges.contains { !$0.isRunning } ? nil : "there are no answers to draw"
    case .mark, .markAll, .columns, .sort, .sortReverse, .loadAll, .export, .actions, .openOutside, .nextMatch,
      .previousMatch, .nextPane, .previousPane, .search:
      "this is the exchange log, the newest first"
    default: nil
    }
  }

  func status(_ world: World) -> Line {
    if let problem = FilterPrompt.problem(table.filter) { return problem }
    let all = Format.count(exchanges.count, "exchange")
    let text = table.filter == nil ? all : "\(Format.count(table.count)) of \(all)"
    return Line([Span(text, .text, on: .footer)])
  }

  func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    FilterPrompt.render(prompt, table.filter, into: &buffer, area: area)
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    guard !exchanges.isEmpty else {
      return StateView.empty(
        isLoaded ? "No exchanges yet." : "", isLoaded ? ["Every request to a server will stand here."] : [],
        into: &buffer, area: area)
    }
    TableRendering(table: table, world: world).render(into: &buffer, area: area)
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
