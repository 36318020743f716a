import Model

/// Text with colours as a terminal is sent them (ECMA-48, SGR), taken apart into spans: what makes block graphics.
///
/// Every other escape sequence is left out, so nothing in it can do more than have a colour.
package enum PaintedText {
  package static func lines(_ text: String) -> [Line] {
    var pen = Pen()
    // A line break at the end begins no line.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.dropLast(lines.last?.isEmpty == true ? 1 : 0).map { line($0, &pen) }
  }

  private static func line(_ text: Substring, _ pen: inout Pen) -> Line {
    var spans: [Span] = []
    var rest = text[...]
    while !rest.isEmpty {
      let plain = rest.prefix { $0 != "\u{1B}" }
      if !plain.isEmpty { spans.append(Span(Visible.line(plain), pen.style)) }
      rest = rest.dropFirst(plain.count)
      guard !rest.isEmpty else { break }
      rest = rest.dropFirst()
      guard rest.first == "[" else { continue }
      let codes = rest.dropFirst().prefix { !$0.isASCII || !("@"..."~").contains($0) }
      rest = rest.dropFirst(codes.count + 1)
      if rest.first == "m" { pen.take(codes.split(separator: ";").map { Int($0) ?? 0 }) }
      rest = rest.dropFirst()
    }
    return Line(spans)
  }

  /// The colours that are switched on.
  private struct Pen {
    private var foreground = Color.standard
    private var background = Color.standard
    private var isReverse = false

    var style: Style {
      var style = Style()
      if foreground != .standard || background != .standard {
        style.paint =
          isReverse
          ? Style.Paint(foreground: background, background: foreground)
          : Style.Paint(foreground: foreground, background: background)
      }
      return style
    }

    mutating func take(_ codes: [Int]) {
      var codes = codes.isEmpty ? [0] : codes[...]
      while let code = codes.popFirst() {
        switch code {
        case 0: self = Pen()
        case 7: isReverse = true
        case 27: isReverse = false
        case 30...37: foreground = .terminal(UInt8(code - 30))
        case 38: foreground = Pen.color(&codes) ?? foreground
        case 39: foreground = .standard
        case 40...47: background = .terminal(UInt8(code - 40))
        case 48: background = Pen.color(&codes) ?? background
        case 49: background = .standard
        case 90...97: foreground = .terminal(UInt8(code - 82))
        case 100...107: background = .terminal(UInt8(code - 92))
        default: break
        }
      }
    }

    /// What follows 38 and 48: `2;R;G;B`, or `5;N` with N of the 256.
    private static func color(_ codes: inout ArraySlice<Int>) -> Color? {
      switch codes.popFirst() {
      case 2:
        guard codes.count >= 3 else { return nil }
        let parts = codes.prefix(3).map { UInt8(clamping: $0) }
        codes = codes.dropFirst(3)
        return .rgb(parts[0], parts[1], parts[2])
      case 5: return codes.popFirst().map { of256(min(255, max(0, $0))) }
      default: return nil
      }
    }

    /// Sixteen of the terminal's own, a cube of six steps each, and greys (xterm's 256colres.h).
    private static func of256(_ index: Int) -> Color {
      if index < 16 { return .terminal(UInt8(index)) }
      if index >= 232 {
        let level = UInt8(8 + (index - 232) * 10)
        return .rgb(level, level, level)
      }
      let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
      let at = index - 16
      return .rgb(steps[at / 36], steps[at / 6 % 6], steps[at % 6])
    }
  }
}
