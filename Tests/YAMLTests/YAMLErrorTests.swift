import Testing
import YAML

@Suite struct YAMLErrorTests {
  struct Refused: CustomTestStringConvertible {
    let text: String
    let line: Int
    let column: Int
    let says: String
    init(_ text: String, _ line: Int, _ column: Int, _ says: String) {
      (self.text, self.line, self.column, self.says) = (text, line, column, says)
    }
    var testDescription: String { "\(says): \(text)" }
  }

  @Test(arguments: [
    Refused("a: 1\nb: 2\na: 3\n", 3, 1, "the key \"a\" stands here a second time; the first is at line 1, column 1"),
    Refused("a: 1\n\"a\": 3\n", 2, 1, "a second time"),
    Refused("{a: 1, a: 2}", 1, 8, "a second time"),
    Refused("? [a]\n: 1\n", 1, 3, "a key must be plain text, not a list"),
    Refused("a: b: c", 1, 5, "a colon cannot stand here"),
    Refused("a: [1, 2\nb: 3", 2, 2, "a comma or ]"),
    Refused("a: 'x\n", 2, 1, "the text in quotes that begins at line 1, column 4 has no closing quote"),
    Refused("a:\n\tb: 1", 2, 1, "use spaces, not tabs"),
    Refused("a: @b", 1, 4, "put the text in quotes"),
    Refused("a: *x", 1, 4, "the alias *x has no anchor"),
    Refused("a: &x [*x]", 1, 8, "the alias *x has no anchor"),
    Refused("a: 1\n---\nb: 2\n", 2, 1, "a second document"),
    Refused("a: !secret b", 1, 4, "the tag !secret"),
    Refused("a: !!int b", 1, 4, "the tag !!int does not fit"),
    Refused("a: 'x\n---\n", 2, 1, "that begins at line 1, column 4 has no closing quote"),
    Refused("a: | x", 1, 6, "the text begins on the next line"),
    Refused("# é\nü: \u{7}", 2, 4, "a control character is not allowed here (U+7)"),
    Refused("a: \"\\u12\"", 1, 7, "hexadecimal digits"),
    Refused("a: 1\n  b: 2\n", 2, 4, "a colon cannot stand here"),
    Refused("a: 1\nb\n", 3, 1, "a colon and a space must follow"),
    Refused("a: \"\\q\"", 1, 5, "this backslash"),
  ]) func `what is wrong is named where it stands`(_ refused: Refused) {
    let error = #expect(throws: YAMLError.self) { try YAMLNode.parse(refused.text) }
    #expect(error?.message.contains(refused.says) == true, "\(String(describing: error))")
    #expect(error?.position == YAMLPosition(line: refused.line, column: refused.column))
  }

  @Test func `bytes that are no UTF-8 are refused`() {
    let error = #expect(throws: YAMLError.self) { try YAMLNode.parse(Array("a: ".utf8) + [0xFF]) }
    #expect(error?.description == "line 1, column 4: this byte is not UTF-8")
    let later = #expect(throws: YAMLError.self) { try YAMLNode.parse(Array("# é\né: ".utf8) + [0xC3, 0x3A]) }
    #expect(later?.position == YAMLPosition(line: 2, column: 5))
    #expect(throws: YAMLError.self) { try YAMLNode.parse([0x61, 0x3A, 0x20, 0x07]) }
    #expect(throws: YAMLError.self) { try YAMLNode.parse([0xFF, 0xFE, 0x61, 0x00]) }
  }

  @Test func `limits are kept`() {
    let deep = String(repeating: "[", count: 10) + String(repeating: "]", count: 10)
    #expect(throws: Never.self) { try YAMLNode.parse(deep, limits: YAMLLimits(maxDepth: 10)) }
    #expect(throws: YAMLError.self) { try YAMLNode.parse(deep, limits: YAMLLimits(maxDepth: 9)) }
    #expect(throws: YAMLError.self) { try YAMLNode.parse("[1, 2, 3]", limits: YAMLLimits(maxBytes: 8)) }
    #expect(throws: YAMLError.self) { try YAMLNode.parse("[1, 2, 3]", limits: YAMLLimits(maxNodes: 3)) }
    #expect(throws: YAMLError.self) { try YAMLNode.parse(String(repeating: "[", count: 100_000)) }
  }

  @Test func `aliases of aliases count in full`() {
    var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      bomb += "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ") + "]\n"
    }
    let error = #expect(throws: YAMLError.self) { try YAMLNode.parse(bomb) }
    #expect(error?.message.contains("aliases counted in full") == true)
  }
}
