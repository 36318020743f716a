/// One page of a set, and what is needed for the links at its end.
struct ODataPage: Sendable {
  var rows: [ODataRow] = []
  /// Keys that are gone, in the answer to a delta link.
  var deleted: [(key: RowKey, time: SandboxTime)] = []
  var count: Int?
  var next: SkipToken?
  /// The change up to which this read is complete; nil where more pages follow or deltas are not offered.
  var deltaSequence: Int?

  /// Reads a page in the order of keys, or in the order asked for.
  static func read(_ query: ODataQuery, _ set: ODataSet, _ data: SUP101Data) -> ODataPage {
    var page = ODataPage()
    let sequence = query.skipToken?.sequence ?? data.sequence
    let allowed = query.skipToken?.remaining ?? query.top
    let limit = min(query.pageSize, allowed ?? .max)
    var last: SkipToken.Place?
    var hasMore = false
    if query.order.isEmpty {
      (page.rows, hasMore) = inKeyOrder(query, set, data, limit: limit)
      last = page.rows.last.map { .after($0.key) }
    } else {
      let all = sorted(data.rows(set).filter { query.lets($0) }, query.order)
      var start = query.skip
      if case .offset(let offset)? = query.skipToken?.place { start = offset }
      let end = min(all.count, start + limit)
      page.rows = start < end ? Array(all[start..<end]) : []
      hasMore = end < all.count
      last = .offset(end)
    }
    let remaining = allowed.map { $0 - page.rows.count }
    if hasMore, remaining ?? 1 > 0, let last {
      page.next = SkipToken(last, sequence: sequence, remaining: remaining)
    } else if query.isWhole, query.tracksChanges {
      page.deltaSequence = sequence
    }
    if query.isCounted {
      page.count =
        query.isNarrow ? data.rows(set).count { query.lets($0) } : data.count(set)
    }
    return page
  }

  private static func inKeyOrder(
    _ query: ODataQuery, _ set: ODataSet, _ data: SUP101Data, limit: Int
  ) -> (rows: [ODataRow], hasMore: Bool) {
    var rows: [ODataRow] = []
    var skipped = 0
    var start: RowKey?
    if case .after(let key)? = query.skipToken?.place { start = key }
    for row in data.rows(set, after: start) where query.lets(row) {
      if start == nil, skipped < query.skip {
        skipped += 1
        continue
      }
      if rows.count == limit { return (rows, true) }
      rows.append(row)
    }
    return (rows, false)
  }

  static func sorted(_ rows: [ODataRow], _ order: [ODataQuery.Order]) -> [ODataRow] {
    rows.sorted { left, right in
      for each in order {
        let (a, b) = (left.values[each.index], right.values[each.index])
        let result = a == .null ? (b == .null ? 0 : -1) : b == .null ? 1 : ODataFilter.order(a, b) ?? 0
        if result != 0 { return (result < 0) == each.isAscending }
      }
      return left.key < right.key
    }
  }
}
