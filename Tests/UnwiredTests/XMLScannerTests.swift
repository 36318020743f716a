import Testing

@testable import Unwired

@Suite struct XMLScannerTests {
  private func events(_ text: String) throws -> [XMLScanner.Event] {
    var scanner = XMLScanner(Array(text.utf8))
    var events: [XMLScanner.Event] = []
    while let event = try scanner.next() { events.append(event) }
    return events
  }

  @Test func `names lose their prefix, and texts their escapes`() throws {
    let text = #"<?xml version="1.0"?><!DOCTYPE x><a:b c:d='1 &amp; 2' e="&#x41;"><f/>x &lt; y<![CDATA[<z>]]></a:b>"#
    #expect(
      try events(text) == [
        .start("b", ["d": "1 & 2", "e": "A"], isEmpty: false), .start("f", [:], isEmpty: true), .text("x < y"),
        .text("<z>"), .end("b"),
      ])
  }

  @Test func `an entity of its own is never expanded`() throws {
    let text = #"<!DOCTYPE x [<!ENTITY e "boom">]><a>&e;</a>"#
    #expect(try events(text).contains(.text("&e;")))
  }

  @Test(arguments: ["<a>", "<a", "<a b>", "<a b=c>", "<a b='c>", "</a>", "<!-- x", "<a><![CDATA[x</a>", "< a>"])
  func `what is broken says so instead of running on`(_ text: String) {
    #expect(throws: XMLScanner.Failure.self) { try events(text) }
  }

  @Test func `nesting is bounded`() {
    #expect(throws: XMLScanner.Failure.self) { try events(String(repeating: "<a>", count: 600)) }
  }
}
