import Model

/// Pictures of what stands at a place, one at a time, with the value under a movable cursor.
struct ChartScreen: Screen {
  enum Phase: Sendable {
    case idle, loading, shown
    case failed(ServiceError)
  }

  var id = 0
  let crumb: Crumb
  private let location: Location?
  /// Drawn from rows that are here already; the back end's own come before them.
  private let own: [Chart]
  private let asks: Bool
  private(set) var phase = Phase.idle
  private(set) var charts: [Chart] = []
  private(set) var current = 0
  private(set) var point = 0
  private var top = 0
  private var serial = 0

  /// - Parameter asks: Whether the back end may have charts of the place.
  init(_ location: Location, own: [Chart] = [], asks: Bool) {
    self.location = location
    self.own = own
    self.asks = asks
    crumb = .location(location)
  }

  init(title: String, _ charts: [Chart]) {
    location = nil
    own = charts
    asks = false
    crumb = .title(title)
  }

  var place: Place { location == nil ? .charts : [.charts, .places] }

  func deadline(_ world: World) -> Timestamp? {
    guard case .loading = phase else { return nil }
    return Spinner.next(world.now)
  }

  var chart: Chart? { charts.indices.contains(current) ? charts[current] : nil }
  private var points: [Chart.Point] { chart?.series.first?.points ?? [] }

  // MARK: Handling

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared:
      guard case .idle = phase else { return [] }
      return load(world)
    case .command(let command, let times): return perform(command, times: times, world)
    case .mouse(let mouse): return handle(mouse, world)
    case .reply(let serial, let reply): return take(reply, serial: serial, world)
    case .resized: move(to: point, world)
    case .key, .paste, .arranged, .deadline: break
    }
    return []
  }

  private mutating func load(_ world: World) -> [Effect] {
    guard asks, let location else {
      show(own, world)
      return []
    }
    serial += 1
    if charts.isEmpty { phase = .loading }
    return [.ask(RequestID(owner: id, serial: serial), .charts(location))]
  }

  private mutating func take(_ reply: Reply, serial: Int, _ world: World) -> [Effect] {
    guard serial == self.serial else { return [] }
    switch reply {
    case .charts(let charts): show(charts + own, world)
    case .failure(let error):
      guard !own.isEmpty else {
        phase = .failed(error)
        return []
      }
      show(own, world)
      // That a place has no charts of its own is nothing to report.
      return error.code == .notOffered ? [] : [.say(Message(.bad, error.message))]
    default: break
    }
    return []
  }

  private mutating func show(_ charts: [Chart], _ world: World) {
    let isFirst = self.charts.isEmpty
    self.charts = charts.filter { $0.series.contains { !$0.points.isEmpty } }
    phase = .shown
    current = min(current, max(0, self.charts.count - 1))
    if isFirst { startPoint(world) } else { move(to: point, world) }
  }

  /// A course is looked at from its end, bars from the first.
  private mutating func startPoint(_ world: World) {
    top = 0
    move(to: chart?.form == .line ? points.count - 1 : 0, world)
  }

  private mutating func move(to index: Int, _ world: World) {
    point = min(max(0, index), max(0, points.count - 1))
    guard let picture = picture(world), picture.isLying(layout(world.body).plot) else {
      top = 0
      return
    }
    var scroller = Scroller()
    let page = picture.lyingPage(layout(world.body).plot)
    scroller.select(min(points.count - 1, top + page - 1), count: points.count, page: page)
    scroller.select(point, count: points.count, page: page)
    top = scroller.top
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    switch command {
    case .nextPoint, .down: move(to: point + times, world)
    case .previousPoint, .up: move(to: point - times, world)
    case .pageDown, .halfPageDown: move(to: point + times * 10, world)
    case .pageUp, .halfPageUp: move(to: point - times * 10, world)
    case .first: move(to: 0, world)
    case .last: move(to: points.count - 1, world)
    case .nextPane, .previousPane:
      let step = command == .nextPane ? 1 : charts.count - 1
      guard charts.count > 1 else { return [] }
      current = (current + step) % charts.count
      startPoint(world)
    case .refresh, .reload: return load(world)
    case .copy: return copy()
    case .cancel:
      guard case .loading = phase else { return [] }
      phase = .failed(.cancelled("draw \(location?.text ?? "it")"))
      return [.cancel(RequestID(owner: id, serial: serial))]
    case .back, .view: return [.close]
    default: break
    }
    return []
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    switch mouse.kind {
    case .wheelUp: move(to: point - 1, world)
    case .wheelDown: move(to: point + 1, world)
    case .press, .doublePress:
      let plot = layout(world.body).plot
      if let hit = picture(world)?.point(atColumn: mouse.column, row: mouse.row + world.body.row, in: plot) {
        move(to: hit, world)
      }
    case .release: break
    }
    return []
  }

  private func copy() -> [Effect] {
    guard let chart else { return [] }
    var entries: [CopyMenu.Entry] = []
    if points.indices.contains(point) {
      entries = chart.series.filter { point < $0.points.count }.map { series in
        CopyMenu.Entry(
          "\(series.title), \(points[point].label)", ChartText.value(series.points[point].value, chart.unit),
          isPrivate: chart.isPrivate)
      }
    }
    let head = (["label"] + chart.series.map(\.title)).joined(separator: "\t")
    let rows = points.indices.map { index in
      ([points[index].label]
        + chart.series.map { index < $0.points.count ? exact($0.points[index].value, chart.unit) : "" })
        .joined(separator: "\t")
    }
    entries.append(
      CopyMenu.Entry(
        "All values, tab-separated", ([head] + rows).joined(separator: "\n"), isPrivate: chart.isPrivate))
    return [.present(CopyMenu.dialog(entries))]
  }

  private func exact(_ value: Int64, _ unit: Chart.Unit) -> String {
    guard case .money(let currency, let decimals) = unit else { return String(value) }
    return Money(units: value, decimals: decimals, currency: currency).decimalText
  }

  // MARK: What works just now

  func hints(_ world: World) -> [Command] { [.nextPoint, .nextPane, .view, .copy, .privacy, .refresh, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .nextPoint, .previousPoint, .copy: points.isEmpty ? "there is nothing to draw" : nil
    case .nextPane, .previousPane: charts.count > 1 ? nil : "there is only one chart"
    case .nextMatch, .previousMatch: "nothing is looked for in a picture"
    case .actions, .download, .upload, .delete, .bookmark: "go back to the list for that"
    default: nil
    }
  }

  func status(_ world: World) -> Line {
    charts.count < 2 ? Line() : Line([Span("chart \(current + 1) of \(charts.count)", .text, on: .footer)])
  }

  // MARK: Drawing

  private func picture(_ world: World) -> ChartPicture? {
    chart.map { ChartPicture(chart: $0, world: world, point: point, top: top) }
  }

  private func layout(_ area: Area) -> (head: Area, plot: Area, foot: Area) {
    let (head, rest) = area.cuttingTop(area.rows >= 16 ? 3 : area.rows >= 5 ? 2 : 0)
    let (plot, foot) = rest.cuttingBottom(chart?.notices.isEmpty == false && rest.rows >= 8 ? 1 : 0)
    return (head, plot, foot)
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    switch phase {
    case .idle, .loading: return StateView.loading("Drawing", into: &buffer, area: area, world: world)
    case .failed(let error):
      return StateView.failed(error, into: &buffer, area: area, world: world, place: place)
    case .shown: break
    }
    guard let chart, let picture = picture(world) else {
      return StateView.empty("There is nothing to draw here.", ["Esc goes back to the list"], into: &buffer, area: area)
    }
    let layout = layout(area)
    renderHead(chart, picture, into: &buffer, area: layout.head, world)
    picture.render(into: &buffer, area: layout.plot)
    if let notice = chart.notices.first, !layout.foot.isEmpty {
      buffer.put(
        notice, column: layout.foot.column + 1, row: layout.foot.row, columns: layout.foot.columns - 2,
        style: Style(.dim))
    }
  }

  /// The title with the legend, and below it what stands under the cursor.
  private func renderHead(
    _ chart: Chart, _ picture: ChartPicture, into buffer: inout CellBuffer, area: Area, _ world: World
  ) {
    guard !area.isEmpty else { return }
    let shown = { (text: String) in world.isPrivate && chart.isPrivate ? Mask.masked(text) : text }
    var spans = [Span(chart.title, .title, bold: true)]
    if chart.series.count > 1 {
      for (index, series) in chart.series.enumerated() {
        spans += [Span("   "), Span(picture.sign(index), ChartPicture.role(index)), Span(" \(series.title)", .dim)]
      }
    }
    buffer.put(Line(spans), column: area.column + 1, row: area.row, columns: area.columns - 2)
    guard points.indices.contains(point) else { return }
    var values = [Span(shown(points[point].label), .text, bold: true)]
    for series in chart.series where point < series.points.count {
      let value = series.points[point].value
      values.append(Span("   "))
      if chart.series.count > 1 { values.append(Span("\(series.title) ", .dim)) }
      values.append(Span(shown(ChartText.value(value, chart.unit)), value < 0 ? .negative : .number))
    }
    buffer.put(Line(values), column: area.column + 1, row: area.row + 1, columns: area.columns - 2)
  }
}
