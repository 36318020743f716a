import Model

/// Sorts the rows of a list by a column. Stable in both directions: rows that are equal stay as they came.
package struct RowSorting: Sendable {
  let rows: PackedRows
  let column: Int
  let sort: Sort
  /// Which asking it answers.
  let generation: Int

  /// The order of all rows. Keys would wait for that of a long list, so such are sorted off the loop.
  package func run() -> SortedRows {
    let keys = SortKeys(rows, column: column, foldsAhead: true)
    return SortedRows(sort: sort, generation: generation, kind: keys.kind, order: sorted(0..<rows.count, keys))
  }

  /// The same order with the rows that have come since put in.
  func extended(_ old: SortedRows) -> SortedRows {
    let keys = SortKeys(rows, column: column, foldsAhead: false)
    guard keys.kind == old.kind else { return run() }
    let more = sorted(old.order.count..<rows.count, keys)
    var order: [UInt32] = []
    order.reserveCapacity(rows.count)
    var taken = 0
    for row in more {
      let place = firstPlace(after: row, in: old.order, from: taken, keys)
      order += old.order[taken..<place]
      order.append(row)
      taken = place
    }
    order += old.order[taken...]
    return SortedRows(sort: sort, generation: generation, kind: keys.kind, order: order)
  }

  private func firstPlace(after row: UInt32, in order: [UInt32], from start: Int, _ keys: SortKeys) -> Int {
    var (low, high) = (start, order.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(Int(row), Int(order[middle]), keys) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Whether a row that came later stands before another all the same.
  private func isBefore(_ late: Int, _ early: Int, _ keys: SortKeys) -> Bool {
    switch (keys.isNull(late), keys.isNull(early)) {
    case (true, _): false
    case (false, true): true
    case (false, false): keys.isBefore(late, early).map { $0 != sort.isDescending } ?? false
    }
  }

  private func sorted(_ range: Range<Int>, _ keys: SortKeys) -> [UInt32] {
    var order: [UInt32] = []
    var silent: [UInt32] = []
    order.reserveCapacity(range.count)
    for row in range {
      if keys.isNull(row) { silent.append(UInt32(row)) } else { order.append(UInt32(row)) }
    }
    var sorter = KeySorter(keys, isDescending: sort.isDescending)
    sorter.sort(&order)
    return order + silent
  }
}

/// An order of rows, and what it is by.
package struct SortedRows: Sendable {
  let sort: Sort
  let generation: Int
  let kind: SortKeys.Kind
  let order: [UInt32]
}

/// Sorts row numbers by their keys, and those of equal keys by their next ones.
private struct KeySorter {
  private let keys: SortKeys
  private let flip: UInt64
  private var spare: [Entry] = []

  private struct Entry {
    var key: UInt64
    var row: UInt32
  }

  /// Below this a comparison sort is faster than counting bytes.
  private static let few = 4096
  /// Texts that are alike so far are compared to their end one by one: no list has many of them.
  private static let deepest = 32

  init(_ keys: SortKeys, isDescending: Bool) {
    self.keys = keys
    flip = isDescending ? .max : 0
  }

  mutating func sort(_ order: inout [UInt32]) { sort(&order, 0..<order.count, depth: 0) }

  private mutating func sort(_ order: inout [UInt32], _ range: Range<Int>, depth: Int) {
    var entries = order[range].map { Entry(key: keys.key(Int($0), depth) ^ flip, row: $0) }
    if range.count < KeySorter.few {
      entries.sort { ($0.key, $0.row) < ($1.key, $1.row) }
    } else {
      countingSort(&entries)
    }
    for (offset, entry) in entries.enumerated() { order[range.lowerBound + offset] = entry.row }
    var start = 0
    while start < entries.count {
      let key = entries[start].key
      var end = start + 1
      while end < entries.count, entries[end].key == key { end += 1 }
      if end - start > 1, !keys.isDecided(key ^ flip, depth) {
        decide(&order, range.lowerBound + start..<range.lowerBound + end, depth: depth + 1)
      }
      start = end
    }
  }

  private mutating func decide(_ order: inout [UInt32], _ range: Range<Int>, depth: Int) {
    guard depth > KeySorter.deepest else { return sort(&order, range, depth: depth) }
    let isDescending = flip != 0
    order[range].sort { a, b in
      keys.isBefore(Int(a), Int(b)).map { $0 != isDescending } ?? (a < b)
    }
  }

  /// Least significant byte first; a byte that is the same in all keys takes no pass. Keeps the order of equal keys.
  private mutating func countingSort(_ entries: inout [Entry]) {
    var counts = Array(repeating: 0, count: 8 * 256)
    for entry in entries {
      for byte in 0..<8 { counts[byte << 8 + Int(entry.key >> UInt64(byte * 8) & 0xFF)] += 1 }
    }
    spare = entries
    for byte in 0..<8 {
      let shift = UInt64(byte * 8)
      if counts[byte << 8 + Int(entries[0].key >> shift & 0xFF)] == entries.count { continue }
      var place = 0
      for value in byte << 8..<(byte + 1) << 8 {
        (counts[value], place) = (place, place + counts[value])
      }
      for entry in entries {
        let value = byte << 8 + Int(entry.key >> shift & 0xFF)
        spare[counts[value]] = entry
        counts[value] += 1
      }
      swap(&entries, &spare)
    }
    spare = []
  }
}
