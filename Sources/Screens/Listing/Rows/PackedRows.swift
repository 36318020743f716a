import Model

/// The rows of a list, packed: numbers stand in arrays by column, and a text that many rows share is kept once.
///
/// Rows come out one at a time, for what is in view. A copy shares all full blocks.
package struct PackedRows: Sendable, RandomAccessCollection {
  private(set) var blocks: [RowBlock] = []
  /// What amounts are counted in, by their tag.
  private(set) var units: [MoneyUnit] = []

  package init() {}

  package init(_ rows: some Sequence<Row>) { append(contentsOf: rows) }

  package mutating func append(contentsOf rows: some Sequence<Row>) {
    for row in rows {
      if blocks.last.map({ $0.count == RowBlock.capacity }) ?? true {
        if !blocks.isEmpty { blocks[blocks.count - 1].seal() }
        blocks.append(RowBlock())
      }
      blocks[blocks.count - 1].append(row, &units)
    }
  }

  // MARK: Rows

  package var startIndex: Int { 0 }
  package var endIndex: Int {
    blocks.isEmpty ? 0 : (blocks.count - 1) * RowBlock.capacity + blocks[blocks.count - 1].count
  }

  package subscript(row: Int) -> Row { block(of: row).row(row % RowBlock.capacity, units) }

  private func block(of row: Int) -> RowBlock { blocks[row / RowBlock.capacity] }

  /// Nil where the row is shorter than others.
  func value(_ row: Int, _ column: Int) -> Value? {
    blocks[row / RowBlock.capacity].value(row % RowBlock.capacity, column, units)
  }

  func location(_ row: Int) -> Location { blocks[row / RowBlock.capacity].location(row % RowBlock.capacity) }
  func hasContent(_ row: Int) -> Bool { blocks[row / RowBlock.capacity].hasContent(row % RowBlock.capacity) }

  // MARK: Identity

  /// The first row that leads to a location.
  func firstIndex(of location: Location) -> Int? {
    var text = location.text
    return text.withUTF8 { bytes in
      let split = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
      let head = UnsafeBufferPointer(rebasing: bytes[..<split])
      let tail = UnsafeBufferPointer(rebasing: bytes[split...])
      for (number, block) in blocks.enumerated() {
        if let row = (0..<block.count).first(where: { block.isAt($0, head: head, tail: tail) }) {
          return number * RowBlock.capacity + row
        }
      }
      return nil
    }
  }

  /// The rows that lead to some of these locations.
  func rows(at locations: Set<Location>) -> RowSet {
    var found = RowSet(capacity: locations.isEmpty ? 0 : count)
    if !locations.isEmpty {
      for row in 0..<count where locations.contains(location(row)) { found.insert(row) }
    }
    return found
  }

  func locations(of rows: RowSet) -> Set<Location> {
    var found: Set<Location> = []
    rows.forEach { found.insert(location($0)) }
    return found
  }

  // MARK: Sums

  /// Sums a column's amounts over some rows of a block.
  func sum(_ column: Int, block number: Int, _ rows: RowSet, into totals: inout CurrencyTotals) {
    let block = blocks[number]
    guard column < block.columns.count else { return }
    let cells = block.columns[column]
    var sums = Array(repeating: (units: Int128(0), count: 0), count: units.count)
    rows.forEach { row in
      if cells.tags[row] >= CellTag.money {
        let unit = Int(cells.tags[row] - CellTag.money)
        sums[unit].units += Int128(cells.words[row])
        sums[unit].count += 1
      } else if cells.tags[row] == CellTag.other {
        totals.add(block.others[Int(cells.words[row])])
      }
    }
    for (unit, sum) in zip(units, sums) where sum.count > 0 { totals.add(sum.units, unit, count: sum.count) }
  }

  /// Sums a column's amounts over some rows.
  func sum(_ column: Int, _ rows: RowSet) -> CurrencyTotals {
    var totals = CurrencyTotals()
    let width = RowBlock.capacity / 64
    for number in blocks.indices {
      let words = rows.words.dropFirst(number * width).prefix(width)
      sum(column, block: number, RowSet(words: Array(words)), into: &totals)
    }
    return totals
  }
}
