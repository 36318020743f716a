import JSON
import Model
import TestKit
import Testing
import Wire

@testable import Unwired

@Suite struct LiveDataTests {
  @Test(arguments: [
    #"{"d":{"EntitySets":["Customers","Orders"]}}"#,
    #"{"value":[{"name":"Customers","kind":"EntitySet","url":"Customers"},{"name":"Orders","url":"Orders"},{"name":"F","kind":"FunctionImport"}]}"#,
  ]) func `both versions name their sets, and configuration narrows them`(_ body: String) async throws {
    let field = try Field(sets: ["Customers", "Gone"])
    field.stub.on("GET", "\(Field.root)/", body: body)
    let listing = try await field.backend.list(field.at("/live"), ListQuery())
    #expect(listing.rows.map(\.location.text) == ["field:/live/Customers"])
    #expect(listing.notices == ["The service has no Gone."])
  }

  @Test func `rows have typed columns and keys, and pages go on where they ended`() async throws {
    let field = try Field().describes()
    field.stub.on(
      "GET", "\(Field.root)/Customers",
      body: Sample.page([Sample.customer(1, "Ada"), Sample.customer(2, "Bob")], count: 3))
    field.stub.on("GET", "\(Field.root)/Customers", body: Sample.page([Sample.customer(3, "Cy")], count: 3))
    let first = try await field.backend.list(field.at("/live/Customers"), ListQuery(limit: 2))
    #expect(first.columns.map(\.id) == ["id", "fname", "since", "note"])
    #expect(first.columns.map(\.kind) == [.integer, .text, .time, .text])
    #expect(first.rows.map(\.location.text) == ["field:/live/Customers/1", "field:/live/Customers/2"])
    #expect(first.value("since", in: first.rows[0]).exactText == "2026-11-30T12:00:00Z")
    #expect(first.value("note", in: first.rows[0]) == .null)
    #expect(first.total == .exact(3))
    let second = try await field.backend.list(field.at("/live/Customers"), ListQuery(limit: 2, cursor: first.next))
    #expect(second.rows.count == 1)
    #expect(second.next == nil)
    #expect(
      field.lines.suffix(2) == [
        "GET /SUP101/Customers?$format=json&$top=2&$inlinecount=allpages",
        "GET /SUP101/Customers?$format=json&$top=2&$skip=2&$inlinecount=allpages",
      ])
  }

  /// A relay rewrites nothing, so links name a host inside, which must never be asked.
  @Test func `of a link only the part behind the service is used`() async throws {
    let field = try Field().describes()
    field.stub.on(
      "GET", "\(Field.root)/Customers",
      body: Sample.page([Sample.customer(1, "Ada")], next: "http://inside:8080/x/SUP101/Customers?$skiptoken=1"))
    field.stub.on("GET", "\(Field.root)/Customers?$skiptoken=1", body: Sample.page([Sample.customer(2, "Bob")]))
    let first = try await field.backend.list(field.at("/live/Customers"), ListQuery(limit: 5))
    let second = try await field.backend.list(field.at("/live/Customers"), ListQuery(limit: 5, cursor: first.next))
    #expect(second.rows.map(\.location.text) == ["field:/live/Customers/2"])
    #expect(field.stub.requests.allSatisfy { $0.request.url.host() == "127.0.0.1" })
  }

  @Test func `a link that leads elsewhere is no page`() async throws {
    let field = try Field().describes()
    field.stub.on(
      "GET", "\(Field.root)/Customers",
      body: Sample.page([Sample.customer(1, "Ada")], count: 1, next: "http://evil/else?x"))
    #expect(try await field.backend.list(field.at("/live/Customers"), ListQuery()).next == nil)
  }

  @Test func `the service sorts and filters texts in any case`() async throws {
    let field = try Field().describes()
    field.stub.on("GET", "\(Field.root)/Customers", body: Sample.page([], count: 0))
    let query = ListQuery(
      sort: Sort(column: "fname", isDescending: true),
      filters: [.init(column: "fname", text: "O'B"), .init(column: "id", text: "1")])
    let listing = try await field.backend.list(field.at("/live/Customers"), query)
    #expect(listing.filteredBy == ["fname"])
    #expect(listing.sortedBy == query.sort)
    let line = try #require(field.lines.last)
    #expect(line.contains("$orderby=fname%20desc"))
    #expect(line.contains("$filter=substringof%28%27o%27%27b%27%2Ctolower%28fname%29%29%20eq%20true"))
  }

  @Test func `version 4 has other words for the same`() async throws {
    let metadata = Sample.metadata.replacing(#"Edmx Version="1.0""#, with: #"Edmx Version="4.0""#)
    let field = try Field().describes(metadata)
    field.stub.on(
      "GET", "\(Field.root)/Customers",
      body:
        #"{"@odata.count":9,"value":[{"@odata.etag":"W/\"4\"","id":7,"fname":"Ada","since":"2026-11-30T12:00:00Z"}],"@odata.nextLink":"Customers?$skiptoken=7"}"#
    )
    let query = ListQuery(filters: [.init(column: "fname", text: "A")])
    let listing = try await field.backend.list(field.at("/live/Customers"), query)
    #expect(field.lines.last?.contains("$filter=contains%28tolower%28fname%29%2C%27a%27%29&$count=true") == true)
    #expect(listing.total == .exact(9))
    #expect(listing.next == "1:Customers?$skiptoken=7")
    #expect(listing.rows[0].location.text == "field:/live/Customers/7")
    #expect(listing.value("since", in: listing.rows[0]).exactText == "2026-11-30T12:00:00Z")
  }

  @Test func `without a description rows show what they hold`() async throws {
    let field = try Field()
    field.stub.on("GET", "\(Field.root)/$metadata", status: 404)
    field.stub.on("GET", "\(Field.root)/Customers", body: Sample.page([Sample.customer(1, "Ada")]))
    field.stub.on("GET", "\(Field.root)/Customers(1)", body: #"{"d":\#(Sample.customer(1, "Ada"))}"#)
    let listing = try await field.backend.list(field.at("/live/Customers"), ListQuery())
    #expect(listing.columns.map(\.id) == ["id", "fname", "since", "note"])
    #expect(listing.rows[0].location.text == "field:/live/Customers/1")
    let item = try await field.backend.item(listing.rows[0].location)
    #expect(item.actions.first { $0.id == "edit" }?.disabled != nil)
  }

  struct Key: Sendable, CustomTestStringConvertible {
    let set: String
    let key: String
    let predicate: String
    init(_ set: String, _ key: String, _ predicate: String) {
      self.set = set
      self.key = key
      self.predicate = predicate
    }
    var testDescription: String { "\(set)/\(key)" }
  }

  @Test(arguments: [
    Key("Customers", "901", "(901)"), Key("Items", "id=2001,line_id=1", "(id=2001,line_id=1)"),
    Key("Codes", "a'b", "(%27a%27%27b%27)"), Key("Codes", "x=1,y", "(%27x%3D1%2Cy%27)"),
    Key("Codes", "12", "(%2712%27)"),
    Key("Unknown", "12", "(12)"), Key("Unknown", "ab", "(%27ab%27)"), Key("Unknown", "a=1,b=x", "(a=1,b=%27x%27)"),
  ]) func `a key of a location becomes the service's`(_ c: Key) throws {
    let metadata = try ODataMetadata(edmx: Array(Sample.metadata.utf8))
    let type = metadata.type(ofSet: c.set)
    #expect(EntityKey(text: c.key, names: type?.keys ?? []).predicate(type, .v2) == c.predicate)
  }

  @Test(arguments: [
    ("http://h/s/Customers(901)", "901"), ("Codes('a''b%2Fc')", "a'b/c"),
    ("Items(id=2001,line_id=1)", "id=2001,line_id=1"),
    ("X(guid'0f')", "0f"), ("X(12L)", "12"), ("X(a='p,q',b='r=s')", "a=p%2Cq,b=r%3Ds"),
  ]) func `a key is read from the service's address`(_ address: String, _ text: String) {
    #expect(EntityKey(address: address)?.text == text)
  }

  @Test func `a row shows its properties, tag and relations`() async throws {
    let field = try Field().describes()
    field.stub.on("GET", "\(Field.root)/Customers(1)", body: #"{"d":\#(Sample.customer(1, "Ada", tag: "5"))}"#)
    field.stub.on(
      "GET", "\(Field.root)/Customers(1)/orders",
      body: Sample.page([#"{"__metadata":{"uri":"http://inside/SUP101/Orders(5)"},"id":5}"#]))
    let item = try await field.backend.item(field.at("/live/Customers/1"))
    #expect(item.fields.map(\.id) == ["id", "fname", "since", "note", "etag"])
    #expect(item.fields.last?.value == .text("W/\"5\""))
    let link = try #require(item.related.first)
    let orders = try await field.backend.list(link.location, ListQuery())
    #expect(orders.rows.map(\.location.text) == ["field:/live/Orders/5"])
  }

  @Test func `a change goes with token, cookies, and the tag of what was read`() async throws {
    let field = try Field().describes()
    field.stub.on("GET", "\(Field.root)/", headers: ["X-CSRF-Token": "kX3", "Set-Cookie": "SAP_SESSIONID=z; path=/"])
    field.stub.on("GET", "\(Field.root)/Customers(1)", body: #"{"d":\#(Sample.customer(1, "Ada", tag: "5"))}"#)
    field.stub.on("MERGE", "\(Field.root)/Customers(1)", status: 204)
    _ = try await field.backend.perform(
      "edit", at: field.at("/live/Customers/1"), fields: ["fname": "Eve", "note": ""])
    let request = try #require(field.stub.requests.last)
    #expect(request.request.headers["X-CSRF-Token"] == "kX3")
    #expect(request.request.headers["Cookie"] == "SAP_SESSIONID=z")
    #expect(request.request.headers["If-Match"] == "W/\"5\"")
    #expect(request.bodyText == #"{"fname":"Eve","note":null}"#)
  }

  @Test func `a token that is required anew is fetched once`() async throws {
    let field = try Field().describes()
    field.stub.on("GET", "\(Field.root)/", headers: ["X-CSRF-Token": "old"])
    field.stub.on("GET", "\(Field.root)/", headers: ["X-CSRF-Token": "new"])
    field.stub.on("GET", "\(Field.root)/Customers(1)", body: #"{"d":\#(Sample.customer(1, "Ada"))}"#)
    field.stub.on("DELETE", "\(Field.root)/Customers(1)", status: 403, headers: ["X-CSRF-Token": "Required"])
    field.stub.on("DELETE", "\(Field.root)/Customers(1)", status: 204)
    _ = try await field.backend.delete(field.at("/live/Customers/1"))
    let deletes = field.stub.requests.filter { $0.request.method == "DELETE" }
    #expect(deletes.map { $0.request.headers["X-CSRF-Token"] } == ["old", "new"])
  }

  @Test func `a row that changed meanwhile is a conflict`() async throws {
    let field = try Field().describes()
    field.stub.on("GET", "\(Field.root)/")
    field.stub.on("MERGE", "\(Field.root)/Customers(1)", status: 412)
    let request = UploadRequest(
      MemorySource(Array(#"{"fields":{"id":1,"fname":"Eve","etag":"x"}}"#.utf8)), ifMatch: "W/\"4\"")
    let location = try field.at("/live/Customers/1")
    let error = await #expect(throws: ServiceError.self) {
      try await field.backend.upload(request, to: location, progress: { _, _ in })
    }
    #expect(error?.code == .conflict)
    let sent = try #require(field.stub.requests.last)
    #expect(sent.request.headers["If-Match"] == "W/\"4\"")
    #expect(sent.bodyText == #"{"fname":"Eve"}"#)
  }

  @Test func `a new row gets the server's key, and its request an id`() async throws {
    let field = try Field().describes()
    field.stub.on("GET", "\(Field.root)/")
    field.stub.on("POST", "\(Field.root)/Customers", status: 201, body: #"{"d":\#(Sample.customer(901, "Ada"))}"#)
    let outcome = try await field.backend.perform(
      "create", at: field.at("/live/Customers"), fields: ["fname": "Ada", "note": ""])
    #expect(outcome.location?.text == "field:/live/Customers/901")
    let request = try #require(field.stub.requests.last)
    #expect(request.request.headers["RequestID"]?.count == 32)
    #expect(request.bodyText == #"{"fname":"Ada"}"#)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: ServiceError.Code
    var testDescription: String { "\(status) \(body.prefix(20))" }
  }

  @Test(arguments: [
    Bad(status: 401, body: "", code: .signInNeeded), Bad(status: 403, body: "<html></html>", code: .forbidden),
    Bad(status: 404, body: "", code: .notFound), Bad(status: 429, body: "", code: .busy),
    Bad(status: 500, body: "<html></html>", code: .serverFault),
    Bad(status: 200, body: "<html></html>", code: .unreadable),
    Bad(status: 200, body: #"{"d":{"results":[{"id":1"#, code: .unreadable),
    Bad(status: 200, body: "{}", code: .unreadable),
  ]) func `a bad answer says what it is`(_ c: Bad) async throws {
    let field = try Field().describes()
    field.stub.on("GET", "\(Field.root)/Customers", status: c.status, body: c.body)
    let location = try field.at("/live/Customers")
    let error = await #expect(throws: ServiceError.self) { try await field.backend.list(location, ListQuery()) }
    #expect(error?.code == c.code)
    #expect(error?.operation == "list field:/live/Customers")
  }

  @Test func `a raw call goes through the relay with the registration`() async throws {
    let field = try Field(settings: ["urlSuffix": "/relay", "farm": "f1"])
    field.stub.on("GET", "/relay/f1/any/path?x=1", body: "bytes")
    let sink = MemorySink()
    let reply = try await field.backend.call(RawCall("GET", "/any/path?x=1"), to: sink)
    #expect(reply.status == 200)
    #expect(sink.text == "bytes")
    #expect(field.stub.requests[0].request.headers["X-SMP-APPCID"] == "id-1")
  }
}
