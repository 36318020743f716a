import Model
import TestKit
import Testing
import Wire

@testable import Alfresco

@Suite struct ListingTests {
  @Test func `a folder is asked for by name and its children stand below it`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/-root-/children",
      body: Sample.list([Sample.file, Sample.folder("2b8c", "A%B/@x")], total: 2))
    let listing = try await desk.backend.list(desk.at("/files/Term sheets/Ünï+1"), ListQuery(limit: 50))
    #expect(
      desk.lines == [
        "GET /nodes/-root-/children?skipCount=0&maxItems=50&includeSource=true&relativePath=Term%20sheets%2F%C3%9Cn%C3%AF%2B1"
      ])
    #expect(
      listing.rows.map(\.location.text) == [
        "docs:/files/Term sheets/Ünï+1/Quay 7 facility.pdf", "docs:/files/Term sheets/Ünï+1/A%25B%2F@x",
      ])
    #expect(listing.rows.map(\.hasContent) == [true, false])
    #expect(listing.rows.map(\.opening) == [.item, .listing])
    #expect(listing.value("size", in: listing.rows[0]) == .size(482_913))
    #expect(listing.value("modified", in: listing.rows[0]).exactText == "2026-11-27T15:02:44.911Z")
    #expect(listing.value("modifier", in: listing.rows[0]) == .text("Susan Marsh"))
    #expect(
      Set(["id", "name", "kind", "mime", "size", "modified", "modifier"]).isSubset(of: listing.columns.map(\.id)))
    #expect(listing.total == .exact(2))
    #expect(listing.next == nil)
  }

  @Test func `the raw answer is the server's bytes`() async throws {
    let desk = try Desk()
    let body = Sample.list([Sample.file]) + "\n "
    desk.stub.on("GET", "\(Desk.core)/nodes/-root-/children", body: body)
    let listing = try await desk.backend.list(desk.at("/files"), ListQuery())
    #expect(listing.raw.map { String(decoding: $0.bytes, as: UTF8.self) } == body)
  }

  /// Entries that may not be read are left out, so the next page begins after what was asked for.
  @Test func `the next page begins after all that was asked for`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/-root-/children", body: Sample.list([Sample.file], more: true))
    let first = try await desk.backend.list(desk.at("/files"), ListQuery(limit: 25))
    #expect(first.next == "25")
    #expect(first.total == .atLeast(1))
    _ = try await desk.backend.list(desk.at("/files"), ListQuery(limit: 25, cursor: first.next))
    #expect(desk.lines.last?.contains("skipCount=25&maxItems=25") == true)
  }

  @Test func `the server sorts and filters by kind where it can`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/x/children", body: Sample.list([]))
    let query = ListQuery(
      sort: Sort(column: "modified", isDescending: true), filters: [ListQuery.Filter(column: "kind", text: "FOLD")])
    let listing = try await desk.backend.list(desk.at("/nodes/x"), query)
    #expect(desk.lines[0].contains("orderBy=modifiedAt%20DESC&where=%28isFolder%3Dtrue%29"))
    #expect(listing.sortedBy == query.sort)
    #expect(listing.filteredBy == ["kind"])
  }

  @Test func `what the server cannot sort by is left to others`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/x/children", body: Sample.list([]))
    let query = ListQuery(sort: Sort(column: "id"), filters: [ListQuery.Filter(column: "name", text: "x")])
    let listing = try await desk.backend.list(desk.at("/nodes/x"), query)
    #expect(listing.sortedBy == nil)
    #expect(listing.filteredBy.isEmpty)
  }

  @Test func `a folder cut at the server's limit says that there may be more`() async throws {
    let desk = try Desk()
    let entries = (4900..<5000).map { Sample.folder("\($0)", "F\($0)") }
    desk.stub.on("GET", "\(Desk.core)/nodes/-root-/children", body: Sample.list(entries, skip: 4900))
    let listing = try await desk.backend.list(desk.at("/files"), ListQuery(cursor: "4900"))
    #expect(listing.total == .atLeast(5000))
    #expect(listing.notices.count == 1)
  }

  @Test func `a site's files are those of its document library`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/sites/harbour-loans/containers/documentLibrary",
      body: #"{"entry":{"id":"51c2","folderId":"documentLibrary"}}"#)
    desk.stub.on("GET", "\(Desk.core)/nodes/51c2/children", body: Sample.list([Sample.file]))
    let listing = try await desk.backend.list(desk.at("/sites/harbour-loans/files"), ListQuery())
    #expect(listing.rows[0].location.text == "docs:/sites/harbour-loans/files/Quay 7 facility.pdf")
  }

  @Test func `favourites, shared links and the trash lead to what they name`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/people/-me-/favorites",
      body: Sample.list([
        #"{"entry":{"targetGuid":"c4b7","target":{"file":{"id":"c4b7","guid":"c4b7","name":"a.pdf","isFile":true}}}}"#,
        #"{"entry":{"targetGuid":"f0","target":{"folder":{"guid":"f0","name":"F"}}}}"#,
        #"{"entry":{"targetGuid":"s0","target":{"site":{"id":"s","guid":"s0"}}}}"#,
      ]))
    desk.stub.on(
      "GET", "\(Desk.core)/shared-links",
      body: Sample.list([
        #"{"entry":{"id":"q3bE","nodeId":"c4b7","name":"a.pdf","sharedByUser":{"displayName":"Susan"}}}"#
      ]))
    desk.stub.on(
      "GET", "\(Desk.core)/deleted-nodes",
      body: Sample.list([
        #"{"entry":{"id":"9d2e","name":"draft","isFolder":true,"archivedAt":"2026-11-28T09:15:02.663+0000"}}"#
      ]))
    let favorites = try await desk.backend.list(desk.at("/favorites"), ListQuery())
    #expect(favorites.rows.map(\.location.text) == ["docs:/nodes/c4b7", "docs:/nodes/f0"])
    #expect(favorites.rows.map(\.opening) == [.item, .listing])
    let shared = try await desk.backend.list(desk.at("/shared"), ListQuery())
    #expect(shared.rows.map(\.location.text) == ["docs:/nodes/c4b7"])
    #expect(shared.value("link", in: shared.rows[0]) == .text("q3bE"))
    let trash = try await desk.backend.list(desk.at("/trash"), ListQuery())
    #expect(trash.rows.map(\.location.text) == ["docs:/trash/9d2e"])
    #expect(trash.rows[0].opening == .item)
    #expect(trash.value("deleted", in: trash.rows[0]).exactText == "2026-11-28T09:15:02.663Z")
  }

  @Test func `a comment of the web client comes without its markup`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/c4b7/comments",
      body: Sample.list([
        #"{"entry":{"id":"f7","content":"<p>Check &lt;annex&gt; B</p><p>2 &amp; 3</p>","createdBy":{"id":"gone"}}}"#
      ]))
    let listing = try await desk.backend.list(desk.at("/nodes/c4b7/@comments"), ListQuery())
    #expect(listing.value("text", in: listing.rows[0]) == .text("Check <annex> B\n2 & 3"))
    #expect(listing.value("author", in: listing.rows[0]) == .text("gone"))
  }

  @Test func `a version's location is its label`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/c4b7/versions",
      body: Sample.list([
        #"{"entry":{"id":"1.1","name":"a","isFile":true,"content":{"mimeType":"text/plain","sizeInBytes":0}}}"#
      ]))
    let listing = try await desk.backend.list(desk.at("/nodes/c4b7/@versions"), ListQuery())
    #expect(listing.rows[0].location.text == "docs:/nodes/c4b7/@versions/1.1")
    #expect(listing.rows[0].hasContent)
    #expect(Set(["id", "comment", "modified", "modifier", "size"]).isSubset(of: listing.columns.map(\.id)))
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: ServiceError.Code
    var testDescription: String { "\(status) \(body.prefix(30))" }
  }

  @Test(arguments: [
    Refusal(status: 401, body: "", code: .signInNeeded),
    Refusal(
      status: 403, body: Sample.error(403, "framework.exception.PermissionDenied", "10300001 Permission was denied"),
      code: .forbidden),
    Refusal(
      status: 404,
      body: Sample.error(404, "framework.exception.EntityNotFound", "10300042 The entity with id: x was not found"),
      code: .notFound),
    Refusal(
      status: 409, body: Sample.error(409, "Name already exists in target", "10300001 a exists"), code: .conflict),
    Refusal(status: 422, body: Sample.error(422, "framework.exception.ApiDefault", "10300001 bad name"), code: .failed),
    Refusal(status: 429, body: "", code: .busy),
    Refusal(status: 500, body: "<html><body>Tomcat</body></html>", code: .serverFault),
    Refusal(status: 503, body: "", code: .serverFault),
    Refusal(status: 200, body: "<!DOCTYPE html><html></html>", code: .unreadable),
    Refusal(status: 200, body: #"{"list":{"pagination":{"count":1"#, code: .unreadable),
    Refusal(status: 200, body: "", code: .unreadable),
  ]) func `a refusal says what it is`(_ c: Refusal) async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/x/children", status: c.status, body: c.body)
    let location = try desk.at("/nodes/x")
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.list(location, ListQuery()) }
    #expect(error?.code == c.code)
    #expect(error?.operation == "list docs:/nodes/x")
    #expect(error?.message.contains("1030") == false)
  }

  @Test func `the error's own key and text are kept`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/x/children", status: 404,
      body: Sample.error(404, "framework.exception.EntityNotFound", "10300042 The entity with id: x was not found"))
    let location = try desk.at("/nodes/x")
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.list(location, ListQuery()) }
    #expect(error?.serverCode == "EntityNotFound")
    #expect(error?.detail == "The entity with id: x was not found")
    #expect(error?.status == 404)
  }

  @Test func `offline nothing is sent`() async throws {
    let desk = try Desk(isOffline: true)
    let location = try desk.at("/files")
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.list(location, ListQuery()) }
    #expect(error?.code == .offline)
    #expect(desk.stub.requests.isEmpty)
  }
}
