import Model
import Testing

@testable import Alfresco

@Suite struct PlaceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let location: String
    let place: Place
    init(_ location: String, _ place: Place) {
      self.location = location
      self.place = place
    }
    var testDescription: String { location }
  }

  @Test(arguments: [
    Case("docs:/", .root), Case("docs:/files", .node(.path([]))),
    Case("docs:/files/Sites/a%2Fb", .node(.path(["Sites", "a/b"]))),
    Case("docs:/nodes/-my-", .node(.id("-my-"))), Case("docs:/nodes/c4b7;1.0", .node(.id("c4b7"))),
    Case("docs:/sites", .sites(.all)), Case("docs:/sites/s", .site("s")),
    Case("docs:/sites/s/files", .node(.site("s", []))),
    Case("docs:/sites/s/files/a/b.txt", .node(.site("s", ["a", "b.txt"]))),
    Case("docs:/files/a.txt/@versions", .facet(.path(["a.txt"]), .versions)),
    Case("docs:/files/%40versions", .node(.path(["@versions"]))),
    Case("docs:/nodes/x/@versions/1.2", .facetEntry(.id("x"), .versions, "1.2")),
    Case("docs:/nodes/x/@renditions/pdf", .facetEntry(.id("x"), .renditions, "pdf")),
    Case("docs:/trash/x", .deleted("x")), Case("docs:/people/-me-", .person("-me-")),
    Case("docs:/search?q=a%20b", .search("a b")),
  ]) func `a location names a place`(_ c: Case) throws {
    #expect(try Place(Location(parsing: c.location)) == c.place)
  }

  @Test(arguments: ["docs:/nope", "docs:/nodes", "docs:/sites/s/other", "docs:/files/a/@nope", "docs:/nodes/x/child"])
  func `what cannot exist is not found`(_ text: String) throws {
    let location = try Location(parsing: text)
    #expect(throws: ServiceError.self) { try Place(location) }
  }
}
