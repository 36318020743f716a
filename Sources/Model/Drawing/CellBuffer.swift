/// One grapheme on the screen and what it means. The second half of a wide one holds an empty text.
package struct Cell: Sendable, Hashable {
  package var text: String
  package var style: Style
  package init(_ text: String = " ", _ style: Style = Style()) {
    self.text = text
    self.style = style
  }
}

/// A grid of cells that screens draw into; a terminal or a golden file takes it from there.
///
/// Everything is clipped: drawing outside does nothing, a wide grapheme that would be cut in half is a space. Text goes
/// through `Visible` on its way in, so no screen can forget it.
package struct CellBuffer: Sendable, Equatable {
  package let size: Size
  package private(set) var cells: [Cell]
  /// Where the terminal's own cursor stands: on the selected row, or in the field being typed into.
  package var cursor: (column: Int, row: Int)?
  package var isCursorVisible = false
  /// A picture in the terminal's own graphics, over cells that are left blank for it.
  package var picture: Graphic?

  package init(size: Size, style: Style = Style()) {
    self.size = size
    cells = Array(repeating: Cell(" ", style), count: max(0, size.columns) * max(0, size.rows))
  }

  package var area: Area { Area(size) }

  package static func == (a: CellBuffer, b: CellBuffer) -> Bool {
    a.size == b.size && a.cells == b.cells && a.isCursorVisible == b.isCursorVisible
      && a.cursor?.column == b.cursor?.column && a.cursor?.row == b.cursor?.row && a.picture == b.picture
  }

  package subscript(column: Int, row: Int) -> Cell {
    get {
      guard column >= 0, row >= 0, column < size.columns, row < size.rows else { return Cell() }
      return cells[row * size.columns + column]
    }
    set {
      guard column >= 0, row >= 0, column < size.columns, row < size.rows else { return }
      cells[row * size.columns + column] = newValue
    }
  }

  /// Draws one line of text and returns the column behind it. `columns` cuts it, with an ellipsis where something is lost.
  @discardableResult
  package mutating func put(
    _ text: some StringProtocol, column: Int, row: Int, columns: Int? = nil, style: Style = Style()
  ) -> Int {
    guard row >= 0, row < size.rows else { return column }
    var visible = Visible.line(text)
    if let columns { visible = visible.fitted(columns: columns) }
    var at = column
    for character in visible {
      if at >= size.columns { break }
      for part in TextWidth.drawn(character) where part.columns > 0 {
        place(part.text, width: part.columns, column: at, row: row, style: style)
        at += part.columns
      }
    }
    return at
  }

  /// Draws text that ends before `endColumn`.
  package mutating func putRight(
    _ text: some StringProtocol, endColumn: Int, row: Int, columns: Int, style: Style = Style()
  ) {
    let visible = Visible.line(text).fitted(columns: columns)
    put(visible, column: endColumn - TextWidth.columns(of: visible), row: row, style: style)
  }

  package mutating func fill(_ area: Area, _ character: Character = " ", style: Style) {
    for row in rows(of: area) {
      for column in columns(of: area) {
        place(String(character), width: 1, column: column, row: row, style: style)
      }
    }
  }

  /// Changes what cells stand on, leaving their text and role.
  package mutating func setGround(_ ground: Style.Ground, in area: Area) {
    for row in rows(of: area) {
      for column in columns(of: area) {
        cells[row * size.columns + column].style.ground = ground
      }
    }
  }

  /// A frame of box characters, with a title in its upper edge.
  package mutating func frame(_ area: Area, title: String = "", style: Style, titleStyle: Style? = nil) {
    guard area.columns >= 2, area.rows >= 2 else { return }
    let across = String(repeating: "─", count: area.columns - 2)
    put("┌" + across + "┐", column: area.column, row: area.row, style: style)
    put("└" + across + "┘", column: area.column, row: area.endRow - 1, style: style)
    for row in (area.row + 1)..<(area.endRow - 1) {
      put("│", column: area.column, row: row, style: style)
      put("│", column: area.endColumn - 1, row: row, style: style)
    }
    if !title.isEmpty, area.columns > 6 {
      put(" \(title) ", column: area.column + 2, row: area.row, columns: area.columns - 4, style: titleStyle ?? style)
    }
  }

  /// The text rows, without spaces at their ends.
  package var lines: [String] {
    (0..<max(0, size.rows)).map { row in
      var line = cells[(row * size.columns)..<((row + 1) * size.columns)].map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private func rows(of area: Area) -> Range<Int> {
    let start = min(max(0, area.row), size.rows)
    return start..<max(start, min(size.rows, area.endRow))
  }

  private func columns(of area: Area) -> Range<Int> {
    let start = min(max(0, area.column), size.columns)
    return start..<max(start, min(size.columns, area.endColumn))
  }

  private mutating func place(_ text: String, width: Int, column: Int, row: Int, style: Style) {
    guard column >= 0, column < size.columns else { return }
    let index = row * size.columns + column
    breakWide(at: index, column: column)
    guard width == 2 else {
      cells[index] = Cell(text, style)
      return
    }
    guard column + 1 < size.columns else {
      cells[index] = Cell(" ", style)
      return
    }
    breakWide(at: index + 1, column: column + 1)
    cells[index] = Cell(text, style)
    cells[index + 1] = Cell("", style)
  }

  /// A wide grapheme of which one half is drawn over becomes a space in the other half.
  private mutating func breakWide(at index: Int, column: Int) {
    if cells[index].text.isEmpty, column > 0 { cells[index - 1].text = " " }
    if column + 1 < size.columns, cells[index + 1].text.isEmpty { cells[index + 1].text = " " }
  }
}
