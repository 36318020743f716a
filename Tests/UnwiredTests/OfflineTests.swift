import JSON
import Model
import Sandbox
import Store
import TestKit
import Testing

@testable import Unwired

/// Offline data against the sandbox's server.
@Suite(.bounded) final class OfflineTests: OfflineField {
  @Test func `what was synchronised is there without the server, in every order`() async throws {
    let online = try await signedIn(sets: ["Customers", "SalesOrders"])
    try await sync(online)
    let live = try await online.list(at("/live/Customers"), ListQuery(limit: 30))
    sandbox.stop()
    let offline = try makeBackend(offline: true, sets: ["Customers", "SalesOrders"])
    let sets = try await offline.list(at("/data"), ListQuery())
    #expect(sets.rows.map { sets.value("rows", in: $0).exactText } == ["2500", "30000"])
    let kept = try await offline.list(at("/data/Customers"), ListQuery(limit: 30))
    #expect(kept.rows.map(\.values) == live.rows.map(\.values))
    #expect(kept.columns == live.columns)
    #expect(kept.total == .exact(2500) && kept.next == "30")
    let sorted = try await offline.list(
      at("/data/SalesOrders"), ListQuery(limit: 200, sort: Sort(column: "order_date", isDescending: true)))
    let dates = sorted.rows.map { sorted.value("order_date", in: $0).exactText }
    #expect(dates == dates.sorted().reversed())
    let item = try await offline.item(try Location(parsing: kept.rows[0].location.text))
    #expect(item.fields.contains { $0.id == "etag" })
    let error = await #expect(throws: ServiceError.self) { try await offline.list(at("/live"), ListQuery()) }
    #expect(error?.code == .offline)
  }

  @Test func `edits made offline are seen at once and sent once, in order`() async throws {
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    let made = try await put(offline, #"{"fname":"Ada","lname":"Byron-Test","city":"London"}"#, "/data/Customers")
    _ = try await put(offline, #"{"city":"Graz"}"#, "/data/Customers/110")
    _ = try await put(offline, #"{"city":"Linz"}"#, "/data/Customers/110")
    _ = try await offline.delete(at("/data/Customers/111"))
    #expect(try await city(offline, "/data/Customers/110") == .text("Linz"))
    #expect(try await city(offline, made.text.replacing("field:", with: "")) == .text("London"))
    await #expect(throws: ServiceError.self) { try await offline.item(at("/data/Customers/111")) }
    #expect(try await pending(offline) == ["waiting", "waiting", "waiting", "waiting"])
    let online = try await signedIn()
    #expect(try await sync(online).hasPrefix("Sent 4 edits"))
    #expect(try await pending(online).isEmpty)
    #expect(try await city(online, "/live/Customers/110") == .text("Linz"))
    let found = try await online.list(
      at("/live/Customers"), ListQuery(filters: [.init(column: "lname", text: "Byron-Test")]))
    #expect(found.rows.count == 1)
    let gone = await #expect(throws: ServiceError.self) { try await online.item(at("/live/Customers/111")) }
    #expect(gone?.code == .notFound)
    #expect(try await sync(online).hasPrefix("Sent 0 edits"))
  }

  @Test func `an edit that meets a change waits for a decision, and the others go out`() async throws {
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    _ = try await put(offline, #"{"city":"Graz"}"#, "/data/Customers/120")
    _ = try await put(offline, #"{"city":"Wels"}"#, "/data/Customers/121")
    let online = try await signedIn()
    _ = try await put(online, #"{"city":"Linz"}"#, "/live/Customers/120")
    for _ in 0..<2 {
      let error = await #expect(throws: ServiceError.self) { try await sync(online) }
      #expect(error?.code == .conflict)
      #expect(try await pending(online) == ["conflict"])
    }
    #expect(try await city(online, "/live/Customers/120") == .text("Linz"))
    #expect(try await city(online, "/live/Customers/121") == .text("Wels"))
    #expect(try await city(online, "/data/Customers/120") == .text("Graz"))
    let row = try await online.list(at("/pending"), ListQuery()).rows[0].location
    _ = try await online.perform("retry", at: row, fields: [:])
    #expect(try await city(online, "/live/Customers/120") == .text("Graz"))
    try await sync(online)
  }

  @Test func `a conflict that is dropped leaves the server's row`() async throws {
    try await sync(signedIn())
    _ = try await put(makeBackend(offline: true), #"{"city":"Graz"}"#, "/data/Customers/120")
    let online = try await signedIn()
    _ = try await put(online, #"{"city":"Linz"}"#, "/live/Customers/120")
    await #expect(throws: ServiceError.self) { try await sync(online) }
    let row = try await online.list(at("/pending"), ListQuery()).rows[0].location
    _ = try await online.perform("cancel", at: row, fields: [:])
    try await sync(online)
    #expect(try await city(online, "/data/Customers/120") == .text("Linz"))
  }

  @Test func `an attempt whose answer was lost is not executed twice`() async throws {
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    _ = try await put(offline, #"{"fname":"Ada","lname":"Byron-Cut","city":"London"}"#, "/data/Customers")
    _ = try await put(offline, #"{"city":"Graz"}"#, "/data/Customers/130")
    let online = try await signedIn()
    // The first request of a replay fetches the token; the second is the edit itself.
    sandbox.hall.faults.order(.init(.cut, target: "/SUP101/Customers", times: 1))
    let cut = await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(cut?.code == .brokenOff || cut?.code == .unreachable)
    #expect(try await pending(online) == ["waiting", "waiting"])
    #expect(try await sync(online).hasPrefix("Sent 2 edits"))
    let found = try await online.list(
      at("/live/Customers"), ListQuery(filters: [.init(column: "lname", text: "Byron-Cut")]))
    #expect(found.rows.count == 1)
  }

  @Test func `online an edit is sent at once, and kept when that fails`() async throws {
    let online = try await signedIn()
    try await sync(online)
    #expect(try await put(online, #"{"city":"Graz"}"#, "/data/Customers/140") == at("/data/Customers/140"))
    #expect(try await city(online, "/live/Customers/140") == .text("Graz"))
    let made = try await put(online, #"{"fname":"Eva","lname":"Neu"}"#, "/data/Customers")
    #expect(made == (try at("/data/Customers/2601")))
    sandbox.stop()
    let error = await #expect(throws: ServiceError.self) {
      try await put(online, #"{"city":"Wels"}"#, "/data/Customers/141")
    }
    #expect(error?.code == .unreachable)
    #expect(error?.advice.contains("kept as") == true)
    #expect(try await pending(online) == ["waiting"])
  }

  @Test func `an edit that is queued is never queued again by a repeated request`() async throws {
    let online = try await signedIn()
    try await sync(online)
    try await turn("replay=401&times=9")
    let error = await #expect(throws: ServiceError.self) {
      try await put(online, #"{"fname":"Eva","lname":"Twice"}"#, "/data/Customers")
    }
    // What asks for a sign-in is repeated as a whole by the service layer.
    #expect(error?.code == .signInRefused)
    #expect(try await pending(online) == ["waiting"])
    try await turn("times=0")
    #expect(try await sync(online).hasPrefix("Sent 1 edit;"))
  }

  @Test func `edits of a row that only exists here become one`() async throws {
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    let made = try await put(offline, #"{"fname":"Ada","lname":"One","city":"A"}"#, "/data/Customers")
    let place = made.text.replacing("field:", with: "")
    _ = try await put(offline, #"{"city":"B"}"#, place)
    #expect(try await pending(offline).count == 1)
    #expect(try await city(offline, place) == .text("B"))
    _ = try await offline.delete(made)
    #expect(try await pending(offline).isEmpty)
  }

  @Test func `an unchanged row queues nothing, and an unknown one is no row`() async throws {
    let online = try await signedIn()
    try await sync(online)
    let fields = try await online.item(at("/data/Customers/150")).fields
    let whole = JSONNode.object(
      fields.map { JSONNode.Member(key: $0.id, value: $0.value.isNull ? .null : .string($0.value.exactText)) })
    _ = try await put(
      makeBackend(offline: true), String(decoding: whole.encoded(), as: UTF8.self), "/data/Customers/150")
    let waiting = try await online.list(at("/pending"), ListQuery())
    #expect(waiting.rows.isEmpty)
    let error = await #expect(throws: ServiceError.self) { try await put(online, "{}", "/data/Customers/99999") }
    #expect(error?.code == .notFound)
  }

  @Test(arguments: ["", "delta=off", "deleted=off"])
  func `changes on the server come with the next synchronisation`(_ knob: String) async throws {
    if !knob.isEmpty { try await turn(knob) }
    let online = try await signedIn()
    try await sync(online)
    _ = try await put(online, #"{"city":"Graz"}"#, "/live/Customers/160")
    _ = try await online.delete(at("/live/Customers/161"))
    _ = try await put(online, #"{"fname":"Neu","lname":"Neu"}"#, "/live/Customers")
    try await sync(online)
    #expect(try await city(online, "/data/Customers/160") == .text("Graz"))
    let gone = await #expect(throws: ServiceError.self) { try await online.item(at("/data/Customers/161")) }
    #expect(gone?.code == .notFound)
    #expect(try await online.list(at("/data/Customers"), ListQuery(limit: 1)).total == .exact(2500))
  }

  @Test func `an expired delta link means reading everything again`() async throws {
    let online = try await signedIn()
    try await sync(online)
    let store = try await online.offline.store("test")
    var download = OfflineDownload(
      try #require(try store.set(named: "Customers")), isWhole: false, of: store)
    download.set.deltaLink = "Customers?$format=json&!deltatoken='bogus'"
    try store.keep([download])
    #expect(try await sync(online).contains("2500 rows came"))
    #expect(try await sync(online).contains("nothing has changed"))
  }

  @Test func `without a vault there is nothing offline, and it says so`() async throws {
    let backend = try makeBackend(hasVault: false)
    _ = try await backend.signIn(SignInRequest())
    for place in ["/data", "/data/Customers", "/pending"] {
      let error = await #expect(throws: ServiceError.self) { try await backend.list(at(place), ListQuery()) }
      #expect(error?.code == .vaultLocked)
    }
    let error = await #expect(throws: ServiceError.self) { try await sync(backend) }
    #expect(error?.code == .vaultLocked)
  }

  @Test func `a read-only connection synchronises and takes no edit`() async throws {
    let backend = try await signedIn(readOnly: true)
    try await sync(backend)
    let error = await #expect(throws: ServiceError.self) { try await put(backend, "{}", "/data/Customers/150") }
    #expect(error?.code == .readOnly)
  }
}
