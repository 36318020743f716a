import Model

/// Draws a table's headings and the rows in view.
package struct TableRendering {
  let table: TableModel
  let world: World
  /// Whether keys go to the table; else its selection is drawn quieter.
  var isFocused = true

  package init(table: TableModel, world: World, isFocused: Bool = true) {
    self.table = table
    self.world = world
    self.isFocused = isFocused
  }

  /// Headings take one row, unless there is hardly any.
  static func headingRows(_ area: Area) -> Int { area.rows >= 3 ? 1 : 0 }
  static func page(_ area: Area) -> Int { max(1, area.rows - headingRows(area)) }

  package func render(into buffer: inout CellBuffer, area: Area) {
    let page = TableRendering.page(area)
    // A gutter for the selection's sign at the left, the scroll mark at the right.
    let layout = table.layout(width: area.columns - 2)
    let (head, body) = area.cuttingTop(TableRendering.headingRows(area))
    renderHeadings(into: &buffer, area: head, layout)
    for (line, position) in table.scroller.visible(count: table.count, page: page).enumerated() {
      renderRow(into: &buffer, area: area, screenRow: body.row + line, position, layout)
    }
    ScrollMark.render(
      into: &buffer, area: body, top: table.scroller.top, page: page, count: table.count)
  }

  private func renderHeadings(into buffer: inout CellBuffer, area: Area, _ layout: ColumnLayout) {
    guard !area.isEmpty else { return }
    buffer.fill(area, style: Style(.heading, on: .columns))
    for slot in layout.slots {
      let column = table.columns[slot.index]
      let sign = table.sort?.column == column.id ? (table.sort?.isDescending == true ? " ▼" : " ▲") : ""
      let start = area.column + 1 + slot.start
      let style = Style(.heading, on: .columns)
      guard column.isRightAligned else {
        let end = buffer.put(
          column.title, column: start, row: area.row, columns: slot.columns - TextWidth.columns(of: sign), style: style)
        buffer.put(sign, column: end, row: area.row, style: Style(.accent, on: .columns))
        continue
      }
      let suffix = table.metrics[slot.index].suffix
      let end = start + slot.columns - (suffix > 0 ? suffix + 1 : 0)
      let width = TextWidth.columns(of: column.title) + TextWidth.columns(of: sign)
      // A title wider than the numbers reaches over to the currency.
      let shift = max(0, width - (end - start))
      let at = buffer.put(
        column.title, column: max(start, end + min(shift, suffix + 1) - width), row: area.row, columns: slot.columns,
        style: style)
      buffer.put(sign, column: at, row: area.row, style: Style(.accent, on: .columns))
    }
  }

  private func renderRow(
    into buffer: inout CellBuffer, area: Area, screenRow: Int, _ position: Int, _ layout: ColumnLayout
  ) {
    let row = table.rowIndex(at: position)
    let isSelected = position == table.scroller.selected
    let isMarked = table.marks.contains(row)
    let ground: Style.Ground =
      isSelected ? (isFocused ? .selection : .selectionUnfocused) : isMarked ? .marked : .screen
    buffer.fill(
      Area(column: area.column, row: screenRow, columns: area.columns - 1, rows: 1), style: Style(.text, on: ground))
    let isFresh = table.fresh.contains(row)
    let sign = isMarked ? "✓" : isSelected ? "▌" : isFresh ? "+" : " "
    buffer.put(sign, column: area.column, row: screenRow, style: Style(.accent, on: ground))
    let isFolder = isFolder(row)
    for slot in layout.slots {
      guard let value = table.rows.value(row, slot.index) else { continue }
      renderCell(
        into: &buffer, column: area.column + 1 + slot.start, screenRow: screenRow, value, isFolder: isFolder, slot,
        ground)
    }
    if isSelected, isFocused { buffer.cursor = (area.column, screenRow) }
  }

  private func renderCell(
    into buffer: inout CellBuffer, column start: Int, screenRow: Int, _ value: Value, isFolder: Bool,
    _ slot: ColumnLayout.Slot, _ ground: Style.Ground
  ) {
    let column = table.columns[slot.index]
    var form = CellForm(value, in: column, world)
    if isFolder, slot.index == firstText {
      form.text += "/"
      form.role = .link
    }
    let style = Style(form.role, on: ground)
    guard column.isRightAligned else {
      putLit(into: &buffer, form.text.fitted(columns: slot.columns), column: start, row: screenRow, style: style)
      return
    }
    let metrics = table.metrics[slot.index]
    let tail = metrics.fraction - form.fraction + (metrics.suffix > 0 ? metrics.suffix + 1 : 0)
    let room = slot.columns - (value.isNull ? 0 : tail)
    let text = form.text.fitted(columns: max(1, room))
    let end = start + room
    putLit(into: &buffer, text, column: end - TextWidth.columns(of: text), row: screenRow, style: style)
    if !form.suffix.isEmpty, tail > 0 {
      buffer.put(
        form.suffix, column: start + slot.columns - metrics.suffix, row: screenRow,
        style: Style(.currency, on: ground))
    }
  }

  private func putLit(into buffer: inout CellBuffer, _ text: String, column: Int, row: Int, style: Style) {
    buffer.put(text, column: column, row: row, style: style)
    guard let words = table.filter?.words, !world.isPrivate else { return }
    let characters = Array(text)
    for range in TextSearch.ranges(of: words, in: text) {
      let before = TextWidth.columns(of: String(characters[..<range.lowerBound]))
      var lit = style
      lit.role = .match
      buffer.put(String(characters[range]), column: column + before, row: row, style: lit)
    }
  }

  private var firstText: Int? { table.columns.firstIndex { $0.kind == .text && $0.rank == 0 && $0.id != "id" } }

  private func isFolder(_ row: Int) -> Bool {
    table.columns.firstIndex { $0.id == "kind" }.map { table.rows.value(row, $0) == .text("folder") } ?? false
  }
}
