import Model

extension ListingScreen {
  /// Asks for the first page, the same anew, or the next one.
  mutating func load(_ purpose: Purpose, keepingAll: Bool = true, _ world: World) -> [Effect] {
    var effects: [Effect] = []
    if let waiting { effects.append(.cancel(RequestID(owner: id, serial: waiting.serial))) }
    var query = query
    switch purpose {
    case .first: phase = .loading
    case .refresh:
      staleness = nil
      incoming = ([], [], keepingAll ? table.rows.count : 0)
    case .page:
      guard let next else { return effects }
      query.cursor = next
    }
    serial += 1
    waiting = Waiting(serial: serial, purpose: purpose, since: world.now)
    effects.append(
      .ask(RequestID(owner: id, serial: serial), .list(location, query, isRefresh: purpose == .refresh)))
    return effects
  }

  mutating func take(_ reply: Reply, serial: Int, _ world: World) -> [Effect] {
    if preview.serial == serial { return takePreview(reply) }
    if case .sorted(let order) = reply {
      if sorting?.serial == serial { sorting = nil }
      table.take(order, page: page(world))
      return []
    }
    // A late answer to a question nobody asks any more.
    guard let waiting, waiting.serial == serial else { return [] }
    switch reply {
    case .listing(let listing, let isFinal):
      if isFinal { self.waiting = nil }
      return adopt(listing, waiting.purpose, isFinal: isFinal, world)
    case .failure(let error):
      self.waiting = nil
      isLoadingAll = false
      return failed(error, waiting.purpose)
    default: return []
    }
  }

  private mutating func adopt(
    _ listing: Listing, _ purpose: Purpose, isFinal: Bool, _ world: World
  ) -> [Effect] {
    title = listing.title
    total = listing.total
    freshness = listing.freshness
    actions = listing.actions
    raw = listing.raw
    if purpose != .page || !listing.notices.isEmpty { notices = listing.notices }
    next = listing.next
    phase = .loaded
    switch purpose {
    case .first:
      show(listing.columns, listing.rows, listing.sortedBy, world)
    case .refresh:
      // The cached page of a refresh would only replace what is shown by something older.
      guard isFinal else { return [] }
      incoming?.columns = listing.columns
      incoming?.rows += listing.rows
      return catchUp(listing.sortedBy, world)
    case .page:
      if incoming != nil {
        incoming?.rows += listing.rows
        return catchUp(listing.sortedBy, world)
      }
      table.append(listing.rows, world)
    }
    return isLoadingAll && isFinal ? loadMore(world) : []
  }

  /// A refresh shows its rows when there are as many as before, so that the place in a long list is not lost.
  private mutating func catchUp(_ sortedBy: Sort?, _ world: World) -> [Effect] {
    guard let incoming else { return [] }
    if incoming.rows.count < incoming.wanted, next != nil { return load(.page, world) }
    self.incoming = nil
    show(incoming.columns, incoming.rows, sortedBy, world)
    preview.expire()
    return isLoadingAll ? loadMore(world) : []
  }

  private mutating func show(_ columns: [Column], _ rows: [Row], _ sortedBy: Sort?, _ world: World) {
    if query.sort != nil { table.noteServerSort(sortedBy ?? query.sort) }
    table.replace(columns: columns, rows: rows, world, page: page(world))
    table.arrangement = world.memory.columns[arrangementKey(world)]
  }

  private mutating func loadMore(_ world: World) -> [Effect] {
    guard next != nil else {
      isLoadingAll = false
      return [.say(Message(.good, "All \(Format.count(table.rows.count, "row")) are here"))]
    }
    return load(.page, world)
  }

  private mutating func failed(_ error: ServiceError, _ purpose: Purpose) -> [Effect] {
    incoming = nil
    switch (purpose, phase) {
    case (.first, .loaded):
      // The cached rows stay; the status says that they could not be renewed.
      staleness = error
      return [.say(Message(.warning, error.message))]
    case (.first, _):
      phase = .failed(error)
      return []
    case (.refresh, _), (.page, _):
      if purpose == .refresh { staleness = error }
      return [.say(Message(.bad, error.message))]
    }
  }

  /// Has a long list sorted while everything goes on.
  private mutating func startSorting() -> [Effect] {
    guard let work = table.sorting, work.generation != sorting?.generation else { return [] }
    let stale = sorting.map { [Effect.cancel(RequestID(owner: id, serial: $0.serial))] } ?? []
    serial += 1
    sorting = (serial, work.generation)
    return stale + [.compute(RequestID(owner: id, serial: serial)) { .sorted(work.run()) }]
  }

  /// What follows from any change: the next page before the end comes into view, the order, and the preview.
  mutating func followUp(_ world: World) -> [Effect] {
    var effects = startSorting()
    let nearEnd = table.scroller.top + 2 * page(world) >= table.count
    // With a filter on, rows out of view are not loaded behind the person's back.
    if case .loaded = phase, waiting == nil, next != nil, nearEnd, table.filter == nil, staleness == nil {
      effects += load(.page, world)
    }
    return effects + armPreview(world)
  }
}
