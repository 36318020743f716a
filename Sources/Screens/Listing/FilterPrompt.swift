import Model

/// A list's filter in the footer: while it is typed, and while it is in force.
enum FilterPrompt {
  /// - Returns: Whether it is being typed and takes all the room there is.
  static func render(
    _ prompt: TextField?, _ filter: RowFilter?, into buffer: inout CellBuffer, area: Area
  ) -> Bool {
    guard let prompt else {
      guard let filter else { return false }
      let line = Line([Span(" filter ", .label, on: .footer), Span(filter.text, .match, on: .footer)])
      buffer.put(line, column: area.column, row: area.row, columns: min(area.columns, line.columns))
      return false
    }
    PromptLine.render(prompt, into: &buffer, area: area)
    return true
  }

  /// What is wrong with the filter; it stands where the counts would, which it makes doubtful.
  static func problem(_ filter: RowFilter?) -> Line? {
    filter?.query.problems.first.map { Line([Span("✗ \($0)", .bad, on: .footer)]) }
  }
}
