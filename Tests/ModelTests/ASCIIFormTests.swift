import Testing

@testable import Model

@Suite struct ASCIIFormTests {
  @Test(arguments: [
    ("a", "a"), ("é", "e"), ("Ü", "U"), ("─", "-"), ("│", "|"), ("┌", "+"), ("…", "."), ("企", "?"), ("ø", "o"),
  ])
  func `every character has one ASCII column`(_ text: String, _ form: Character) {
    #expect(ASCIIForm.of(text) == form)
  }

  @Test(arguments: [
    ("plain", "plain"), ("Zürich → café\n", "Zurich > cafe\n"), ("企业 x", "? ?  x"), ("1–3", "1-3"),
  ])
  func `a text keeps its columns and its lines`(_ text: String, _ form: String) {
    #expect(ASCIIForm.text(text) == form)
    #expect(TextWidth.columns(of: ASCIIForm.text(text)) == TextWidth.columns(of: text))
  }
}

@Suite struct PrintedTextTests {
  @Test(arguments: [
    ("a\u{1B}[31mb", "a\\u001b[31mb"), ("a\u{9B}b", "a\\u009bb"), ("a\u{202E}b", "a\\u202eb"), ("a\nb", "a\\u000ab"),
    ("\u{2066}", "\\u2066"), ("Zoë", "Zoë"),
  ])
  func `what a terminal acts on can be told apart in what commands print`(_ text: String, _ printed: String) {
    #expect(Visible.printed(text) == printed)
  }

  @Test func `lines stay lines`() {
    #expect(Visible.printedLines("a\u{202E}\n\tb") == ["a\\u202e", "        b"])
  }
}

@Suite struct AdviceTests {
  @Test(arguments: ServiceError.Code.allCases)
  func `a command does not speak of the browser's keys`(_ code: ServiceError.Code) {
    let error = ServiceError(code, "load the banks")
    for text in [error.line, error.message(at: .command)] {
      for key in ["(a)", "(x)"] { #expect(!text.contains(key)) }
    }
    #expect(error.advice(at: .command).hasSuffix("."))
  }

  @Test func `an error keeps what the server said first`() {
    let refusal = ServiceError(.signInNeeded, "load", status: 401, serverCode: "OBP-20001")
    let outcome = ServiceError(.signInNeeded, "sign in", detail: "nobody is there").following(refusal)
    #expect(outcome.status == 401 && outcome.serverCode == "OBP-20001" && outcome.operation == "sign in")
    let own = ServiceError(.signInRefused, "sign in", status: 400, serverCode: "OBP-20004").following(refusal)
    #expect(own.status == 400 && own.serverCode == "OBP-20004")
  }
}
