import Crypto
import SQLite

/// Edits that wait, laid over the rows they are about.
package struct OfflineOverlay: Sendable {
  /// By key: how the row looks with its edits, nil for one that is to be deleted.
  package var changed: [String: OfflineRow?]
  /// Rows that only exist here yet.
  package var added: [OfflineRow]
  package init(changed: [String: OfflineRow?] = [:], added: [OfflineRow] = []) {
    self.changed = changed
    self.added = added
  }
}

extension OfflineStore {
  /// A page of a set's rows, with the edits that wait laid over them.
  package func page(
    of set: OfflineSet, _ query: OfflineQuery, over overlay: OfflineOverlay = OfflineOverlay()
  ) throws(OfflineError) -> OfflinePage {
    if query.sort == nil, query.filters.isEmpty, overlay.changed.isEmpty, overlay.added.isEmpty {
      return try plainPage(of: set, query)
    }
    let scan = OfflineScan(set, query, overlay, self)
    var found = OfflineScan.Found()
    if !scan.isHopeless {
      try look(through: set, scan, &found)
      for row in overlay.added { scan.take(row, &found) }
    }
    let end = query.limit > found.count - min(query.offset, found.count) ? found.count : query.offset + query.limit
    let page = scan.ordered(found, first: end).dropFirst(query.offset)
    var rows: [OfflineRow] = []
    for place in page { rows.append(try row(place, set, found)) }
    return OfflinePage(rows: rows, total: found.count)
  }

  private func look(
    through set: OfflineSet, _ scan: OfflineScan, _ found: inout OfflineScan.Found
  ) throws(OfflineError) {
    var batch = OfflineBatch(set, self, scan)
    try running {
      let statement = try self.database.prepare("SELECT place, tag, sealed FROM rows WHERE set_id = ? ORDER BY place")
      try statement.bind(.integer(set.id))
      while try statement.step() { try batch.take(statement, into: &found) }
    }
    try batch.look(into: &found)
  }

  /// Every row with the edits that wait laid over it, in the kept order and new ones last, until `body` says false.
  package func visit(
    _ set: OfflineSet, over overlay: OfflineOverlay = OfflineOverlay(), _ body: (OfflineRow) -> Bool
  ) throws(OfflineError) {
    let cipher = try cipher()
    var opener = OfflineOpener(set)
    let changed = Dictionary(
      overlay.changed.map { (self.tag(set.name, $0.key), $0.value) }, uniquingKeysWith: { _, last in last })
    let goesOn = try running { () throws -> Bool in
      let statement = try self.database.prepare("SELECT place, tag, sealed FROM rows WHERE set_id = ? ORDER BY place")
      try statement.bind(.integer(set.id))
      while try statement.step() {
        let tag = statement.column(1).blob ?? []
        guard tag.count == Self.tagBytes else { throw self.damaged("a row was changed") }
        if let row = changed[tag] {
          if let row, !body(row) { return false }
          continue
        }
        let row = statement.withBlob(2) { sealed -> OfflineRow? in
          tag.withUnsafeBytes { tag in
            guard let plain = try? opener.open(sealed, tag: tag, cipher) else { return nil }
            return OfflineLayout.Reader(plain)?.row(set.names)
          }
        }
        guard let row else { throw self.damaged("a row was changed") }
        if !body(row) { return false }
      }
      return true
    }
    if goesOn { _ = overlay.added.allSatisfy(body) }
  }

  private func row(
    _ place: Int64, _ set: OfflineSet, _ found: OfflineScan.Found
  ) throws(OfflineError) -> OfflineRow {
    if place < 0 { return found.edited[Int(-1 - place)] }
    guard let row = try rows(of: set, "AND place = ?", [.integer(place)]).first else {
      throw damaged("a row has gone")
    }
    return row
  }

  private func plainPage(of set: OfflineSet, _ query: OfflineQuery) throws(OfflineError) -> OfflinePage {
    let id = set.id
    let total = try running {
      try self.database.value("SELECT count(*) FROM rows WHERE set_id = ?", .integer(id)).int ?? 0
    }
    let limit = Int64(clamping: query.limit)
    let rows = try rows(
      of: set, "ORDER BY place LIMIT ? OFFSET ?", [.integer(limit), .integer(Int64(query.offset))])
    return OfflinePage(rows: rows, total: total)
  }

  private func rows(
    of set: OfflineSet, _ clause: String, _ values: [SQLValue]
  ) throws(OfflineError) -> [OfflineRow] {
    try running {
      try self.database.query(
        "SELECT tag, sealed FROM rows WHERE set_id = ? \(clause)", bindings: [.integer(set.id)] + values
      ).map { row in
        let binding = Place.row(set: set.id, tag: row["tag"].blob ?? []).binding
        return try self.decoded(try self.opened(row["sealed"].blob ?? [], binding), set)
      }
    }
  }
}

/// What one pass over a set looks for: only the cells that matter are read, and only where a row stands is kept.
struct OfflineScan: Sendable {
  struct Found: Sendable {
    /// Where each row stands; -1 and below for those that are as an edit wants them.
    fileprivate var places: [Int64] = []
    fileprivate var edited: [OfflineRow] = []
    fileprivate var keys: [OfflineSortKey] = []
    fileprivate var unknown: [Int32] = []
    fileprivate var tails: [[UInt8]] = []

    var count: Int { places.count }

    /// Puts what was found behind this behind it; what counts places counts on.
    mutating func add(_ later: Found) {
      let (rows, texts, edits) = (Int32(places.count), Int32(tails.count), Int64(edited.count))
      places.reserveCapacity(places.count + later.places.count)
      for place in later.places { places.append(place < 0 ? place - edits : place) }
      edited += later.edited
      tails += later.tails
      for key in later.keys { keys.append(key.moved(rows: rows, texts: texts)) }
      for row in later.unknown { unknown.append(row + rows) }
    }
  }

  /// Some filter is about a name that no row has: nothing contains it.
  let isHopeless: Bool
  /// Rows with edits that wait, by tag; nil for one that is to be deleted.
  let changed: [[UInt8]: OfflineRow?]
  private let query: OfflineQuery
  private let needles: [OfflineText]
  /// Places of the cells that matter, ascending, and for each what it is for.
  private let places: [Int]
  private let uses: [(isSort: Bool, filters: [Int])]
  private let names: [String]

  init(_ set: OfflineSet, _ query: OfflineQuery, _ overlay: OfflineOverlay, _ store: OfflineStore) {
    self.query = query
    needles = query.filters.map { OfflineText($0.text) }
    var names = set.names
    for row in overlay.changed.values.compactMap({ $0 }) + overlay.added {
      for member in row.properties where !names.contains(member.key) { names.append(member.key) }
    }
    let known = names
    self.names = known
    isHopeless = query.filters.contains { !known.contains($0.name) }
    let wanted = query.filters.map(\.name) + [query.sort?.name].compactMap { $0 }
    places = Set(wanted.compactMap { known.firstIndex(of: $0) }).sorted()
    uses = places.map { place in
      (query.sort?.name == known[place], query.filters.indices.filter { query.filters[$0].name == known[place] })
    }
    changed = Dictionary(
      overlay.changed.map { (store.tag(set.name, $0.key), $0.value) }, uniquingKeysWith: { _, last in last })
  }

  func take(_ row: OfflineRow, _ found: inout Found) {
    var names = names
    OfflineLayout.bytes(of: row, names: &names).withUnsafeBytes {
      guard let reader = OfflineLayout.Reader($0) else { return }
      found.edited.append(row)
      look(reader, Int64(-found.edited.count), &found)
    }
  }

  func look(_ reader: OfflineLayout.Reader, _ place: Int64, _ found: inout Found) {
    let row = Int32(found.places.count)
    var key: OfflineSortKey?
    var next = 0
    let matches = reader.cells(places) { _, cell in
      let use = uses[next]
      next += 1
      for filter in use.filters where !needles[filter].isIn(cell, query.filters[filter].reading) { return false }
      if use.isSort, let sort = query.sort {
        key = OfflineSortKey(cell, sort.reading, row: row, tails: &found.tails)
      }
      return true
    }
    guard matches else { return }
    found.places.append(place)
    guard query.sort != nil else { return }
    if let key { found.keys.append(key) } else { found.unknown.append(row) }
  }

  /// The first of what was found in the wanted order; rows without a value last.
  func ordered(_ found: Found, first count: Int) -> [Int64] {
    guard let sort = query.sort else { return Array(found.places.prefix(count)) }
    let tails = found.tails
    let keys = Self.first(count, of: found.keys) { a, b in
      guard let precedes = OfflineSortKey.precedes(a, b, tails) else { return a.row < b.row }
      return precedes != sort.isDescending
    }
    return (keys.map(\.row) + found.unknown).prefix(count).map { found.places[Int($0)] }
  }

  /// A page at the front of a long list costs one comparison for most of the others.
  private static func first(
    _ count: Int, of keys: [OfflineSortKey], _ precedes: (OfflineSortKey, OfflineSortKey) -> Bool
  ) -> [OfflineSortKey] {
    guard count < 512, count * 8 < keys.count else { return keys.sorted(by: precedes) }
    var best = keys.prefix(count).sorted(by: precedes)
    for key in keys.dropFirst(count) {
      guard let last = best.last, precedes(key, last) else { continue }
      var (low, high) = (0, best.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(key, best[middle]) { high = middle } else { low = middle + 1 }
      }
      best.removeLast()
      best.insert(key, at: low)
    }
    return best
  }
}
