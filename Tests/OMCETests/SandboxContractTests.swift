import Model
import Sandbox
import TestKit
import Testing
import Wire

@testable import OMCE

/// The sandbox's mobile cloud over a socket, walked as the browser walks it. The two sides share no code.
@Suite(.bounded) struct SandboxContractTests {
  /// One server for all tests; it ends with the process.
  private static let sandbox = Result { try Sandbox() }
  /// Another one, in which nobody writes: for tests that compare one answer with the next.
  private static let quiet = Result { try Sandbox() }

  private func backend(
    _ method: String? = nil, signedIn: Bool = true, password: String? = nil, baseURL: String? = nil,
    isQuiet: Bool = false
  ) async throws -> OMCEBackend {
    let sandbox = try (isQuiet ? SandboxContractTests.quiet : SandboxContractTests.sandbox).get()
    let printed = SandboxContractTests.values(of: "mobile", in: sandbox.configuration)
    let text: (String?) -> Settings.Entry = { .text($0 ?? "", .init()) }
    let table: (KeyValuePairs<String, Settings.Entry>) -> Settings.Entry = {
      .table(Settings($0.map { (key: $0.key, entry: $0.value) }))
    }
    var auth = [
      (key: "user", entry: text(printed["user"])), (key: "password", entry: text(password ?? printed["password"])),
    ]
    if let method { auth.append((key: "method", entry: text(method))) }
    let authentication = table([
      "type": text(method == "basic" ? "basic" : "oauth"),
      "oauth": table(["clientID": text(printed["clientID"]), "clientSecret": text(printed["clientSecret"])]),
      "basic": table([
        "mobileBackendID": text(printed["mobileBackendID"]), "anonymousKey": text(printed["anonymousKey"]),
      ]),
    ])
    let tree = table([
      "oAuthTokenEndPoint": text(sandbox.origin),
      "mobileBackend": table(["baseURL": text(baseURL ?? sandbox.origin), "authentication": authentication]),
    ])
    let settings = Settings([(key: "backend", entry: tree), (key: "auth", entry: .table(Settings(auth)))])
    let backend = try OMCEBackend(
      connection: Connection(name: "mobile", kind: .omce, settings: settings), transport: CurlTransport(),
      surroundings: .stub())
    if signedIn { _ = try await backend.signIn(SignInRequest()) }
    return backend
  }

  /// The plain `key: value` lines of one connection of a printed configuration.
  static func values(of name: String, in configuration: String) -> [String: String] {
    var values: [String: String] = [:]
    var isInside = false
    for line in configuration.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.drop(while: \.isWhitespace) }
      let key = String(parts[0].drop { $0 == "-" || $0 == " " })
      let value = parts.count > 1 ? String(parts[1].filter { $0 != "\"" && $0 != "'" }) : ""
      if key == "kind" { isInside = value == "omce" }
      if isInside, values[key] == nil { values[key] = value }
    }
    return values
  }

  private func location(_ path: String) throws -> Location { try Location(parsing: "mobile:\(path)") }

  private func collections(_ backend: OMCEBackend) async throws -> [Row] {
    try await backend.list(try location("/storage"), ListQuery()).rows
  }

  private func shared(_ backend: OMCEBackend) async throws -> Location {
    let rows = try await collections(backend)
    return try #require(rows.first { $0.values[3] == .flag(false) }).location
  }

  @Test(arguments: ["oauth", "basic"])
  func `a person walks from collections to an object and its payload`(method: String) async throws {
    let backend = try await backend(method, isQuiet: true)
    let rows = try await collections(backend)
    #expect(!rows.isEmpty)
    var checked = 0
    for row in rows {
      let objects = try await backend.list(row.location, ListQuery(limit: 3))
      guard let first = objects.rows.first else { continue }
      let again = try Location(parsing: first.location.text)
      let item = try await backend.item(again)
      #expect(item.fields.first { $0.id == "id" }?.value == first.values[0])
      #expect(item.fields.first { $0.id == "etag" }?.value == objects.value("etag", in: first))
      let sink = MemorySink()
      let head = try await backend.download(again, DownloadRequest(), to: sink, progress: { _, _ in })
      #expect(objects.value("size", in: first) == .size(Int64(sink.bytes.count)))
      #expect(head.mediaType == item.content?.mediaType)
      checked += 1
    }
    #expect(checked > 0)
  }

  @Test func `all pages of a large collection together hold every object once`() async throws {
    let backend = try await backend(isQuiet: true)
    for row in try await collections(backend) {
      var query = ListQuery(limit: 70)
      var ids: [Value] = []
      var total = Total.unknown
      var pages = 0
      repeat {
        let page = try await backend.list(row.location, query)
        ids += page.rows.map { $0.values[0] }
        query.cursor = page.next
        total = page.total
        pages += 1
      } while query.cursor != nil && pages < 100
      #expect(Set(ids).count == ids.count)
      if case .exact(let count) = total, pages < 2 { #expect(ids.count == count) }
    }
  }

  @Test func `an object is stored, read back in part, replaced, guarded by its tag and deleted`() async throws {
    let backend = try await backend()
    let collection = try await shared(backend)
    let text = Array("Grüße aus der Werkstatt".utf8)
    let place = try await backend.upload(
      UploadRequest(MemorySource(text), name: "Grüße 100%.txt", mediaType: "text/plain"), to: collection,
      progress: { _, _ in })
    let item = try await backend.item(place)
    #expect(item.title == "Grüße 100%.txt")
    let tag = try #require(item.content?.validator)
    let part = MemorySink()
    _ = try await backend.download(
      place, DownloadRequest(offset: 7, validator: tag), to: part, progress: { _, _ in })
    #expect(part.offset == 7)
    #expect(part.bytes == Array(text.dropFirst(7)))
    let same = try await backend.upload(
      UploadRequest(MemorySource(Array("neu".utf8)), mediaType: "text/plain", ifMatch: tag), to: place,
      progress: { _, _ in })
    #expect(same == place)
    let stale = await #expect(throws: ServiceError.self) {
      try await backend.upload(UploadRequest(MemorySource([]), ifMatch: tag), to: place, progress: { _, _ in })
    }
    #expect(stale?.code == .conflict)
    let changed = MemorySink()
    _ = try await backend.download(
      place, DownloadRequest(offset: 1, validator: tag), to: changed, progress: { _, _ in })
    #expect(changed.offset == 0)
    #expect(changed.text == "neu")
    _ = try await backend.delete(place)
    let gone = await #expect(throws: ServiceError.self) { try await backend.item(place) }
    #expect(gone?.code == .notFound)
  }

  @Test func `keeping both stores beside what is there`() async throws {
    let backend = try await backend()
    let place = try await shared(backend).appending("kept-\(UInt32.random(in: 0 ... .max)).txt")
    let first = try await backend.upload(
      UploadRequest(MemorySource(Array("one".utf8))), to: place, progress: { _, _ in })
    let second = try await backend.upload(
      UploadRequest(MemorySource(Array("two".utf8)), keepsBoth: true), to: place, progress: { _, _ in })
    #expect(first == place)
    #expect(second != place)
    for (location, text) in [(first, "one"), (second, "two")] {
      let sink = MemorySink()
      _ = try await backend.download(location, DownloadRequest(), to: sink, progress: { _, _ in })
      #expect(sink.text == text)
      _ = try await backend.delete(location)
    }
  }

  @Test func `a new name needs no new content`() async throws {
    let backend = try await backend()
    let place = try await backend.upload(
      UploadRequest(MemorySource(Array("same".utf8)), name: "a", mediaType: "text/plain"),
      to: try await shared(backend),
      progress: { _, _ in })
    _ = try await backend.perform("rename", at: place, fields: ["name": "ünicode name"])
    let item = try await backend.item(place)
    #expect(item.title == "ünicode name")
    #expect(item.content?.size == 4)
    _ = try await backend.delete(place)
  }

  @Test(arguments: ["/places", "/assets", "/devices", "/policies"])
  func `every list of the contract answers, and each row opens`(path: String) async throws {
    let backend = try await backend()
    let listing = try await backend.list(try location(path), ListQuery())
    #expect(!listing.rows.isEmpty)
    #expect(listing.rows.allSatisfy { $0.values.count == listing.columns.count })
    let item = try await backend.item(try Location(parsing: try #require(listing.rows.first).location.text))
    #expect(!item.fields.isEmpty)
  }

  @Test func `who am I is asked of the server when it shall be verified`() async throws {
    let backend = try await backend()
    let state = try await backend.signInState(verifying: true)
    #expect(state.isSignedIn)
    #expect(state.user.map { !$0.isEmpty } ?? false)
    let me = try await backend.item(try location("/me"))
    #expect(me.fields.first { $0.id == "name" }?.value.exactText == state.user)
  }

  @Test func `a wrong password is refused`() async throws {
    for method in ["oauth", "basic"] {
      let backend = try await backend(method, signedIn: false, password: "not-the-password")
      let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
      #expect(error?.code == .signInRefused)
    }
  }

  @Test func `trap 2: a scope of another address is the configuration's fault`() async throws {
    let port = try SandboxContractTests.sandbox.get().port
    let backend = try await backend("oauth", signedIn: false, baseURL: "http://localhost:\(port)/other")
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    #expect(error?.code == .configuration)
  }

  @Test func `an anonymous user gets policies and places, and no storage that is not opened to him`() async throws {
    let backend = try await backend("anonymous")
    #expect(try await backend.list(try location("/policies"), ListQuery()).rows.isEmpty == false)
    #expect(try await backend.list(try location("/places"), ListQuery()).rows.isEmpty == false)
    var refused = 0
    let all = try await collections(try await self.backend())
    for row in all {
      do {
        _ = try await backend.list(row.location, ListQuery())
      } catch {
        #expect(error.code == .forbidden || error.code == .notFound || error.code == .failed)
        refused += 1
      }
    }
    #expect(refused > 0 && refused < all.count)
  }

  @Test func `what does not exist is not found, with the server's own mark for its operators`() async throws {
    let backend = try await backend()
    let error = await #expect(throws: ServiceError.self) {
      try await backend.list(try location("/storage/NoSuchThing"), ListQuery())
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("ecid") ?? false)
  }

  @Test func `a raw call brings the server's own bytes and its status`() async throws {
    let backend = try await backend()
    let sink = MemorySink()
    let reply = try await backend.call(RawCall("GET", "/mobile/platform/users/~"), to: sink)
    #expect(reply.status == 200)
    #expect(sink.text.contains("\"username\""))
    let nowhere = MemorySink()
    #expect(try await backend.call(RawCall("GET", "/mobile/custom/no such"), to: nowhere).status == 404)
  }

  @Test func `a megabyte comes back byte for byte`() async throws {
    let backend = try await backend()
    let bytes = (0..<1_048_577).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    let place = try await backend.upload(
      UploadRequest(MemorySource(bytes), name: "big.bin"), to: try await shared(backend), progress: { _, _ in })
    let sink = MemorySink()
    _ = try await backend.download(place, DownloadRequest(), to: sink, progress: { _, _ in })
    #expect(sink.bytes == bytes)
    _ = try await backend.delete(place)
  }
}
