import Model
import Terminal
import Testing

@Suite struct InputParserTests {
  static let sequences: [(String, [TerminalEvent])] = [
    ("a", [.key(.character("a"))]), ("\r", [.key(.enter)]), ("\u{7F}", [.key(.backspace)]),
    ("\u{1}", [.key(.control("a"))]), ("\u{1A}", [.key(.control("z"))]),
    ("é企👍", ["é", "企", "👍"].map { .key(.character($0)) }),
    ("\u{1B}[A", [.key(.up)]), ("\u{1B}OB", [.key(.down)]), ("\u{1B}[1;3D", [.key(.altLeft)]),
    ("\u{1B}[5~", [.key(.pageUp)]), ("\u{1B}[3~", [.key(.delete)]), ("\u{1B}[Z", [.key(.shiftTab)]),
    ("\u{1B}OP", [.key(.function(1))]), ("\u{1B}[15~", [.key(.function(5))]), ("\u{1B}[[A", [.key(.function(1))]),
    ("\u{1B}[1;2A", [.key(.shiftUp)]), ("\u{1B}x", [.key(.alt("x"))]), ("\u{1B}[27u", [.key(.escape)]),
    ("\u{1B}[99;5u", [.key(.control("c"))]), ("\u{1B}[I", [.focus(true)]), ("\u{1B}[O", [.focus(false)]),
    ("\u{1B}[<0;5;7M", [.mouse(Mouse(.press, column: 4, row: 6))]),
    ("\u{1B}[<0;5;7m", [.mouse(Mouse(.release, column: 4, row: 6))]),
    ("\u{1B}[<64;1;1M", [.mouse(Mouse(.wheelUp, column: 0, row: 0))]),
    ("\u{1B}[<65;300;99M", [.mouse(Mouse(.wheelDown, column: 299, row: 98))]),
    ("\u{1B}[200~rm -rf\r\u{3}\u{1B}[A\u{1B}[201~q", [.paste("rm -rf\r\u{3}\u{1B}[A"), .key(.character("q"))]),
    // Replies nobody waits for any more.
    ("\u{1B}]11;rgb:0000/0000/0000\u{7}x", [.key(.character("x"))]),
    ("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\x", [.key(.character("x"))]),
    ("\u{1B}P1$r0m\u{1B}\\x", [.key(.character("x"))]), ("\u{1B}[?62;22cx", [.key(.character("x"))]),
    ("\u{1B}[24;80Rx", [.key(.character("x"))]),
  ]

  @Test(arguments: sequences) func `a sequence is read as what was pressed`(_ bytes: String, _ events: [TerminalEvent])
  {
    var parser = InputParser()
    #expect(parser.read(bytes.utf8) == events)
    #expect(!parser.isPending)
  }

  @Test(arguments: sequences) func `bytes may be cut anywhere`(_ bytes: String, _ events: [TerminalEvent]) {
    var parser = InputParser()
    #expect(bytes.utf8.flatMap { parser.read([$0]) } == events)
  }

  @Test func `a lone escape is the key once nothing follows`() {
    var parser = InputParser()
    #expect(parser.read([0x1B]) == [])
    #expect(parser.isPending)
    #expect(parser.flush() == [.key(.escape)])
    #expect(!parser.isPending)
    #expect(parser.read(Array("[A".utf8)) == [.key(.character("[")), .key(.character("A"))])
  }

  @Test func `two escapes are two keys`() {
    var parser = InputParser()
    #expect(parser.read([0x1B, 0x1B]) == [.key(.escape)])
    #expect(parser.flush() == [.key(.escape)])
  }

  @Test func `line noise never stops the keyboard`() {
    var random = SystemRandomNumberGenerator()
    var parser = InputParser()
    for _ in 0..<200 {
      _ = parser.read((0..<64).map { _ in UInt8.random(in: 0...255, using: &random) })
      _ = parser.flush()
      _ = parser.read(Array("\u{1B}\\\u{1B}[201~".utf8))
      _ = parser.flush()
      #expect(parser.read(Array("q".utf8)).last == .key(.character("q")))
    }
  }

  @Test func `an endless paste is cut, not kept`() {
    var parser = InputParser()
    _ = parser.read(Array("\u{1B}[200~".utf8))
    for _ in 0..<300 { _ = parser.read([UInt8](repeating: 120, count: 8192)) }
    let events = parser.read(Array("\u{1B}[201~".utf8))
    guard case .paste(let text) = events.first else {
      Issue.record("no paste arrived")
      return
    }
    #expect(text.utf8.count <= 1 << 20 + 128)
  }
}
