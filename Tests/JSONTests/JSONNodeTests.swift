import JSON
import Testing

@Suite struct JSONNodeTests {
  private func text(_ node: JSONNode, pretty: Bool = false, escaping: Bool = false) -> String {
    String(decoding: node.encoded(pretty: pretty, escapingTerminalControls: escaping), as: UTF8.self)
  }

  @Test func `literals build a node in order`() {
    let node: JSONNode = ["z": 1, "a": [true, nil, "x\(1)"], "amount": .number("12.50"), "o": [:]]
    #expect(text(node) == #"{"z":1,"a":[true,null,"x1"],"amount":12.50,"o":{}}"#)
  }

  @Test func `pretty text has two spaces a level`() {
    let node: JSONNode = ["a": [1, ["b": nil]], "e": [], "o": [:]]
    let expected = """
      {
        "a": [
          1,
          {
            "b": null
          }
        ],
        "e": [],
        "o": {}
      }
      """
    #expect(text(node, pretty: true) == expected)
  }

  @Test func `control characters are escaped`() {
    #expect(text("\"\\\u{8}\u{C}\n\r\t\u{1}\u{1F}é企🏦/") == #""\"\\\b\f\n\r\t\u0001\u001fé企🏦/""#)
    #expect(text(["\n": 1]) == #"{"\n":1}"#)
  }

  @Test func `what steers a terminal is escaped on demand`() throws {
    let steering = "a\u{1B}[2J\u{7F}\u{9B}\u{202E}\u{2066}\u{200F}\u{2028}\u{61C}é\"🏦"
    let safe = #""a\u001b[2J\u007f\u009b\u202e\u2066\u200f\u2028\u061cé\"🏦""#
    #expect(text(.string(steering), escaping: true) == safe)
    #expect(try JSONDocument(safe).root.string == steering)
  }

  @Test func `text that is no number is never written as one`() {
    #expect(text([.number("12,5"), .number(""), .number("1}"), .number("-1.5E3")]) == #"["12,5","","1}",-1.5E3]"#)
  }

  @Test func `members are read, set and removed by name`() {
    var node: JSONNode = ["a": 1, "b": 2]
    node["b"] = "two"
    node["c"] = nil
    node["d"] = [1]
    node["a"] = nil
    #expect(node == ["b": "two", "d": [1]])
    #expect(node["b"] == "two")
    #expect(node["x"] == nil)
    var scalar: JSONNode = 5
    scalar["a"] = 1
    #expect(scalar == ["a": 1])
  }

  @Test func `a copied node equals what was read`() throws {
    let root = try JSONDocument(#"{"a":[1,-0,2.50,99999999999999999999],"b":{"c":"\u00e9","d":null},"e":false}"#).root
    let node = root.node()
    #expect(node["a"] == [1, .number("-0"), .number("2.50"), .number("99999999999999999999")])
    #expect(text(node) == #"{"a":[1,-0,2.50,99999999999999999999],"b":{"c":"é","d":null},"e":false}"#)
    #expect(root["none"].node() == .null)
  }

  @Test func `what was read is written with the same escapes as what was built`() throws {
    let text = "{\"k\\u00e9\\u202e\": [\"\\u001b\\n\", \"é\u{9B}\u{7F}\", \"plain\", \"q\\\"\\/\", \"\"], \"\": 1.50}"
    let root = try JSONDocument(text).root
    for escaping in [false, true] {
      for pretty in [false, true] {
        let read = root.encoded(pretty: pretty, escapingTerminalControls: escaping)
        #expect(read == root.node().encoded(pretty: pretty, escapingTerminalControls: escaping))
      }
    }
    let safe = #"{"ké\u202e":["\u001b\n","é\u009b\u007f","plain","q\"/",""],"":1.50}"#
    #expect(String(decoding: root.encoded(escapingTerminalControls: true), as: UTF8.self) == safe)
  }

  @Test func `a writer puts the commas`() {
    var writer = JSONWriter()
    for line in 1...2 {
      writer.beginObject()
      writer.key("line")
      writer.integer(line)
      writer.key("list")
      writer.beginArray()
      writer.null()
      writer.number("1.0")
      writer.beginObject()
      writer.endObject()
      writer.endArray()
      writer.key("last")
      writer.bool(false)
      writer.endObject()
      writer.endLine()
    }
    let expected = """
      {"line":1,"list":[null,1.0,{}],"last":false}
      {"line":2,"list":[null,1.0,{}],"last":false}

      """
    #expect(String(decoding: writer.take(), as: UTF8.self) == expected)
    #expect(writer.bytes.isEmpty)
  }
}
