import JSON
import Testing

@Suite struct JSONValueTests {
  let page = """
    {"accounts": [
      {"id": "a1", "label": "Everyday account", "balance": {"currency": "EUR", "amount": "1204.50"}, "open": true},
      {"id": "a2", "label": "企業口座 \\ud83c\\udfe6", "balance": {"currency": "JPY", "amount": 92100}, "open": false,
       "limit": null, "odd name": [1, [2, {"x": 3}]]}
    ], "total": 2}
    """

  @Test func `values are found by name and index`() throws {
    let root = try JSONDocument(page).root
    #expect(root.kind == .object)
    #expect(root.count == 2)
    #expect(root["total"].int == 2)
    #expect(root["accounts"].count == 2)
    #expect(root["accounts"][0]["label"].string == "Everyday account")
    #expect(root["accounts"][0]["open"].bool == true)
    #expect(root["accounts"][1]["label"].string == "企業口座 🏦")
    #expect(root["accounts"][1]["odd name"][1][1]["x"].double == 3)
    #expect(root["accounts"][1]["limit"].isNull)
    #expect(root["accounts"][1]["limit"].exists)
  }

  @Test func `what is missing is absent all the way down`() throws {
    let root = try JSONDocument(page).root
    let missing = root["accounts"][7]["balance"]["amount"]
    #expect(missing.kind == .absent)
    #expect(!missing.exists)
    #expect(!missing.isNull)
    #expect(missing.string == nil && missing.int == nil && missing.bool == nil && missing.text == nil)
    #expect(missing.count == 0 && missing.elements.isEmpty && missing.members.isEmpty)
    #expect(missing.path == "$.accounts[7].balance.amount")
    #expect(root["total"]["x"].kind == .absent)
    #expect(root["total"][0].kind == .absent)
    #expect(root["accounts"][-1].kind == .absent)
    #expect(JSONValue.absent["a"][1].path == "$.a[1]")
  }

  @Test func `elements and members come in order`() throws {
    let root = try JSONDocument(page).root
    #expect(root["accounts"].elements.map { $0["id"].string } == ["a1", "a2"])
    #expect(root["accounts"][0].members.map(\.key) == ["id", "label", "balance", "open"])
    #expect(root["accounts"].members.isEmpty)
    #expect(root.elements.isEmpty)
  }

  @Test func `of a repeated name the last counts`() throws {
    let root = try JSONDocument(#"{"a": 1, "b": 2, "a": 3, "\u0061": 4, "b": 5}"#).root
    #expect(root["a"].int == 4)
    #expect(root["b"].int == 5)
    #expect(root.members.map(\.key) == ["a", "b", "a", "a", "b"])
    #expect(try JSONDocument(#"{"a": 1, "b": 2, "a": 3}"#).root["a"].int == 3)
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("5.0", 5), ("5e2", 500), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
    ("9223372036854775808", nil), ("1.5", nil), ("1e400", nil), (#""5""#, nil), ("1e15", 1_000_000_000_000_000),
  ]) func `int is exact or nil`(_ text: String, _ int: Int?) throws {
    #expect(try JSONDocument(text).root.int == int)
  }

  @Test(arguments: [
    "12.50", "0.1", "1e400", "-0", "123456789012345678901234567890", "0.10000000000000000000000000001", "1E+2",
  ]) func `numbers keep their digits`(_ text: String) throws {
    let root = try JSONDocument("[\(text)]").root
    #expect(root[0].numberText == text)
    #expect(root[0].text == text)
    #expect(try JSONDocument("[\"\(text)\"]").root[0].numberText == text)
    #expect(String(decoding: root.encoded(), as: UTF8.self) == "[\(text)]")
    #expect(String(decoding: root.node().encoded(), as: UTF8.self) == "[\(text)]")
  }

  @Test(arguments: [
    ("+5", true), ("007", true), ("-007.50", true), ("", false), ("-", false), ("5.", false), (".5", false),
    ("5 ", false), (" 5", false), ("--5", false), ("+-5", false), ("0x5", false), ("5e", false), ("NaN", false),
  ]) func `a string is a number only as a whole`(_ text: String, _ isNumber: Bool) throws {
    #expect(try JSONDocument("[\"\(text)\"]").root[0].numberText == (isNumber ? text : nil))
  }

  @Test func `paths name where a value stands`() throws {
    let root = try JSONDocument(page).root
    #expect(root.path == "$")
    #expect(root["accounts"][1]["balance"]["amount"].path == "$.accounts[1].balance.amount")
    #expect(root["accounts"][1]["odd name"][1][1]["x"].path == #"$.accounts[1]["odd name"][1][1].x"#)
  }

  @Test func `a required member is named by its path`() throws {
    let account = try JSONDocument(page).root["accounts"][1]
    #expect(try account.requiredString("id") == "a2")
    #expect(try account.required("balance").requiredInt("amount") == 92100)
    let missing = #expect(throws: JSONError.self) { try account.required("owner") }
    #expect(missing?.code == .missing)
    #expect(missing?.message == "$.accounts[1].owner is missing")
    #expect(#expect(throws: JSONError.self) { try account.required("limit") }?.message == "$.accounts[1].limit is null")
    let mistyped = #expect(throws: JSONError.self) { try account.requiredElements("label") }
    #expect(mistyped?.message == "$.accounts[1].label is a string, not an array")
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t\u0041""#, "\"\\/\u{8}\u{C}\n\r\tA"), (#""\ud800""#, "\u{FFFD}"), (#""\udc00x""#, "\u{FFFD}x"),
    (#""\ud800\ud83c\udfe6""#, "\u{FFFD}🏦"), (#""\ud83c\n""#, "\u{FFFD}\n"), (#""\u0000""#, "\0"), (#""""#, ""),
    (#""a\u00e9""#, "aé"),
  ]) func `escapes are resolved`(_ text: String, _ string: String) throws {
    let found = try JSONDocument("[ \(text) ]").root[0].string
    #expect(found.map { Array($0.unicodeScalars) } == Array(string.unicodeScalars))
  }

  @Test func `a document may be read by several tasks`() async throws {
    let document = try JSONDocument(page)
    await withTaskGroup(of: String?.self) { group in
      for index in 0..<64 { group.addTask { document.root["accounts"][index % 2]["label"].string } }
      for await label in group { #expect(label != nil) }
    }
  }
}
