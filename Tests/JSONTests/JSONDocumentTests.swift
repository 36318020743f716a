import JSON
import Testing

@Suite struct JSONDocumentTests {
  struct Refused: CustomTestStringConvertible {
    let text: String
    let code: JSONError.Code
    let offset: Int
    let says: String
    init(_ text: String, _ code: JSONError.Code, at offset: Int, _ says: String) {
      (self.text, self.code, self.offset, self.says) = (text, code, offset, says)
    }
    var testDescription: String { "\(text) at \(offset)" }
  }

  @Test(arguments: [
    Refused("", .empty, at: 0, "no text"),
    Refused(" \n\t ", .empty, at: 4, "no text"),
    Refused("<html lang=\"en>", .syntax, at: 0, "a value"),
    Refused("[1, 2", .unfinished, at: 5, "ends"),
    Refused("[1, 2}", .syntax, at: 5, "comma or ]"),
    Refused("[1 2]", .syntax, at: 3, "comma or ]"),
    Refused("[1,]", .syntax, at: 3, "a value"),
    Refused("{\"a\": 1,}", .syntax, at: 8, "name in double quotes"),
    Refused("{a: 1}", .syntax, at: 1, "name in double quotes"),
    Refused("{\"a\" 1}", .syntax, at: 5, "colon"),
    Refused("{\"a\": 1 \"b\"}", .syntax, at: 8, "comma or }"),
    Refused("{\"a\":", .unfinished, at: 5, "ends"),
    Refused("{} {}", .syntax, at: 3, "has ended"),
    Refused("{\"a\": \"b", .unfinished, at: 6, "closing quote"),
    Refused("\"a\" b", .syntax, at: 4, "has ended"),
    Refused("[\"a\"b]", .syntax, at: 4, "comma or ]"),
    Refused("[\"\\x\"]", .syntax, at: 2, "backslash"),
    Refused("[\"\\u12g4\"]", .syntax, at: 2, "backslash"),
    Refused("[\"a\nb\"]", .syntax, at: 3, "control character"),
    Refused("[01]", .syntax, at: 1, "not a number"),
    Refused("[-]", .syntax, at: 1, "not a number"),
    Refused("[1.]", .syntax, at: 1, "not a number"),
    Refused("[.5]", .syntax, at: 1, "a value"),
    Refused("[+5]", .syntax, at: 1, "a value"),
    Refused("[1e]", .syntax, at: 1, "not a number"),
    Refused("[1a]", .syntax, at: 1, "not a number"),
    Refused("[NaN]", .syntax, at: 1, "a value"),
    Refused("[True]", .syntax, at: 1, "a value"),
    Refused("[nulls]", .syntax, at: 1, "a value"),
    Refused("[tru", .unfinished, at: 4, "ends"),
    Refused("['a']", .syntax, at: 1, "a value"),
    Refused("[1]\u{C}", .syntax, at: 3, "has ended"),
    Refused("[1\u{1A}2]", .syntax, at: 1, "not a number"),
    Refused("[1] \0", .syntax, at: 4, "has ended"),
  ]) func `a broken text is refused where it breaks`(_ refused: Refused) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(refused.text) }
    #expect(error?.code == refused.code)
    #expect(error?.offset == refused.offset)
    #expect(error?.message.contains(refused.says) == true)
  }

  @Test func `line and column count characters`() {
    let error = #expect(throws: JSONError.self) { try JSONDocument("{\n  \"é企🏦\": x\n}") }
    #expect(error?.line == 2)
    #expect(error?.column == 10)
    #expect(error?.message == "the JSON cannot be read at line 2, column 10 (byte 17): a value must stand here")
  }

  @Test(
    arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80]] as [[UInt8]])
  func `bytes that are no UTF-8 are named`(_ bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(Array("[\"é".utf8) + bytes + Array("\"]".utf8)) }
    #expect(error?.code == .notUTF8)
    #expect(error?.offset == 4)
  }

  @Test func `a byte order mark is skipped and counted`() throws {
    let root = try JSONDocument([0xEF, 0xBB, 0xBF] + Array(#" {"a": ["b", 12]}"#.utf8)).root
    #expect(root["a"][0].string == "b")
    #expect(root["a"][1].int == 12)
    let error = #expect(throws: JSONError.self) { try JSONDocument([0xEF, 0xBB, 0xBF] + Array("[x]".utf8)) }
    #expect(error?.offset == 4)
    #expect(#expect(throws: JSONError.self) { try JSONDocument([0xEF, 0xBB, 0xBF]) }?.code == .empty)
  }

  @Test func `limits are kept`() throws {
    func code(_ text: String, _ limits: JSONLimits) -> JSONError.Code? {
      #expect(throws: JSONError.self) { try JSONDocument(text, limits: limits) }?.code
    }
    #expect(code("[1, 2, 3]", JSONLimits(maxBytes: 8)) == .tooLarge)
    #expect(code("[[[1]]]", JSONLimits(maxDepth: 2)) == .tooDeep)
    #expect(code("[1, 2, 3]", JSONLimits(maxNodes: 3)) == .tooMany)
    #expect(code("1", JSONLimits(maxNodes: 0)) == .tooMany)
    #expect(code(String(repeating: "[", count: 100_000), JSONLimits(maxDepth: .max)) == .tooDeep)
    #expect(try JSONDocument("[[1]]", limits: JSONLimits(maxBytes: 5, maxDepth: 2, maxNodes: 3)).root[0][0].int == 1)
  }

  @Test func `every prefix of a document is refused as unfinished`() throws {
    let bytes = Array(#"{"a": [1, -2.5e3, true, {"é\"\u00e9": null}], "b": "企"}"#.utf8)
    for count in 1..<bytes.count {
      let prefix = Array(bytes[..<count])
      let error = #expect(throws: JSONError.self) { try JSONDocument(prefix) }
      // A cut inside a character or a number is another kind of wrong, at the end all the same.
      if let error, error.code != .unfinished { #expect([.notUTF8, .syntax].contains(error.code)) }
      #expect(error?.offset.map { $0 <= count } == true)
    }
    #expect(try JSONDocument(bytes).root["b"].string == "企")
  }

  @Test func `a flipped byte is refused or gives a document that can be read and written`() throws {
    let bytes = Array(#"{"a": [1, -2.5e3, true, {"é\"\u00e9": null}], "b": "企", "c": {}, "d": "x\ny"}"#.utf8)
    for index in bytes.indices {
      for mask: UInt8 in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
        var flipped = bytes
        flipped[index] ^= mask
        guard let root = try? JSONDocument(flipped).root else { continue }
        #expect(try JSONDocument(root.encoded()).root.node() == root.node())
      }
    }
  }

  @Test(arguments: 0..<200) func `no length around a vector's border matters`(_ count: Int) throws {
    let text = String(repeating: "x", count: count)
    #expect(try JSONDocument("\"\(text)\"").root.string == text)
    #expect(try JSONDocument(String(repeating: " ", count: count) + "7").root.int == 7)
    #expect(try JSONDocument("7" + String(repeating: "\n", count: count)).root.int == 7)
  }
}
