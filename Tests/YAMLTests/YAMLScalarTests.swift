import Testing
import YAML

@Suite struct YAMLScalarTests {
  @Test(arguments: [
    "", " ", "plain", "two words", "no", "Yes", "null", "~", "5", "-5", "0x1f", "1e3", ".5", "a: b", "a #b", "- a",
    "[a",
    "{a}", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a`", "'a'", "\"a\"", "back\\slash", "a\nb\n", "\ttab", "trailing ",
    "é企🏦", "\u{1}\u{7F}\u{85}\u{A0}\u{2028}\u{202E}\u{FEFF}\u{10FFFF}", "?", ":", "-", "---", "...", "a,b", "key:",
    "https://bank.example/obp/v4.0.0", "=", "<<", "\r\n",
  ]) func `quoted text reads back as the same text`(_ text: String) throws {
    let quoted = YAMLScalar.quoted(text)
    let inBlock = try YAMLNode.parse("\(quoted): \(quoted)\nz: 1\n")
    #expect(inBlock.entries?.first?.key.string == text)
    #expect(inBlock.entries?.first?.value.string == text)
    #expect(try YAMLNode.parse("[\(quoted), \(quoted)]")[1]?.string == text)
  }

  @Test func `plain words stay plain`() {
    #expect(YAMLScalar.quoted("openbank") == "openbank")
    #expect(YAMLScalar.quoted("v4.0.0") == "v4.0.0")
    for word in ["y", "n", "Yes", "NO", "on", "Off", "true", "Null"] {
      #expect(YAMLScalar.quoted(word) == "\"\(word)\"", "a reader of YAML 1.1 takes it for something else")
    }
    #expect(YAMLScalar.quoted("a\u{9B}") == "\"a\\x9B\"")
  }
}
