import Model

/// Searches the content of a connection: words, results with their snippet, and facets to narrow them.
package struct SearchScreen: Screen {
  enum Phase: Sendable {
    case idle, searching, found
    case failed(ServiceError)
  }

  enum Focus: Sendable { case words, results, facets }

  /// A line of the facet pane.
  enum FacetLine: Hashable {
    case title(String)
    case bucket(facet: String, Facet.Bucket)
  }

  package var id = 0
  let connection: String
  var words = TextField()
  var phase = Phase.idle
  var focus = Focus.words
  var table = TableModel()
  /// Where each result was found, as far as the server told.
  var matches: [Location: [Range<Int>]] = [:]
  var facets: [Facet] = []
  var facetScroller = Scroller()
  var narrowed: [SearchRequest.Choice] = []
  /// Typed words, or a query that came in a location.
  var language = SearchRequest.Language.words
  var suggestions: [String] = []
  var notices: [String] = []
  var next: String?
  var total = Total.unknown
  private var serial = 0
  private var isLive = false
  private var waiting: Int?
  private var isPage = false
  /// When the words, typed so far, are searched without Enter.
  private var liveDue: Timestamp?
  /// How far back in the history of searches the words come from; nil for words of one's own.
  private var recalled: Int?
  /// A rest this long between two keys begins a search.
  private static let rest: Int64 = 300

  /// A search that was made before, as a place.
  package init(_ location: Location) {
    connection = location.connection
    words = TextField(location.queryValue("q") ?? "")
    language = location.queryValue("language").flatMap(SearchRequest.Language.init) ?? .words
    narrowed = location.query.filter { !["q", "language"].contains($0.name) }.map {
      SearchRequest.Choice(facet: $0.name, value: $0.value)
    }
  }

  package init(connection: String, text: String = "") {
    self.connection = connection
    words = TextField(text)
  }

  package var place: Place { [.lists, .places] }
  /// Once it has been made, a search is a place: it can be bookmarked, copied and come back to.
  package var crumb: Crumb { searched.map { .location($0) } ?? .title("Search \(connection)") }
  private var searched: Location? {
    guard case .found = phase, !words.isEmpty else { return nil }
    var query = [("q", words.text)]
    if language != .words { query.append(("language", language.rawValue)) }
    return Location(
      connection: connection, path: ["search"], query: query + narrowed.map { ($0.facet, $0.value) })
  }
  package var takesText: Bool { focus == .words }
  package func deadline(_ world: World) -> Timestamp? {
    [waiting == nil ? nil : Spinner.next(world.now), liveDue].compactMap { $0 }.min()
  }

  var isSearching: Bool { waiting != nil }

  var facetLines: [FacetLine] {
    facets.flatMap { facet in
      [.title(facet.title)] + facet.buckets.map { .bucket(facet: facet.id, $0) }
    }
  }

  // MARK: Handling

  package mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared: return phaseIsIdle && !words.isEmpty ? search(world) : []
    case .key(let key): return typed(key, world)
    case .paste(let text):
      if focus == .words {
        words.insert(text)
        arm(world)
      }
    case .command(let command, let times): return perform(command, times: times, world) + followUp(world)
    case .mouse(let mouse): return handle(mouse, world) + followUp(world)
    case .reply(let serial, let reply): return take(reply, serial: serial, world) + followUp(world)
    case .deadline:
      guard let due = liveDue, due <= world.now else { return [] }
      liveDue = nil
      return search(world, isLive: true)
    case .arranged: break
    case .resized: table.scroller.select(table.scroller.selected, count: table.count, page: page(world))
    }
    return []
  }

  private var phaseIsIdle: Bool { if case .idle = phase { true } else { false } }

  private mutating func typed(_ key: Key, _ world: World) -> [Effect] {
    switch key {
    case .escape:
      if table.rows.isEmpty { return [.close] }
      focus = .results
    case .enter:
      if let place = settled() { return [.searched(place)] }
      narrowed = []
      language = .words
      return search(world)
    case .control("t"): return takeSuggestion(world)
    case .up: recall(1, world)
    case .down where recalled != nil: recall(-1, world)
    case .tab, .down: if !table.rows.isEmpty { focus = .results }
    case .shiftTab: if !facets.isEmpty { focus = .facets }
    default:
      let before = words.text
      _ = words.handle(key)
      if words.text != before {
        recalled = nil
        language = .words
        arm(world)
      }
    }
    return []
  }

  /// The results of typing are those that Enter asks for: it only steps into them.
  private mutating func settled() -> Location? {
    guard isLive, waiting == nil, liveDue == nil, narrowed.isEmpty, !table.rows.isEmpty, let place = searched else {
      return nil
    }
    isLive = false
    focus = .results
    return place
  }

  /// A search begins by itself once typing rests, with two letters or digits at least.
  private mutating func arm(_ world: World) {
    let isEnough = words.text.count { $0.isLetter || $0.isNumber } >= 2
    liveDue = isEnough ? Timestamp(milliseconds: world.now.milliseconds + SearchScreen.rest) : nil
  }

  /// An earlier search of this connection, or a later one.
  private mutating func recall(_ step: Int, _ world: World) {
    let earlier = world.memory.searches.filter { $0.connection == connection }.reversed()
    let at = (recalled ?? -1) + step
    guard at >= 0, let location = earlier.dropFirst(at).first else { return }
    recalled = at
    words.set(location.queryValue("q") ?? "")
    liveDue = nil
  }

  private mutating func takeSuggestion(_ world: World) -> [Effect] {
    guard let suggestion = suggestions.first else { return [] }
    words.set(suggestion)
    narrowed = []
    language = .words
    return search(world)
  }

  /// - Parameter isLive: While somebody types: the words keep the cursor, and the history does not fill with beginnings.
  private mutating func search(_ world: World, isLive: Bool = false) -> [Effect] {
    liveDue = nil
    self.isLive = isLive
    guard !words.text.allSatisfy({ $0 == " " }) else { return [] }
    let stale = stop()
    serial += 1
    waiting = serial
    isPage = false
    phase = .searching
    return stale + [.ask(RequestID(owner: id, serial: serial), .search(connection: connection, request))]
  }

  private var request: SearchRequest { SearchRequest(words.text, language: language, narrowed: narrowed) }

  private mutating func stop() -> [Effect] {
    guard let waiting else { return [] }
    self.waiting = nil
    if case .searching = phase { phase = table.rows.isEmpty ? .idle : .found }
    return [.cancel(RequestID(owner: id, serial: waiting))]
  }

  private mutating func followUp(_ world: World) -> [Effect] {
    guard case .found = phase, waiting == nil, let next, table.scroller.top + 2 * page(world) >= table.count else {
      return []
    }
    serial += 1
    waiting = serial
    isPage = true
    var request = request
    request.query.cursor = next
    return [.ask(RequestID(owner: id, serial: serial), .search(connection: connection, request))]
  }

  private mutating func take(_ reply: Reply, serial: Int, _ world: World) -> [Effect] {
    guard waiting == serial else { return [] }
    waiting = nil
    switch reply {
    case .listing(let listing, _):
      next = listing.next
      total = listing.total
      if isPage {
        table.append(listing.rows, world)
        matches.merge(listing.matches) { $1 }
        return []
      }
      phase = .found
      facets = listing.facets
      matches = listing.matches
      suggestions = listing.suggestions
      notices = listing.notices
      facetScroller = Scroller()
      _ = moveInFacets(.first, times: 1, world)
      table.replace(columns: shownColumns(listing), rows: listing.rows, world, page: page(world))
      table.scroller.select(0, count: table.count, page: page(world))
      guard !isLive else { return [] }
      if !table.rows.isEmpty { focus = .results }
      return searched.map { [.searched($0)] } ?? []
    case .failure(let error):
      if isPage {
        next = nil
        return [.say(Message(.bad, error.message))]
      }
      // Half a word need not be one that the server takes.
      if isLive, error.code == .usage || error.code == .failed {
        phase = table.rows.isEmpty ? .idle : .found
        return []
      }
      phase = .failed(error)
      focus = .words
    default: break
    }
    return []
  }

  /// The snippet stands below the results, not among them.
  private func shownColumns(_ listing: Listing) -> [Column] {
    listing.columns.map { column in
      column.id == "snippet" ? Column(column.id, column.title, .text, rank: ColumnLayout.hidden) : column
    }
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    if focus == .facets, moveInFacets(command, times: times, world) { return [] }
    if focus == .results, command == .up, table.scroller.selected == 0 {
      focus = .words
      return []
    }
    if table.scroller.handle(command, times: times, count: table.count, page: page(world)) { return [] }
    switch command {
    case .open: return focus == .facets ? narrow(world) : openSelected()
    case .mark:
      if focus == .facets { return narrow(world) }
      table.toggleMark()
      table.scroller.move(by: 1, count: table.count, page: page(world))
    case .markAll: table.toggleAllMarks()
    case .takeSuggestion: return takeSuggestion(world)
    case .edit:
      return table.selected.map { [.outside(.edit($0.location, name: name(of: $0)))] } ?? []
    case .filter, .search: focus = .words
    case .nextPane: focus = focus == .results && !facets.isEmpty ? .facets : .words
    case .previousPane: focus = focus == .facets ? .results : .words
    case .refresh, .reload: return search(world)
    case .cancel: return stop()
    case .back: return back(world)
    case .copy:
      return table.selected.map {
        [.present(CopyMenu.dialog([CopyMenu.Entry("Location", $0.location.text)]))]
      } ?? []
    case .actions:
      let marked = table.targets
      if marked.count > 1 { return [.present(ActionMenu(targets: marked.map(\.location)))] }
      return table.selected.map { [.present(ActionMenu(target: $0.location, item: nil, container: nil))] } ?? []
    case .inspect: return table.selected.map { [.push(ViewerScreen(raw: $0.location, title: words.text))] } ?? []
    case .download:
      return table.targets.filter(\.hasContent).map { .order(.download($0.location, name: name(of: $0))) }
    default: break
    }
    return []
  }

  /// From bucket to bucket: there is nothing to do on a title.
  private mutating func moveInFacets(_ command: Command, times: Int, _ world: World) -> Bool {
    let lines = facetLines
    let page = layout(world.body, world).facets.rows
    let before = facetScroller.selected
    guard facetScroller.handle(command, times: times, count: lines.count, page: page) else { return false }
    guard lines.indices.contains(facetScroller.selected), case .title = lines[facetScroller.selected] else {
      return true
    }
    let step = facetScroller.selected < before && facetScroller.selected > 0 ? -1 : 1
    facetScroller.select(facetScroller.selected + step, count: lines.count, page: page)
    return true
  }

  /// What a person calls a result.
  private func name(of row: Row) -> String {
    table.columns.firstIndex { $0.id == "name" }.map { row.values[$0].exactText } ?? row.location.path.last ?? ""
  }

  private func openSelected() -> [Effect] {
    guard let row = table.selected, row.opening != .nothing else { return [] }
    return [.open(row.location, row.opening)]
  }

  private mutating func back(_ world: World) -> [Effect] {
    if focus == .facets {
      focus = .results
    } else if !table.marks.isEmpty {
      table.clearMarks()
    } else if !narrowed.isEmpty {
      narrowed = []
      return search(world)
    } else {
      return [.close]
    }
    return []
  }

  /// Takes the facet's bucket into the search, or out again.
  private mutating func narrow(_ world: World) -> [Effect] {
    let lines = facetLines
    guard lines.indices.contains(facetScroller.selected),
      case .bucket(let facet, let bucket) = lines[facetScroller.selected]
    else { return [] }
    let choice = SearchRequest.Choice(facet: facet, value: bucket.value)
    if let index = narrowed.firstIndex(of: choice) {
      narrowed.remove(at: index)
    } else {
      narrowed.append(choice)
    }
    return search(world)
  }

  private mutating func handle(_ mouse: Mouse, _ world: World) -> [Effect] {
    let layout = layout(world.body, world)
    let row = mouse.row + world.body.row
    switch mouse.kind {
    case .wheelUp: table.scroller.wheel(by: -3, count: table.count, page: page(world))
    case .wheelDown: table.scroller.wheel(by: 3, count: table.count, page: page(world))
    case .press, .doublePress:
      if layout.facets.contains(column: mouse.column, row: row) {
        focus = .facets
        facetScroller.select(
          facetScroller.top + row - layout.facets.row, count: facetLines.count, page: layout.facets.rows)
        return narrow(world)
      }
      guard layout.results.contains(column: mouse.column, row: row) else {
        focus = .words
        return []
      }
      focus = .results
      let position = table.scroller.top + row - layout.results.row - TableRendering.headingRows(layout.results)
      guard (0..<table.count).contains(position) else { return [] }
      table.scroller.select(position, count: table.count, page: page(world))
      return mouse.kind == .doublePress ? openSelected() : []
    case .release: break
    }
    return []
  }

  // MARK: What works just now

  package func hints(_ world: World) -> [Command] {
    [.open, .search, .nextPane, .actions, .download, .inspect, .copy, .help, .back]
  }

  package func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .open, .actions, .copy, .inspect: return table.selected == nil ? "there are no results" : nil
    case .download:
      return table.hasContentAmongTargets ? nil : "there is no content behind this result"
    case .edit:
      if world.connection(connection)?.isReadOnly == true { return "this connection is read-only" }
      return table.selected?.hasContent == true ? nil : "there is no content behind this result"
    case .takeSuggestion: return suggestions.isEmpty ? "no other spelling was suggested" : nil
    case .mark, .markAll: return table.count == 0 ? "there are no results" : nil
    case .nextPane: return table.rows.isEmpty ? "there are no results" : nil
    case .compare: return "mark two in a list of versions"
    case .columns, .sort, .sortReverse, .loadAll, .follow, .export, .view, .openOutside, .nextMatch, .previousMatch,
      .upload,
      .delete:
      return "open the result first"
    default: return nil
    }
  }
}
