/// A picture as the bytes that make a terminal paint it.
package struct Graphic: Sendable, Equatable {
  /// Which graphics a terminal knows, and how large its cells are: a picture is made for both.
  package struct Canvas: Sendable, Hashable {
    package enum Form: String, Sendable, CaseIterable { case sixel, kitty }

    package var form: Form
    /// Pixels of one cell.
    package var cell: Size

    package init(_ form: Form, cell: Size) {
      self.form = form
      self.cell = cell
    }
  }

  /// The cells it covers. Whatever is drawn into one of them takes the picture away.
  package let area: Area
  /// Complete escape sequences, already known to be harmless.
  package let sequence: String

  package init(_ sequence: String, area: Area) {
    self.sequence = sequence
    self.area = area
  }
}

extension CellBuffer {
  /// The picture, unless something lies over it: a dialog, a menu, a message.
  package var uncoveredPicture: Graphic? {
    guard let picture, !picture.area.isEmpty else { return nil }
    let blank = Cell()
    for row in picture.area.row..<picture.area.endRow {
      for column in picture.area.column..<picture.area.endColumn where self[column, row] != blank { return nil }
    }
    return picture
  }
}
