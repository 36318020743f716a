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

/// The kit's data offline (reference, section 8.4) against the sandbox's task API.
@Suite(.bounded) final class KitSyncTests {
  private let sandbox: Sandbox
  private let directory: TemporaryDirectory
  private let keeper = StubKeeper()

  init() throws {
    sandbox = try Sandbox(SandboxOptions(documents: 1, objects: 5))
    directory = try TemporaryDirectory()
  }

  deinit { sandbox.stop() }

  private func makeManager(signedIn: Bool = true) async throws -> MobileClient {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    let manager = try MobileManager(
      settings: try configuration.requiredConnection(named: "mobile").settings,
      surroundings: .stub(
        keeper: keeper, stores: OpenStores(directory.file("kit.store")),
        randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }))
    let client = try #require(manager.mobileBackend)
    #expect(manager.oAuthTokenEndPointURL == "\(sandbox.origin)/oauth2/v1/token")
    if signedIn { _ = try await client.authorization.signIn(SignInRequest()) }
    return client
  }

  private func tasks(_ client: MobileClient) -> MobileEndpoint {
    client.synchronization.endpoint(api: "tasks", path: "items")
  }

  @Test func `a collection is fetched, looked through and sorted, with and without the server`() async throws {
    let client = try await makeManager()
    try await client.synchronization.initialize()
    let endpoint = tasks(client)
    #expect(endpoint.absoluteUrl == "\(sandbox.origin)/mobile/custom/tasks/items")
    let all = try await endpoint.fetchObjects()
    #expect(all.count == 12 && all.allSatisfy { $0.etag != nil })
    client.synchronization.setOfflineMode(true)
    #expect(client.synchronization.networkStatus == .offlineTest)
    let open = try await endpoint.fetchObjects(
      matching: [MobileCondition("assignee", .equals, "ada"), MobileCondition("no", .greaterThanOrEqual, 5)],
      sorted: [MobileOrder("no", isDescending: true)])
    #expect(open.map { $0.jsonObject["no"] } == [.integer(11), .integer(9), .integer(7), .integer(5)])
    #expect(client.synchronization.cacheHitCount > 0)
    let one = try await endpoint.fetchObject("3")
    #expect(one.uri == "/mobile/custom/tasks/items/3")
    #expect(one.jsonObject["no"] == .integer(3))
  }

  @Test func `what is saved offline is told when the service has taken it`() async throws {
    let client = try await makeManager()
    let synchronization = client.synchronization
    try await synchronization.initialize()
    _ = try await tasks(client).fetchObjects()
    let (told, sink) = AsyncStream.makeStream(of: String.self)
    synchronization.onSynchronized { sink.yield($0) }
    synchronization.setOfflineMode(true)
    var task = try await tasks(client).fetchObject("2")
    task.set("title", "Changed offline")
    #expect(task.jsonObjectPersistentState["title"] != "Changed offline")
    #expect(try await task.save() == .queued)
    #expect(try await tasks(client).createObject(["title": "Made offline"]).save(savesIfOffline: true) == .queued)
    #expect(try await task.state()?.state == .updatePending)
    let waiting = try await synchronization.offlineResources()
    #expect(waiting.map(\.state) == [.updatePending, .createPending])
    #expect(waiting.allSatisfy { $0.conflict == .none })
    let refused = await #expect(throws: ServiceError.self) {
      try await tasks(client).createObject(["title": "x"]).save(savesIfOffline: false)
    }
    #expect(refused?.code == .offline)
    synchronization.setOfflineMode(false)
    #expect(try await synchronization.synchronize() == 2)
    var iterator = told.makeAsyncIterator()
    #expect(await iterator.next() == "/mobile/custom/tasks/items/2")
    #expect(try await tasks(client).fetchObject("2").jsonObject["title"] == "Changed offline")
    #expect(try await tasks(client).fetchObjects().count == 13)
  }

  @Test func `dropping what waits leaves the service's copies`() async throws {
    let client = try await makeManager()
    try await client.synchronization.initialize()
    let before = try await tasks(client).fetchObject("5").jsonObject["title"]
    _ = try await tasks(client).fetchObjects()
    client.synchronization.setOfflineMode(true)
    var task = try await tasks(client).fetchObject("5")
    task.set("title", "never sent")
    try await task.save()
    try await tasks(client).fetchObject("6").delete()
    #expect(try await client.synchronization.discardOfflineUpdates() == 2)
    #expect(try await tasks(client).fetchObject("5").jsonObject["title"] == before)
    #expect(try await tasks(client).fetchObjects().count == 12)
    try await client.synchronization.purge()
    let error = await #expect(throws: ServiceError.self) { try await self.tasks(client).fetchObject("5") }
    #expect(error?.code == .offline)
  }

  @Test func `a stale save meets the conflict and keeps both sides`() async throws {
    let client = try await makeManager()
    try await client.synchronization.initialize()
    _ = try await tasks(client).fetchObjects()
    client.synchronization.setOfflineMode(true)
    var task = try await tasks(client).fetchObject("7")
    task.set("title", "mine")
    try await task.save()
    client.synchronization.setOfflineMode(false)
    let url = try #require(URL(string: "\(sandbox.origin)/sandbox/settings?door=mobile&edit=tasks/7"))
    _ = try await CurlTransport().send(HTTPRequest("POST", url))
    #expect(try await client.synchronization.synchronize() == 0)
    let left = try await client.synchronization.offlineResources()
    #expect(left.map(\.conflict) == [.conflictWithLatestCopy])
    #expect(left[0].error?.isEmpty == false)
  }

  @Test func `a service that forbids keeping is asked again each time`() async throws {
    let url = try #require(URL(string: "\(sandbox.origin)/sandbox/settings?door=mobile&sync-hints=true"))
    _ = try await CurlTransport().send(HTTPRequest("POST", url))
    let client = try await makeManager()
    try await client.synchronization.initialize()
    _ = try await tasks(client).fetchObject("3")
    client.synchronization.setOfflineMode(true)
    let error = await #expect(throws: ServiceError.self) { try await self.tasks(client).fetchObject("3") }
    #expect(error?.code == .offline)
  }

  @Test func `a collection takes, finds, changes and loses an object, with typed errors`() async throws {
    let client = try await makeManager()
    let collection = try await client.storage.collection("FieldPhotos")
    #expect(!collection.facts.isIsolated)
    let made = try await collection.put(
      "kit-1", UploadRequest(MemorySource(Array("one".utf8)), mediaType: "text/plain"))
    #expect(made.etag == "\"1\"")
    #expect(try await collection.contains("kit-1"))
    #expect(try await collection.objects(StoragePage(text: "kit-1")).map(\.id) == ["kit-1"])
    let sink = MemorySink()
    try await collection.payload(of: "kit-1", to: sink)
    #expect(sink.text == "one")
    let stale = await #expect(throws: ServiceError.self) {
      try await collection.put("kit-1", UploadRequest(MemorySource([]), ifMatch: "\"9\""))
    }
    #expect(stale?.code == .conflict && stale?.status == 412)
    try await collection.delete("kit-1", ifMatch: made.etag)
    #expect(try await !collection.contains("kit-1"))
    let nothing = await #expect(throws: ServiceError.self) { try await client.storage.collection("Nothing") }
    #expect(nothing?.code == .notFound)
  }

  @Test func `custom code is called with its analytics session, and never with data in a GET`() async throws {
    let client = try await makeManager()
    client.analytics.isOptedIn = true
    client.analytics.startSession()
    let answer = try await client.customCode.invoke("echo/a?x=1", method: "POST", data: ["y": 2])
    let root = try JSONDocument(answer.raw.bytes).root
    #expect(root["query"]["x"].string == "1")
    #expect(root["body"]["y"].int == 2)
    #expect(root["headers"]["oracle-mobile-analytics-session-id"].string == client.analytics.sessionID)
    let error = await #expect(throws: ServiceError.self) { try await client.customCode.invoke("echo/a", data: [:]) }
    #expect(error?.code == .usage)
  }

  @Test func `places know their parents, children and what is near`() async throws {
    let client = try await makeManager()
    let depot = try await client.location.place(124)
    let district = try #require(try await depot.parent())
    #expect(district.facts.id == depot.parentID)
    #expect(try await district.children().contains { $0.facts.id == 124 })
    guard case .circle(let center, let radius)? = depot.address else {
      Issue.record("a depot has a circle")
      return
    }
    #expect(radius == "80")
    #expect(try await client.location.place(closestTo: center)?.facts.id == 124)
    #expect(try await client.location.places(around: center, radius: 50).items.map(\.facts.id) == [124])
    let asset = try await client.location.asset(500)
    #expect(try await asset.lastKnownPlace()?.facts.id == asset.lastKnownPlaceID)
    let beacons = try await client.location.devices().items.compactMap(\.beacon)
    #expect(beacons.count == 6)
  }
}
