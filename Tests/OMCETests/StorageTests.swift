import Model
import TestKit
import Testing
import Wire

@testable import OMCE

@Suite struct StorageTests {
  private static let collections = "/mobile/platform/storage/collections"
  private static let list = """
    {"items":[{"id":"FieldPhotos","description":"Photos","contentLength":48213,"eTag":"\\"1.0\\""},
    {"id":"MyNotes","description":"Notes","userIsolated":true,"contentLength":"912"}],
    "hasMore":false,"limit":100,"offset":0,"count":2,"totalResults":2}
    """

  private static func object(_ id: String, user: String? = nil) -> String {
    let user = user.map { #""user":"\#($0)","# } ?? ""
    return #"{"id":"\#(id)","name":"pump 7.jpg",\#(user)"contentLength":20480,"contentType":"image/jpeg","#
      + #""eTag":"\"2\"","createdBy":"ada","createdOn":"2026-11-02T09:12:44Z","modifiedBy":"bert","#
      + #""modifiedOn":"2026-11-03T10:00:01+0000"}"#
  }

  private static func page(_ objects: [String], more: String = #""hasMore":false"#, total: Int = 3) -> String {
    #"{"items":[\#(objects.joined(separator: ","))],\#(more),"totalResults":\#(total)}"#
  }

  @Test func `collections are listed with their columns, and tell which are each user's own`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", StorageTests.collections, body: StorageTests.list)
    let listing = try await bench.backend.list(try bench.location("/storage"), ListQuery())
    #expect(listing.columns.map(\.id) == ["id", "description", "contentLength", "isolated"])
    #expect(listing.texts == [["FieldPhotos", "Photos", "48213", "false"], ["MyNotes", "Notes", "912", "true"]])
    #expect(listing.total == .exact(2))
    #expect(listing.rows[1].location.text == "mobile:/storage/MyNotes")
  }

  @Test func `trap 15: objects keep their tag with its quotes`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "\(StorageTests.collections)/C/objects", body: StorageTests.page([StorageTests.object("o1")]))
    let listing = try await bench.backend.list(try bench.location("/storage/C"), ListQuery())
    #expect(listing.columns.map(\.id) == ["id", "name", "mime", "size", "etag", "modified", "modifier"])
    #expect(
      listing.texts == [["o1", "pump 7.jpg", "image/jpeg", "20480", "\"2\"", "2026-11-03T10:00:01Z", "bert"]])
    #expect(listing.rows[0].hasContent)
  }

  @Test func `trap 12: the server pages, sorts and looks for names; no page has more than a hundred`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(StorageTests.collections)/C/objects",
      body: StorageTests.page([StorageTests.object("o1")], more: #""links":[{"rel":"next","href":"/x"}]"#))
    let query = ListQuery(
      limit: 500, cursor: "7", sort: Sort(column: "modified", isDescending: true),
      filters: [.init(column: "name", text: "PUMP")])
    let listing = try await bench.backend.list(try bench.location("/storage/C"), query)
    #expect(
      bench.lines.last
        == "GET \(StorageTests.collections)/C/objects?limit=100&offset=7&totalResults=true&orderBy=modifiedOn%3Adesc&q=PUMP"
    )
    #expect(listing.next == "8")
    #expect(listing.sortedBy == query.sort)
    #expect(listing.filteredBy.isEmpty)
  }

  @Test func `trap 11: a page without rows is the last, whatever it says`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(StorageTests.collections)/C/objects", body: StorageTests.page([], more: #""hasMore":true"#))
    #expect(try await bench.backend.list(try bench.location("/storage/C"), ListQuery()).next == nil)
  }

  @Test func `trap 8: who may read everybody's objects is shown his own, and told so`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", StorageTests.collections + "/MyNotes", body: #"{"id":"MyNotes","userIsolated":true}"#)
    bench.stub.on("GET", "/mobile/platform/users/~", body: #"{"id":"u-1","username":"ada"}"#)
    bench.stub.on("GET", "\(StorageTests.collections)/MyNotes/objects") { recorded throws(TransportError) in
      let isOwn = recorded.line.hasSuffix("&user=u-1")
      let body = isOwn ? StorageTests.page([StorageTests.object("o1", user: "u-1")]) : #"{"title":"name a user"}"#
      return HTTPResponse(status: isOwn ? 200 : 400, body: Array(body.utf8), url: recorded.request.url)
    }
    let listing = try await bench.backend.list(try bench.location("/storage/MyNotes"), ListQuery())
    #expect(listing.rows.map(\.location.text) == ["mobile:/storage/MyNotes/o1?user=u-1"])
    #expect(listing.notices.count == 1)
  }

  @Test func `trap 7: everybody's objects say whose they are, in a column and in the location`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(StorageTests.collections)/MyNotes/objects",
      body: StorageTests.page([StorageTests.object("o1", user: "u-1"), StorageTests.object("o1", user: "u-2")]))
    let listing = try await bench.backend.list(try bench.location("/storage/MyNotes?user=*"), ListQuery())
    #expect(
      listing.rows.map(\.location.text) == [
        "mobile:/storage/MyNotes/o1?user=u-1", "mobile:/storage/MyNotes/o1?user=u-2",
      ])
    #expect(listing.columns.last?.id == "user")
    for row in listing.rows {
      guard case .object(let id) = try OMCEPlace(try Location(parsing: row.location.text)) else {
        Issue.record("a printed location names its object again")
        return
      }
      #expect(id.user == row.values.last?.exactText)
    }
  }

  @Test func `an object's headers become its fields`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "HEAD", "\(StorageTests.collections)/C/objects/o1",
      headers: [
        "Content-Type": "text/plain; charset=utf-8", "Content-Length": "12", "ETag": "\"5\"",
        "Oracle-Mobile-Name": "na%C3%AFve.txt", "oracle-mobile-created-by": "ada",
        "Oracle-Mobile-Modified-On": "Tue, 03 Nov 2026 10:00:01 GMT",
      ])
    bench.stub.on("GET", "\(StorageTests.collections)/C/objects", body: StorageTests.page([StorageTests.object("o1")]))
    let item = try await bench.backend.item(try bench.location("/storage/C/o1"))
    #expect(item.title == "naïve.txt")
    #expect(
      item.content
        == ContentHead(
          name: "naïve.txt", mediaType: "text/plain", size: 12, validator: "\"5\"",
          modified: Timestamp(rfc3339: "2026-11-03T10:00:01Z")))
    #expect(item.raw.map { String(decoding: $0.bytes, as: UTF8.self).contains("pump 7.jpg") } ?? false)
    #expect(bench.stub.requests[1].request.headers["Accept"] == "*/*")
  }

  @Test(arguments: [("100%", "100%"), ("a%20b", "a b"), ("50%25", "50%"), ("%FF", "%FF"), ("plain", "plain")])
  func `trap 17: a name is decoded only when it decodes cleanly`(_ sent: String, _ shown: String) {
    #expect(StoredObject.decodedName(sent) == shown)
  }

  @Test func `a payload is fetched whole, as whatever it is`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(StorageTests.collections)/C/objects/o1", headers: ["Content-Type": "image/jpeg", "ETag": "\"2\""],
      body: "abcdef")
    let sink = MemorySink()
    let head = try await bench.backend.download(
      try bench.location("/storage/C/o1"), DownloadRequest(), to: sink, progress: { _, _ in })
    #expect(sink.text == "abcdef")
    #expect(head.validator == "\"2\"")
    let sent = try #require(bench.stub.requests.last).request
    #expect(sent.headers["Accept"] == "*/*")
    #expect(sent.headers["Range"] == nil)
  }

  @Test func `an object's metadata is read again only when it has changed`() async throws {
    let bench = try await MobileBench.signedIn()
    let path = "/mobile/platform/storage/collections/C/objects/o1"
    bench.stub.on("HEAD", path, headers: ["ETag": "\"1\"", "Oracle-Mobile-Name": "one", "Content-Length": "3"])
    bench.stub.on("HEAD", path, status: 304, headers: ["ETag": "\"1\""])
    bench.stub.on("HEAD", path, headers: ["ETag": "\"2\"", "Oracle-Mobile-Name": "two"])
    let id = ObjectID(collection: "C", object: "o1")
    #expect(try await bench.backend.client.object(id).name == "one")
    #expect(try await bench.backend.client.object(id).size == 3)
    #expect(try await bench.backend.client.object(id).name == "two")
    let tags = bench.stub.requests.filter { $0.request.method == "HEAD" }.map { $0.request.headers["If-None-Match"] }
    #expect(tags == [nil, "\"1\"", "\"1\""])
  }

  @Test func `what is kept with a tag is asked for only if it is another by now`() async throws {
    let directory = try TemporaryDirectory()
    let bench = try await MobileBench.signedIn(stores: OpenStores(directory.file("tags.store")))
    let path = "/mobile/custom/plain/one"
    bench.stub.on("GET", path, headers: ["ETag": "\"a\""], body: #"{"n":1}"#)
    bench.stub.on("GET", path, status: 304)
    bench.stub.on("GET", path, headers: ["ETag": "\"b\""], body: #"{"n":2}"#)
    _ = try await bench.backend.client.openStore("test")
    let place = try bench.location("/custom/plain/one")
    for expected in ["1", "1", "2"] {
      let item = try await bench.backend.item(place)
      #expect(item.fields.first { $0.id == "n" }?.value.exactText == expected)
      #expect(item.freshness == .live)
    }
    let tags = bench.stub.requests.filter { $0.line.contains(path) }.map { $0.request.headers["If-None-Match"] }
    #expect(tags == [nil, "\"a\"", "\"a\""])
  }

  @Test func `a download goes on where it broke off while the content is the same`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(StorageTests.collections)/C/objects/o1", status: 206,
      headers: ["Content-Range": "bytes 3-5/6", "ETag": "\"2\""], body: "def")
    let sink = MemorySink()
    _ = try await bench.backend.download(
      try bench.location("/storage/C/o1"), DownloadRequest(offset: 3, validator: "\"2\""), to: sink,
      progress: { _, _ in })
    #expect(sink.offset == 3)
    #expect(sink.text == "def")
    let sent = try #require(bench.stub.requests.last).request
    #expect(sent.headers["Range"] == "bytes=3-")
    #expect(sent.headers["If-Range"] == "\"2\"")
  }

  @Test func `a range beyond the end starts again from the front`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "\(StorageTests.collections)/C/objects/o1", status: 416)
    bench.stub.on("GET", "\(StorageTests.collections)/C/objects/o1", body: "ab")
    let sink = MemorySink()
    _ = try await bench.backend.download(
      try bench.location("/storage/C/o1"), DownloadRequest(offset: 9, validator: "\"2\""), to: sink,
      progress: { _, _ in })
    #expect(sink.text == "ab")
    #expect(sink.offset == 0)
  }

  // MARK: Writing

  @Test func `a collection takes a new object under the server's own id`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("POST", "\(StorageTests.collections)/C/objects", status: 201, body: StorageTests.object("new-1"))
    let place = try await bench.backend.upload(
      UploadRequest(MemorySource(Array("hello".utf8)), name: "grüße.txt", mediaType: "text/plain"),
      to: try bench.location("/storage/C"), progress: { _, _ in })
    #expect(place.text == "mobile:/storage/C/new-1")
    let sent = try #require(bench.stub.requests.last)
    #expect(sent.bodyText == "hello")
    #expect(sent.request.headers["Content-Type"] == "text/plain")
    #expect(sent.request.headers["Oracle-Mobile-Name"] == "gr%C3%BC%C3%9Fe.txt")
  }

  @Test func `trap 32: without metadata in the answer, Location tells what was made, with or without its first slash`()
    async throws
  {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "POST", "\(StorageTests.collections)/C/objects", status: 201,
      headers: ["Location": "mobile/platform/storage/collections/C/objects/a%20b?user=u-1"])
    let place = try await bench.backend.upload(
      UploadRequest(MemorySource([])), to: try bench.location("/storage/C"), progress: { _, _ in })
    #expect(place.text == "mobile:/storage/C/a b")
  }

  @Test(arguments: [409, 412])
  func `trap 13: somebody else's change is a conflict`(status: Int) async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("PUT", "\(StorageTests.collections)/C/objects/o1", status: status, body: #"{"title":"changed"}"#)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.upload(
        UploadRequest(MemorySource([]), ifMatch: "\"2\""), to: try bench.location("/storage/C/o1"),
        progress: { _, _ in })
    }
    #expect(error?.code == .conflict)
    #expect(bench.stub.requests.last?.request.headers["If-Match"] == "\"2\"")
  }

  @Test func `keeping both leaves the old one alone and stores beside it`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("PUT", "\(StorageTests.collections)/C/objects/o1", status: 412)
    bench.stub.on("POST", "\(StorageTests.collections)/C/objects", status: 201, body: StorageTests.object("new-1"))
    let place = try await bench.backend.upload(
      UploadRequest(MemorySource(Array("x".utf8)), keepsBoth: true), to: try bench.location("/storage/C/o1"),
      progress: { _, _ in })
    #expect(place.text == "mobile:/storage/C/new-1")
    #expect(bench.stub.requests.dropFirst().map { $0.request.headers["If-None-Match"] } == ["*", nil])
    #expect(bench.stub.requests.last?.bodyText == "x")
  }

  @Test func `a name changes by storing the same content again, if it is still the same`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(StorageTests.collections)/C/objects/o1", headers: ["Content-Type": "text/plain", "ETag": "\"2\""],
      body: "hello")
    bench.stub.on("PUT", "\(StorageTests.collections)/C/objects/o1", body: StorageTests.object("o1"))
    _ = try await bench.backend.perform("rename", at: try bench.location("/storage/C/o1"), fields: ["name": "b.txt"])
    let sent = try #require(bench.stub.requests.last)
    #expect(sent.bodyText == "hello")
    #expect(sent.request.headers["Oracle-Mobile-Name"] == "b.txt")
    #expect(sent.request.headers["If-Match"] == "\"2\"")
  }

  @Test func `deleting goes to the object of the user that the location names`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("DELETE", "\(StorageTests.collections)/MyNotes/objects/o1", status: 204)
    _ = try await bench.backend.delete(try bench.location("/storage/MyNotes/o1?user=u-2"))
    #expect(bench.lines.last == "DELETE \(StorageTests.collections)/MyNotes/objects/o1?user=u-2")
  }

  @Test func `a read-only connection says why it writes nothing, and writes nothing`() async throws {
    let bench = try await MobileBench.signedIn(readOnly: true)
    let place = try bench.location("/storage/C/o1")
    let upload = await #expect(throws: ServiceError.self) {
      try await bench.backend.upload(UploadRequest(MemorySource([])), to: place, progress: { _, _ in })
    }
    let delete = await #expect(throws: ServiceError.self) { try await bench.backend.delete(place) }
    #expect(upload?.code == .readOnly)
    #expect(delete?.code == .readOnly)
    #expect(bench.lines == ["GET /mobile/platform/users/login"])
  }

  @Test func `trap 26: an error shows what the server's operators look for`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "\(StorageTests.collections)/X/objects", status: 404,
      body: #"{"status":"404","title":"Collection not found","detail":"The collection X does not exist.","#
        + #""o:ecid":"ecid-1, 0:1","o:errorCode":"MOBILE-99004"}"#)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/storage/X"), ListQuery())
    }
    #expect(error?.code == .notFound)
    #expect(error?.serverCode == "MOBILE-99004")
    #expect(error?.message.contains("ecid-1") ?? false)
  }

  @Test func `a custom API's answer is fields, or rows where it is a list`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "/mobile/custom/tasks/items", body: #"[{"no":1,"title":"Check"},{"no":2,"done":true}]"#)
    let place = try bench.location("/custom/tasks/items?site=4")
    let listing = try await bench.backend.list(place, ListQuery())
    #expect(listing.columns.map(\.id) == ["no", "title", "done"])
    #expect(listing.texts == [["1", "Check", "null"], ["2", "null", "true"]])
    #expect(bench.lines.last == "GET /mobile/custom/tasks/items?site=4")
    let item = try await bench.backend.item(place)
    #expect(item.fields.map(\.id) == ["1.no", "1.title", "2.no", "2.done"])
  }
}
