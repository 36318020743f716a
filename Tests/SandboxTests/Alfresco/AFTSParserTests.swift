import Testing

@testable import Sandbox

@Suite struct AFTSParserTests {
  private func word(_ text: String, _ field: String? = nil) -> AFTSQuery {
    .term(AFTSTerm(field: field, text: text, isPhrase: false))
  }

  @Test func `words side by side are joined by the default operator`() throws {
    #expect(try AFTSParser.parse("a b") == .any([word("a"), word("b")]))
    #expect(try AFTSParser.parse("a b", isAndDefault: true) == .all([word("a"), word("b")]))
  }

  @Test func `NOT binds before AND, and AND before OR, in any case`() throws {
    let wanted = AFTSQuery.any([word("a"), .all([word("b"), .not(word("c"))])])
    for text in ["a OR b AND NOT c", "a or b and not c", "a || b && !c", "a OR (b AND -c)"] {
      #expect(try AFTSParser.parse(text) == wanted, "\(text)")
    }
  }

  @Test func `a word that only begins like an operator is a word`() throws {
    #expect(try AFTSParser.parse("order AND notes") == .all([word("order"), word("notes")]))
  }

  @Test(arguments: [
    ("cm:name:x", "cm:name"), ("@cm\\:name:x", "cm:name"), ("name:x", "name"), ("TEXT:x", "TEXT"),
    ("{http://www.alfresco.org/model/content/1.0}name:x", "cm:name"), ("%(cm:name cm:title):x", "%(cm:name cm:title)"),
  ])
  func `fields are written in several ways`(_ text: String, _ field: String) throws {
    #expect(try AFTSParser.parse(text) == word("x", field))
  }

  @Test func `phrases, exact values, groups and boosts`() throws {
    #expect(try AFTSParser.parse("\"a b\"~3") == .term(AFTSTerm(field: nil, text: "a b", isPhrase: true, slop: 3)))
    #expect(
      try AFTSParser.parse("=cm:name:\"a\"")
        == .term(AFTSTerm(field: "cm:name", text: "a", isPhrase: true, isExact: true)))
    #expect(try AFTSParser.parse("cm:name:(a AND b)") == .all([word("a", "cm:name"), word("b", "cm:name")]))
    #expect(try AFTSParser.parse("(a)^4") == .boosted(word("a"), 4))
    #expect(try AFTSParser.parse("*") == .everything)
  }

  @Test func `a minus beside words decides for all of them`() throws {
    #expect(try AFTSParser.parse("a -b") == .all([word("a"), .not(word("b"))]))
  }

  @Test(arguments: [
    ("cm:created:[a TO b]", true, true), ("cm:created:<a TO b>", false, false), ("cm:created:[a to b>", true, false),
    ("cm:created:a..b", true, true),
  ])
  func `ranges`(_ text: String, _ lower: Bool, _ upper: Bool) throws {
    let range = AFTSRange(field: "cm:created", lower: "a", upper: "b", includesLower: lower, includesUpper: upper)
    #expect(try AFTSParser.parse(text) == .range(range))
  }

  @Test(arguments: [
    "", "(", "a AND", "AND a", "\"open", "a)", "[a TO b", "cm:name:", "a ^", "a:b:c:d(", "~", "a/b", "a {b}", "NOT",
    "%(a",
    "x:[1 2]", "!", "+", "C++", "50% off", "a<b", "a & b",
  ])
  func `what the server cannot read is an error`(_ text: String) {
    #expect(throws: AFTSSyntaxError.self) { try AFTSParser.parse(text) }
  }

  @Test func `deep nesting is refused instead of exhausting the stack`() {
    let text = String(repeating: "(", count: 5_000) + "a" + String(repeating: ")", count: 5_000)
    #expect(throws: AFTSSyntaxError.self) { try AFTSParser.parse(text) }
  }

  @Test func `every special character is a word part or nothing inside quotes`() throws {
    for character in "\\+-!():^[]\"{}~*?|&/=<>@%'#,.;" {
      let escaped = character == "\\" || character == "\"" ? "\\\(character)" : "\(character)"
      #expect(throws: Never.self, "\(character)") { try AFTSParser.parse("keywords:(\"a\(escaped)b*\" AND \"x\")") }
    }
  }

  @Test func `wildcards and accents`() {
    #expect(Wildcard("qu?y*").matches("quay wall"))
    #expect(!Wildcard("qu?y").matches("query"))
    #expect(Wildcard("*").matches(""))
    #expect(
      SearchText.words("Ünder GROẞE café cafe\u{301} 企業口座 ملف") == [
        "under", "grosse", "cafe", "cafe", "企", "業", "口", "座", "ملف",
      ])
  }

  @Test(arguments: [
    ("/app:company_home/st:sites/cm:a//*", ["app:company_home", "st:sites", "cm:a", "cm:b", "cm:c"], true),
    ("/app:company_home/st:sites/cm:a//*", ["app:company_home", "st:sites", "cm:a"], false),
    ("/app:company_home/*", ["app:company_home", "cm:x"], true),
    ("/app:company_home/*", ["app:company_home", "cm:x", "cm:y"], false),
    ("/app:company_home/cm:a//.", ["app:company_home", "cm:a"], true),
  ])
  func `paths with wildcards`(_ pattern: String, _ path: [String], _ fits: Bool) {
    #expect(PathPattern(pattern).matches(path) == fits)
  }

  @Test func `path names are encoded`() {
    #expect(ISO9075.encode("7 Term-sheets") == "_x0037__x0020_Term-sheets")
  }

  @Test func `dates in queries`() throws {
    let now = SandboxTime(year: 2026, month: 11, day: 30, hour: 15)
    #expect(SearchDates.moment("NOW/DAY-7DAYS", now: now)?.start == SandboxTime(year: 2026, month: 11, day: 23))
    #expect(SearchDates.moment("NOW/MONTH-1MONTH", now: now)?.start == SandboxTime(year: 2026, month: 10, day: 1))
    #expect(SearchDates.moment("2026-11-27", now: now)?.length == 86_400_000)
    #expect(SearchDates.moment("yesterday", now: now) == nil)
  }
}
