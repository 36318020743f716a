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
@Suite(.bounded) final class KitSyncTests: Sendable {
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

  @Test func `a file is fetched, kept, changed without the server and sent when it is there`() async throws {
    let client = try await makeManager()
    let files = client.synchronization.endpoint(api: "tasks", path: "files")
    try await client.synchronization.initialize()
    let plan = try await files.fetchFile("plan.txt")
    #expect(String(decoding: plan.data, as: UTF8.self) == "Valve first, then paint.\n")
    #expect(plan.head?.mediaType == "text/plain" && plan.etag != nil)
    client.synchronization.setOfflineMode(true)
    #expect(try await files.fetchFile("plan.txt").data == plan.data)
    #expect(try await plan.save(Array("Paint first.\n".utf8), mediaType: "text/plain") == .queued)
    let edited = try await files.fetchFile("plan.txt")
    #expect(String(decoding: edited.data, as: UTF8.self) == "Paint first.\n")
    #expect(try await edited.dataPersistentState() == plan.data)
    #expect(try await edited.resource.hasOfflineUpdates())
    let made = files.createFile()
    #expect(try await made.save([1, 2, 0, 255], mediaType: "image/png", savesIfOffline: true) == .queued)
    client.synchronization.setOfflineMode(false)
    #expect(try await client.synchronization.synchronize() == 2)
    let sink = MemorySink()
    _ = try await files.fetchFile("plan.txt", to: sink)
    #expect(sink.text == "Paint first.\n")
    let picture = try await files.fetchFile("file-1", policy: MobileSyncPolicy())
    #expect(picture.data == [1, 2, 0, 255] && picture.head?.mediaType == "image/png")
    #expect(try await picture.resource.lastSyncTime() != nil)
    try await picture.delete()
    let gone = await #expect(throws: ServiceError.self) { try await files.fetchFile("file-1") }
    #expect(gone?.code == .notFound)
  }

  @Test func `a file that somebody else has changed meanwhile is a conflict with both sides`() async throws {
    let client = try await makeManager()
    let files = client.synchronization.endpoint(api: "tasks", path: "files")
    try await client.synchronization.initialize()
    let plan = try await files.fetchFile("plan.txt")
    client.synchronization.setOfflineMode(true)
    try await plan.save(Array("mine".utf8), mediaType: "text/plain")
    client.synchronization.setOfflineMode(false)
    let url = try #require(URL(string: "\(sandbox.origin)/sandbox/settings?door=mobile&edit=files/plan.txt"))
    _ = try await CurlTransport().send(HTTPRequest("POST", url))
    #expect(try await client.synchronization.synchronize() == 0)
    #expect(try await plan.resource.hasConflicts())
    #expect(try await String(decoding: files.fetchFile("plan.txt").data, as: UTF8.self) == "mine")
    try await plan.resource.discardEdits()
    #expect(try await String(decoding: files.fetchFile("plan.txt").data, as: UTF8.self) == "Changed by tess.\n")
  }

  @Test func `a thing knows its pin, its policy and its edits, and is read anew`() async throws {
    let client = try await makeManager()
    try await client.synchronization.initialize()
    _ = try await tasks(client).fetchObjects()
    var task = try await tasks(client).fetchObject("4")
    #expect(task.resource.responseHeaders["ETag"] == task.etag)
    #expect(try await task.resource.lastSyncTime() != nil)
    let unpinned = await #expect(throws: ServiceError.self) { try await task.unpin() }
    #expect(unpinned?.code == .notFound)
    try await task.pin(isHigh: true)
    #expect(try await task.resource.isPinned())
    try await task.unpin()
    #expect(try await !task.resource.isPinned())
    // Its own policy goes before the profile's, which would queue.
    try await task.resource.setSyncPolicy(
      MobileSyncPolicy(
        fetch: .fromCache, expiration: .never, expireAfter: 0, eviction: .manual, update: .ifOnline))
    #expect(try await task.resource.syncPolicy().update == .ifOnline)
    client.synchronization.setOfflineMode(true)
    task.set("title", "mine")
    let changed = task
    let refused = await #expect(throws: ServiceError.self) { try await changed.save() }
    #expect(refused?.code == .offline)
    try await task.save(savesIfOffline: true)
    #expect(try await task.reloaded().jsonObject["title"] == "mine")
    #expect(try await task.reloaded(discardingEdits: true).jsonObject["title"] != "mine")
    #expect(try await !task.resource.hasOfflineUpdates())
  }

  @Test func `every call has a form whose end arrives on the main actor`() async throws {
    let client = try await makeManager()
    let (ends, sink) = AsyncStream.makeStream(of: String.self)
    client.storage.run({ storage async throws(ServiceError) in try await storage.collection("FieldPhotos") }) {
      result in
      MainActor.assertIsolated()
      sink.yield((try? result.get().id) ?? "failed")
    }
    tasks(client).run({ tasks async throws(ServiceError) in try await tasks.fetchObjects() }) { result in
      MainActor.assertIsolated()
      sink.yield((try? result.get().count).map(String.init) ?? "failed")
    }
    client.authorization.run({ user async throws(ServiceError) in try await user.validateToken() }) { result in
      MainActor.assertIsolated()
      sink.yield((try? result.get()).map { "\($0)" } ?? "failed")
    }
    client.run({ client async throws(ServiceError) in try await client.request(.platform, "users/~") }) { result in
      MainActor.assertIsolated()
      sink.yield((try? result.get().method) ?? "failed")
    }
    var told: Set<String> = []
    for await end in ends {
      told.insert(end)
      if told.count == 4 { break }
    }
    #expect(told == ["FieldPhotos", "12", "true", "GET"])
  }

  @Test func `an app's own requests carry the headers, and go nowhere but to the backend`() async throws {
    let client = try await makeManager()
    let request = try await client.request(.platform, "users/~")
    #expect(request.url.absoluteString == "\(sandbox.origin)/mobile/platform/users/~")
    #expect(request.headers["Authorization"]?.hasPrefix("Bearer ") == true)
    #expect(request.headers["Oracle-Mobile-Diagnostic-Session-ID"] == client.diagnostics.sessionID)
    #expect(try await CurlTransport().send(request).status == 200)
    // Policies are always asked as the app alone.
    let config = try await client.request(.appConfig)
    #expect(config.headers["Authorization"] != request.headers["Authorization"])
    #expect(try await CurlTransport().send(config).status == 200)
    var foreign = HTTPRequest("GET", try #require(URL(string: "https://other.example/mobile")))
    let error = await #expect(throws: ServiceError.self) { try await client.authorize(&foreign) }
    #expect(error?.code == .forbidden)
    #expect(foreign.headers["Authorization"] == nil)
  }

  @Test func `tokens are kept, loaded, validated and cleared`() async throws {
    let client = try await makeManager()
    #expect(try await client.authorization.validateToken())
    let token = try await client.authorization.accessToken()
    #expect(token != nil)
    let later = try await makeManager(signedIn: false)
    #expect(try await later.authorization.loadKeptToken())
    #expect(try await later.authorization.accessToken() == token)
    try await later.authorization.clearKeptToken()
    #expect(try await !later.authorization.validateToken())
    #expect(try await later.authorization.authenticateAnonymously().user == nil)
    let social = await #expect(throws: ServiceError.self) {
      try await later.authorization.authenticateSocial(Secret("t"))
    }
    #expect(social?.code == .configuration)
  }

  @Test func `another backend takes the place of the first, or none`() async throws {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    let settings = try configuration.requiredConnection(named: "mobile").settings
    let manager = try MobileManager(settings: settings, surroundings: .stub(keeper: keeper))
    let first = try #require(manager.mobileBackend)
    #expect(manager.identityServiceBaseURL == sandbox.origin)
    #expect(first.oAuthScope == "\(sandbox.origin)urn:opc:resource:consumer::all")
    try manager.setMobileBackend(try settings.table("backend"))
    #expect(manager.mobileBackend !== first && manager.mobileBackend?.url == first.url)
    try manager.setMobileBackend(nil)
    #expect(manager.mobileBackend == nil)
  }

  @Test @MainActor func `trap 24: no call holds up the main actor, and a cancelled one ends`() async throws {
    let client = try await makeManager()
    let (ends, sink) = AsyncStream.makeStream(of: ServiceError.Code?.self)
    let waiting = client.customCode.invoke("slow/x?ms=4000") { result in
      MainActor.assertIsolated()
      if case .failure(let error) = result { sink.yield(error.code) } else { sink.yield(nil) }
    }
    // This runs here while the other one waits for its answer.
    #expect(try await client.customCode.invoke("echo/a").status == 200)
    waiting.cancel()
    var iterator = ends.makeAsyncIterator()
    #expect(await iterator.next() == .some(.cancelled))
  }

  @Test func `custom code is called with its analytics session, and never with data in a GET`() async throws {
    let client = try await makeManager()
    try await client.analytics.optIn(true)
    try await client.analytics.startSession()
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
    #expect(try await depot.hierarchy().map(\.facts.label) == ["City", "District"])
    #expect(try await depot.devices().map(\.facts.id) == depot.deviceIDs)
    #expect(try await district.allDevices().contains { $0.facts.id == 5 })
    let carried = try await asset.devices()
    #expect(carried.map(\.facts.id) == [7])
    guard case .asset(let container)? = try await carried[0].container() else {
      Issue.record("device 7 hangs on an asset")
      return
    }
    #expect(container.facts.id == 500)
    let beacon = try #require(carried[0].beacon)
    #expect(try await client.location.devices(with: beacon).map(\.facts.id) == [7])
    var short = LocationQuery()
    short.format = "short"
    let page = try await client.location.places(short, limit: 20, order: "name:asc")
    #expect(page.count == 20 && page.items[0].facts.description == nil)
    let next = try #require(try await client.location.next(after: page))
    #expect(next.offset == 20 && next.items.count == 9)
    #expect(try await client.location.next(after: next) == nil)
    #expect(try await next.items[0].refreshed().facts.description != nil)
    let beacons = try await client.location.devices().items.compactMap(\.beacon)
    #expect(beacons.count == 8)
  }
}
