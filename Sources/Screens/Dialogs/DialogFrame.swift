import Model

/// The box all dialogs stand in: title above, the keys that work below.
enum DialogFrame {
  /// Columns inside a dialog of the usual width.
  static func innerColumns(_ area: Area, wanted: Int = 60) -> Int { max(1, min(wanted, area.columns - 6)) }

  /// Draws the box for so many inner rows and returns what is inside.
  static func render(
    into buffer: inout CellBuffer, area: Area, title: String, rows: Int, wanted: Int = 60,
    keys: [(sign: String, words: String)]
  ) -> Area {
    let columns = innerColumns(area, wanted: wanted)
    let box = area.centered(columns: columns + 4, rows: rows + 2)
    buffer.fill(box, style: Style(.text, on: .dialog))
    buffer.frame(
      box, title: title, style: Style(.border, on: .dialog), titleStyle: Style(.title, on: .dialog, bold: true))
    renderKeys(keys, into: &buffer, box: box)
    return Area(column: box.column + 2, row: box.row + 1, columns: box.columns - 4, rows: box.rows - 2)
  }

  /// As many keys as fit stand in the lower edge.
  private static func renderKeys(
    _ keys: [(sign: String, words: String)], into buffer: inout CellBuffer, box: Area
  ) {
    var at = box.column + 2
    for (sign, words) in keys {
      let width = TextWidth.columns(of: sign) + TextWidth.columns(of: words) + 3
      guard at + width < box.endColumn - 1 else { return }
      at = buffer.put(" \(sign)", column: at, row: box.endRow - 1, style: Style(.key, on: .dialog, bold: true))
      at = buffer.put(" \(words) ", column: at, row: box.endRow - 1, style: Style(.dim, on: .dialog))
    }
  }

  /// A row of buttons in the middle, the focused one standing out.
  static func renderButtons(
    _ titles: [String], focused: Int?, into buffer: inout CellBuffer, area: Area, row: Int
  ) {
    var at = area.column + max(0, (area.columns - buttonColumns(titles)) / 2)
    for (index, title) in titles.enumerated() {
      let isFocused = index == focused
      let style = Style(isFocused ? .key : .text, on: isFocused ? .buttonFocused : .button, bold: isFocused)
      // The sign says which button Enter presses, for those who cannot see the colours.
      at = buffer.put(isFocused ? "▸ \(title)  " : "  \(title)  ", column: at, row: row, style: style)
      at += 2
    }
  }

  /// Which button stands at a column.
  static func button(at column: Int, _ titles: [String], area: Area) -> Int? {
    var at = area.column + max(0, (area.columns - buttonColumns(titles)) / 2)
    for (index, title) in titles.enumerated() {
      let width = TextWidth.columns(of: title) + 4
      if (at..<(at + width)).contains(column) { return index }
      at += width + 2
    }
    return nil
  }

  private static func buttonColumns(_ titles: [String]) -> Int {
    titles.reduce(0) { $0 + TextWidth.columns(of: $1) + 4 } + 2 * max(0, titles.count - 1)
  }
}
