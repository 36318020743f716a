import Model

/// Rows of a listing with their order, filter, selection and marks. Nothing here looks at all rows to draw.
struct TableModel: Sendable {
  private(set) var columns: [Column] = []
  /// What a person chose to see; nil for what fits.
  var arrangement: ColumnArrangement?
  private(set) var rows: [Row] = []
  private(set) var metrics: [ColumnMetrics] = []
  private(set) var sort: Sort?
  /// Row indices in sorted order; nil when rows stand as they came.
  private var order: [Int]?
  private(set) var filter: RowFilter?
  var scroller = Scroller()
  private(set) var marks: Set<Location> = []
  /// Whether rows that were not there before are marked as new, and the top is held when it is selected.
  var isFollowing = false { didSet { fresh = [] } }
  private(set) var fresh: Set<Location> = []
  /// Sums of the leading amount: of all rows here, and of the marked ones.
  private(set) var totals = CurrencyTotals()
  private(set) var markTotals = CurrencyTotals()
  private var amount: Int?

  /// Rows looked at in one go while filtering: a few milliseconds.
  private static let slice = 50_000
  private static let nearSlice = 5_000

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
    let holdsTop = isFollowing && scroller.selected == 0
    let before = holdsTop ? nil : selected?.location
    if isFollowing, !self.rows.isEmpty {
      let known = Set(self.rows.map(\.location))
      fresh.formUnion(rows.lazy.map(\.location).filter { !known.contains($0) })
    }
    self.columns = columns
    self.rows = []
    amount = LeadingColumn.index(of: [.amount], in: columns)
    totals = CurrencyTotals()
    metrics = Array(repeating: ColumnMetrics(), count: columns.count)
    append(rows, world)
    resort()
    restartFilter(world)
    keep(before, page: page)
    let known = Set(marks.isEmpty ? [] : rows.map(\.location))
    marks.formIntersection(known)
    sumMarks()
  }

  func layout(width: Int) -> ColumnLayout { ColumnLayout(columns, metrics, width: width, arrangement) }

  mutating func append(_ more: [Row], _ world: World) {
    var world = world
    world.isPrivate = false
    for row in more {
      if let amount { totals.add(row.value(at: amount)) }
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
    } else {
      let query = FilterQuery(text, columns: columns, world)
      filter = filter.map { RowFilter(query, narrowing: $0) } ?? RowFilter(query)
    }
    advanceFilter(world)
    keep(before, page: page)
  }

  /// Goes on looking; called again as long as `isFiltering`.
  mutating func advanceFilter(_ world: World) {
    guard var filter else { return }
    look(&filter, world)
    if filter.mayBeNear(count: rows.count) {
      filter = RowFilter(filter.query, isNear: true)
      // A short list is done at once; a long one waits for its next slice.
      if rows.count <= TableModel.nearSlice { look(&filter, world) }
    }
    self.filter = filter
  }

  private func look(_ filter: inout RowFilter, _ world: World) {
    let matching = FilterMatching(columns: columns, world: world, isNear: filter.isNear)
    let (before, query) = (filter.matches.count, filter.query)
    filter.advance(rows: filter.isNear ? TableModel.nearSlice : TableModel.slice, count: rows.count) { position in
      matching.matches(rows[order.map { $0[position] } ?? position], query)
    }
    guard let amount else { return }
    for position in filter.matches[before...] {
      filter.totals.add(rows[order.map { $0[position] } ?? position].value(at: amount))
    }
  }

  private mutating func restartFilter(_ world: World) {
    guard let filter else { return }
    self.filter = RowFilter(FilterQuery(filter.text, columns: columns, world))
    advanceFilter(world)
  }

  private mutating func keep(_ location: Location?, page: Int) {
    let position = location.flatMap { wanted in
      (0..<count).first { rows[rowIndex(at: $0)].location == wanted }
    }
    scroller.select(position ?? scroller.selected, count: count, page: page)
  }

  // MARK: Marks

  mutating func toggleMark() {
    guard let row = selected else { return }
    let isMarked = marks.remove(row.location) == nil
    if isMarked { marks.insert(row.location) }
    guard let amount else { return }
    if isMarked { markTotals.add(row.value(at: amount)) } else { markTotals.remove(row.value(at: amount)) }
  }

  mutating func toggleAllMarks() {
    let shown = Set((0..<count).compactMap { row(at: $0)?.location })
    marks = shown.isSubset(of: marks) ? [] : shown
    sumMarks()
  }

  mutating func clearMarks() {
    marks = []
    markTotals = CurrencyTotals()
  }

  private mutating func sumMarks() {
    markTotals = CurrencyTotals()
    guard let amount, !marks.isEmpty else { return }
    for row in rows where marks.contains(row.location) { markTotals.add(row.value(at: amount)) }
  }

  /// Sums of what one looks at: the marked rows, else those the filter shows, else all that are here.
  var shownTotals: CurrencyTotals { marks.isEmpty ? filter?.totals ?? totals : markTotals }

  /// Whether the sums are what privacy mode masks.
  var hasPrivateTotals: Bool { amount.map { columns[$0].isPrivate } ?? false }

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
