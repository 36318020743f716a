import Model
import Testing

@Suite struct TextWidthTests {
  @Test(arguments: [
    ("abc", 3), ("", 0), ("企業口座", 8), ("é", 1), ("e\u{301}", 1), ("한글", 4), ("👍", 2), ("🇩🇪", 2), ("ﾊﾝｶｸ", 4),
    ("ﬁ", 1), ("Ω", 1), ("→", 1), ("─", 1), ("😀x", 3), ("אב", 2), ("ｗ", 2),
  ]) func `columns are counted as a terminal draws them`(_ text: String, _ columns: Int) {
    #expect(TextWidth.columns(of: text) == columns)
  }

  @Test(arguments: [
    ("企業口座", 5, "企業…"), ("企業口座", 8, "企業口座"), ("企業口座", 4, "企…"), ("abc", 2, "a…"), ("abc", 0, ""),
    ("abc", 1, "…"),
  ]) func `text is cut between graphemes`(_ text: String, _ columns: Int, _ expected: String) {
    #expect(text.fitted(columns: columns) == expected)
    #expect(TextWidth.columns(of: text.padded(columns: columns)) == columns)
  }
}

@Suite struct VisibleTests {
  /// What servers could send to play tricks on a terminal.
  static let hostile = [
    "\u{1B}[2J", "\u{1B}]0;title\u{7}", "\u{9B}31m", "a\rb", "a\nb", "\u{202E}evil", "a\u{2066}b", "zero\u{200B}width",
    "\u{7F}", "bell\u{7}", "e" + String(repeating: "\u{301}", count: 50), "👨‍👩‍👧‍👦", "✈\u{FE0F}", "\u{E0041}tag",
    "soft\u{AD}hyphen", "\u{FEFF}bom", "\u{2028}sep", "👍🏽", "\u{0300}", "\u{F8FF}",
  ]

  @Test(arguments: hostile) func `nothing that a terminal acts on gets through`(_ text: String) {
    let line = Visible.line(text)
    #expect(!line.unicodeScalars.contains(where: Visible.isActedOn))
    #expect(line.allSatisfy { $0.unicodeScalars.count <= 3 })
  }

  @Test(arguments: hostile) func `what was hidden leaves a mark`(_ text: String) {
    #expect(!Visible.line(text).isEmpty)
    #expect(TextWidth.columns(of: Visible.line(text)) >= 1)
  }

  @Test func `plain text is left alone`() {
    for text in ["Susan Müller", "企業口座", "€1,204.50", "עברית", "ไทย", "🇩🇪"] { #expect(Visible.line(text) == text) }
  }

  @Test func `escapes are plain ASCII`() {
    #expect(Visible.escaped("a\u{1B}[2J\u{202E}") == "a\\u001b[2J\\u202e")
  }

  @Test func `tabs reach the next eighth column`() {
    #expect(Visible.lines("a\tb\n\tc") == ["a       b", "        c"])
  }
}

@Suite struct CellBufferTests {
  @Test func `a wide grapheme takes two cells and is never cut in half`() {
    var buffer = CellBuffer(size: Size(columns: 5, rows: 1))
    buffer.put("企業口", column: 0, row: 0)
    #expect(buffer.cells.map(\.text) == ["企", "", "業", "", " "])
    buffer.put("x", column: 1, row: 0)
    #expect(buffer.cells.map(\.text) == [" ", "x", "業", "", " "])
    buffer.put("y", column: 2, row: 0)
    #expect(buffer.cells.map(\.text) == [" ", "x", "y", " ", " "])
  }

  @Test func `drawing outside changes nothing`() {
    let empty = CellBuffer(size: Size(columns: 3, rows: 2))
    var buffer = empty
    buffer.put("lost", column: 0, row: 2)
    buffer.put("lost", column: 3, row: 0)
    buffer.put("lost", column: -4, row: 1)
    buffer.fill(Area(column: 5, row: 5, columns: 9, rows: 9), "x", style: Style())
    #expect(buffer == empty)
  }

  @Test func `a server's escape sequence is drawn, not obeyed`() {
    var buffer = CellBuffer(size: Size(columns: 8, rows: 1))
    buffer.put("\u{1B}[31mred", column: 0, row: 0)
    #expect(buffer.lines == ["␛[31mred"])
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 2), (40, 12)]) func `a frame fits any size`(_ columns: Int, _ rows: Int) {
    var buffer = CellBuffer(size: Size(columns: columns, rows: rows))
    buffer.frame(buffer.area, title: "A long title indeed", style: Style())
    #expect(buffer.cells.count == columns * rows)
  }
}

@Suite struct KeyTests {
  @Test(arguments: ["ctrl-r", "pgup", "f5", "x", "X", "space", "shift-tab", "del", "alt-left", "esc", ":", "alt-x"])
  func `a key's name is read back`(_ name: String) {
    #expect(Key(name: name)?.name == name)
  }

  @Test(arguments: ["", "ctrl-", "f13", "hyper-x", "xx"]) func `an unknown key has no name`(_ name: String) {
    #expect(Key(name: name) == nil)
  }
}

@Suite struct ThemeTests {
  private let theme = Theme(
    name: "test", title: "Test", brightness: .dark,
    roles: [
      .text: Look(foreground: .terminal(7)), .number: Look(foreground: .terminal(4)),
      .match: Look(foreground: .terminal(0), background: .terminal(3)),
    ],
    grounds: [
      .screen: Look(background: .terminal(0)), .selection: Look(foreground: .terminal(0), background: .terminal(6)),
    ])

  @Test func `a role is drawn in its colour on the ground's`() {
    let look = theme.look(of: Style(.number))
    #expect(look.foreground == .terminal(4))
    #expect(look.background == .terminal(0))
  }

  @Test func `on a ground with a text colour everything has it`() {
    #expect(theme.look(of: Style(.number, on: .selection)).foreground == .terminal(0))
  }

  @Test(arguments: [Style.Ground.screen, .selection]) func `a match stands out everywhere`(_ ground: Style.Ground) {
    let look = theme.look(of: Style(.match, on: ground))
    #expect(look.foreground == .terminal(0))
    #expect(look.background == .terminal(3))
  }
}
