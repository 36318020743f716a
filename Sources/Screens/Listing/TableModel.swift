import Model

/// Rows of a listing with their order, filter, selection and marks. Nothing here looks at all rows to draw.
///
/// Rows are packed and named by numbers in the order they came; a position is where a row stands in what is shown.
package struct TableModel: Sendable {
  private(set) var columns: [Column] = []
  /// What a person chose to see; nil for what fits.
  var arrangement: ColumnArrangement?
  private(set) var rows = PackedRows()
  private(set) var metrics: [ColumnMetrics] = []
  /// What rows are ordered by, or will be when `isSorting` has ended.
  private(set) var sort: Sort?
  /// The order that is shown; nil when rows stand as they came.
  private var sorted: SortedRows?
  /// Whether a long list waits for its order, which is made off the loop.
  private(set) var isSorting = false
  /// Counts the orders asked for, so that one of rows that are gone is known as late.
  private var generation = 0
  private(set) var filter: RowFilter?
  /// Rows by position, where there is both an order and a filter.
  private var shown: [UInt32]?
  package var scroller = Scroller()
  private(set) var marks = RowSet()
  /// Whether rows that were not there before are marked as new, and the top is held when it is selected.
  var isFollowing = false { didSet { fresh = RowSet() } }
  private(set) var fresh = RowSet()
  /// Sums of the leading amount: of all rows here, and of the marked ones.
  private(set) var totals = CurrencyTotals()
  private(set) var markTotals = CurrencyTotals()
  private var amount: Int?

  /// Rows that are sorted at once. More are sorted by whoever runs `sorting`.
  static let sortedAtOnce = 50_000

  package init() {}

  package var count: Int { shown?.count ?? filter?.matches.count ?? rows.count }

  func rowIndex(at position: Int) -> Int {
    if let shown { return Int(shown[position]) }
    if let filter { return Int(filter.matches[position]) }
    return sorted.map { Int($0.order[position]) } ?? position
  }

  package func row(at position: Int) -> Row? {
    (0..<count).contains(position) ? rows[rowIndex(at: position)] : nil
  }

  var selectedIndex: Int? { (0..<count).contains(scroller.selected) ? rowIndex(at: scroller.selected) : nil }
  var selected: Row? { selectedIndex.map { rows[$0] } }

  package var isFiltering: Bool { filter.map { !$0.isDone(count: rows.count) } ?? false }

  // MARK: Rows

  package mutating func replace(columns: [Column], rows: [Row], _ world: World, page: Int) {
    let holdsTop = isFollowing && scroller.selected == 0
    let before = holdsTop ? nil : selectedIndex.map { self.rows.location($0) }
    let marked = self.rows.locations(of: marks)
    let known = isFollowing && !self.rows.isEmpty ? self.rows.locations(of: RowSet(all: self.rows.count)) : nil
    let new = self.rows.locations(of: fresh)
    self.columns = columns
    self.rows = PackedRows()
    amount = LeadingColumn.index(of: [.amount], in: columns)
    totals = CurrencyTotals()
    metrics = Array(repeating: ColumnMetrics(), count: columns.count)
    sorted = nil
    add(rows, world)
    fresh = self.rows.rows(at: new)
    if let known {
      for (index, row) in rows.enumerated() where !known.contains(row.location) { fresh.insert(index) }
    }
    resort()
    restartFilter(world)
    marks = self.rows.rows(at: marked)
    sumMarks()
    keep(before.flatMap { self.rows.firstIndex(of: $0) }, page: page)
  }

  func layout(width: Int) -> ColumnLayout { ColumnLayout(columns, metrics, width: width, arrangement) }

  package mutating func append(_ more: [Row], _ world: World) {
    add(more, world)
    // An order that is under way is continued when it has come.
    if let sorted, let sorting = sorting(sorted.sort) { self.sorted = sorting.extended(sorted) }
    arrange()
  }

  private mutating func add(_ more: [Row], _ world: World) {
    var world = world
    world.isPrivate = false
    for row in more {
      if let amount, amount < row.values.count { totals.add(row.values[amount]) }
      for (index, value) in row.values.prefix(columns.count).enumerated() {
        metrics[index].add(value, in: columns[index], world)
      }
    }
    rows.append(contentsOf: more)
  }

  // MARK: Order

  package mutating func setSort(_ sort: Sort?, page: Int) {
    let before = selectedIndex
    self.sort = sort
    resort()
    keep(before, page: page)
  }

  /// The server's own order: shown at the column, nothing to do here.
  mutating func noteServerSort(_ sort: Sort?) {
    self.sort = sort
    sorted = nil
    isSorting = false
    arrange()
  }

  /// What is to be run off the loop while `isSorting`; its result goes to `take`.
  package var sorting: RowSorting? { isSorting ? sort.flatMap { sorting($0) } : nil }

  private func sorting(_ sort: Sort) -> RowSorting? {
    columns.firstIndex { $0.id == sort.column }.map {
      RowSorting(rows: rows, column: $0, sort: sort, generation: generation)
    }
  }

  /// Takes an order; one that nobody waits for any more changes nothing.
  package mutating func take(_ order: SortedRows, page: Int) {
    guard isSorting, order.generation == generation, let sorting else { return }
    let before = selectedIndex
    isSorting = false
    sorted = order.order.count == rows.count ? order : sorting.extended(order)
    arrange()
    keep(before, page: page)
  }

  private mutating func resort() {
    isSorting = false
    generation += 1
    guard let sort, let sorting = sorting(sort) else {
      sorted = nil
      return arrange()
    }
    if rows.count <= TableModel.sortedAtOnce { sorted = sorting.run() } else { isSorting = true }
    arrange()
  }

  /// Puts what the filter has found in order.
  private mutating func arrange() {
    guard let filter, let sorted else {
      shown = nil
      return
    }
    shown = sorted.order.filter { filter.contains(Int($0)) }
  }

  // MARK: Filter

  package mutating func setFilter(_ text: String, _ world: World, page: Int) {
    let before = selectedIndex
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
  package mutating func advanceFilter(_ world: World) {
    defer { arrange() }
    guard var filter else { return }
    // What is looked at is changed in place.
    self.filter = nil
    filter.advance(rows, columns: columns, amount: amount, world)
    if filter.mayBeNear(count: rows.count) {
      filter = RowFilter(filter.query, isNear: true)
      // A short list is done at once; a long one waits for its next slice.
      if rows.count <= RowBlock.capacity { filter.advance(rows, columns: columns, amount: amount, world) }
    }
    self.filter = filter
  }

  private mutating func restartFilter(_ world: World) {
    guard let filter else { return }
    self.filter = RowFilter(FilterQuery(filter.text, columns: columns, world))
    advanceFilter(world)
  }

  /// Selects a row wherever it stands now; else the selection stays at its position.
  private mutating func keep(_ row: Int?, page: Int) {
    let place = row.flatMap { position(of: $0) }
    scroller.select(place ?? scroller.selected, count: count, page: page)
  }

  private func position(of row: Int) -> Int? {
    let row = UInt32(row)
    if let shown { return shown.firstIndex(of: row) }
    if let filter { return filter.matches.firstIndex(of: row) }
    return sorted == nil ? Int(row) : sorted?.order.firstIndex(of: row)
  }

  // MARK: Marks

  mutating func toggleMark() {
    guard let row = selectedIndex else { return }
    let isMarked = marks.contains(row)
    if isMarked { marks.remove(row) } else { marks.insert(row) }
    guard let amount, let value = rows.value(row, amount) else { return }
    if isMarked { markTotals.remove(value) } else { markTotals.add(value) }
  }

  package mutating func toggleAllMarks() {
    var shown = RowSet(capacity: rows.count)
    for position in 0..<count { shown.insert(rowIndex(at: position)) }
    marks = shown.isSubset(of: marks) ? RowSet() : shown
    sumMarks()
  }

  mutating func clearMarks() {
    marks = RowSet()
    markTotals = CurrencyTotals()
  }

  private mutating func sumMarks() {
    markTotals = amount.map { rows.sum($0, marks) } ?? CurrencyTotals()
  }

  /// Sums of what one looks at: the marked rows, else those the filter shows, else all that are here.
  var shownTotals: CurrencyTotals { marks.isEmpty ? filter?.totals ?? totals : markTotals }

  /// Whether the sums are what privacy mode masks.
  var hasPrivateTotals: Bool { amount.map { columns[$0].isPrivate } ?? false }

  /// The marked rows, or the selected one when none is marked, as they came.
  var targetIndices: [Int] { marks.isEmpty ? selectedIndex.map { [$0] } ?? [] : marks.numbers }
  var targets: [Row] { targetIndices.map { rows[$0] } }
  var hasContentAmongTargets: Bool { targetIndices.contains { rows.hasContent($0) } }
}
