import JSON
import Testing

@testable import Unwired

@Suite struct AtomDocumentTests {
  private static let feed = #"""
    <?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="m" xmlns:d="d" xmlns:at="http://purl.org/atompub/tombstones/1.0">
    <id>http://inside/SUP101/Customers</id><title type="text">Customers</title>
    <entry m:etag="W/&quot;2&quot;"><id>http://inside/SUP101/Customers(901)</id><title>x</title>
     <link rel="edit" href="Customers(901)"/>
     <link rel="http://schemas.microsoft.com/ado/2007/08/dataservices/related/SalesOrders" href="Customers(901)/SalesOrders"/>
     <content type="application/xml"><m:properties><d:id m:type="Edm.Int32">901</d:id>
      <d:fname>Ada &amp; &lt;co&gt;</d:fname><d:empty/><d:none m:null="true"/><d:yes m:type="Edm.Boolean">true</d:yes>
      <d:at m:type="Edm.DateTime">2026-11-30T12:00:00</d:at><d:sum m:type="Edm.Decimal">12.50</d:sum>
     </m:properties></content></entry>
    <at:deleted-entry ref="http://inside/SUP101/Customers(902)" when="2026-11-30T10:00:00Z"/>
    <link rel="next" href="http://inside/SUP101/Customers?$skiptoken=1"/>
    <link rel="delta" href="http://inside/SUP101/Customers?!deltatoken='7'"/></feed>
    """#

  @Test func `a feed gives rows, tombstones and links`() throws {
    let feed = try AtomDocument(Array(Self.feed.utf8))
    let entity = try #require(feed.entries.first)
    #expect(
      entity.properties
        == [
          ("id", .integer(901)), ("fname", "Ada & <co>"), ("empty", ""), ("none", .null), ("yes", true),
          ("at", "/Date(1796040000000)/"), ("sum", "12.50"),
        ].map { JSONNode.Member(key: $0.0, value: $0.1) })
    #expect(entity.tag == "W/\"2\"" && entity.address == "http://inside/SUP101/Customers(901)")
    #expect(entity.relations.map(\.name) == ["SalesOrders"])
    #expect(feed.deleted == ["http://inside/SUP101/Customers(902)"])
    #expect(feed.next?.hasSuffix("$skiptoken=1") == true && feed.delta?.contains("!deltatoken") == true)
  }

  @Test func `what is no feed has nothing in it, and broken XML says so`() throws {
    #expect(try AtomDocument(Array("<a><b/></a>".utf8)).entries.isEmpty)
    #expect(throws: XMLScanner.Failure.self) { try AtomDocument(Array("<feed><entry></feed>".utf8)) }
  }
}
