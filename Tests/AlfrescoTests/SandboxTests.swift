import Model
import TestKit
import Testing

@testable import Alfresco

/// The back end against the sandbox's repository, over a socket.
@Suite(.bounded) struct SandboxContractTests {
  @Test func `every printed location is accepted back`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    var waiting = [try live.at("/")]
    var seen: Set<Location> = []
    while let location = waiting.popLast(), seen.count < 150 {
      guard seen.insert(location).inserted else { continue }
      let listing = try await live.backend.list(location, ListQuery(limit: 12))
      #expect(Set(listing.columns.map(\.id)).count == listing.columns.count)
      for row in listing.rows {
        #expect(try Location(parsing: row.location.text) == row.location)
        #expect(row.values.count == listing.columns.count)
        let nature = try await live.backend.nature(of: row.location)
        if row.opening == .listing {
          #expect(nature != .item)
          waiting.append(row.location)
        } else {
          #expect(nature == .item)
          let item = try await live.backend.item(row.location)
          #expect(Set(item.fields.map(\.id)).count == item.fields.count)
          waiting += item.related.filter { $0.opening == .listing }.map(\.location)
        }
      }
    }
    #expect(seen.count > 40)
  }

  @Test func `a folder comes page by page, each entry once`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let whole = try await live.list("/files", ListQuery(limit: 100)).rows.map(\.location)
    var pages: [Location] = []
    var cursor: String?
    repeat {
      let page = try await live.list("/files", ListQuery(limit: 2, cursor: cursor))
      #expect(page.rows.count <= 2)
      pages += page.rows.map(\.location)
      cursor = page.next
    } while cursor != nil && pages.count < 200
    #expect(pages == whole)
    #expect(Set(pages).count == pages.count)
  }

  @Test func `sorting by name and size is the server's`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    for name in ["b.txt", "a.txt", "c.txt"] {
      _ = try await live.put("/files/Shared", String(repeating: name, count: name == "a.txt" ? 9 : 1), name: name)
    }
    let query = ListQuery(
      sort: Sort(column: "name", isDescending: true), filters: [.init(column: "kind", text: "file")])
    let listing = try await live.list("/files/Shared", query)
    let names = listing.rows.map { listing.value("name", in: $0).exactText }
    #expect(names.filter { $0.hasSuffix(".txt") && $0.count == 5 } == ["c.txt", "b.txt", "a.txt"])
    #expect(listing.rows.allSatisfy { listing.value("kind", in: $0) == .text("file") })
  }

  @Test func `a file goes up, comes down, and gets versions`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let first = try await live.put("/files/Shared", "first content", name: "Ünï & co.txt")
    #expect(first.text == "docs:/files/Shared/Ünï & co.txt")
    #expect(try await live.get(first).text == "first content")
    let label = try await live.field("cm:versionLabel", of: first).exactText
    _ = try await live.put(first.text.replacingPrefix("docs:"), "second, longer content", ifMatch: label)
    #expect(try await live.get(first).text == "second, longer content")
    let error = await #expect(throws: ServiceError.self) {
      try await live.put(first.text.replacingPrefix("docs:"), "third", ifMatch: label)
    }
    #expect(error?.code == .conflict)
    let versions = try await live.backend.list(first.facet("versions"), ListQuery())
    #expect(versions.rows.count == 2)
    #expect(try await live.get(versions.rows[1].location).text == "first content")
    try await live.act("revert", versions.rows[1].location)
    #expect(try await live.get(first).text == "first content")
  }

  @Test func `a taken name is a conflict, or gets a free one beside it`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    _ = try await live.put("/files/Shared", "one", name: "note.txt")
    let error = await #expect(throws: ServiceError.self) {
      try await live.put("/files/Shared", "two", name: "note.txt")
    }
    #expect(error?.code == .conflict)
    let other = try await live.put("/files/Shared", "two", name: "note.txt", keepsBoth: true)
    #expect(other.text != "docs:/files/Shared/note.txt")
    #expect(try await live.get(other).text == "two")
    let third = try await live.put("/files/Shared/note.txt", "three", keepsBoth: true)
    #expect(third.text != "docs:/files/Shared/note.txt")
    #expect(try await live.get(live.at("/files/Shared/note.txt")).text == "one")
    // A path that is not there yet names the new file itself.
    let fresh = try await live.put("/files/Shared/fresh.txt", "fresh", name: "ignored.txt")
    #expect(fresh.text == "docs:/files/Shared/fresh.txt")
  }

  @Test func `a broken download goes on where it stopped, and begins again when the content changed`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let place = try await live.put("/files/Shared", "0123456789", name: "digits.txt")
    let head = try #require(try await live.get(place).head)
    let tag = try #require(head.validator)
    #expect(head.size == 10)
    let rest = try await live.get(place, DownloadRequest(offset: 4, validator: tag))
    #expect(rest.offset == 4)
    #expect(rest.text == "456789")
    let whole = try await live.get(place, DownloadRequest(offset: 4, validator: "\"1\""))
    #expect(whole.offset == 0)
    #expect(whole.text == "0123456789")
    #expect(try await live.backend.item(place).content?.validator == tag)
  }

  @Test func `what is deleted lies in the trash, comes back, and goes for good`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let place = try await live.put("/files/Shared", "x", name: "gone.txt")
    let trash = try #require(try await live.backend.delete(place).location)
    var error = await #expect(throws: ServiceError.self) { try await live.backend.item(place) }
    #expect(error?.code == .notFound)
    #expect(try await live.list("/trash").rows.contains { $0.location == trash })
    #expect(try await live.get(trash).text == "x")
    try await live.act("restore", trash)
    #expect(try await live.get(place).text == "x")
    _ = try await live.backend.delete(place)
    _ = try await live.backend.delete(trash)
    error = await #expect(throws: ServiceError.self) { try await live.backend.item(trash) }
    #expect(error?.code == .notFound)
  }

  @Test func `folders are made, renamed, filled and moved`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let shared = try live.at("/files/Shared")
    let one = try #require(try await live.act("new-folder", shared, ["name": "One", "title": "First"]).location)
    #expect(one.text == "docs:/files/Shared/One")
    #expect(try await live.field("cm:title", of: one) == .text("First"))
    let two = try #require(try await live.act("new-folder", shared, ["name": "Two"]).location)
    let file = try await live.put("/files/Shared/One", "x", name: "x.txt")
    let copy = try #require(try await live.act("copy", file, ["target": "/files/Shared/Two"]).location)
    #expect(copy == two.appending("x.txt"))
    let renamed = try #require(try await live.act("rename", file, ["name": "y.txt"]).location)
    let moved = try #require(try await live.act("move", renamed, ["target": two.text]).location)
    #expect(moved == two.appending("y.txt"))
    #expect(try await live.backend.list(two, ListQuery()).rows.map(\.location) == [copy, moved])
    try await live.act("edit", moved, ["cm:title": "A title", "cm:description": ""])
    #expect(try await live.field("cm:title", of: moved) == .text("A title"))
    try await live.act("edit", moved, ["cm:title": ""])
    #expect(try await live.field("cm:title", of: moved) == .null)
    let error = await #expect(throws: ServiceError.self) { try await live.act("rename", moved, ["name": "a:b"]) }
    #expect(error?.code == .failed)
    #expect(error?.status == 422)
  }

  @Test func `comments, tags, locks, favourites and links`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let file = try await live.put("/files/Shared", "x", name: "busy.txt")
    try await live.act("comment", file, ["text": "a < b & c"])
    let comments = try await live.backend.list(file.facet("comments"), ListQuery())
    #expect(comments.value("text", in: comments.rows[0]) == .text("a < b & c"))
    try await live.act("edit", comments.rows[0].location, ["text": "changed"])
    #expect(try await live.field("text", of: comments.rows[0].location) == .text("changed"))
    _ = try await live.backend.delete(comments.rows[0].location)
    #expect(try await live.backend.list(file.facet("comments"), ListQuery()).rows.isEmpty)

    try await live.act("tag", file, ["tag": "Urgent"])
    let tags = try await live.backend.list(file.facet("tags"), ListQuery())
    #expect(tags.value("tag", in: tags.rows[0]) == .text("urgent"))
    try await live.act("untag", file, ["tag": "urgent"])
    #expect(try await live.backend.list(file.facet("tags"), ListQuery()).rows.isEmpty)

    try await live.act("lock", file)
    #expect(try await live.backend.item(file).actions.contains { $0.id == "unlock" })
    try await live.act("unlock", file)
    #expect(try await live.backend.item(file).actions.contains { $0.id == "lock" })

    try await live.act("favorite", file)
    #expect(try await live.field("favorite", of: file) == .flag(true))
    let id = try await live.field("id", of: file).exactText
    #expect(try await live.list("/favorites").rows.contains { $0.location.text == "docs:/nodes/\(id)" })
    try await live.act("unfavorite", file)
    #expect(try await live.field("favorite", of: file) == .flag(false))

    try await live.act("share", file)
    #expect(try await live.backend.item(file).actions.contains { $0.id == "unshare" })
    try await live.act("unshare", file)
    #expect(try await live.backend.item(file).actions.contains { $0.id == "share" })
  }

  @Test func `a search finds, marks, counts and narrows`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let all = try await live.backend.search(SearchRequest("the", query: ListQuery(limit: 5)))
    let listing = try #require(all.rows.isEmpty ? nil : all)
    #expect(Set(["path", "score", "snippet"]).isSubset(of: listing.columns.map(\.id)))
    #expect(listing.rows.contains { !listing.value("snippet", in: $0).isNull })
    for row in listing.rows {
      let snippet = listing.value("snippet", in: row).exactText
      #expect(!snippet.contains { "\u{2}\u{3}\n".contains($0) })
      _ = try await live.backend.nature(of: row.location)
    }
    let facet = try #require(listing.facets.first { $0.id == "type" })
    let bucket = try #require(facet.buckets.first)
    let narrowed = try await live.backend.search(
      SearchRequest("the", narrowed: [.init(facet: "type", value: bucket.value)], query: ListQuery(limit: 500)))
    #expect(narrowed.rows.count == bucket.count)
    #expect(narrowed.rows.allSatisfy { narrowed.value("mime", in: $0) == .text(bucket.value) })
    let again = try await live.backend.list(narrowed.location, ListQuery(limit: 500))
    #expect(again.rows == narrowed.rows)
  }

  @Test func `no character or word that is typed makes the server fail`() async throws {
    let live = try await LiveSandbox(documents: 8)
    try await live.signIn()
    var texts = [
      "and", "OR x", "not", "to", "a AND", "\"open", "a \"b c\" d", "x*y?z", "[1 TO 2]", "cm:name:x", "企業 Müller",
    ]
    // Eight characters a query: each stands in a word of its own, so one that broke out would break its query.
    let words = (0x21...0x7E).map { "a\(Character(Unicode.Scalar(UInt8($0))))" }
    texts += stride(from: 0, to: words.count, by: 8).map { words[$0..<min($0 + 8, words.count)].joined(separator: " ") }
    for text in texts { _ = try await live.backend.search(SearchRequest(text, query: ListQuery(limit: 1))) }
  }

  @Test func `queries of a language go through as they are`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let afts = try await live.backend.search(SearchRequest("TYPE:'cm:folder'", language: .afts))
    #expect(!afts.rows.isEmpty)
    #expect(afts.rows.allSatisfy { afts.value("kind", in: $0) == .text("folder") })
    let cmis = try await live.backend.search(SearchRequest("select * from cmis:document", language: .cmis))
    #expect(cmis.rows.allSatisfy { cmis.value("kind", in: $0) == .text("file") })
    let error = await #expect(throws: ServiceError.self) {
      try await live.backend.search(SearchRequest("cm:name:(", language: .afts))
    }
    #expect(error?.code == .failed)
  }

  @Test func `a ticket is drawn, kept, taken up again, and ended`() async throws {
    let live = try await LiveSandbox(method: "ticket")
    let location = try live.at("/files")
    var error = await #expect(throws: ServiceError.self) { try await live.backend.list(location, ListQuery()) }
    #expect(error?.code == .signInNeeded)
    try await live.signIn()
    #expect(live.keeper.all["docs/ticket"] != nil)
    live.backend.client.session.forget()
    #expect(try await live.list("/files").rows.isEmpty == false)
    #expect(try await live.backend.signInState(verifying: true).user == "susan")
    let ticket = try #require(live.keeper.all["docs/ticket"])
    try await live.backend.signOut(SignOutRequest())
    #expect(live.keeper.all.isEmpty)
    live.backend.client.session.signedIn(.ticket(ticket), user: nil)
    error = await #expect(throws: ServiceError.self) { try await live.backend.list(location, ListQuery()) }
    #expect(error?.code == .signInNeeded)
  }

  @Test(arguments: ["basic", "ticket"]) func `a wrong password is refused`(_ method: String) async throws {
    let live = try await LiveSandbox(method: method, password: "wrong-password")
    let error = await #expect(throws: ServiceError.self) { try await live.signIn() }
    #expect(error?.code == .signInRefused)
    #expect(live.keeper.all.isEmpty)
  }

  @Test func `a raw call carries the sign-in`() async throws {
    let live = try await LiveSandbox()
    try await live.signIn()
    let sink = MemorySink()
    let path = "/api/-default-/public/alfresco/versions/1/people/-me-"
    let reply = try await live.backend.call(RawCall("GET", path), to: sink)
    #expect(reply.status == 200)
    #expect(sink.text.contains("\"id\":\"susan\""))
    let missing = MemorySink()
    let refused = try await live.backend.call(RawCall("GET", path + "x"), to: missing)
    #expect(refused.status == 404)
    #expect(missing.text.contains("error"))
  }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
