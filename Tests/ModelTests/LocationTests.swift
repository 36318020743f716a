import Model
import Testing

@Suite struct LocationTests {
  @Test(arguments: [
    ("bank:/banks/rbs/accounts", ["banks", "rbs", "accounts"]),
    ("bank", []), ("bank:", []), ("bank:/", []), ("bank:banks", ["banks"]),
    ("docs:/files/100%25%20%2F%3F%23/%40me", ["files", "100% /?#", "@me"]),
    ("docs:/files/naïve 企業/a@b", ["files", "naïve 企業", "a@b"]),
  ]) func `a location is read into its names`(_ text: String, _ path: [String]) throws {
    #expect(try Location(parsing: text).path == path)
  }

  @Test(arguments: [
    "plain", "with space", "100%", "a/b", "what?", "#1", "@me", "a@b", "tab\there", "e\u{301}", "..", "%2F", "\u{9B}x",
  ]) func `every name comes back from its own text`(_ name: String) throws {
    let made = Location(connection: "docs", path: ["files", name])
    let read = try Location(parsing: made.text)
    #expect(read == made)
    #expect(read.path == ["files", name])
  }

  @Test func `a facet is not a name that begins with an at sign`() throws {
    let node = Location(connection: "docs", path: ["files", "@versions"])
    #expect(node.text == "docs:/files/%40versions")
    let versions = Location(connection: "docs", path: ["files"]).facet("versions")
    #expect(versions.text == "docs:/files/@versions")
    #expect(try Location(parsing: versions.text) == versions)
    #expect(versions != node)
  }

  @Test func `a query survives the round trip`() throws {
    let made = Location(connection: "docs", path: ["search"], query: [("q", "a&b=c+d? 100%"), ("p", "")])
    let read = try Location(parsing: made.text)
    #expect(read.queryValue("q") == "a&b=c+d? 100%")
    #expect(read.queryValue("p") == "")
    #expect(read == made)
  }

  @Test(arguments: ["", ":/x", "a b:/x", "http://host/x y:/z%", "docs:/a%2", "docs:/a%zz", "docs:/%FF"])
  func `what is not a location says so`(_ text: String) {
    #expect(throws: LocationError.self) { try Location(parsing: text) }
  }

  @Test func `the parent of a place is one level up`() throws {
    let place = try Location(parsing: "bank:/banks/rbs?x=1")
    #expect(place.parent?.text == "bank:/banks")
    #expect(place.parent?.parent?.text == "bank:/")
    #expect(place.parent?.parent?.parent == nil)
  }
}
