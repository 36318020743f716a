import Model

/// Downloads, uploads and other long work: how far each is, how fast, how long still.
struct TransfersScreen: Screen {
  var id = 0
  private var scroller = Scroller()

  var place: Place { [.lists, .transfers] }
  var crumb: Crumb { .title("Transfers") }

  private static let rows = 2
  private func page(_ world: World) -> Int { max(1, world.body.rows / TransfersScreen.rows) }
  private func selected(_ world: World) -> JobInfo? {
    let jobs = shown(world)
    return jobs.indices.contains(scroller.selected) ? jobs[scroller.selected] : nil
  }

  /// What runs first, then what is over, the newest first.
  private func shown(_ world: World) -> [JobInfo] {
    world.jobs.filter { !$0.isOver } + world.jobs.filter(\.isOver).reversed()
  }

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    let count = world.jobs.count
    switch event {
    case .command(let command, let times):
      if scroller.handle(command, times: times, count: count, page: page(world)) { return [] }
      return perform(command, world)
    case .mouse(let mouse) where mouse.kind == .press || mouse.kind == .doublePress:
      scroller.select(scroller.top + mouse.row / TransfersScreen.rows, count: count, page: page(world))
    case .appeared, .deadline, .resized:
      scroller.select(scroller.selected, count: count, page: page(world))
    default: break
    }
    return []
  }

  private func perform(_ command: Command, _ world: World) -> [Effect] {
    switch command {
    case .back, .transfers: return [.close]
    case .pauseJob:
      guard let job = selected(world) else { return [] }
      return [.order(job.state == .paused ? .resume(job.id) : .pause(job.id))]
    case .cancelJob, .cancel: return selected(world).map { [.order(.cancel($0.id))] } ?? []
    case .delete: return [.order(.clear)]
    case .copy:
      guard let result = selected(world)?.result else { return [] }
      return [.present(CopyMenu.dialog([CopyMenu.Entry("Where it is", result)]))]
    case .open: return selected(world)?.result.map { [.outside(.url($0))] } ?? []
    default: return []
    }
  }

  func hints(_ world: World) -> [Command] { [.open, .pauseJob, .cancelJob, .copy, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    let job = selected(world)
    switch command {
    case .open, .copy: return job?.result == nil ? "it is not finished" : nil
    case .pauseJob:
      guard let job else { return "there are no transfers" }
      if job.isOver { return "it is over" }
      return job.canPause ? nil : "this one cannot be paused"
    case .cancelJob: return job?.isOver == false ? nil : "nothing is running"
    case .mark, .markAll, .columns, .sort, .sortReverse, .filter, .loadAll, .follow, .export, .view, .inspect, .actions,
      .openOutside,
      .nextMatch, .previousMatch, .nextPane, .previousPane, .search, .refresh, .reload:
      return "these are the transfers"
    default: return nil
    }
  }

  func status(_ world: World) -> Line {
    let running = world.jobs.count { !$0.isOver }
    let all = world.jobs.count
    let text = running == 0 ? Format.count(all, "transfer") : "\(running) of \(Format.count(all)) running"
    return Line([Span(text, .text, on: .footer)])
  }

  // MARK: Drawing

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    let jobs = shown(world)
    if jobs.isEmpty {
      let key = world.keys.sign(for: .download, in: [.places])
      return StateView.empty(
        "No transfers.", ["\(key) on a document or an object downloads it"], into: &buffer, area: area)
    }
    for (offset, position) in scroller.visible(count: jobs.count, page: page(world)).enumerated() {
      let row = area.row + offset * TransfersScreen.rows
      let place = Area(
        column: area.column, row: row, columns: area.columns, rows: min(TransfersScreen.rows, area.endRow - row))
      render(jobs[position], isSelected: position == scroller.selected, into: &buffer, area: place)
    }
  }

  private func render(_ job: JobInfo, isSelected: Bool, into buffer: inout CellBuffer, area: Area) {
    let ground: Style.Ground = isSelected ? .selection : .screen
    buffer.fill(area, style: Style(.text, on: ground))
    if isSelected {
      buffer.put("▌", column: area.column, row: area.row, style: Style(.accent, on: ground))
      buffer.cursor = (area.column, area.row)
    }
    let state = Line([stateSpan(job)])
    let room = area.columns - state.columns - 5
    buffer.put(
      job.title, column: area.column + 2, row: area.row, columns: room, style: Style(.text, on: ground, bold: true))
    buffer.putRight(state, endColumn: area.endColumn - 1, row: area.row, ground: ground)
    guard area.rows > 1 else { return }
    let facts = facts(job)
    let bar = min(40, area.columns - TextWidth.columns(of: facts) - 8)
    var at = area.column + 4
    if bar >= 6, let fraction = job.fraction, !job.isOver {
      at = ProgressBar.render(into: &buffer, column: at, row: area.row + 1, columns: bar, fraction, ground: ground) + 2
    }
    buffer.put(
      facts, column: at, row: area.row + 1, columns: area.endColumn - at - 1, style: Style(.dim, on: ground))
  }

  private func stateSpan(_ job: JobInfo) -> Span {
    switch job.state {
    case .waiting: Span("waiting", .dim)
    case .running: Span(job.fraction.map { "\(Int($0 * 100)) %" } ?? "running", .accent)
    case .paused: Span("‖ paused", .warning)
    case .done: Span("✓ done", .good)
    case .cancelled: Span("cancelled", .dim)
    case .failed: Span("✗ failed", .bad)
    }
  }

  private func facts(_ job: JobInfo) -> String {
    if case .failed(let reason) = job.state { return reason }
    if job.isOver { return ([sizes(job)] + [job.result].compactMap { $0 }).joined(separator: "  ") }
    var parts = [sizes(job)]
    if let rate = job.rate, job.state == .running { parts.append("\(amount(Int64(rate), job))/s") }
    if let seconds = job.secondsLeft { parts.append("\(Format.duration(milliseconds: seconds * 1000)) left") }
    return parts.joined(separator: "  ")
  }

  private func sizes(_ job: JobInfo) -> String {
    let done = amount(job.done, job)
    guard let total = job.total, !job.isOver else { return done }
    return "\(done) of \(amount(total, job))"
  }

  private func amount(_ number: Int64, _ job: JobInfo) -> String {
    job.countsBytes ? Format.plainSize(number) : Format.count(Int(number), "row")
  }
}

/// A bar of eighth blocks.
enum ProgressBar {
  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  @discardableResult
  static func render(
    into buffer: inout CellBuffer, column: Int, row: Int, columns: Int, _ fraction: Double, ground: Style.Ground
  ) -> Int {
    let parts = Int(fraction * Double(columns * 8))
    let full = String(repeating: "█", count: parts / 8) + eighths[parts % 8]
    let end = buffer.put(full, column: column, row: row, style: Style(.bar, on: ground))
    let rest = String(repeating: "░", count: max(0, column + columns - end))
    return buffer.put(rest, column: end, row: row, style: Style(.barEmpty, on: ground))
  }
}
