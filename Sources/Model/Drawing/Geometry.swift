/// Columns and rows of a screen or a part of one.
package struct Size: Sendable, Hashable {
  package var columns: Int
  package var rows: Int
  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// A part of a screen, from its top left corner; never negative in size.
package struct Area: Sendable, Hashable {
  package var column: Int
  package var row: Int
  package var columns: Int
  package var rows: Int

  package init(column: Int = 0, row: Int = 0, columns: Int, rows: Int) {
    self.column = column
    self.row = row
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  package init(_ size: Size) { self.init(columns: size.columns, rows: size.rows) }

  package var isEmpty: Bool { columns == 0 || rows == 0 }
  package var endColumn: Int { column + columns }
  package var endRow: Int { row + rows }

  package func contains(column: Int, row: Int) -> Bool {
    (self.column..<endColumn).contains(column) && (self.row..<endRow).contains(row)
  }

  /// The area less so many cells at each side.
  package func inset(columns: Int, rows: Int) -> Area {
    Area(
      column: column + columns, row: row + rows, columns: self.columns - 2 * columns, rows: self.rows - 2 * rows)
  }

  /// Cuts the rows at the top off: the cut part, and what is left.
  package func cuttingTop(_ count: Int) -> (top: Area, rest: Area) {
    let count = min(max(0, count), rows)
    return (
      Area(column: column, row: row, columns: columns, rows: count),
      Area(column: column, row: row + count, columns: columns, rows: rows - count)
    )
  }

  package func cuttingBottom(_ count: Int) -> (rest: Area, bottom: Area) {
    let (top, rest) = cuttingTop(rows - min(max(0, count), rows))
    return (top, rest)
  }

  package func cuttingLeft(_ count: Int) -> (left: Area, rest: Area) {
    let count = min(max(0, count), columns)
    return (
      Area(column: column, row: row, columns: count, rows: rows),
      Area(column: column + count, row: row, columns: columns - count, rows: rows)
    )
  }

  /// An area of this size in the middle, cut down to what there is.
  package func centered(columns: Int, rows: Int) -> Area {
    let columns = min(columns, self.columns)
    let rows = min(rows, self.rows)
    return Area(
      column: column + (self.columns - columns) / 2, row: row + (self.rows - rows) / 2, columns: columns, rows: rows)
  }
}
