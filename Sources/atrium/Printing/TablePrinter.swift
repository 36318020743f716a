import Model

/// Rows as a table for people: columns as wide as the first page needs, cut where a terminal is narrower.
struct TablePrinter {
  /// Between two columns.
  private static let gap = 2
  /// Narrower than this a text column says nothing.
  private static let least = 8

  private let columns: [(index: Int, column: Column)]
  private let widths: [Int]
  private let isCut: Bool
  private let isStyled: Bool
  private let isColoured: Bool

  /// - Parameters:
  ///   - listing: Its rows decide how wide columns are.
  ///   - ids: Columns to show; nil for all that fit.
  ///   - width: Columns of the terminal; nil where nothing has to be cut.
  ///   - isStyled: Whether the header may be bold.
  ///   - isColoured: Whether amounts below zero and what is secondary may be coloured; their text says the same.
  init(_ listing: Listing, columns ids: [String]?, width: Int?, isStyled: Bool, isColoured: Bool = false)
    throws(ServiceError)
  {
    var chosen: [(index: Int, column: Column)] = []
    if let ids {
      for id in ids where id != "location" {
        guard let index = listing.columnIndex(id) else {
          throw .unknownColumn(id, listing.columns, "list \(listing.location)")
        }
        chosen.append((index, listing.columns[index]))
      }
    } else {
      chosen = listing.columns.enumerated().map { ($0, $1) }
    }
    var widths = chosen.map { choice in
      listing.rows.reduce(TextWidth.columns(of: choice.column.title)) {
        max($0, TextWidth.columns(of: TablePrinter.text(of: $1.values[choice.index])))
      }
    }
    if let width {
      if ids == nil { TablePrinter.drop(&chosen, &widths, toFit: width) }
      TablePrinter.shrink(&widths, toFit: width)
    }
    columns = chosen
    self.widths = widths
    isCut = width != nil
    self.isStyled = isStyled
    self.isColoured = isColoured
  }

  var header: String {
    let line = line(columns.map(\.column.title))
    return isStyled ? "\u{1B}[1m\(line)\u{1B}[0m\n" : line + "\n"
  }

  func text(of row: Row) -> String {
    let codes = isColoured ? columns.map { TablePrinter.code(of: row.values[$0.index], $0.column) } : []
    return line(columns.map { TablePrinter.text(of: row.values[$0.index]) }, codes) + "\n"
  }

  /// The terminal's own colours, since nobody knows its ground: red below zero, dim for what belongs to something else.
  private static func code(of value: Value, _ column: Column) -> String? {
    if case .money(let money) = value, money.isNegative { return "31" }
    return column.kind == .currency || column.kind == .time || column.id == "id" ? "2" : nil
  }

  private func line(_ texts: [String], _ codes: [String?] = []) -> String {
    var line = ""
    for (position, text) in texts.enumerated() {
      let isRight = columns[position].column.isRightAligned
      // A row of a later page may be wider than the first page was; only a terminal makes us cut it.
      let width = isCut ? widths[position] : max(widths[position], TextWidth.columns(of: text))
      let isLast = position == texts.count - 1
      let cell = isLast && !isRight ? text.fitted(columns: width) : text.padded(columns: width, rightAligned: isRight)
      if codes.indices.contains(position), let code = codes[position] {
        line += "\u{1B}[\(code)m\(cell)\u{1B}[0m"
      } else {
        line += cell
      }
      if !isLast { line += String(repeating: " ", count: TablePrinter.gap) }
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  static func text(of value: Value) -> String { Visible.printed(value.exactText) }

  private static func total(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  /// Takes away the columns that matter least until the rest can be read.
  private static func drop(_ columns: inout [(index: Int, column: Column)], _ widths: inout [Int], toFit width: Int) {
    while total(widths.map { min($0, least * 2) }) > width,
      let worst = columns.indices.dropFirst().max(by: { columns[$0].column.rank < columns[$1].column.rank })
    {
      columns.remove(at: worst)
      widths.remove(at: worst)
    }
  }

  /// Narrows the widest columns until the line fits.
  private static func shrink(_ widths: inout [Int], toFit width: Int) {
    while total(widths) > width, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > least
    {
      let second = widths.indices.filter { $0 != widest }.map { widths[$0] }.max() ?? least
      let excess = total(widths) - width
      widths[widest] = max(least, widths[widest] - min(excess, max(1, widths[widest] - second)))
    }
  }
}
