import Model

/// One thing in full: its fields, where it leads, and what can be done with it.
package struct DetailScreen: Screen {
  enum Phase: Sendable {
    case idle
    case loading
    case loaded(Item)
    case failed(ServiceError)
  }

  package var id = 0
  package let location: Location
  var phase = Phase.idle
  private var waiting: Int?
  private var serial = 0
  /// Fields, and on wide screens beside them where it leads.
  var panes = [EntryList(), EntryList()]
  var focus = 0
  private var staleness: ServiceError?
  /// Something was done here since the item last came.
  var isLeftWhenGone = false

  package init(_ location: Location) { self.location = location }

  package var place: Place { [.items, .places] }
  package var crumb: Crumb { .location(location) }

  package func deadline(_ world: World) -> Timestamp? { waiting == nil ? nil : Spinner.next(world.now) }

  var item: Item? {
    guard case .loaded(let item) = phase else { return nil }
    return item
  }

  // MARK: Handling

  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared:
      guard case .idle = phase else { return [] }
      return load(isRefresh: false)
    case .command(let command, let times): return perform(command, times: times, world)
    case .mouse(let mouse): return handle(mouse, world)
    case .reply(let serial, let reply): return take(reply, serial: serial, world)
    case .key, .paste, .arranged, .deadline, .resized: return []
    }
  }

  private mutating func load(isRefresh: Bool) -> [Effect] {
    serial += 1
    waiting = serial
    if item == nil { phase = .loading }
    return [.ask(RequestID(owner: id, serial: serial), .item(location, isRefresh: isRefresh))]
  }

  private mutating func take(_ reply: Reply, serial: Int, _ world: World) -> [Effect] {
    guard waiting == serial else { return [] }
    switch reply {
    case .item(let item, let isFinal):
      if isFinal { (waiting, isLeftWhenGone) = (nil, false) }
      staleness = nil
      let isFirst = self.item == nil
      phase = .loaded(item)
      // Where it leads is what most people opened it for.
      if isFirst, !item.related.isEmpty { startAtWays(world) }
    case .failure(let error):
      waiting = nil
      guard item != nil else {
        phase = .failed(error)
        return []
      }
      staleness = error
      return [.say(Message(.bad, error.message))]
    default: break
    }
    return []
  }

  /// Whether what was done here took the thing away, as the answer to looking again says.
  func hasGone(_ reply: Reply, serial: Int) -> Bool {
    guard isLeftWhenGone, waiting == serial, case .failure(let error) = reply else { return false }
    return error.code == .notFound
  }

  /// Beside the fields, or below them where that is in view without scrolling.
  private mutating func startAtWays(_ world: World) {
    let entries = entries(world)
    guard entries.count == 1 else {
      focus = 1
      return
    }
    let page = areas(world.body, world)[0].rows
    var pane = panes[0]
    pane.select(firstWay(entries[0]), entries: entries[0], page: page)
    if pane.top == 0 { panes[0] = pane }
  }

  /// The first entry that is no field, among those that can be selected.
  private func firstWay(_ entries: [ItemLines.Entry]) -> Int {
    entries.compactMap(\.target).firstIndex { if case .field = $0 { false } else { true } } ?? 0
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    let entries = entries(world)
    focus = min(focus, entries.count - 1)
    let rows = areas(world.body, world)[focus].rows
    if panes[focus].handle(command, times: times, entries: entries[focus], page: rows) { return [] }
    switch command {
    case .open: return open(world)
    case .back: return [.close]
    case .nextPane, .previousPane: switchPane(entries, page: rows)
    case .refresh, .reload: return load(isRefresh: true)
    case .cancel:
      guard let waiting else { return [] }
      self.waiting = nil
      if item == nil { phase = .failed(.cancelled("load \(location)")) }
      return [.cancel(RequestID(owner: id, serial: waiting))]
    default: return act(command, world)
    }
    return []
  }

  /// The other pane; where all stands in one, from the fields to where it leads and back.
  private mutating func switchPane(_ entries: [[ItemLines.Entry]], page: Int) {
    guard entries.count == 1 else {
      focus = 1 - focus
      return
    }
    let firstWay = firstWay(entries[0])
    panes[0].select(panes[0].selected < firstWay ? firstWay : 0, entries: entries[0], page: page)
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    let entries = entries(world)
    for (index, area) in areas(world.body, world).enumerated() {
      let row = mouse.row + world.body.row
      guard area.contains(column: mouse.column, row: row) else { continue }
      switch mouse.kind {
      case .wheelUp, .wheelDown:
        let command: Command = mouse.kind == .wheelUp ? .up : .down
        _ = panes[index].handle(command, times: 3, entries: entries[index], page: area.rows)
      case .press, .doublePress:
        guard let hit = panes[index].index(atRow: row - area.row, entries: entries[index]) else { return [] }
        focus = index
        panes[index].select(hit, entries: entries[index], page: area.rows)
        if mouse.kind == .doublePress { return open(world) }
      case .release: break
      }
    }
    return []
  }

  // MARK: What works just now

  package func hints(_ world: World) -> [Command] {
    [.open, .nextPane, .view, .actions, .inspect, .download, .copy, .go, .help, .refresh, .exchanges, .back]
  }

  package func reason(against command: Command, _ world: World) -> String? {
    let connection = world.connection(location.connection)
    switch command {
    case .open, .actions, .copy: return item == nil ? "nothing is loaded" : nil
    case .inspect: return item?.raw == nil ? "there is no answer to look at" : nil
    case .compare: return "mark two in a list, or select a version"
    case .takeSuggestion: return "it takes up a spelling that a search suggests"
    case .edit:
      if connection?.isReadOnly == true { return "this connection is read-only" }
      if connection?.capabilities.contains(.upload) != true { return "nothing can be stored here" }
      return item?.content == nil ? "there is no content behind this" : nil
    case .download, .openOutside: return item?.content == nil ? "there is no content behind this" : nil
    case .view:
      if item == nil { return "nothing is loaded" }
      let draws = connection?.capabilities.contains(.charts) == true
      return item?.content == nil && !draws ? "there is no content behind this, and nothing to draw" : nil
    case .upload: return "go to a folder or a collection to upload"
    case .delete:
      if connection?.isReadOnly == true { return "this connection is read-only" }
      return connection?.capabilities.contains(.delete) == true ? nil : "nothing can be deleted here"
    case .search: return connection?.capabilities.contains(.search) == true ? nil : "this connection has no search"
    case .nextPane, .previousPane:
      return item.map { $0.related.isEmpty && $0.actions.isEmpty } == false ? nil : "there is only one pane"
    case .filter, .nextMatch, .previousMatch: return "i shows the answer, where / finds"
    default: return nil
    }
  }

  package func status(_ world: World) -> Line {
    guard let item else { return Line() }
    if waiting != nil { return Line([Span(Spinner.frame(world.now), .accent, on: .footer)]) }
    if staleness != nil { return Line([Span("not renewed", .warning, on: .footer)]) }
    return FreshnessText.span(item.freshness, world).map { Line([$0]) } ?? Line()
  }
}
