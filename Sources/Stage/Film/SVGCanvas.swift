import Model

/// Cells as SVG: what both the still and the moving picture are made of.
struct SVGCanvas {
  static let cellWidth = 8.4
  static let cellHeight = 18
  private static let baseline = 13.5
  static let padding = 12
  static let font =
    "font-family=\"'DejaVu Sans Mono', 'Noto Sans Mono CJK JP', 'Liberation Mono', monospace\" font-size=\"14\""
    + " xml:space=\"preserve\""

  /// One row, drawn from the left upper corner of its cells.
  static func row(_ row: Int, of buffer: CellBuffer, _ theme: Theme) -> String {
    var shapes = ""
    var texts = ""
    let ground = Looks.background(theme)
    for run in runs(row, of: buffer, theme) {
      let left = number(Double(run.column) * cellWidth)
      if run.background != ground {
        shapes +=
          "<rect x=\"\(left)\" width=\"\(number(Double(run.columns) * cellWidth + 0.3))\" height=\"\(cellHeight)\""
          + " fill=\"\(run.background)\"/>"
      }
      let drawn = run.drawn
      guard !drawn.text.isEmpty else { continue }
      // Only what fonts give another width than its cells is squeezed; the rest is spaced.
      let squeezed = run.isEven ? "" : " lengthAdjust=\"spacingAndGlyphs\""
      texts +=
        "<text x=\"\(left)\" y=\"\(number(baseline))\" textLength=\"\(number(Double(drawn.columns) * cellWidth))\""
        + "\(squeezed) fill=\"\(run.foreground)\"\(run.attributes)>" + escaped(drawn.text) + "</text>"
    }
    return shapes + texts
  }

  static func size(of size: Size) -> (width: Int, height: Int) {
    (
      Int((Double(size.columns) * cellWidth).rounded(.up)) + 2 * padding,
      size.rows * cellHeight + 2 * padding
    )
  }

  // MARK: Runs

  /// Neighbours that look alike; anything but ASCII and lines stands alone, since fonts disagree about its width.
  private struct Run {
    let column: Int
    var columns: Int
    var text: String
    let style: Style
    let foreground: String
    let background: String
    let attributes: String
    /// Whether every character of it is one cell wide in every font.
    let isEven: Bool

    /// Without blanks at the end, which nobody sees unless they are underlined.
    var drawn: (text: String, columns: Int) {
      guard !attributes.contains("underline") else { return (text, columns) }
      let trimmed = String(text.reversed().drop { $0 == " " }.reversed())
      return (trimmed, trimmed.isEmpty ? 0 : columns - (text.count - trimmed.count))
    }
  }

  /// ASCII, and the lines and blocks of U+2500 to U+259F.
  private static func isEven(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.isASCII || (0x2500...0x259F).contains($0.value) }
  }

  private static func runs(_ row: Int, of buffer: CellBuffer, _ theme: Theme) -> [Run] {
    var runs: [Run] = []
    for column in 0..<buffer.size.columns {
      let cell = buffer[column, row]
      if cell.text.isEmpty {
        if !runs.isEmpty { runs[runs.count - 1].columns += 1 }
      } else if let last = runs.last, last.style == cell.style, last.isEven, isEven(cell.text) {
        runs[runs.count - 1].columns += 1
        runs[runs.count - 1].text += cell.text
      } else {
        runs.append(run(cell, column, theme))
      }
    }
    return runs
  }

  private static func run(_ cell: Cell, _ column: Int, _ theme: Theme) -> Run {
    let look = theme.look(of: cell.style)
    var colors = (
      Looks.hex(look.foreground) ?? Looks.foreground(theme), Looks.hex(look.background) ?? Looks.background(theme)
    )
    if look.isReverse { colors = (colors.1, colors.0) }
    var attributes = ""
    if look.isBold { attributes += " font-weight=\"bold\"" }
    if look.isItalic { attributes += " font-style=\"italic\"" }
    if look.isUnderlined { attributes += " text-decoration=\"underline\"" }
    if look.isDim { attributes += " opacity=\"0.7\"" }
    return Run(
      column: column, columns: 1, text: cell.text, style: cell.style, foreground: colors.0, background: colors.1,
      attributes: attributes, isEven: isEven(cell.text))
  }

  // MARK: Text

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// At most two digits behind the point.
  static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    guard hundredths % 100 != 0 else { return String(hundredths / 100) }
    let fraction = String(hundredths % 100 + 100).dropFirst()
    return "\(hundredths / 100).\(fraction.last == "0" ? fraction.dropLast() : fraction)"
  }
}
