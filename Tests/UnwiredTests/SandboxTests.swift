import Model
import Sandbox
import Store
import TestKit
import Testing
import Wire

@testable import Unwired

/// The back end against the sandbox's server, over a socket, as the sandbox's own configuration says.
@Suite(.bounded) final class SandboxContractTests {
  private let sandbox: Sandbox
  private let keeper = StubKeeper()

  init() throws { sandbox = try Sandbox(SandboxOptions(documents: 1)) }

  deinit { sandbox.stop() }

  private func makeBackend() throws -> UnwiredBackend {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    // The configuration keeps the server's name for the connection; here only its back end is of interest.
    return try UnwiredBackend(
      connection: configuration.requiredConnection(named: "field"), transport: CurlTransport(),
      surroundings: .stub(keeper: keeper))
  }

  private func signedIn() async throws -> UnwiredBackend {
    let backend = try makeBackend()
    _ = try await backend.signIn(SignInRequest())
    return backend
  }

  private func at(_ text: String) throws -> Location { try Location(parsing: "field:\(text)") }

  @Test func `the first run registers, and later ones connect as the same`() async throws {
    let first = try await signedIn()
    let id = try #require(first.client.session.connectionID)
    let second = try await signedIn()
    #expect(second.client.session.connectionID == id)
    let item = try await second.item(at("/connection"))
    #expect(item.fields.first { $0.id == "ApplicationConnectionId" }?.value == .text(id))
    #expect(try await second.signInState(verifying: true).isSignedIn)
    _ = try await second.perform("edit", at: at("/connection"), fields: ["CustomCustom1": "region=east"])
    let changed = try await second.item(at("/connection"))
    #expect(changed.fields.first { $0.id == "CustomCustom1" }?.value == .text("region=east"))
    try await second.signOut(SignOutRequest(unregisters: true))
    #expect(keeper.all.isEmpty)
    let third = try await signedIn()
    #expect(third.client.session.connectionID != id)
  }

  @Test func `a wrong password is a refused registration`() async throws {
    let backend = try makeBackend()
    let request = SignInRequest(user: "supuser", password: Secret("wrong-password"))
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(request) }
    #expect(error?.code == .signInRefused)
    #expect(keeper.all.isEmpty)
  }

  @Test func `every set opens, and every printed row is accepted back`() async throws {
    let backend = try await signedIn()
    let sets = try await backend.list(at("/live"), ListQuery())
    #expect(!sets.rows.isEmpty)
    for set in sets.rows {
      let listing = try await backend.list(set.location, ListQuery(limit: 3))
      #expect(listing.rows.count == 3)
      #expect(!listing.columns.isEmpty)
      for row in listing.rows {
        #expect(row.opening == .item)
        let item = try await backend.item(try Location(parsing: row.location.text))
        #expect(Set(item.fields.map(\.id)).isSuperset(of: listing.columns.map(\.id)))
        for link in item.related where link.opening == .listing {
          _ = try await backend.list(link.location, ListQuery(limit: 1))
        }
      }
    }
  }

  @Test func `pages follow each other without a gap`() async throws {
    let backend = try await signedIn()
    let set = try #require(try await backend.list(at("/live"), ListQuery()).rows.first).location
    let whole = try await backend.list(set, ListQuery(limit: 20)).rows.map(\.location)
    var pages: [Location] = []
    var cursor: String?
    while pages.count < whole.count {
      let page = try await backend.list(set, ListQuery(limit: 7, cursor: cursor))
      #expect(page.rows.count <= 7 && !page.rows.isEmpty)
      pages += page.rows.map(\.location)
      cursor = page.next
      guard cursor != nil else { break }
    }
    #expect(Array(pages.prefix(whole.count)) == whole)
  }

  @Test func `the server sorts and filters`() async throws {
    let backend = try await signedIn()
    let set = try #require(try await backend.list(at("/live"), ListQuery()).rows.first).location
    let plain = try await backend.list(set, ListQuery(limit: 1))
    let text = try #require(
      plain.columns.first { column in
        if case .text(let text) = plain.value(column.id, in: plain.rows[0]) { return text.count > 2 }
        return false
      })
    let part = String(plain.value(text.id, in: plain.rows[0]).exactText.prefix(3)).uppercased()
    let query = ListQuery(
      limit: 50, sort: Sort(column: text.id, isDescending: true), filters: [.init(column: text.id, text: part)])
    let found = try await backend.list(set, query)
    let values = found.rows.map { found.value(text.id, in: $0).exactText }
    #expect(!values.isEmpty)
    #expect(values.allSatisfy { $0.uppercased().contains(part) })
    #expect(found.filteredBy == [text.id])
    #expect(found.sortedBy == query.sort)
  }

  @Test func `a row is created, changed under its tag, and deleted`() async throws {
    let backend = try await signedIn()
    let set = try at("/live/Customers")
    let fields = [
      "fname": "Ada", "lname": "O'Byron & <co>", "address": "1 Street", "city": "London", "state": "", "zip": "1",
      "phone": "1",
    ]
    let made = try #require(try await backend.perform("create", at: set, fields: fields).location)
    let before = try await backend.item(made)
    #expect(before.fields.first { $0.id == "lname" }?.value == .text("O'Byron & <co>"))
    let tag = before.fields.first { $0.id == "etag" }?.value.exactText
    _ = try await backend.perform("edit", at: made, fields: ["city": "Paris"])
    let after = try await backend.item(made)
    #expect(after.fields.first { $0.id == "city" }?.value == .text("Paris"))
    #expect(after.fields.first { $0.id == "fname" }?.value == .text("Ada"))
    let stale = UploadRequest(MemorySource(Array(#"{"city":"Rome"}"#.utf8)), ifMatch: tag)
    var error = await #expect(throws: ServiceError.self) {
      try await backend.upload(stale, to: made, progress: { _, _ in })
    }
    #expect(error?.code == .conflict)
    _ = try await backend.delete(made)
    error = await #expect(throws: ServiceError.self) { try await backend.item(made) }
    #expect(error?.code == .notFound)
  }

  @Test func `a raw write gets its token against forged requests`() async throws {
    let backend = try await signedIn()
    let set = try #require(try await backend.list(at("/live/Customers"), ListQuery(limit: 1)).rows.first)
    let sink = MemorySink()
    let key = set.location.path.last ?? ""
    let reply = try await backend.call(
      RawCall(
        "MERGE", "/\(backend.client.server.application)/Customers(\(key))",
        headers: [(name: "Content-Type", value: "application/json"), (name: "If-Match", value: "*")],
        body: MemorySource(Array(#"{"city":"Oslo"}"#.utf8))), to: sink)
    #expect(reply.status == 204)
    let item = try await backend.item(set.location)
    #expect(item.fields.first { $0.id == "city" }?.value == .text("Oslo"))
  }
}
