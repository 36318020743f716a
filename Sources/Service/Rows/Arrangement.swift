import Model

/// How somebody wants to see a container: how much, from where, in which order, narrowed to what.
package struct Arrangement: Sendable, Hashable {
  /// Rows to show; nil for all.
  package var limit: Int?
  /// The `next` of an earlier answer to the same arrangement.
  package var cursor: String?
  package var sort: Sort?
  package var filters: [ListQuery.Filter]

  package init(limit: Int? = 50, cursor: String? = nil, sort: Sort? = nil, filters: [ListQuery.Filter] = []) {
    self.limit = limit
    self.cursor = cursor
    self.sort = sort
    self.filters = filters
  }

  /// Rows to ask of a page.
  var pageSize: Int? {
    guard let limit else { return 500 }
    return filters.isEmpty ? limit : max(limit, 200)
  }
}

/// Makes a listing come out as arranged: by the server where it can, over the loaded rows where it cannot.
struct Arranger: Sendable {
  let operation: String
  let arrangement: Arrangement
  let bounds: PageBounds
  /// Loads a page.
  let load: @Sendable (ListQuery) async throws(ServiceError) -> Listing

  /// Hands over the rows page by page as they come; all of them or up to the limit.
  ///
  /// - Parameter body: Gets listings that hold only what is to be shown; the last one has the `next` to go on with.
  func each(_ body: (Listing) async throws(ServiceError) -> Void) async throws(ServiceError) {
    if arrangement.limit == 0 { return try await body(emptied(try await page(nil, size: nil))) }
    var start = PageStart(size: arrangement.pageSize)
    var sortedOffset: Int?
    switch PageCursor(arrangement.cursor) {
    case .page(let cursor, let skip, let size): start = PageStart(cursor, skip: skip, size: size ?? start.size)
    case .sorted(let offset): sortedOffset = offset
    }
    let first = try await page(start.cursor, size: start.size)
    try check(first.columns)
    if let sort = arrangement.sort, first.sortedBy != sort {
      return try await sorted(by: sort, first: start.cursor == nil ? first : nil, offset: sortedOffset ?? 0, body)
    }
    guard sortedOffset == nil else { throw strangeCursor }
    guard let limit = arrangement.limit else { return try await everything(first, from: start, body) }
    try await limited(to: limit, first, from: start, body)
  }

  private struct PageStart {
    let cursor: String?
    let skip: Int
    let size: Int?
    init(_ cursor: String? = nil, skip: Int = 0, size: Int?) {
      self.cursor = cursor
      self.skip = skip
      self.size = size
    }
  }

  /// Everything in one listing.
  func whole() async throws(ServiceError) -> Listing {
    var whole: Listing?
    try await each { page throws(ServiceError) in
      if whole == nil {
        whole = page
      } else {
        whole?.rows += page.rows
        whole?.next = page.next
      }
    }
    guard let whole else { throw strangeCursor }
    return whole
  }

  private func page(_ cursor: String?, size: Int?) async throws(ServiceError) -> Listing {
    try await load(ListQuery(limit: size, cursor: cursor, sort: arrangement.sort, filters: arrangement.filters))
  }

  private func pages(size: Int?) -> Pages {
    Pages(operation: operation, bounds: bounds) { cursor throws(ServiceError) in try await page(cursor, size: size) }
  }

  private func everything(
    _ first: Listing, from start: PageStart, _ body: (Listing) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    var skip = start.skip
    try await pages(size: start.size).each(from: start.cursor, first: first) { page throws(ServiceError) in
      var shown = page
      shown.rows = kept(page, skipping: skip).map(\.row)
      skip = 0
      try await body(shown)
      return true
    }
  }

  /// Loads a further page only when the rows so far are not enough.
  private func limited(
    to limit: Int, _ first: Listing, from start: PageStart, _ body: (Listing) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    var (current, skip, left) = (start.cursor, start.skip, limit)
    var listing = first
    while true {
      var shown = listing
      let rows = kept(listing, skipping: skip)
      shown.rows = rows.prefix(left).map(\.row)
      if rows.count > left {
        shown.next = PageCursor.page(current, skip: rows[left].index, size: start.size).text
      }
      left -= shown.rows.count
      let isLast = left == 0 || listing.next == nil
      if !isLast { shown.next = nil }
      try await body(shown)
      if isLast { return }
      guard listing.next != current else {
        throw ServiceError(.unreadable, operation, detail: "the server's pages lead in a circle")
      }
      (current, skip) = (listing.next, 0)
      listing = try await page(current, size: start.size)
    }
  }

  private func sorted(
    by sort: Sort, first: Listing?, offset: Int, _ body: (Listing) async throws(ServiceError) -> Void
  ) async throws(ServiceError) {
    var result: Listing?
    var rows: [Row] = []
    // Big pages: everything is needed anyway.
    let size = max(500, arrangement.pageSize ?? 0)
    try await pages(size: size).each(first: first) { page throws(ServiceError) in
      if result == nil { result = page }
      rows += kept(page, skipping: 0).map(\.row)
      return true
    }
    guard var result, let index = result.columnIndex(sort.column) else { throw strangeCursor }
    rows = RowOrder.sorted(rows, by: index, descending: sort.isDescending)
    let end = arrangement.limit.map { min(rows.count, offset + $0) } ?? rows.count
    result.rows = offset < end ? Array(rows[offset..<end]) : []
    result.next = end < rows.count ? PageCursor.sorted(offset: end).text : nil
    result.sortedBy = sort
    result.total = .exact(rows.count)
    try await body(result)
  }

  /// Rows that pass the filters the server did not apply, with their places in the page.
  private func kept(_ page: Listing, skipping skip: Int) -> [(index: Int, row: Row)] {
    let left = arrangement.filters.filter { !page.filteredBy.contains($0.column) }
    let filter = RowFilter(left, columns: page.columns)
    return page.rows.enumerated().dropFirst(skip).compactMap { index, row in
      filter.isEmpty || filter.matches(row) ? (index, row) : nil
    }
  }

  private func emptied(_ listing: Listing) -> Listing {
    var listing = listing
    listing.next = listing.rows.isEmpty ? nil : PageCursor.page(nil, skip: 0, size: nil).text
    listing.rows = []
    return listing
  }

  private func check(_ columns: [Column]) throws(ServiceError) {
    let wanted = arrangement.filters.map(\.column) + (arrangement.sort.map { [$0.column] } ?? [])
    for column in wanted where !columns.contains(where: { $0.id == column }) {
      throw ServiceError.unknownColumn(column, columns, operation)
    }
  }

  private var strangeCursor: ServiceError {
    ServiceError(
      .usage, operation, detail: "this cursor belongs to another listing",
      remedy: "Use the next of an answer with the same --sort and --where.")
  }
}

extension ServiceError {
  package static func unknownColumn(_ id: String, _ columns: [Column], _ operation: String) -> ServiceError {
    ServiceError(
      .usage, operation, detail: "there is no column “\(id)”",
      remedy: "Columns here: \(columns.map(\.id).joined(separator: ", ")).")
  }
}
