import Model
import Testing

@testable import Terminal

@Suite struct PaletteTests {
  @Test(arguments: [
    (256, Color.rgb(0, 0, 0), 16), (256, .rgb(255, 255, 255), 231), (256, .rgb(128, 128, 128), 244),
    (256, .rgb(255, 0, 0), 196), (256, .terminal(9), 9), (256, .standard, -1), (16, .rgb(250, 10, 10), 9),
    (8, .rgb(250, 10, 10), 1), (8, .terminal(12), 4), (1 << 24, .rgb(255, 255, 255), 0xFFFFFF),
    (1 << 24, .rgb(0x1B, 0x1D, 0x2B), 0x1B1D2B), (1 << 24, .rgb(0, 0, 0), 0x10000), (1 << 24, .terminal(9), 9),
  ]) func `a colour becomes the nearest the terminal has`(_ colors: Int, _ color: Color, _ number: Int) {
    #expect(Palette(colors: colors).number(of: color) == Int32(number))
  }
}

@Suite struct DirectColorTests {
  @Test func `a description for ncurses keeps the entry and changes its colours`() throws {
    let entry = try #require(DirectColor.compiledEntry(of: "xterm-256color", environment: [:]))
    let description = try #require(DirectColor.description(from: entry))
    #expect(description.hasPrefix("hex:1E02"))
    #expect(!description.contains("-"))
  }

  @Test(arguments: [[], [1, 2, 3], [UInt8](repeating: 0x1A, count: 200), [UInt8](repeating: 0xFF, count: 4000)])
  func `a broken entry gives none`(_ bytes: [UInt8]) {
    #expect(DirectColor.description(from: bytes) == nil)
  }

  @Test func `every cut of an entry is refused or read within its bounds`() throws {
    let entry = try #require(DirectColor.compiledEntry(of: "xterm-256color", environment: [:]))
    for length in 0..<min(entry.count, 1500) {
      #expect(DirectColor.description(from: Array(entry.prefix(length))) == nil)
    }
  }

  @Test func `a terminal's name never leads out of the directory`() {
    #expect(DirectColor.compiledEntry(of: "../../etc/passwd", environment: [:]) == nil)
  }
}

@Suite struct TerminalEnvironmentTests {
  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LANG": "C"], false), ([:], false),
    (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
    (["LC_ALL": "", "LC_CTYPE": "C.utf8", "LANG": "C"], true), (["LC_CTYPE": "POSIX", "LANG": "C.UTF-8"], false),
  ]) func `the locale is found in its order`(_ variables: [String: String], _ isUnicode: Bool) {
    #expect(TerminalEnvironment(variables).isUnicode == isUnicode)
  }

  @Test func `NO_COLOR counts when it is not empty`() {
    #expect(TerminalEnvironment(["NO_COLOR": "1"]).allowsColor == false)
    #expect(TerminalEnvironment(["NO_COLOR": ""]).allowsColor)
    #expect(TerminalEnvironment([:], allowsColor: false).allowsColor == false)
  }
}

@Suite struct Base64TextTests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
  ])
  func `the vectors of RFC 4648 hold`(_ text: String, _ expected: String) { #expect(Base64Text.of(text) == expected) }
}
