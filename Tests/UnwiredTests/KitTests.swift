import JSON
import Model
import Store
import TestKit
import Testing
import Wire

@testable import Unwired

/// The kit as an app uses it, against the sandbox: nothing of Atrium's tree.
@Suite(.bounded) final class KitTests: OfflineField {
  /// A registered application with a synchronised database.
  private func database(groups: [String: [String]] = [:], sets: [String]? = ["Customers"]) async throws
    -> PackageDatabase
  {
    let database = try PackageDatabase(
      application(), name: "field", stores: stores, clock: StubClock(),
      randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }, sets: sets, groups: groups)
    try await database.application.register()
    return database
  }

  private func application() throws -> MobileApplication {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    let settings = try configuration.requiredConnection(named: "field").settings
    let origin = sandbox.origin.split(separator: ":")
    var properties = ConnectionProperties(serverName: "127.0.0.1", portNumber: Int(origin.last ?? "") ?? 0)
    properties.networkProtocol = .http
    properties.domain = "default"
    guard case .literal(let password)? = try settings.secret("auth.password") else {
      throw ServiceError(.usage, "test")
    }
    properties.loginCredentials = (try settings.requiredText("auth.user"), password)
    return try MobileApplication(identifier: "SUP101", properties)
  }

  struct Query: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let test: ObjectQuery.Test
    init(_ words: String, _ test: ObjectQuery.Test) {
      testDescription = words
      self.test = test
    }
  }

  @Test func `a query finds the same rows here and on the server`() async throws {
    let database = try await database()
    try await database.synchronize()
    let known = try #require(try await database.find("Customers", key: "120"))
    let (city, name) = (try #require(known["city"]), try #require(known["lname"]))
    guard case .string(let text) = name else { return }
    let queries = [
      Query("equal", .equal("city", city)), Query("not equal", .notEqual("city", city)),
      Query("order", .and([.greaterOrEqual("id", 2_000), .less("id", 2_010)])),
      Query("between", .between("id", 500, 520)), Query("in", .isIn("id", [101, 102, 99_999])),
      Query("like in the middle", .like("lname", "%\(text.dropFirst())%")), Query("like", .like("lname", text)),
      Query("like at the start", .like("lname", "\(text.prefix(2))%")),
      Query("like at the end", .like("lname", "%\(text.suffix(2))")),
      Query("or and not", .or([.not(.greater("id", 110)), .equal("id", 2_600)])),
      Query("null", .and([.equal("company_name", .null), .less("id", 300)])),
      Query("nothing", .and([.equal("lname", name), .equal("id", 1)])),
    ]
    for query in queries {
      let asked = ObjectQuery(query.test, sort: [.init("id", isDescending: true)], skip: 1, take: 20)
      let here = try await database.find("Customers", asked)
      let there = try await database.findOnServer("Customers", asked)
      #expect(here == there, "\(query.testDescription): \(here.map(\.key)) and \(there.map(\.key))")
    }
    var few = ObjectQuery(.less("id", 103), sort: [.init("id")])
    few.select = ["city"]
    let (here, there) = (
      try await database.find("Customers", few), try await database.findOnServer("Customers", few)
    )
    #expect(here.map(\.properties) == there.map(\.properties) && here.first?.properties.map(\.key) == ["id", "city"])
    #expect(try await database.size("Customers", few) == 2)
    #expect(try await database.findOnServer("Customers", ObjectQuery()).count == 2_500)
    await #expect(throws: ServiceError.self) { try await database.find("Customers", ObjectQuery(.like("city", "a%b"))) }
  }

  @Test func `a saved change stays here until it is submitted, and is replayed then`() async throws {
    let database = try await database()
    try await database.synchronize()
    var customer = try #require(try await database.find("Customers", key: "120"))
    customer["city"] = "Graz"
    try await database.save(&customer)
    #expect(customer.isPending && customer.pendingChange == .update && customer.replayPending == nil)
    #expect(try await database.isReplayQueueEmpty())
    try await database.synchronize()
    #expect(try await database.pendingObjects("Customers").map(\.key) == ["120"])
    try await database.submitPending(customer)
    #expect(try await database.replayPendingObjects("Customers").map(\.key) == ["120"])
    #expect(try await !database.isReplayQueueEmpty())
    try await database.synchronize(SynchronizationProfile(groups: ["system"]))
    try await database.refresh(&customer)
    #expect(!customer.isPending && customer["city"] == "Graz")
    let there = try await database.findOnServer("Customers", ObjectQuery(.equal("id", 120)))
    #expect(there.first?["city"] == "Graz")
  }

  @Test func `new rows and deletions go the same way, and can be cancelled`() async throws {
    let database = try await database()
    try await database.synchronize()
    var ada = EntityObject(
      in: "Customers", [.init(key: "fname", value: "Ada"), .init(key: "lname", value: "Byron-Kit")])
    try await database.save(&ada)
    #expect(ada.pendingChange == .create)
    try await database.cancelPending(ada)
    #expect(try await database.pendingObjects("Customers").isEmpty)
    ada = EntityObject(in: "Customers", ada.properties)
    try await database.save(&ada)
    try await database.delete(try #require(try await database.find("Customers", key: "121")))
    try await database.submitPendingOperations()
    try await database.synchronize()
    #expect(try await database.findOnServer("Customers", ObjectQuery(.equal("lname", "Byron-Kit"))).count == 1)
    #expect(try await database.find("Customers", key: "121") == nil)
  }

  @Test func `a replay that fails leaves a log record, and the row its failure`() async throws {
    let database = try await database()
    try await database.synchronize()
    var customer = try #require(try await database.find("Customers", key: "120"))
    customer["city"] = "Graz"
    try await database.save(&customer)
    try await database.submitPending(customer)
    try await turn("replay=412&times=1")
    let error = await #expect(throws: ServiceError.self) { try await database.synchronize() }
    #expect(error?.code == .conflict)
    let record = try #require(try await database.logRecords().first)
    #expect(record.code == 412 && !record.isRecoverable && record.entity.key == "120")
    try await database.refresh(&customer)
    #expect(customer.replayFailure == record)
    try await database.cancelPendingOperations()
    #expect(try await database.logRecords().isEmpty)
  }

  @Test func `groups name their sets, and an unknown one is a mistake`() async throws {
    let database = try await database(groups: ["orders": ["SalesOrders"]], sets: nil)
    try await database.synchronize(SynchronizationProfile(groups: ["orders"]))
    #expect(try await database.isSynchronized("orders"))
    #expect(try await database.lastSynchronization("orders") != nil)
    let error = await #expect(throws: ServiceError.self) {
      try await database.synchronize(SynchronizationProfile(groups: ["nobody"]))
    }
    #expect(error?.code == .configuration)
    await #expect(throws: ServiceError.self) { try await database.find("Customers", key: "120") }
  }

  @Test func `a synchronisation can be cancelled at its start, and nowhere else`() async throws {
    let database = try await database()
    let events = database.events.events()
    var profile = SynchronizationProfile()
    profile.proceeds = { groups in groups.isEmpty }
    let error = await #expect(throws: ServiceError.self) { try await database.synchronize(profile) }
    #expect(error?.code == .cancelled)
    for await event in events {
      #expect(event.description == "starting")
      break
    }
    #expect(try await !database.isSynchronized())
  }

  @Test func `a completion comes on the main actor`() async throws {
    let database = try await database()
    let (messages, sink) = AsyncStream<String>.makeStream()
    database.synchronize { result in
      MainActor.assertIsolated()
      sink.yield((try? result.get()) ?? "failed")
    }
    for await message in messages {
      #expect(message.hasPrefix("Sent 0 edits; 2500 rows came"))
      break
    }
  }

  @Test func `who signed in with the server can sign in without it`() async throws {
    let database = try await database()
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    guard
      case .literal(let password)? = try configuration.requiredConnection(named: "field").settings
        .secret("auth.password")
    else { return }
    await #expect(throws: ServiceError.self) { try await database.offlineLogin(user: "supuser", password: password) }
    try await database.onlineLogin(user: "supuser", password: password)
    sandbox.stop()
    try await database.offlineLogin(user: "supuser", password: password)
    let error = await #expect(throws: ServiceError.self) {
      try await database.offlineLogin(user: "supuser", password: Secret("another"))
    }
    #expect(error?.code == .signInRefused)
  }

  @Test func `personalisation keys decide what is loaded, from the next synchronisation on`() async throws {
    let database = try await database()
    try await database.synchronize()
    let state = try #require(try await database.find("Customers", key: "120")?["state"])
    guard case .string(let text) = state else { return }
    try await database.setPersonalization("state", of: "Customers", to: text)
    #expect(try await database.size("Customers") == 2_500)
    try await database.synchronize()
    let loaded = try await database.findAll("Customers")
    #expect(!loaded.isEmpty && loaded.count < 2_500 && loaded.allSatisfy { $0["state"] == state })
    #expect(try await database.personalizationParameters() == ["Customers": ["state": text]])
    var customer = try #require(try await database.find("Customers", key: "120"))
    customer["state"] = "QQ"
    try await database.save(&customer)
    try await database.submitPendingOperations()
    try await database.synchronize()
    // The row has left what the key lets through.
    #expect(try await database.size("Customers") == loaded.count - 1)
    try await database.setPersonalization("state", of: "Customers", to: nil)
    try await database.synchronize()
    #expect(try await database.size("Customers") == 2_500)
  }

  @Test func `the tree lists personalisation keys of both scopes, and sets them`() async throws {
    let online = try await signedIn()
    _ = try await online.perform("set", at: at("/personalisation"), fields: ["name": "Customers.state", "value": "CA"])
    _ = try await online.perform("set", at: at("/personalisation/CustomCustom2"), fields: ["value": "north"])
    let listing = try await online.list(at("/personalisation"), ListQuery())
    let rows = listing.rows.map { row in row.values.map(\.exactText) }
    #expect(rows[1] == ["CustomCustom2", "server", "north"] && rows.last == ["Customers.state", "client", "CA"])
    _ = try await online.delete(at("/personalisation/Customers.state"))
    #expect(try await online.list(at("/personalisation"), ListQuery()).rows.count == 4)
    let error = await #expect(throws: ServiceError.self) {
      try await online.perform("set", at: at("/personalisation"), fields: ["name": "a.b c", "value": "1"])
    }
    #expect(error?.code == .usage)
  }

  @Test func `a key of the session wins over one that is kept, and goes with its object`() async throws {
    let first = try await database()
    try await first.setPersonalization("state", of: "Customers", to: "CA")
    try await first.setPersonalization("state", of: "Customers", to: "NY", scope: .session)
    try await first.synchronize()
    #expect(try await first.findAll("Customers").allSatisfy { $0["state"] == "NY" })
    #expect(try await first.personalizationParameters() == ["Customers": ["state": "CA"]])
    let second = try await database()
    // What was loaded under another key is no base for changes.
    try await second.synchronize()
    let rows = try await second.findAll("Customers")
    #expect(!rows.isEmpty && rows.allSatisfy { $0["state"] == "CA" })
    #expect(try await second.synchronize().contains("nothing has changed"))
    try await second.setPersonalization("CustomCustom1", of: "", to: "east", scope: .server)
    #expect(try await second.application.refreshSettings().custom[0] == "east")
  }

  /// What the database tells while `work` runs, up to the event that says `last`.
  private func heard(
    _ database: PackageDatabase, upTo last: String, _ work: () async throws -> Void
  ) async rethrows -> [String] {
    let events = database.events.events()
    try await work()
    var texts: [String] = []
    for await event in events {
      if !event.description.hasPrefix("imported Customers(") { texts.append(event.description) }
      if texts.last == last { break }
    }
    return texts
  }

  @Test func `a subscription begins, rests, recovers and ends, and tells so`() async throws {
    let database = try await database()
    let begun = try await heard(database, upTo: "subscribed") { try await database.subscribe() }
    #expect(begun.contains("imported all of Customers, 2500"))
    // All has come already.
    let again = try await heard(database, upTo: "subscribed") { try await database.subscribe() }
    #expect(!again.contains { $0.hasPrefix("import") })
    try await database.suspendSubscription()
    var customer = try #require(try await database.find("Customers", key: "120"))
    customer["city"] = "Graz"
    try await database.save(&customer)
    try await database.submitPendingOperations()
    let suspended = try await database.synchronize()
    #expect(suspended.hasPrefix("Sent 1 edit; nothing was fetched, as the subscription is suspended"))
    try await database.resumeSubscription()
    #expect(try await database.synchronize().hasPrefix("Sent 0 edits; "))
    try await database.recoverSubscription()
    #expect(try await database.synchronize().contains("2500 rows came"))
    let ended = try await heard(database, upTo: "ended") {
      _ = try await database.synchronize(SynchronizationProfile(groups: ["unsubscribe"]))
    }
    #expect(ended == ["unsubscribed", "ended"])
    #expect(try await !database.isSynchronized())
    sandbox.stop()
    let failed = await heard(database, upTo: "subscribed failed") {
      await #expect(throws: ServiceError.self) { try await database.subscribe() }
    }
    #expect(failed.last == "subscribed failed")
  }

  @Test func `sign-ins, searches and a full disk are told as they go`() async throws {
    let database = try await database()
    var profile = SynchronizationProfile()
    profile.leastStorage = .max
    let low = try await heard(database, upTo: "finishing") { try await database.synchronize(profile) }
    #expect(low.contains("storage low"))
    let recovered = try await heard(database, upTo: "finishing") { try await database.synchronize() }
    #expect(recovered.first == "storage recovered")
    let found = try await heard(database, upTo: "search in Customers") {
      _ = try await database.findOnServer("Customers", ObjectQuery(.equal("id", 120)))
    }
    #expect(found == ["search in Customers"])
    let lost = await heard(database, upTo: "search in Nobody failed") {
      await #expect(throws: ServiceError.self) { try await database.findOnServer("Nobody", ObjectQuery()) }
    }
    #expect(lost == ["search in Nobody failed"])
    let login = await heard(database, upTo: "login of supuser failed") {
      await #expect(throws: ServiceError.self) {
        try await database.onlineLogin(user: "supuser", password: Secret("wrong"))
      }
    }
    #expect(login == ["login of supuser failed"])
    let error = #expect(throws: ServiceError.self) { try database.submitLogRecords() }
    #expect(error?.code == .notOffered)
    #expect(try await database.exists())
  }

  @Test func `sets are joined here, and each answer comes once where that is asked`() async throws {
    let database = try await database(sets: ["Customers", "SalesOrders"])
    try await database.synchronize()
    let order = try #require(try await database.find("SalesOrders", ObjectQuery(take: 1)).first)
    let owner = try #require(order["cust_id"])
    var query = TableQuery(
      select: ["c.lname", "o.id"], from: .init("Customers", "c"),
      joins: [.init(.init("SalesOrders", "o"), on: "cust_id", equals: "c.id")], .equal("c.id", owner))
    query.sortCriteria = [.init("o.id", isDescending: true)]
    let result = try await database.execute(query)
    let own = try await database.find(
      "SalesOrders", ObjectQuery(.equal("cust_id", owner), sort: [.init("id", isDescending: true)]))
    #expect(result.names == ["c.lname", "o.id"] && !own.isEmpty)
    #expect(result.rows.map { $0[1] } == own.map { $0["id"] ?? .null })
    query.select = ["c.lname"]
    query.sortCriteria = []
    query.isDistinct = true
    #expect(try await database.execute(query).rows.count == 1)
    let refused = await #expect(throws: ServiceError.self) { try await database.executeOnServer(query) }
    #expect(refused?.code == .notOffered && refused?.message.contains("no joins") == true)
    for (name, words) in [("o.nothing", "no property"), ("x.id", "of no source"), ("id", "of no source")] {
      query.select = [name]
      let error = await #expect(throws: ServiceError.self) { try await database.execute(query) }
      #expect(error?.code == .usage && error?.message.contains(words) == true, "\(name)")
    }
  }

  @Test func `distinct rows are the same here and on the server`() async throws {
    let database = try await database()
    try await database.synchronize()
    var query = TableQuery(
      select: ["c.state"], from: .init("Customers", "c"),
      .and([.less("c.id", 400), .notEqual("c.state", .null)]))
    query.sortCriteria = [.init("c.state")]
    query.isDistinct = true
    (query.skip, query.take) = (1, 5)
    let here = try await database.execute(query)
    #expect(here.rows.count == 5 && Set(here.rows.map { "\($0)" }).count == 5)
    #expect(try await database.executeOnServer(query) == here)
    query.isDistinct = false
    #expect(try await database.executeOnServer(query) == database.execute(query))
  }

  @Test func `cleaning removes every row, and edits unless they stay`() async throws {
    let database = try await database()
    try await database.synchronize()
    var customer = try #require(try await database.find("Customers", key: "120"))
    customer["city"] = "Graz"
    try await database.save(&customer)
    try await database.submitPendingOperations()
    try await database.cleanAllData(keepingEdits: true)
    #expect(try await !database.isSynchronized())
    #expect(try await !database.isReplayQueueEmpty())
    try await database.cleanAllData()
    #expect(try await database.isReplayQueueEmpty())
  }
}
