import Model
import Testing

@testable import Screens

/// Coloured text of a program, taken apart; nothing in it does more than have a colour.
@Suite struct PaintedTextTests {
  private func paints(_ text: String) -> [(text: String, paint: Style.Paint?)] {
    PaintedText.lines(text).flatMap { $0.spans.map { ($0.text, $0.style.paint) } }
  }

  @Test(arguments: [
    ("31", Style.Paint(foreground: .terminal(1))), ("97", Style.Paint(foreground: .terminal(15))),
    ("40", Style.Paint(background: .terminal(0))), ("107", Style.Paint(background: .terminal(15))),
    ("38;2;1;2;300", Style.Paint(foreground: .rgb(1, 2, 255))), ("38;5;9", Style.Paint(foreground: .terminal(9))),
    ("48;5;16", Style.Paint(background: .rgb(0, 0, 0))), ("38;5;196", Style.Paint(foreground: .rgb(255, 0, 0))),
    ("38;5;255", Style.Paint(foreground: .rgb(238, 238, 238))),
    ("32;44", Style.Paint(foreground: .terminal(2), background: .terminal(4))),
    ("32;44;7", Style.Paint(foreground: .terminal(4), background: .terminal(2))),
  ]) func `a colour is read in every form`(_ codes: String, _ paint: Style.Paint) {
    let found = paints("\u{1B}[\(codes)m▀\u{1B}[0mx")
    #expect(found.map(\.text) == ["▀", "x"])
    #expect(found[0].paint == paint)
    #expect(found[1].paint == nil)
  }

  @Test func `colours last over the end of a line until they are put back`() {
    let found = paints("\u{1B}[31ma\nb\u{1B}[39mc\n")
    #expect(found.map(\.text) == ["a", "b", "c"])
    #expect(found.map { $0.paint != nil } == [true, true, false])
  }

  @Test(arguments: [
    "\u{1B}[2Ja", "\u{1B}[38;2;1ma", "\u{1B}[38;5ma", "\u{1B}[38;9;1ma", "\u{1B}[mca", "\u{1B}[31", "\u{1B}",
  ])
  func `whatever is no colour does nothing`(_ text: String) {
    #expect(paints(text).allSatisfy { !$0.text.contains("\u{1B}") })
    #expect(paints(text).allSatisfy { $0.paint?.background ?? .standard == .standard })
  }
}
