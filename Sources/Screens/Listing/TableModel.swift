import Model

/// Rows of a listing with their order, filter, selection and marks. Nothing here looks at all rows to draw.
struct TableModel: Sendable {
  private(set) var columns: [Column] = []
  /// Columns that a person chose to see or not to see, by id.
  private var chosen: [String: Bool] = [:]
  private(set) var rows: [Row] = []
  private(set) var metrics: [ColumnMetrics] = []
  private(set) var sort: Sort?
  /// Row indices in sorted order; nil when rows stand as they came.
  private var order: [Int]?
  private(set) var filter: RowFilter?
  var scroller = Scroller()
  private(set) var marks: Set<Location> = []

  /// Rows looked at in one go while filtering: a few milliseconds.
  private static let slice = 50_000

  var count: Int { filter?.matches.count ?? rows.count }

  func rowIndex(at position: Int) -> Int {
    let inOrder = filter.map { $0.matches[position] } ?? position
    return order.map { $0[inOrder] } ?? inOrder
  }

  func row(at position: Int) -> Row? {
    (0..<count).contains(position) ? rows[rowIndex(at: position)] : nil
  }

  var selected: Row? { row(at: scroller.selected) }

  var isFiltering: Bool { filter.map { !$0.isDone(count: rows.count) } ?? false }

  // MARK: Rows

  mutating func replace(columns: [Column], rows: [Row], _ world: World, page: Int) {
    let before = selected?.location
    self.columns = columns.map(asChosen)
    self.rows = []
    metrics = Array(repeating: ColumnMetrics(), count: columns.count)
    append(rows, world)
    resort()
    restartFilter(world)
    keep(before, page: page)
    let known = Set(marks.isEmpty ? [] : rows.map(\.location))
    marks.formIntersection(known)
  }

  /// Shows a column, or hides it.
  mutating func show(column id: String, _ isShown: Bool) {
    chosen[id] = isShown
    columns = columns.map(asChosen)
  }

  private func asChosen(_ column: Column) -> Column {
    guard let isShown = chosen[column.id] else { return column }
    // What was asked for stands behind what names the row, and before all else.
    return Column(
      column.id, column.title, column.kind, rank: isShown ? min(column.rank, 1) : ColumnLayout.hidden,
      isSortable: column.isSortable, isPrivate: column.isPrivate)
  }

  mutating func append(_ more: [Row], _ world: World) {
    var world = world
    world.isPrivate = false
    for row in more {
      for (index, value) in row.values.prefix(columns.count).enumerated() {
        let form = CellForm(value, in: columns[index], world)
        metrics[index].add(form, isContent: !value.isNull && !form.text.isEmpty)
      }
    }
    rows += more
    if order != nil { resort() }
  }

  // MARK: Order and filter

  mutating func setSort(_ sort: Sort?, _ world: World, page: Int) {
    let before = selected?.location
    self.sort = sort
    resort()
    restartFilter(world)
    keep(before, page: page)
  }

  /// The server's own order: shown at the column, nothing to do here.
  mutating func noteServerSort(_ sort: Sort?) {
    self.sort = sort
    order = nil
  }

  private mutating func resort() {
    guard let sort, let column = columns.firstIndex(where: { $0.id == sort.column }) else {
      order = nil
      return
    }
    order = rows.indices.sorted { a, b in
      let left = rows[a].value(at: column)
      let right = rows[b].value(at: column)
      // What is not said comes last, whatever the direction.
      if left.isNull || right.isNull { return !left.isNull || (right.isNull && a < b) }
      if left == right { return a < b }
      return sort.isDescending ? ValueOrder.isBefore(right, left) : ValueOrder.isBefore(left, right)
    }
  }

  mutating func setFilter(_ text: String, _ world: World, page: Int) {
    let before = selected?.location
    if text.split(separator: " ").isEmpty {
      filter = nil
    } else if let filter {
      self.filter = RowFilter(text, narrowing: filter)
    } else {
      filter = RowFilter(text)
    }
    advanceFilter(world)
    keep(before, page: page)
  }

  /// Goes on looking; called again as long as `isFiltering`.
  mutating func advanceFilter(_ world: World) {
    guard var filter else { return }
    filter.advance(rows: TableModel.slice, count: rows.count) { position, word in
      contains(rows[order.map { $0[position] } ?? position], word, world)
    }
    self.filter = filter
  }

  private mutating func restartFilter(_ world: World) {
    guard let filter else { return }
    self.filter = RowFilter(filter.text)
    advanceFilter(world)
  }

  private func contains(_ row: Row, _ word: String, _ world: World) -> Bool {
    for (column, value) in zip(columns, row.values) {
      switch value {
      case .null: continue
      case .text(let text), .date(let text), .decimal(let text):
        if TextSearch.contains(text, word) { return true }
      default:
        if TextSearch.contains(value.exactText, word) { return true }
        if TextSearch.contains(CellForm(value, in: column, world).text, word) { return true }
      }
    }
    return false
  }

  private mutating func keep(_ location: Location?, page: Int) {
    let position = location.flatMap { wanted in
      (0..<count).first { rows[rowIndex(at: $0)].location == wanted }
    }
    scroller.select(position ?? scroller.selected, count: count, page: page)
  }

  // MARK: Marks

  mutating func toggleMark() {
    guard let location = selected?.location else { return }
    if marks.remove(location) == nil { marks.insert(location) }
  }

  mutating func toggleAllMarks() {
    let shown = Set((0..<count).compactMap { row(at: $0)?.location })
    marks = shown.isSubset(of: marks) ? [] : shown
  }

  mutating func clearMarks() { marks = [] }

  /// The marked rows, or the selected one when none is marked.
  var targets: [Row] {
    marks.isEmpty ? selected.map { [$0] } ?? [] : rows.filter { marks.contains($0.location) }
  }
}

extension Row {
  /// What stands in a column; null where a server's page is shorter than its first.
  fileprivate func value(at column: Int) -> Value { column < values.count ? values[column] : .null }
}

/// The order of values for sorting: by number, time or letters as the values are.
enum ValueOrder {
  static func isBefore(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)), (.size(let a), .size(let b)): a < b
    case (.time(let a), .time(let b)): a < b
    case (.money(let a), .money(let b)):
      // Amounts of one currency stand together; across currencies a comparison would mean nothing.
      a.currency == b.currency ? isLess(a, b) : a.currency < b.currency
    case (.decimal(let a), .decimal(let b)): (Double(a) ?? 0, a) < (Double(b) ?? 0, b)
    case (.flag(let a), .flag(let b)): !a && b
    default: folded(a.exactText) < folded(b.exactText)
    }
  }

  private static func isLess(_ a: Money, _ b: Money) -> Bool {
    if a.decimals == b.decimals { return a.units < b.units }
    let digits = max(a.decimals, b.decimals)
    return scaled(a, to: digits) < scaled(b, to: digits)
  }

  private static func scaled(_ money: Money, to decimals: Int) -> Int128 {
    var units = Int128(money.units)
    for _ in money.decimals..<decimals { units *= 10 }
    return units
  }

  private static func folded(_ text: String) -> String { text.lowercased() }
}
