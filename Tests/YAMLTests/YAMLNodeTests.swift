import Testing
import YAML

@Suite struct YAMLNodeTests {
  let text = """
    # Connections
    connections:
      bank:            # the demo
        kind: openbank
        url: "https://bank.example"
        port: 8080
        colour: no
      größe: 'it''s'
    list: [a, 'b', {c: 1}]
    block: |
      one
      two

    # after
    empty:
    """

  private func slice(_ node: YAMLNode?) throws -> String {
    String(decoding: Array(text.utf8)[try #require(node).range], as: UTF8.self)
  }

  @Test func `nodes know where they stand`() throws {
    let root = try YAMLNode.parse(text)
    let bank = try #require(root["connections"]?["bank"])
    #expect(bank["port"]?.position == YAMLPosition(line: 6, column: 11))
    #expect(bank.entry("port")?.key.position == YAMLPosition(line: 6, column: 5))
    #expect(root["list"]?[2]?["c"]?.position == YAMLPosition(line: 9, column: 20))
  }

  @Test func `ranges are the bytes of the value`() throws {
    let root = try YAMLNode.parse(text)
    let bank = root["connections"]?["bank"]
    #expect(try slice(bank?["kind"]) == "openbank")
    #expect(try slice(bank?["url"]) == "\"https://bank.example\"")
    #expect(try slice(bank?["colour"]) == "no")
    #expect(try slice(bank) == "kind: openbank\n    url: \"https://bank.example\"\n    port: 8080\n    colour: no")
    #expect(try slice(root["connections"]?.entry("größe")?.key) == "größe")
    #expect(try slice(root["connections"]?["größe"]) == "'it''s'")
    #expect(try slice(root["list"]) == "[a, 'b', {c: 1}]")
    #expect(try slice(root["list"]?[2]) == "{c: 1}")
    #expect(try slice(root["block"]) == "|\n  one\n  two")
    #expect(try slice(root["empty"]) == "")
    #expect(root["empty"]?.range.lowerBound == text.utf8.count)
  }

  @Test func `a byte order mark counts in ranges`() throws {
    let bytes = [0xEF, 0xBB, 0xBF] + Array("a: é".utf8)
    let value = try #require(try YAMLNode.parse(bytes)["a"])
    #expect(String(decoding: bytes[value.range], as: UTF8.self) == "é")
    #expect(value.position == YAMLPosition(line: 1, column: 4))
  }

  @Test(
    arguments: [
      ("", .null), ("~", .null), ("null", .null), ("NULL", .null), ("nULL", .string), ("true", .bool), ("False", .bool),
      ("yes", .string), ("no", .string), ("on", .string), ("12", .int), ("-12", .int), ("+12", .int), ("012", .int),
      ("0o17", .int), ("0xfF", .int), ("0b1", .string), ("1_000", .string), ("1.", .float), (".5", .float),
      ("-1.5e3", .float), ("1e3", .float), (".inf", .float), ("-.INF", .float), (".nan", .float), (".", .string),
      ("1.2.3", .string), ("e3", .string), ("12:30", .string), ("2024-01-01", .string), ("-", .sequence),
      ("'5'", .string),
      ("\"true\"", .string), ("!!str 5", .string), ("! 5", .string), ("!!int 5", .int), ("[]", .sequence),
      ("{}", .mapping),
    ] as [(String, YAMLNode.Kind)]) func `the core schema decides`(_ text: String, _ kind: YAMLNode.Kind) throws
  {
    #expect(try YAMLNode.parse(text).kind == kind)
  }

  @Test func `values are read by their kind`() throws {
    let node = try YAMLNode.parse(
      "{a: 0x1f, b: 0o17, c: -5, d: 1., e: .5, f: -.inf, g: True, h: 99999999999999999999, i: no}")
    #expect(node["a"]?.int == 31)
    #expect(node["b"]?.int == 15)
    #expect(node["c"]?.int == -5)
    #expect(node["c"]?.text == "-5")
    #expect(node["c"]?.string == nil)
    #expect(node["d"]?.double == 1)
    #expect(node["e"]?.double == 0.5)
    #expect(node["f"]?.double == -.infinity)
    #expect(node["g"]?.bool == true)
    #expect(node["h"]?.int == nil)
    #expect(node["i"]?.string == "no")
    #expect(node["j"] == nil)
  }

  @Test func `a text without a value is null`() throws {
    #expect(try YAMLNode.parse("").isNull)
    #expect(try YAMLNode.parse("# only a comment\n").isNull)
    #expect(try YAMLNode.parse("---\n").isNull)
  }

  @Test func `an alias stands for its anchor`() throws {
    let root = try YAMLNode.parse("base: &base {x: 1}\nother: *base\n")
    #expect(root["other"]?["x"]?.int == 1)
    #expect(root["other"]?.isAlias == true)
    #expect(root["other"]?.position == YAMLPosition(line: 2, column: 8))
    #expect(root["base"]?.range == 12..<18)
    #expect(root["other"]?.range == 26..<31)
  }
}
