import JSON
import Model
import TestKit
import Testing

@testable import Alfresco

@Suite struct SearchTests {
  static let hit = #"""
    {"entry":{"isFile":true,"isFolder":false,"id":"c4b7","name":"Quay 7.pdf","path":{"name":"/Company Home/S"},
     "search":{"score":2.4187,"highlight":[
       {"field":"cm:name","snippets":["\u0002Quay\u0003 7.pdf"]},
       {"field":"cm:content","snippets":["the  \u0002quay\u0003\nwall & <b>"]}]}}}
    """#

  static let context = #"""
    ,"context":{"consistency":{"lastTxId":48213},
     "facetQueries":[{"label":"modified/week","count":3},{"label":"modified/day","count":0}],
     "facets":[{"type":"field","label":"type","buckets":[
       {"label":"application/pdf","metrics":[{"type":"count","value":{"count":"12"}}],"display":"Adobe PDF"},
       {"label":"none","metrics":[{"type":"count","value":{"count":"0"}}]}]}],
     "facetsFields":[{"label":"creator","buckets":[{"label":"omar","count":4,"display":"Omar Haddad"}]}],
     "spellCheck":{"type":"searchInsteadFor","suggestions":["quay facility"]}}
    """#

  private func desk(_ body: String, status: Int = 200) throws -> Desk {
    let desk = try Desk()
    desk.stub.on("POST", Desk.search, status: status, body: body)
    return desk
  }

  @Test func `hits carry score, folder and a plain snippet of the best place`() async throws {
    let desk = try desk(Sample.list([Self.hit], context: Self.context))
    let listing = try await desk.backend.search(SearchRequest("quai"))
    let row = try #require(listing.rows.first)
    #expect(listing.value("score", in: row) == .decimal("2.4187"))
    #expect(listing.value("snippet", in: row) == .text("the quay wall & <b>"))
    #expect(listing.value("path", in: row) == .text("/Company Home/S"))
    #expect(row.location.text == "docs:/nodes/c4b7")
    #expect(listing.matches == [row.location: [4..<8]])
  }

  @Test(arguments: [
    ("\u{2}Quay\u{3} 7", "Quay 7", [0..<4]), ("at \u{2} the quay \u{3}wall", "at the quay wall", [3..<11]),
    ("<em>two</em><em>three</em> ", "twothree", [0..<3, 3..<8]), ("\u{2}\u{3} none", "none", []),
    ("open \u{2}end", "open end", [5..<8]), ("end \u{3}only", "end only", []),
  ])
  func `marks are taken out of a snippet, and where they stood is known`(
    _ marked: String, _ text: String, _ matches: [Range<Int>]
  ) {
    let snippet = MarkedSnippet(marked)
    #expect(snippet.text == text)
    #expect(snippet.matches == matches)
  }

  @Test func `facets are read from either list, and empty buckets are left out`() async throws {
    let desk = try desk(Sample.list([Self.hit], context: Self.context))
    let listing = try await desk.backend.search(SearchRequest("quai"))
    #expect(
      listing.facets == [
        Facet(id: "type", title: "Type", buckets: [.init(value: "application/pdf", title: "Adobe PDF", count: 12)]),
        Facet(id: "creator", title: "Created by", buckets: [.init(value: "omar", title: "Omar Haddad", count: 4)]),
        Facet(id: "modified", title: "Modified", buckets: [.init(value: "week", title: "Last 7 days", count: 3)]),
      ])
    #expect(listing.suggestions == ["quay facility"])
    #expect(listing.notices == ["Nothing holds “quai”; these are the results for “quay facility”."])
  }

  @Test func `the request says AND, both paging members, and a type for each sort`() async throws {
    let desk = try desk(Sample.list([]))
    _ = try await desk.backend.search(
      SearchRequest(
        "quay 7", narrowed: [.init(facet: "type", value: #"a"b\"#), .init(facet: "size", value: "small")],
        query: ListQuery(limit: 25, cursor: "50", sort: Sort(column: "modified", isDescending: true))))
    let body = try JSONDocument(try #require(desk.stub.requests.first).body).root
    #expect(body["defaults"]["defaultFTSOperator"].string == "AND")
    #expect(body["paging"]["skipCount"].int == 50)
    #expect(body["paging"]["maxItems"].int == 25)
    #expect(body["query"]["userQuery"].string == "quay 7")
    #expect(body["sort"][0]["type"].string == "FIELD")
    #expect(body["sort"][0]["field"].string == "cm:modified")
    #expect(body["sort"][0]["ascending"].bool == false)
    let filters = body["filterQueries"].elements.compactMap { $0["query"].string }
    #expect(filters.contains(#"content.mimetype:"a\"b\\""#))
    #expect(filters.contains("content.size:[0 TO 102400]"))
  }

  @Test func `a CMIS query goes without what the server refuses beside it`() async throws {
    let desk = try desk(Sample.list([]))
    let listing = try await desk.backend.search(
      SearchRequest("select *", language: .cmis, query: ListQuery(sort: Sort(column: "name"))))
    let body = try JSONDocument(try #require(desk.stub.requests.first).body).root
    #expect(body["query"]["query"].string == "select *")
    for name in ["sort", "filterQueries", "facetFields", "templates", "spellcheck"] { #expect(!body[name].exists) }
    #expect(listing.sortedBy == nil)
  }

  @Test func `an engine that fails on an operator word gets a plainer query`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "POST", Desk.search, status: 500, body: Sample.error(500, "framework.exception.ApiDefault", "10300001 x"))
    desk.stub.on("POST", Desk.search, body: Sample.list([Self.hit]))
    let listing = try await desk.backend.search(SearchRequest("not now"))
    #expect(listing.rows.count == 1)
    #expect(desk.stub.requests.map { $0.bodyText.contains(#"\"not*\""#) } == [true, false])
  }

  @Test(arguments: [400, 500, 501]) func `a query that cannot be run is the query's fault`(_ status: Int) async throws {
    let desk = try desk(
      Sample.error(status, "framework.exception.ApiDefault", "10300001 Solr request failed"), status: status)
    let error = await #expect(throws: ServiceError.self) {
      try await desk.backend.search(SearchRequest("x(", language: .afts))
    }
    #expect(error?.code == .failed)
    #expect(error?.detail?.contains("Solr request failed") == true)
    #expect(desk.stub.requests.count == 1)
  }

  @Test func `nothing is sent for words without a letter or digit`() async throws {
    let desk = try Desk()
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.search(SearchRequest("?!")) }
    #expect(error?.code == .usage)
    #expect(desk.stub.requests.isEmpty)
  }

  @Test func `totals beyond the window are a lower bound, and the window ends the pages`() async throws {
    let desk = try desk(Sample.list([Self.hit], more: true, skip: 9900, total: 12000))
    let listing = try await desk.backend.search(SearchRequest("x", query: ListQuery(limit: 100, cursor: "9900")))
    #expect(listing.total == .atLeast(12000))
    #expect(listing.next == nil)
    #expect(listing.notices.count == 1)
  }

  @Test func `a search is a place that leads to itself`() async throws {
    let desk = try desk(Sample.list([Self.hit]))
    let request = SearchRequest("a&b=c? #1", language: .lucene, narrowed: [.init(facet: "site", value: "x y")])
    let listing = try await desk.backend.search(request)
    _ = try await desk.backend.list(try Location(parsing: listing.location.text), ListQuery())
    #expect(desk.stub.requests.map(\.bodyText).allSatisfy { $0 == desk.stub.requests.first?.bodyText })
  }
}
