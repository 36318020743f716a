package import Model

/// Looks at what was drawn for cells that a terminal would act on, or that take other columns than they were given.
package enum HostileCells {
  /// What is wrong, in words; nothing when all is well.
  package static func faults(in buffer: CellBuffer) -> [String] {
    var faults: [String] = []
    for row in 0..<buffer.size.rows {
      var column = 0
      while column < buffer.size.columns {
        let text = buffer[column, row].text
        let width = text.reduce(0) { $0 + TextWidth.columns(of: $1) }
        if text.unicodeScalars.contains(where: Visible.isActedOn) {
          faults.append("\(column),\(row) acts: \(text.debugDescription)")
        }
        if width != 1 && width != 2 { faults.append("\(column),\(row) has \(width) columns: \(text.debugDescription)") }
        if text.unicodeScalars.count > 4 { faults.append("\(column),\(row) piles up: \(text.unicodeScalars.count)") }
        if width == 2, column + 1 >= buffer.size.columns || !buffer[column + 1, row].text.isEmpty {
          faults.append("\(column),\(row) is cut in half: \(text.debugDescription)")
        }
        column += max(1, width)
      }
    }
    return faults
  }
}
