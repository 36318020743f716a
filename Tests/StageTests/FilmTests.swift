import JSON
import Model
import TestKit
import Testing

@testable import Stage

@Suite struct FilmTests {
  private static let start = Timestamp(milliseconds: 1_000_000)

  private func screen(_ lines: String..., style: Style = Style()) -> CellBuffer {
    var buffer = CellBuffer(size: Size(columns: 20, rows: 4))
    for (row, line) in lines.enumerated() { buffer.put(line, column: 0, row: row, style: style) }
    return buffer
  }

  private func film(_ pictures: [(CellBuffer, Int64)], theme: Theme = .plain) -> Film {
    var film = Film(title: "A & B", start: Self.start)
    for (buffer, time) in pictures {
      film.add(buffer, theme, at: Timestamp(milliseconds: Self.start.milliseconds + time))
    }
    return film
  }

  private func events(_ film: Film) throws -> [(time: String, output: String)] {
    try Asciicast.bytes(of: film).split(separator: 10).dropFirst().map { line in
      let parts = Array(try JSONDocument(Array(line)).root.elements)
      return (try #require(parts[0].text), try #require(parts[2].string))
    }
  }

  @Test func `a picture that looks like the one before is none, but the film gets longer`() {
    let film = film([(screen("a"), 0), (screen("a"), 500), (screen("b"), 700), (screen("b"), 2000)])
    #expect(film.pictures.map(\.time) == [0, 700])
    #expect(film.length == 2000)
  }

  @Test func `what is not filmed takes no time`() {
    var film = film([(screen("a"), 0), (screen("a"), 500)])
    film.skip(to: Timestamp(milliseconds: Self.start.milliseconds + 9_500))
    film.add(screen("b"), .plain, at: Timestamp(milliseconds: Self.start.milliseconds + 10_000))
    #expect(film.pictures.map(\.time) == [0, 1000])
  }

  @Test func `a terminal that is fed an asciicast shows each picture`() throws {
    let pictures = [
      screen("one", "二つ目 wide", "x"), screen("one", "二つ日 wide", "xyz"), screen("", "", "", "企業"),
      screen("企業", "last"),
    ]
    var terminal = TerminalScreen(Size(columns: 20, rows: 4))
    let film = film(pictures.enumerated().map { ($1, Int64($0) * 100) })
    for (event, picture) in zip(try events(film), pictures) {
      terminal.feed(Array(event.output.utf8))
      #expect(terminal.text == picture.lines.joined(separator: "\n"))
    }
  }

  @Test func `times of an asciicast are seconds with milliseconds, and the end is kept`() throws {
    let events = try events(film([(screen("a"), 0), (screen("b"), 1050), (screen("b"), 3000)]))
    #expect(events.map(\.time) == ["0.000", "1.050", "3.000"])
  }

  @Test func `only what changed is written`() throws {
    let events = try events(film([(screen("a", "b"), 0), (screen("a", "c"), 100)]))
    #expect(events[1].output == "\u{1B}[2;1H\u{1B}[0mc\u{1B}[0m\u{1B}[?25l")
  }

  @Test func `a picture escapes what SVG would act on, and keeps colours and width`() {
    let theme = Theme(
      name: "t", title: "t", brightness: .dark,
      roles: [.text: Look(foreground: .rgb(1, 2, 255)), .bad: Look(foreground: .terminal(1), bold: true)],
      grounds: [.screen: Look(background: .rgb(16, 16, 16)), .selection: Look(background: .rgb(255, 0, 0))])
    let text = SVGPicture.text(of: screen("<a> & b"), theme)
    #expect(text.contains(">&lt;a&gt; &amp; b"))
    #expect(text.contains("fill=\"#0102ff\""))
    #expect(text.contains("fill=\"#101010\""))
    let selected = SVGPicture.text(of: screen("企業", style: Style(.bad, on: .selection)), theme)
    #expect(selected.contains("fill=\"#ff0000\""))
    #expect(selected.contains("textLength=\"16.8\""))
    #expect(selected.contains("font-weight=\"bold\""))
  }

  @Test func `a moving picture draws equal rows once and has a step for each picture`() {
    let text = SVGFilm.text(
      of: film([(screen("same", "one"), 0), (screen("same", "two"), 1000), (screen("same"), 2000)]))
    #expect(text.components(of: ">same") == 1)
    #expect(text.components(of: "translateY(") == 3)
    #expect(text.contains("<title>A &amp; B</title>"))
    #expect(text.contains("prefers-reduced-motion: no-preference"))
  }

  @Test func `the picture that stood longest is the one that stands still`() {
    let text = SVGFilm.text(of: film([(screen("a"), 0), (screen("b"), 100), (screen("c"), 5000), (screen("c"), 5100)]))
    let height = SVGCanvas.size(of: Size(columns: 20, rows: 4)).height
    #expect(text.contains("<g class=\"film\" transform=\"translate(0,-\(height))\">"))
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
