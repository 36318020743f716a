import Model

/// One container: accounts, transactions, folders, collections. One screen for all of them.
package struct ListingScreen: Screen {
  enum Phase: Sendable {
    case idle
    case loading
    case loaded
    case failed(ServiceError)
  }

  /// What the outstanding request is for.
  enum Purpose: Sendable { case first, refresh, page }

  struct Waiting: Sendable {
    let serial: Int
    let purpose: Purpose
    let since: Timestamp
  }

  package var id = 0
  package let location: Location
  var title = ""
  var phase = Phase.idle
  var table = TableModel()
  var query = ListQuery()
  var next: String?
  var total = Total.unknown
  var freshness = Freshness.live
  var notices: [String] = []
  var actions: [Action] = []
  var raw: RawAnswer?
  /// Set while what is shown could not be refreshed.
  var staleness: ServiceError?

  var waiting: Waiting?
  /// The order of a long list that is under way.
  var sorting: (serial: Int, generation: Int)?
  var serial = 0
  /// Pages of a refresh that are held back until as many rows are there as were shown.
  var incoming: (columns: [Column], rows: [Row], wanted: Int)?
  var isLoadingAll = false
  /// The filter prompt while it is being typed.
  var prompt: TextField?
  var preview = Preview()
  /// While following: when the server is asked again.
  var nextLook: Timestamp?

  package init(_ location: Location) { self.location = location }

  package var place: Place { [.lists, .places] }
  package var crumb: Crumb { .location(location) }
  package var takesText: Bool { prompt != nil }

  package func deadline(_ world: World) -> Timestamp? {
    if table.isFiltering { return world.now }
    return [
      waiting == nil && !preview.isLoading && !table.isSorting ? nil : Spinner.next(world.now),
      preview.isHidden ? nil : preview.due,
      waiting == nil ? nextLook : nil,
    ]
    .compactMap { $0 }.min()
  }

  // MARK: Areas

  func listArea(_ area: Area, _ world: World) -> Area {
    let area = noticeArea(area).rest
    guard showsPreview(world) else { return area }
    return area.cuttingLeft(area.columns - Preview.columns(of: area) - 1).left
  }

  func noticeArea(_ area: Area) -> (top: Area, rest: Area) {
    area.cuttingTop(notices.isEmpty || area.rows < 6 ? 0 : 1)
  }

  func showsPreview(_ world: World) -> Bool { world.hasPreview && !preview.isHidden && table.count > 0 }

  func page(_ world: World) -> Int { TableRendering.page(listArea(world.body, world)) }

  // MARK: What works just now

  package func hints(_ world: World) -> [Command] {
    [
      .open, .filter, .sort, .actions, .download, .upload, .inspect, .mark, .copy, .search, .go, .help, .refresh,
      .exchanges, .back,
    ]
  }

  package func reason(against command: Command, _ world: World) -> String? {
    let capabilities = world.connection(location.connection)?.capabilities ?? []
    switch command {
    case .open where table.selected == nil: return "there is nothing to open"
    case .open where table.selected?.opening == .nothing: return "there is nothing more behind this row"
    case .filter, .sort, .sortReverse, .export, .columns:
      return table.rows.isEmpty ? "there are no rows" : nil
    case .mark, .markAll: return table.count == 0 ? "there are no rows" : nil
    case .inspect: return table.selected == nil && raw == nil ? "there is no answer to look at" : nil
    case .loadAll: return next == nil ? "all rows are here" : nil
    case .nextMatch, .previousMatch: return "the filter shows matches only; j and k step through them"
    case .download:
      if !capabilities.contains(.download) { return "this connection has nothing to download" }
      if capabilities.contains(.archives), !table.targetIndices.isEmpty { return nil }
      return table.hasContentAmongTargets ? nil : "there is no content behind this row"
    case .edit:
      if isReadOnly(world) { return "this connection is read-only" }
      if !capabilities.contains(.upload) { return "nothing can be stored here" }
      return table.selected?.hasContent == true ? nil : "there is no content behind this row"
    case .compare: return comparison == nil ? "mark the two to compare, or select one with another below it" : nil
    case .takeSuggestion: return "it takes up a spelling that a search suggests"
    case .upload:
      if isReadOnly(world) { return "this connection is read-only" }
      return capabilities.contains(.upload) ? nil : "nothing can be uploaded here"
    case .delete:
      if isReadOnly(world) { return "this connection is read-only" }
      if !capabilities.contains(.delete) { return "nothing can be deleted here" }
      return table.selected == nil ? "there is nothing to delete" : nil
    case .search: return capabilities.contains(.search) ? nil : "this connection has no search"
    case .openOutside:
      return table.selected?.hasContent == true ? nil : "there is no content behind this row"
    case .view:
      return world.hasPreview || offersChart(world)
        ? nil : "the preview needs \(World.previewColumns) columns, and there are no numbers to draw"
    case .nextPane, .previousPane: return "there is only one pane"
    default: return nil
    }
  }

  /// Whether there is a picture of this place: the back end's own, or one of the rows that are here.
  func offersChart(_ world: World) -> Bool {
    let capabilities = world.connection(location.connection)?.capabilities ?? []
    return capabilities.contains(.charts) || (!table.rows.isEmpty && RowCharts.offered(table.columns))
  }

  private func isReadOnly(_ world: World) -> Bool { world.connection(location.connection)?.isReadOnly == true }
}
