import Model

extension ListingScreen {
  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared:
      guard case .idle = phase else { return [] }
      return load(.first, world)
    case .command(let command, let times):
      return perform(command, times: times, world) + followUp(world)
    case .key(let key): return typed(key, world) + followUp(world)
    case .paste(let text):
      prompt?.insert(text)
      return applyPrompt(world) + followUp(world)
    case .mouse(let mouse): return handle(mouse, world) + followUp(world)
    case .reply(let serial, let reply): return take(reply, serial: serial, world) + followUp(world)
    case .arranged(let arrangement):
      table.arrangement = arrangement
      return []
    case .deadline:
      if table.isFiltering { table.advanceFilter(world) }
      return look(world) + duePreview(world) + followUp(world)
    case .resized:
      table.scroller.select(table.scroller.selected, count: table.count, page: page(world))
      return followUp(world)
    }
  }

  // MARK: Commands

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    if table.scroller.handle(command, times: times, count: table.count, page: page(world)) { return [] }
    switch command {
    case .open: return openSelected()
    case .back: return back(world)
    case .filter:
      prompt = TextField(table.filter?.text ?? "")
    case .sort: return sortByNext(world)
    case .sortReverse: return reverse(world)
    case .mark:
      table.toggleMark()
      table.scroller.move(by: 1, count: table.count, page: page(world))
    case .markAll: table.toggleAllMarks()
    case .columns: return [.present(columnMenu(world))]
    case .follow: return follow(world)
    case .loadAll:
      isLoadingAll = true
      return waiting == nil ? load(.page, world) : []
    case .refresh, .reload:
      if case .loaded = phase { return load(.refresh, world) }
      return load(.first, world)
    case .cancel: return stop()
    case .view: return switchView(world)
    default: return act(command, world)
    }
    return []
  }

  /// The table with the preview, the table alone, the chart; then from the front.
  private mutating func switchView(_ world: World) -> [Effect] {
    if world.hasPreview, !preview.isHidden {
      preview.isHidden = true
      return []
    }
    preview.isHidden = false
    guard offersChart(world) else { return [] }
    let rows = (0..<table.count).compactMap { table.row(at: $0) }
    let own = RowCharts(table.columns, rows, isPart: next != nil).charts
    let capabilities = world.connection(location.connection)?.capabilities ?? []
    return [.push(ChartScreen(location, own: own, asks: capabilities.contains(.charts)))]
  }

  /// How long between two looks while following.
  private static let pause: Int64 = 5000

  /// Starts to ask for new rows again and again, or stops it.
  private mutating func follow(_ world: World) -> [Effect] {
    guard nextLook == nil else {
      nextLook = nil
      table.isFollowing = false
      return [.say(Message(.info, "Not following any more"))]
    }
    nextLook = world.now
    table.isFollowing = true
    return look(world) + [.say(Message(.info, "Following: new rows are marked with +"))]
  }

  private mutating func look(_ world: World) -> [Effect] {
    guard let nextLook, nextLook <= world.now, waiting == nil, case .loaded = phase else { return [] }
    // Who follows a place that fails is told once, and it ends.
    guard staleness == nil else {
      self.nextLook = nil
      table.isFollowing = false
      return []
    }
    self.nextLook = Timestamp(milliseconds: world.now.milliseconds + ListingScreen.pause)
    return load(.refresh, world)
  }

  private func openSelected() -> [Effect] {
    guard let row = table.selected, row.opening != .nothing else { return [] }
    return [.open(row.location, row.opening)]
  }

  /// Esc first clears the filter, then the marks, then leaves.
  private mutating func back(_ world: World) -> [Effect] {
    if table.filter != nil {
      table.setFilter("", world, page: page(world))
    } else if !table.marks.isEmpty {
      table.clearMarks()
    } else {
      return [.close]
    }
    return []
  }

  mutating func stop() -> [Effect] {
    isLoadingAll = false
    guard let waiting else { return [] }
    self.waiting = nil
    incoming = nil
    if case .loading = phase { phase = .failed(.cancelled("load \(location)")) }
    return [.cancel(RequestID(owner: id, serial: waiting.serial))]
  }

  // MARK: Sorting

  private mutating func sortByNext(_ world: World) -> [Effect] {
    let shown = columnsInView(world).filter { $0.kind != .currency }
    let at = shown.firstIndex { $0.id == table.sort?.column }
    let following = at.map { $0 + 1 } ?? 0
    return setSort(following < shown.count ? Sort(column: shown[following].id) : nil, world)
  }

  /// Sorting by what nobody sees would look like disorder.
  func columnsInView(_ world: World) -> [Column] {
    table.layout(width: listArea(world.body, world).columns - 2).slots.map {
      table.columns[$0.index]
    }
  }

  func columnMenu(_ world: World) -> ColumnMenu {
    let slots = table.layout(width: listArea(world.body, world).columns - 2).slots
    // The currency stands behind its amount and comes and goes with it.
    let offered = table.columns.filter { column in
      column.kind != .currency || !table.columns.contains { $0.kind == .amount }
    }
    return ColumnMenu(
      key: arrangementKey(world), offered,
      inView: slots.map { (table.columns[$0.index].id, $0.columns) }, table.arrangement)
  }

  func arrangementKey(_ world: World) -> String {
    ColumnArrangement.key(world.connection(location.connection)?.kind, table.columns)
  }

  private mutating func reverse(_ world: World) -> [Effect] {
    guard let sort = table.sort ?? columnsInView(world).first.map({ Sort(column: $0.id) }) else { return [] }
    return setSort(Sort(column: sort.column, isDescending: !sort.isDescending), world)
  }

  /// All rows here: sorted here. Else the server sorts where it can, and where it cannot the loaded rows are sorted,
  /// which the status says.
  private mutating func setSort(_ sort: Sort?, _ world: World) -> [Effect] {
    let isServers = sort.map { sort in table.columns.first { $0.id == sort.column }?.isSortable == true } ?? true
    guard next == nil || (!isServers && query.sort == nil) else {
      query.sort = isServers ? sort : nil
      if isServers { table.noteServerSort(sort) } else { table.setSort(sort, page: page(world)) }
      return load(.refresh, keepingAll: false, world)
    }
    query.sort = nil
    table.setSort(sort, page: page(world))
    return []
  }

  // MARK: Filter

  private mutating func typed(_ key: Key, _ world: World) -> [Effect] {
    switch key {
    case .escape:
      prompt = nil
      table.setFilter("", world, page: page(world))
    case .enter: prompt = nil
    case .up, .down, .pageUp, .pageDown:
      let command: Command = key == .up ? .up : key == .down ? .down : key == .pageUp ? .pageUp : .pageDown
      _ = table.scroller.handle(command, times: 1, count: table.count, page: page(world))
    case .backspace where prompt?.isEmpty == true:
      prompt = nil
      table.setFilter("", world, page: page(world))
    default:
      guard prompt?.handle(key) == true else { return [] }
      return applyPrompt(world)
    }
    return []
  }

  private mutating func applyPrompt(_ world: World) -> [Effect] {
    guard let prompt, prompt.text != table.filter?.text ?? "" else { return [] }
    table.setFilter(prompt.text, world, page: page(world))
    return []
  }

  // MARK: Mouse

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    let area = listArea(world.body, world)
    let top = area.row - world.body.row + TableRendering.headingRows(area)
    switch mouse.kind {
    case .wheelUp: table.scroller.wheel(by: -3, count: table.count, page: page(world))
    case .wheelDown: table.scroller.wheel(by: 3, count: table.count, page: page(world))
    case .press, .doublePress:
      let position = table.scroller.top + mouse.row - top
      guard mouse.row >= top, mouse.column < area.columns, position < table.count else { return [] }
      table.scroller.select(position, count: table.count, page: page(world))
      return mouse.kind == .doublePress ? openSelected() : []
    case .release: break
    }
    return []
  }
}
