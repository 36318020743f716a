import FoundationEssentials
import JSON
import Model
import Sandbox
import Store
import Synchronization
import TestKit
import Testing
import Wire

@testable import OMCE

/// A directory instead of a vault: the key is always the same.
final class OpenStores: OfflineStores {
  private let path: String
  init(_ path: String) { self.path = path }

  func place(of connection: String) -> OfflinePlace {
    OfflinePlace(path: path, key: Secret(String(repeating: "5a", count: 32)), isNew: false)
  }

  func adopt(_ policy: VaultPolicy) {}
}

/// Answers questions with the choices that a script holds.
final class ChoosingAsker: Asker {
  private let state: Mutex<(choices: [Answer], questions: [Question])>
  init(_ choices: [Answer]) { state = Mutex((choices, [])) }
  var questions: [Question] { state.withLock { $0.questions } }

  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    let answer = state.withLock { state -> Answer? in
      state.questions.append(question)
      return state.choices.isEmpty ? nil : state.choices.removeFirst()
    }
    guard let answer else { throw ServiceError(.signInNeeded, question.title) }
    return answer
  }
}

extension Sandbox {
  /// The password of one of the mobile backend's users.
  func credentials(of name: String) -> String {
    let words = credentials.joined(separator: " ").split(separator: " ").map(String.init)
    return words.firstIndex(of: name).map { words[$0 + 2] } ?? ""
  }
}

/// Data offline against the sandbox's mobile cloud, over a socket.
@Suite(.bounded) final class DataOfflineTests {
  private let sandbox: Sandbox
  private let directory: TemporaryDirectory
  private let keeper = StubKeeper()
  private let clock = StubClock()

  init() throws {
    sandbox = try Sandbox(SandboxOptions(documents: 1, objects: 30))
    directory = try TemporaryDirectory()
  }

  deinit { sandbox.stop() }

  private func makeBackend(
    offline: Bool = false, stores: Bool = true, asker: any Asker = StubAsker(),
    edit: (String) -> String = { $0 }
  ) throws -> OMCEBackend {
    let text = edit(sandbox.configuration)
    let configuration = try Configuration(parsing: Array(text.utf8), path: "sandbox.yaml")
    return try OMCEBackend(
      connection: try configuration.requiredConnection(named: "mobile"), transport: CurlTransport(),
      surroundings: .stub(
        asker: asker, keeper: keeper, clock: clock, isOffline: offline,
        stores: stores ? OpenStores(directory.file("mobile.store")) : NoOfflineStores(),
        randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }))
  }

  private func signedIn(
    asker: any Asker = StubAsker(), edit: (String) -> String = { $0 }
  ) async throws -> OMCEBackend {
    let backend = try makeBackend(asker: asker, edit: edit)
    _ = try await backend.signIn(SignInRequest())
    return backend
  }

  private func at(_ text: String) throws -> Location { try Location(parsing: "mobile:\(text)") }

  @discardableResult
  private func put(
    _ backend: OMCEBackend, _ text: String, _ place: String, name: String? = nil, tag: String? = nil
  ) async throws -> Location {
    try await backend.upload(
      UploadRequest(MemorySource(Array(text.utf8)), name: name, mediaType: "text/plain", ifMatch: tag), to: at(place)
    ) { _, _ in }
  }

  private func content(_ backend: OMCEBackend, _ location: Location) async throws -> String {
    let sink = MemorySink()
    _ = try await backend.download(location, DownloadRequest(), to: sink) { _, _ in }
    return sink.text
  }

  private func states(_ backend: OMCEBackend) async throws -> [String] {
    let listing = try await backend.list(at("/pending"), ListQuery())
    return listing.rows.map { listing.value("state", in: $0).exactText }
  }

  @discardableResult
  private func sync(_ backend: OMCEBackend) async throws -> String {
    try await backend.synchronize { _, _ in }.message
  }

  private func field(_ backend: OMCEBackend, _ place: String, _ id: String) async throws -> Value? {
    try await backend.item(at(place)).fields.first { $0.id == id }?.value
  }

  /// What the sandbox writes when it edits an object by itself.
  private static let theirs = "Edited by tess.\n"

  private func turn(_ query: String) async throws {
    let url = try #require(URL(string: "\(sandbox.origin)/sandbox/\(query)"))
    let response = try await CurlTransport().send(HTTPRequest("POST", url))
    #expect(response.isSuccess)
  }

  // MARK: Reading

  @Test func `what was synchronised is there without the server, in every order and part`() async throws {
    let online = try await signedIn()
    let live = try await online.list(at("/storage/Big"), ListQuery(limit: 100))
    let photo = try await online.list(at("/storage/FieldPhotos"), ListQuery(sort: Sort(column: "name"))).rows[0]
    let bytes = try await content(online, photo.location)
    #expect(try await sync(online).contains("lists came"))
    sandbox.stop()
    let offline = try makeBackend(offline: true)
    let collections = try await offline.list(at("/storage"), ListQuery())
    #expect(collections.rows.count == 7)
    guard case .offline = collections.freshness else {
      Issue.record("a listing from the store must say so")
      return
    }
    let kept = try await offline.list(at("/storage/Big"), ListQuery(limit: 20))
    #expect(kept.rows.map { $0.values.prefix(7) } == live.rows.prefix(20).map { $0.values.prefix(7) })
    #expect(kept.total == .exact(30) && kept.next == "20")
    let sorted = try await offline.list(
      at("/storage/Big"), ListQuery(limit: 100, sort: Sort(column: "modified", isDescending: true)))
    let times = sorted.rows.map { sorted.value("modified", in: $0).exactText }
    #expect(times == times.sorted().reversed())
    let found = try await offline.list(at("/storage/Big"), ListQuery(filters: [.init(column: "name", text: "PUMP")]))
    #expect(!found.rows.isEmpty && found.rows.allSatisfy { found.value("name", in: $0).exactText.contains("pump") })
    #expect(try await content(offline, photo.location) == bytes)
    #expect(try await field(offline, photo.location.text.replacing("mobile:", with: ""), "name") != nil)
    for place in ["/places", "/assets", "/devices", "/policies", "/custom/tasks/items"] {
      let listing = try await offline.list(at(place), ListQuery())
      #expect(!listing.rows.isEmpty, "\(place)")
    }
    #expect(try await field(offline, "/me", "name") == .text("ada"))
    #expect(try await field(offline, "/places/100", "label") == .text("City"))
    let error = await #expect(throws: ServiceError.self) { try await content(offline, sorted.rows[0].location) }
    #expect(error?.code == .offline)
  }

  @Test func `a server that cannot be reached leaves what was kept, marked with its age`() async throws {
    let online = try await signedIn()
    let before = try await online.list(at("/storage/FieldPhotos"), ListQuery())
    #expect(before.freshness == .live)
    sandbox.stop()
    clock.move(seconds: 60)
    let after = try await online.list(at("/storage/FieldPhotos"), ListQuery())
    #expect(after.rows.map(\.location) == before.rows.map(\.location))
    #expect(after.freshness == .offline(clock.now().adding(seconds: -60)))
    let error = await #expect(throws: ServiceError.self) { try await online.list(at("/storage/Big"), ListQuery()) }
    #expect(error?.code == .unreachable)
  }

  @Test func `an unchanged payload is not sent twice`() async throws {
    let online = try await signedIn()
    let place = try await put(online, "once", "/storage/FieldPhotos", name: "once.txt")
    #expect(try await content(online, place) == "once")
    #expect(try await content(online, place) == "once")
    let statuses = sandbox.hall.journal.entries.filter { $0.method == "GET" && $0.path.contains("/objects/") }
    #expect(statuses.map(\.status) == [200, 304])
    _ = try await put(try await signedIn(), "twice", place.text.replacing("mobile:", with: ""))
    #expect(try await content(online, place) == "twice")
  }

  @Test func `a policy that asks the store alone never asks the service`() async throws {
    let edit = { (text: String) in text.replacing("FETCH_FROM_SERVICE_IF_ONLINE", with: "FETCH_FROM_CACHE") }
    let backend = try await signedIn(edit: edit)
    let missing = await #expect(throws: ServiceError.self) { try await backend.list(at("/storage"), ListQuery()) }
    #expect(missing?.code == .offline)
    try await sync(backend)
    sandbox.hall.journal.clear()
    #expect(try await backend.list(at("/storage"), ListQuery()).rows.count == 7)
    #expect(sandbox.hall.journal.entries.isEmpty)
  }

  @Test func `without a vault reading goes on as ever, and what needs one says so`() async throws {
    let backend = try makeBackend(stores: false)
    _ = try await backend.signIn(SignInRequest())
    #expect(try await backend.list(at("/storage"), ListQuery()).freshness == .live)
    for place in ["/pending", "/offline"] {
      let error = await #expect(throws: ServiceError.self) { try await backend.list(at(place), ListQuery()) }
      #expect(error?.code == .vaultLocked)
    }
    let error = await #expect(throws: ServiceError.self) { try await sync(backend) }
    #expect(error?.code == .vaultLocked)
  }

  // MARK: Editing

  @Test func `edits made offline are seen at once and sent in order`() async throws {
    let online = try await signedIn()
    let old = try await put(online, "old", "/storage/FieldPhotos", name: "note.txt")
    try await sync(online)
    let offline = try makeBackend(offline: true)
    let path = old.text.replacing("mobile:", with: "")
    let made = try await put(offline, "made here", "/storage/FieldPhotos", name: "made.txt")
    try await put(offline, "first", path)
    try await put(offline, "second", path)
    try await put(offline, #"{"title":"Offline title"}"#, "/custom/tasks/items/3")
    try await put(offline, #"{"title":"New one"}"#, "/custom/tasks/items")
    _ = try await offline.delete(at("/custom/tasks/items/4"))
    #expect(try await content(offline, old) == "second")
    #expect(try await content(offline, made) == "made here")
    #expect(try await field(offline, "/custom/tasks/items/3", "title") == .text("Offline title"))
    let gone = await #expect(throws: ServiceError.self) { try await offline.item(at("/custom/tasks/items/4")) }
    #expect(gone?.code == .notFound)
    let listing = try await offline.list(at("/storage/FieldPhotos"), ListQuery())
    let row = try #require(listing.rows.first { $0.location.path == made.path })
    #expect(listing.value("state", in: row) == .text("create waits"))
    // Two edits of one object that never left are one.
    #expect(try await states(offline) == Array(repeating: "waiting", count: 5))
    #expect(try await sync(online).hasPrefix("Sent 5 edits"))
    #expect(try await states(online).isEmpty)
    #expect(try await content(online, old) == "second")
    #expect(try await online.item(made).title == "made.txt")
    #expect(try await field(online, "/custom/tasks/items/3", "title") == .text("Offline title"))
    #expect(try await field(online, "/custom/tasks/items/3", "assignee") == .text("ada"))
    #expect(try await field(online, "/custom/tasks/items/13", "title") == .text("New one"))
    let again = await #expect(throws: ServiceError.self) { try await online.item(at("/custom/tasks/items/4")) }
    #expect(again?.code == .notFound)
  }

  /// An object that was edited here and, meanwhile, there.
  private func conflict(_ edit: (String) -> String = { $0 }) async throws -> (OMCEBackend, Location) {
    let online = try await signedIn(edit: edit)
    let place = try await put(online, "old", "/storage/FieldPhotos", name: "note.txt")
    try await sync(online)
    try await put(makeBackend(offline: true, edit: edit), "mine", place.text.replacing("mobile:", with: ""))
    try await turn(
      "settings?door=mobile&edit=FieldPhotos/\(place.path[2])")
    return (online, place)
  }

  @Test func `a conflict is kept for a person, both sides in sight, however often it is sent`() async throws {
    let (online, place) = try await conflict()
    try await put(try makeBackend(offline: true), #"{"title":"other"}"#, "/custom/tasks/items/5")
    for _ in 0..<2 {
      let error = await #expect(throws: ServiceError.self) { try await sync(online) }
      #expect(error?.code == .conflict)
      #expect(try await states(online) == ["conflict"])
    }
    #expect(try await field(online, "/custom/tasks/items/5", "title") == .text("other"))
    let row = try await online.list(at("/pending"), ListQuery()).rows[0]
    let item = try await online.item(row.location)
    #expect(item.fields.first { $0.id == "mine.content" }?.value == .text("mine"))
    #expect(item.fields.first { $0.id == "theirs.modifiedBy" }?.value == .text("tess"))
    #expect(item.sections.map(\.title).starts(with: ["Edit", "Mine", "Theirs", "Before"]))
    #expect(
      item.actions.filter { $0.disabled == nil }.map(\.id) == [
        "retry", "keep-mine", "take-theirs", "keep-both", "cancel",
      ])
    let listing = try await online.list(at("/storage/FieldPhotos"), ListQuery())
    let shown = try #require(listing.rows.first { $0.location == place })
    #expect(listing.value("state", in: shown) == .text("conflict"))
  }

  @Test(arguments: ["keep-mine", "take-theirs", "keep-both", "cancel"])
  func `a person settles a conflict`(_ choice: String) async throws {
    let (online, place) = try await conflict()
    await #expect(throws: ServiceError.self) { try await sync(online) }
    let row = try await online.list(at("/pending"), ListQuery()).rows[0].location
    let outcome = try await online.perform(choice, at: row, fields: [:])
    #expect(try await states(online).isEmpty)
    #expect(try await content(online, place) == (choice == "keep-mine" ? "mine" : Self.theirs))
    if choice == "keep-both" {
      let copy = try #require(outcome.location)
      #expect(copy != place)
      #expect(try await content(online, copy) == "mine")
    }
    try await sync(online)
  }

  @Test(arguments: ["CLIENT_WINS", "SERVER_WINS"])
  func `a policy settles a conflict by itself`(_ policy: String) async throws {
    let (online, place) = try await conflict { $0.replacing("PRESERVE_CONFLICT", with: policy) }
    try await sync(online)
    #expect(try await states(online).isEmpty)
    #expect(try await content(online, place) == (policy == "CLIENT_WINS" ? "mine" : Self.theirs))
  }

  @Test func `a policy that needs a server queues nothing`() async throws {
    let edit = { (text: String) in text.replacing("QUEUE_IF_OFFLINE", with: "UPDATE_IF_ONLINE") }
    try await sync(signedIn(edit: edit))
    let offline = try makeBackend(offline: true, edit: edit)
    let error = await #expect(throws: ServiceError.self) {
      try await put(offline, "x", "/storage/FieldPhotos", name: "x.txt")
    }
    #expect(error?.code == .offline)
    #expect(try await states(offline).isEmpty)
  }

  @Test func `what the server refuses for good is kept, and what it cannot be asked stops the rest`() async throws {
    let online = try await signedIn()
    try await sync(online)
    let offline = try makeBackend(offline: true)
    try await put(offline, "a", "/storage/FieldPhotos/\(String(repeating: "x", count: 120))")
    try await put(offline, "b", "/storage/FieldPhotos/good")
    let error = await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(error?.code == .conflict)
    #expect(try await states(online) == ["refused"])
    #expect(try await content(online, at("/storage/FieldPhotos/good")) == "b")
    _ = try await online.perform("cancel-all", at: at("/pending"), fields: [:])
    #expect(try await states(online).isEmpty)
    try await put(offline, "c", "/storage/FieldPhotos/first")
    try await put(offline, "d", "/storage/FieldPhotos/second")
    try await turn(
      "faults?kind=status&status=503&path=/mobile/platform/storage/collections/FieldPhotos/objects/first&times=9")
    await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(try await states(online) == ["waiting", "waiting"])
  }

  @Test func `an attempt whose answer was lost is not made twice`() async throws {
    let online = try await signedIn()
    try await sync(online)
    let offline = try makeBackend(offline: true)
    try await put(offline, "mine", "/storage/FieldPhotos/lost")
    sandbox.hall.faults.order(
      .init(.cut, target: "/mobile/platform/storage/collections/FieldPhotos/objects/lost", times: 1))
    await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(try await states(online) == ["waiting"])
    try await sync(online)
    #expect(try await states(online).isEmpty)
    #expect(try await field(online, "/storage/FieldPhotos/lost", "etag") == .text("\"1\""))
  }

  @Test func `a write without a server waits, and goes out when the server is there again`() async throws {
    let port = sandbox.port
    let online = try await signedIn()
    try await sync(online)
    sandbox.stop()
    let place = try await put(online, "waits", "/storage/FieldPhotos", name: "later.txt")
    #expect(try await states(online) == ["waiting"])
    let again = try Sandbox(SandboxOptions(port: port, documents: 1, objects: 30))
    defer { again.stop() }
    _ = try await online.signIn(SignInRequest())
    try await sync(online)
    #expect(try await states(online).isEmpty)
    #expect(try await content(online, place) == "waits")
  }

  // MARK: Pinning

  @Test func `a pinned collection brings its contents, an unpinned one only its list`() async throws {
    let online = try await signedIn()
    _ = try await online.perform("pin", at: at("/storage/PublicDocs"), fields: ["priority": "high"])
    try await sync(online)
    sandbox.stop()
    let offline = try makeBackend(offline: true)
    let listing = try await offline.list(at("/storage/PublicDocs"), ListQuery())
    for row in listing.rows {
      #expect(listing.value("state", in: row) == .text("kept"))
      _ = try await content(offline, row.location)
    }
    let kept = try await offline.list(at("/offline"), ListQuery())
    let pinned = kept.rows.filter { kept.value("pinned", in: $0) == .text("high") }
    #expect(pinned.map { kept.value("name", in: $0) } == [.text("storage/PublicDocs")])
    let item = try await offline.item(at("/storage/PublicDocs"))
    #expect(item.actions.contains { $0.id == "unpin" })
    _ = try await offline.perform("unpin", at: at("/storage/PublicDocs"), fields: [:])
    _ = try await offline.perform("purge", at: at("/offline"), fields: [:])
    let after = try await offline.list(at("/offline"), ListQuery())
    #expect(after.rows.isEmpty)
  }

  // MARK: What goes, and what is fetched again

  /// Waits until something that happens behind the scenes has happened.
  private func eventually(_ claim: () async throws -> Bool) async throws -> Bool {
    while try await !claim() { await Task.yield() }
    return true
  }

  @Test func `what has expired goes at the next start, where the policy wants it`() async throws {
    let edit = { (text: String) in
      text.replacing("NEVER_EXPIRE", with: "EXPIRE_AFTER").replacing("expireAfter: 86400", with: "expireAfter: 60")
        .replacing("MANUAL_EVICTION", with: "EVICT_ON_EXPIRY_AT_STARTUP")
    }
    try await sync(signedIn(edit: edit))
    try await put(makeBackend(offline: true, edit: edit), "waits", "/storage/FieldPhotos", name: "w.txt")
    clock.move(seconds: 59)
    #expect(try await makeBackend(offline: true, edit: edit).list(at("/offline"), ListQuery()).rows.isEmpty == false)
    clock.move(seconds: 2)
    let later = try makeBackend(offline: true, edit: edit)
    #expect(try await later.list(at("/offline"), ListQuery()).rows.isEmpty)
    #expect(try await states(later) == ["waiting"])
  }

  @Test func `a profile may want everything gone at the start, but no edit`() async throws {
    try await sync(signedIn())
    try await put(makeBackend(offline: true), "waits", "/storage/FieldPhotos", name: "w.txt")
    let later = try makeBackend(offline: true) {
      $0.replacing("maxStoreSize: 200", with: "purgeOnStartup: true")
    }
    #expect(try await later.list(at("/offline"), ListQuery()).rows.isEmpty)
    #expect(try await states(later) == ["waiting"])
  }

  @Test func `a full store takes no edit, and says so`() async throws {
    let edit = { (text: String) in text.replacing("maxStoreSize: 200", with: "maxStoreSize: 0") }
    try await sync(signedIn(edit: edit))
    let error = await #expect(throws: ServiceError.self) {
      try await put(makeBackend(offline: true, edit: edit), "x", "/storage/FieldPhotos", name: "x.txt")
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.message.contains("maxStoreSize") == true)
  }

  @Test func `what has expired is fetched again at the start, where the profile wants it`() async throws {
    let edit = { (text: String) in
      text.replacing("REFRESH_NONE", with: "REFRESH_EXPIRED_ITEM_ON_START_UP")
        .replacing("NEVER_EXPIRE", with: "EXPIRE_ON_RESTART")
    }
    try await sync(signedIn(edit: edit))
    clock.move(seconds: 10)
    let later = try makeBackend(edit: edit)
    _ = try await later.list(at("/policies"), ListQuery())
    let store = try await later.client.openStore("test")
    #expect(
      try await eventually {
        try store.lists().allSatisfy { $0.list.set.synced == self.clock.now() }
          && store.answerPaths().allSatisfy { $0.kept == self.clock.now() }
      })
  }

  // MARK: Whose data it is

  @Test func `another user sees nothing of what is kept, and sends nothing of what waits`() async throws {
    let ada = try await signedIn()
    try await sync(ada)
    try await put(makeBackend(offline: true), "ada's", "/storage/FieldPhotos/hers")
    let tess = sandbox.credentials(of: "tess")
    let other = try makeBackend()
    _ = try await other.signIn(SignInRequest(user: "tess", password: Secret(tess)))
    #expect(try await states(other).isEmpty)
    try await sync(other)
    let offline = try makeBackend(offline: true)
    #expect(try await states(offline).isEmpty)
    let back = try await signedIn()
    #expect(try await states(back) == ["waiting"])
    try await sync(back)
    #expect(try await content(back, at("/storage/FieldPhotos/hers")) == "ada's")
  }

  // MARK: Signing in without a server

  @Test func `who signed in before may do so without the server, with the same password`() async throws {
    let first = try await signedIn()
    _ = try await first.list(at("/storage"), ListQuery())
    let verifier = try #require(keeper.all["mobile/offline-sign-in"])
    let password = sandbox.credentials(of: "ada")
    #expect(!verifier.reveal().contains(password))
    sandbox.stop()
    let second = try makeBackend()
    let wrong = await #expect(throws: ServiceError.self) {
      try await second.signIn(SignInRequest(user: "ada", password: Secret("not-the-password")))
    }
    #expect(wrong?.code == .signInRefused)
    let stranger = await #expect(throws: ServiceError.self) {
      try await second.signIn(SignInRequest(user: "tess", password: Secret(password)))
    }
    #expect(stranger?.code == .unreachable)
    let state = try await second.signIn(SignInRequest(user: "ada", password: Secret(password)))
    #expect(state.isSignedIn && second.client.authorization.mode == .offline)
    #expect(try await second.list(at("/storage"), ListQuery()).rows.count == 7)
    let place = try await put(second, "made offline", "/storage/FieldPhotos", name: "x.txt")
    #expect(try await content(second, place) == "made offline")
    try await second.signOut(SignOutRequest())
    #expect(keeper.all.isEmpty)
    let after = await #expect(throws: ServiceError.self) {
      try await second.signIn(SignInRequest(user: "ada", password: Secret(password)))
    }
    #expect(after?.code == .unreachable)
  }

  @Test func `a profile that forbids it keeps no verifier`() async throws {
    _ = try await signedIn { $0.replacing("enableOffline: true", with: "enableOffline: false") }
    #expect(keeper.all["mobile/offline-sign-in"] == nil)
  }

  // MARK: The conflict dialog

  @Test(arguments: ["theirs", "mine", "both"])
  func `somebody else's change is put before a person while writing`(_ choice: String) async throws {
    let asker = ChoosingAsker([.chosen(choice)])
    let backend = try await signedIn(asker: asker)
    let place = try await put(backend, "old", "/storage/FieldPhotos", name: "dialog.txt")
    try await turn("settings?door=mobile&edit=FieldPhotos/\(place.path[2])")
    let end = try await put(backend, "mine", place.text.replacing("mobile:", with: ""))
    #expect(asker.questions.count == 1)
    #expect(asker.questions.first?.message.contains("tess") == true)
    #expect(try await content(backend, place) == (choice == "mine" ? "mine" : Self.theirs))
    #expect((end != place) == (choice == "both"))
    if choice == "both" { #expect(try await content(backend, end) == "mine") }
  }

  @Test func `nobody to ask, or a tag that was named: a conflict stays a conflict`() async throws {
    let backend = try await signedIn()
    let place = try await put(backend, "old", "/storage/FieldPhotos", name: "dialog.txt")
    let path = place.text.replacing("mobile:", with: "")
    try await turn("settings?door=mobile&edit=FieldPhotos/\(place.path[2])")
    let error = await #expect(throws: ServiceError.self) { try await put(backend, "mine", path) }
    #expect(error?.code == .conflict)
    let named = await #expect(throws: ServiceError.self) { try await put(backend, "mine", path, tag: "\"1\"") }
    #expect(named?.code == .conflict)
    #expect(try await content(backend, place) == Self.theirs)
    let deleted = await #expect(throws: ServiceError.self) { try await backend.delete(place) }
    #expect(deleted?.code == .conflict)
  }
}
