import Model

/// The prompt at the left end of the footer: a filter, or what is looked for.
enum PromptLine {
  static func render(
    _ field: TextField, sign: String = "/", isSelected: Bool = false, into buffer: inout CellBuffer, area: Area
  ) {
    let end = buffer.put(" \(sign) ", column: area.column, row: area.row, style: Style(.key, on: .footer, bold: true))
    field.render(
      into: &buffer, column: end, row: area.row, columns: area.endColumn - end - 1,
      style: Style(.text, on: .fieldFocused), isFocused: true, isSelected: isSelected)
  }
}
