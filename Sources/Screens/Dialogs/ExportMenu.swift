import Model

/// What a list can be written to: CSV and JSON of all rows, what the kind of back end offers, and the rows shown.
struct ExportMenu: Overlay {
  var id = 0
  private let location: Location
  private let query: ListQuery
  private let name: String
  private let csv: @Sendable () -> String
  private var menu: MenuDialog

  /// - Parameter csv: The rows that are shown, as CSV.
  init(location: Location, query: ListQuery, name: String, csv: @escaping @Sendable () -> String) {
    self.location = location
    self.query = query
    self.name = name
    self.csv = csv
    menu = MenuDialog(title: "Export", entries: [], verb: "export")
    rebuild([])
  }

  mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared: return [.ask(RequestID(owner: id, serial: 1), .exportFormats(location))]
    case .reply(_, .exportFormats(let formats)):
      rebuild(formats)
      return []
    case .reply: return []
    default: return menu.handle(event, world)
    }
  }

  private mutating func rebuild(_ formats: [ExportFormat]) {
    let files =
      [("CSV", "csv", "csv"), ("JSON", "json", "json")] + formats.map { ($0.title, $0.id, $0.suffix) }
    var entries = files.map { [location, query, name] title, format, suffix in
      let file = "\(name).\(suffix)"
      return MenuDialog.Entry("All rows as \(title)", detail: file) {
        [.order(.export(location, query, format: format, name: file))]
      }
    }
    entries += [
      MenuDialog.Entry("Shown rows to the clipboard, as CSV") { [csv] in [.copy(csv(), name: "Rows as CSV")] },
      MenuDialog.Entry("Shown rows in $PAGER, as CSV") { [csv, name] in
        [.outside(.pager(text: csv(), name: "\(name).csv"))]
      },
    ]
    menu.setEntries(entries)
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    menu.render(into: &buffer, area: area, world: world)
  }
}
