import Model

/// The pane at the right of a listing: the selected row in full, loaded when the selection has come to rest.
struct Preview: Sendable {
  enum Content: Sendable { case nothing, item(Item), failure(ServiceError) }

  private(set) var location: Location?
  private(set) var content = Content.nothing
  var due: Timestamp?
  var serial: Int?
  var isHidden = false
  var isLoading: Bool { serial != nil }

  /// How long the selection must rest before the item is asked for.
  private static let rest: Int64 = 150

  static func columns(of area: Area) -> Int { min(64, area.columns * 2 / 5) }

  /// Turns to another row; returns the request that nobody waits for any more.
  mutating func turn(to location: Location?, opening: Row.Opening?, _ now: Timestamp) -> Int? {
    guard location != self.location else { return nil }
    defer { serial = nil }
    self.location = location
    content = .nothing
    due =
      location == nil || opening == .nothing
      ? nil : Timestamp(milliseconds: now.milliseconds + Preview.rest)
    return serial
  }

  mutating func ask(_ serial: Int) {
    due = nil
    self.serial = serial
  }

  mutating func take(_ content: Content, isFinal: Bool) {
    self.content = content
    if isFinal { serial = nil }
  }

  /// Makes the next `turn` load again, even for the same row.
  mutating func expire() { location = nil }

  /// The item, as far as it is the one at a place: what was loaded may be another row's, or of one that has gone.
  func item(at location: Location) -> Item? {
    guard case .item(let item) = content, item.location == location else { return nil }
    return item
  }
}

extension ListingScreen {
  mutating func armPreview(_ world: World) -> [Effect] {
    guard showsPreview(world) else { return [] }
    let selected = table.selected
    let opening = callsOnOpening(world) ? .nothing : selected?.opening
    let stale = preview.turn(to: selected?.location, opening: opening, world.now)
    return stale.map { [.cancel(RequestID(owner: id, serial: $0))] } ?? []
  }

  /// To look at a protected resource is to call it, with all its challenges: that is done on purpose only.
  private func callsOnOpening(_ world: World) -> Bool { world.connection(location.connection)?.kind == .mobilefirst }

  mutating func duePreview(_ world: World) -> [Effect] {
    guard showsPreview(world), let due = preview.due, due <= world.now, let location = preview.location else {
      return []
    }
    serial += 1
    preview.ask(serial)
    return [.ask(RequestID(owner: id, serial: serial), .item(location, isRefresh: false))]
  }

  mutating func takePreview(_ reply: Reply) -> [Effect] {
    switch reply {
    case .item(let item, let isFinal): preview.take(.item(item), isFinal: isFinal)
    case .failure(let error): preview.take(.failure(error), isFinal: true)
    default: break
    }
    return []
  }

  func renderPreview(into buffer: inout CellBuffer, area: Area, world: World) {
    let (edge, rest) = area.cuttingLeft(1)
    for row in edge.row..<edge.endRow {
      buffer.put("│", column: edge.column, row: row, style: Style(.border, on: .preview))
    }
    buffer.fill(rest, style: Style(.text, on: .preview))
    let inner = Area(column: rest.column + 1, row: rest.row, columns: rest.columns - 2, rows: rest.rows)
    let lines: [Line]
    switch preview.content {
    case .item(let item): lines = ItemLines(item, columns: inner.columns, world: world, isBrief: true).plainLines
    case .nothing: lines = rowLines(columns: inner.columns, world)
    // A row that has no page of its own is seen in full by its columns.
    case .failure(let error) where error.code == .notOffered || error.code == .usage:
      lines = rowLines(columns: inner.columns, world)
    case .failure(let error):
      let note = Wrap.lines(StateView.sentence(error.reason), columns: inner.columns).map { Line($0, .dim) }
      lines = rowLines(columns: inner.columns, world) + [Line()] + note
    }
    for (offset, line) in lines.prefix(inner.rows).enumerated() {
      buffer.put(line, column: inner.column, row: inner.row + offset, columns: inner.columns, ground: .preview)
    }
  }

  /// What the columns say, all of them, until the item has come.
  private func rowLines(columns: Int, _ world: World) -> [Line] {
    guard let row = table.selected else { return [] }
    let fields = zip(table.columns, row.values).map { column, value in
      Field(column.id, column.title, value, column.kind, isPrivate: column.isPrivate)
    }
    let item = Item(row.location, title: "", sections: [Item.Section("", fields)])
    return ItemLines(item, columns: columns, world: world, isBrief: true).plainLines
  }
}
