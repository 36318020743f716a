import Testing

@testable import Alfresco

@Suite struct TypedWordsTests {
  struct Case: CustomTestStringConvertible {
    let typed: String
    let query: String
    init(_ typed: String, _ query: String) {
      self.typed = typed
      self.query = query
    }
    var testDescription: String { typed }
  }

  @Test(arguments: [
    Case("quay 7", #"keywords:("quay*" AND "7*")"#),
    Case("  quay\t7\n", #"keywords:("quay*" AND "7*")"#),
    Case(#"not "term sheet""#, #"keywords:("not*" AND "term sheet")"#),
    Case("a:b (x)", #"keywords:("a:b*" AND "(x)*")"#),
    Case(#"50% \o/"#, #"keywords:("50%*" AND "\\o/*")"#),
    Case(
      "=exact ~fuzzy -minus +plus !not",
      #"keywords:("=exact*" AND "~fuzzy*" AND "-minus*" AND "+plus*" AND "!not*")"#),
    Case(
      "a&&b a||b a^2 [1 TO 2] {x}",
      #"keywords:("a&&b*" AND "a||b*" AND "a^2*" AND "[1*" AND "TO*" AND "2]*" AND "{x}*")"#),
    Case("<a> @cm:name #1 1,5 a.b", ##"keywords:("<a>*" AND "@cm:name*" AND "#1*" AND "1,5*" AND "a.b*")"##),
    Case("qu?y rep*", #"keywords:("qu?y*" AND "rep*")"#),
    Case(#"an "open phrase"#, #"keywords:("an*" AND "open phrase")"#),
    Case(#""quoted"word"#, #"keywords:("quoted" AND "word*")"#),
    Case("企業 Müller", #"keywords:("企業*" AND "Müller*")"#),
    Case("nul\u{0}byte", #"keywords:("nul byte*")"#),
    Case("& - *** hit", #"keywords:("hit*")"#),
  ]) func `typed words become quoted pieces`(_ c: Case) {
    #expect(TypedWords(c.typed).afts() == c.query)
  }

  @Test(arguments: ["", "   ", "***", "- + ! ( ) : ^ [ ] { } ~ ? | & /", #""""#])
  func `without a letter or a digit there is nothing to look for`(_ typed: String) {
    #expect(TypedWords(typed).isEmpty)
  }

  @Test func `operator words lose their wildcard in the plain query`() {
    let words = TypedWords("rock AND roll")
    #expect(words.holdsReservedWord)
    #expect(words.afts(plain: true) == #"keywords:("rock*" AND "AND" AND "roll*")"#)
  }

  @Test func `a quoted operator word is no operator`() {
    #expect(!TypedWords(#""and""#).holdsReservedWord)
  }

  /// Whatever is typed, quotes outside escapes come in pairs and nothing stands between the pieces but AND.
  @Test(arguments: Array(0x20...0x7E) as [UInt8])
  func `no single character breaks out of its piece`(_ byte: UInt8) {
    let character = String(Character(Unicode.Scalar(byte)))
    for typed in ["a\(character)", "\(character)a", "a\(character)b \(character) c"] {
      let query = TypedWords(typed).afts()
      var isEscaped = false
      var isInside = false
      var outside = ""
      for character in query {
        if isEscaped {
          isEscaped = false
          continue
        }
        isEscaped = character == "\\"
        if character == "\"" { isInside.toggle() } else if !isInside { outside.append(character) }
      }
      #expect(!isInside && !isEscaped)
      #expect(outside.split(separator: " AND ").joined().allSatisfy { "keywords:( )".contains($0) }, "\(query)")
    }
  }
}
