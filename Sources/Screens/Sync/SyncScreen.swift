import Model

/// Offline data of each connection that keeps some: when it was last synchronised, what waits to be sent, what met a
/// conflict, and how far a synchronisation is.
struct SyncScreen: Screen {
  /// What is known of one connection.
  struct Entry: Sendable {
    let name: String
    /// Nil until it is known whether there is anything to keep at all.
    var isOffered: Bool?
    var pending: Listing?
    /// The last synchronisation, as far as the kept sets tell.
    var synced: Timestamp?
    var failure: ServiceError?
    /// Answers that are still to come.
    var waiting: Set<Int> = []

    /// Edits that a person has to decide about.
    var conflicts: Int { count { $0 == "conflict" || $0 == "refused" } }
    var drafts: Int { count { $0 == "draft" } }

    private func count(_ test: (String) -> Bool) -> Int {
      guard let pending, let column = pending.columnIndex("state") else { return 0 }
      return pending.rows.count { if case .text(let state) = $0.values[column] { test(state) } else { false } }
    }
  }

  private enum Question { case capabilities, pending, data }

  var id = 0
  private(set) var entries: [Entry] = []
  private var scroller = Scroller()
  private var serial = 0
  private var questions: [Int: (name: String, what: Question)] = [:]

  var place: Place { [.items, .syncing] }
  var crumb: Crumb { .title("Sync") }

  func deadline(_ world: World) -> Timestamp? {
    entries.contains { !$0.waiting.isEmpty } || world.jobs.contains { $0.synchronizes != nil && !$0.isOver }
      ? Spinner.next(world.now) : nil
  }

  /// Those that keep data offline.
  var shown: [Entry] { entries.filter { $0.isOffered == true } }
  var isAsking: Bool { entries.contains { $0.isOffered == nil } }

  static let rows = 2
  func page(_ world: World) -> Int { max(1, world.body.rows / Self.rows) }
  func visible(_ world: World) -> Range<Int> { scroller.visible(count: shown.count, page: page(world)) }
  var selectedIndex: Int { scroller.selected }

  var selected: Entry? {
    let shown = shown
    return shown.indices.contains(scroller.selected) ? shown[scroller.selected] : nil
  }

  func job(_ name: String, _ world: World) -> JobInfo? {
    world.jobs.last { $0.synchronizes == name && !$0.isOver }
  }

  // MARK: Handling

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared: return load(world)
    case .command(let command, let times):
      if scroller.handle(command, times: times, count: shown.count, page: page(world)) { return [] }
      return perform(command, world)
    case .mouse(let mouse): return handle(mouse, world)
    case .reply(let serial, let reply): return take(reply, serial: serial)
    case .key, .paste, .arranged, .deadline, .resized: return []
    }
  }

  /// Everything again; what is known stays in view meanwhile.
  private mutating func load(_ world: World) -> [Effect] {
    var effects: [Effect] = []
    entries = world.connections.map { info in entries.first { $0.name == info.name } ?? Entry(name: info.name) }
    for index in entries.indices {
      switch entries[index].isOffered {
      case true?: effects += look(index)
      case false?: break
      case nil: effects += ask(index, .capabilities)
      }
    }
    return effects
  }

  private mutating func look(_ index: Int) -> [Effect] { ask(index, .pending) + ask(index, .data) }

  private mutating func ask(_ index: Int, _ what: Question) -> [Effect] {
    serial += 1
    let name = entries[index].name
    questions[serial] = (name, what)
    entries[index].waiting.insert(serial)
    let root = Location(connection: name)
    let request: Request =
      switch what {
      case .capabilities: .capabilities(connection: name)
      case .pending: .list(root.appending("pending"), ListQuery(limit: 500), isRefresh: true)
      case .data: .list(root.appending("data"), ListQuery(limit: 500), isRefresh: true)
      }
    return [.ask(RequestID(owner: id, serial: serial), request)]
  }

  private mutating func take(_ reply: Reply, serial: Int) -> [Effect] {
    guard let question = questions[serial], let index = entries.firstIndex(where: { $0.name == question.name }) else {
      return []
    }
    if reply.isFinal {
      questions[serial] = nil
      entries[index].waiting.remove(serial)
    }
    switch (question.what, reply) {
    case (.capabilities, .capabilities(let capabilities)):
      entries[index].isOffered = capabilities.contains(.offline)
      return capabilities.contains(.offline) ? look(index) : []
    case (.capabilities, .failure): entries[index].isOffered = false
    case (.pending, .listing(let listing, _)):
      entries[index].pending = listing
      entries[index].failure = nil
      if case .offline(let time?) = listing.freshness { entries[index].synced = time }
    case (.data, .listing(let listing, _)):
      let times = listing.rows.compactMap { row -> Timestamp? in
        if case .time(let time) = listing.value("synced", in: row) { time } else { nil }
      }
      if let last = times.max(by: { $0.milliseconds < $1.milliseconds }) { entries[index].synced = last }
    case (.pending, .failure(let error)):
      entries[index].pending = nil
      entries[index].failure = error
    default: break
    }
    return []
  }

  private mutating func perform(_ command: Command, _ world: World) -> [Effect] {
    switch command {
    case .back, .sync: return [.close]
    case .refresh, .reload: return load(world)
    case .open: return selected.map { [.open(Location(connection: $0.name).appending("pending"), .listing)] } ?? []
    case .synchronize: return selected.map { [.order(.synchronize(connection: $0.name))] } ?? []
    case .cancel: return selected.flatMap { job($0.name, world) }.map { [.order(.cancel($0.id))] } ?? []
    case .actions: return selected.map { [.present(menu($0, world))] } ?? []
    default: return []
    }
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    let count = shown.count
    switch mouse.kind {
    case .wheelUp: scroller.wheel(by: -1, count: count, page: page(world))
    case .wheelDown: scroller.wheel(by: 1, count: count, page: page(world))
    case .press, .doublePress:
      let index = scroller.top + mouse.row / Self.rows
      guard index < count else { return [] }
      scroller.select(index, count: count, page: page(world))
      if mouse.kind == .doublePress { return perform(.open, world) }
    case .release: break
    }
    return []
  }

  private func menu(_ entry: Entry, _ world: World) -> MenuDialog {
    let root = Location(connection: entry.name)
    let waits = entry.pending.map { Format.count($0.rows.count, "edit") } ?? ""
    var entries = [
      MenuDialog.Entry("Synchronise now") { [.order(.synchronize(connection: entry.name))] },
      MenuDialog.Entry("What waits", detail: waits) { [.open(root.appending("pending"), .listing)] },
      MenuDialog.Entry("Its places", detail: root.text) { [.open(root, .listing)] },
    ]
    if let job = job(entry.name, world) {
      entries[0] = MenuDialog.Entry("Stop synchronising") { [.order(.cancel(job.id))] }
    }
    return MenuDialog(title: entry.name, entries: entries)
  }

  // MARK: What works just now

  func hints(_ world: World) -> [Command] { [.open, .synchronize, .actions, .refresh, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .open, .actions: return selected == nil ? "no connection keeps data offline" : nil
    case .synchronize:
      guard let selected else { return "no connection keeps data offline" }
      return job(selected.name, world) == nil ? nil : "it is under way"
    case .copy, .view, .inspect, .openOutside, .filter, .nextMatch, .previousMatch, .nextPane, .previousPane, .search,
      .bookmark:
      return "⏎ shows what waits"
    default: return nil
    }
  }

  func status(_ world: World) -> Line {
    let conflicts = shown.reduce(0) { $0 + $1.conflicts }
    if conflicts > 0 { return Line([Span(Format.count(conflicts, "conflict"), .warning, on: .footer)]) }
    let waiting = shown.reduce(0) { $0 + ($1.pending?.rows.count ?? 0) }
    return Line([Span(waiting == 0 ? "nothing waits" : "\(Format.count(waiting)) waiting", .text, on: .footer)])
  }
}
