import Model

/// A piece of text in one style.
package struct Span: Sendable, Hashable {
  package var text: String
  package var style: Style
  package init(_ text: String, _ style: Style = Style()) {
    self.text = text
    self.style = style
  }
  package init(_ text: String, _ role: Style.Role, on ground: Style.Ground = .screen, bold: Bool = false) {
    self.init(text, Style(role, on: ground, bold: bold))
  }
}

/// A line of spans.
package struct Line: Sendable, Hashable {
  package var spans: [Span]
  package init(_ spans: [Span] = []) { self.spans = spans }
  package init(_ text: String, _ role: Style.Role = .text, bold: Bool = false) {
    spans = [Span(text, Style(role, bold: bold))]
  }
  package var columns: Int { spans.reduce(0) { $0 + TextWidth.columns(of: Visible.line($1.text)) } }
  package var text: String { spans.map(\.text).joined() }
}

extension CellBuffer {
  /// Draws a line into so many columns, with an ellipsis where something is lost; returns the column behind it.
  @discardableResult
  package mutating func put(
    _ line: Line, column: Int, row: Int, columns: Int, ground: Style.Ground? = nil
  ) -> Int {
    let isCut = line.columns > columns
    let end = column + columns - (isCut ? 1 : 0)
    var at = column
    var last = Style()
    for span in line.spans where at < end {
      last = span.style
      if let ground { last.ground = ground }
      at = put(Visible.line(span.text).prefix(columns: end - at), column: at, row: row, style: last)
    }
    if isCut, columns > 0 { at = put("…", column: at, row: row, style: last) }
    return at
  }

  /// Draws a line so that it ends before `endColumn`.
  package mutating func putRight(_ line: Line, endColumn: Int, row: Int, ground: Style.Ground? = nil) {
    put(line, column: endColumn - line.columns, row: row, columns: line.columns, ground: ground)
  }
}

package enum Wrap {
  /// Lines of at most so many columns, broken at spaces where there are any; line breaks of the text stay.
  package static func lines(_ text: String, columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    return Visible.lines(text).flatMap { wrapped($0, columns: columns) }
  }

  private static func wrapped(_ line: String, columns: Int) -> [String] {
    if TextWidth.columns(of: line) <= columns { return [line] }
    var lines: [String] = []
    var current = ""
    var width = 0
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      let wordWidth = TextWidth.columns(of: word)
      if width > 0, width + 1 + wordWidth <= columns {
        current += " " + word
        width += 1 + wordWidth
        continue
      }
      if width > 0 { lines.append(current) }
      (current, width) = ("", 0)
      // A word longer than a line is cut where the line ends; each character is looked at once, however long it is.
      for character in word {
        let more = TextWidth.columns(of: character)
        // A wide character in a single column: it cannot be shown at all.
        guard more <= columns else { return lines }
        if width + more > columns {
          lines.append(current)
          (current, width) = ("", 0)
        }
        current.append(character)
        width += more
      }
    }
    lines.append(current)
    return lines
  }
}
