import JSON
import Model
import TestKit
import Testing
import Wire

@testable import OMCE

/// Location queries, notifications, analytics, policies and the console, over a scripted transport.
@Suite(.bounded) struct PlatformTests {
  private static let places = "/mobile/platform/location/places/query"
  private static let page = #"{"items":[{"id":120,"name":"Depot"}],"hasMore":false,"totalResults":1}"#

  struct Query: Sendable, CustomTestStringConvertible {
    let location: String
    let body: String
    var testDescription: String { location }
  }

  @Test(arguments: [
    Query(location: "/places?name=Depot", body: #""name":"Depot""#),
    Query(
      location: "/places?near=48.2,16.37&radius=500",
      body: #""inGeoFence":{"gpsCircle":{"latitude":48.2,"longitude":16.37,"radius":500}}"#),
    Query(
      location: "/places?near=48.20,16.37", body: #""nearestTo":{"gpsPoint":{"latitude":48.20,"longitude":16.37}}"#),
    Query(location: "/places?attribute.floor=0", body: #""attributes":{"floor":"0"}"#),
    Query(location: "/places?under=100", body: #""descendantOf":100"#),
  ])
  func `a location's query is the service's`(_ query: Query) async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("POST", Self.places, body: Self.page)
    let listing = try await bench.backend.list(try bench.location(query.location), ListQuery())
    #expect(listing.rows.map(\.location.text) == ["mobile:/places/120"])
    let sent = try #require(bench.stub.requests.last).bodyText
    #expect(sent.contains(query.body), "\(sent)")
  }

  @Test(arguments: ["/places?near=x", "/places?near=91,0", "/places?radius=5", "/places?colour=red", "/places?under=x"])
  func `a query that means nothing is told so before it is sent`(_ text: String) async throws {
    let bench = try await MobileBench.signedIn()
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location(text), ListQuery())
    }
    #expect(error?.code == .usage)
    #expect(bench.lines.count == 1)
  }

  @Test func `finding leads to the place of its answer`() async throws {
    let bench = try await MobileBench.signedIn()
    let outcome = try await bench.backend.perform(
      "find", at: try bench.location("/places"),
      fields: ["near": "48.2,16.37", "radius": "500", "name": "", "attribute": "floor=0"])
    #expect(outcome.location?.text == "mobile:/places?near=48.2,16.37&radius=500&attribute.floor=0")
  }

  @Test(arguments: ["/me", "/places/7", "/policies/x", "/storage/C"])
  func `an empty answer is no thing without properties`(_ path: String) async throws {
    let bench = try await MobileBench.signedIn()
    for target in [
      "/mobile/platform/users/~", "/mobile/platform/location/places/7", "/mobile/platform/appconfig/client",
      "/mobile/platform/storage/collections/C",
    ] { bench.stub.on("GET", target, body: "") }
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.item(try bench.location(path)) }
    #expect(error?.code == .unreadable)
  }

  @Test func `a custom API may answer nothing, and that is shown as nothing`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "/mobile/custom/ping", status: 204)
    let item = try await bench.backend.item(try bench.location("/custom/ping"))
    #expect(item.fields.isEmpty)
    #expect(item.notices == ["The answer is empty (status 204)."])
  }

  // MARK: Devices and notifications

  @Test func `trap 19: a device is registered in capitals, with its provider`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("POST", "/mobile/platform/devices/register", status: 201, body: #"{"id":"d-1"}"#)
    bench.stub.on("POST", "/mobile/platform/devices/deregister", body: "{}")
    let me = try bench.location("/me")
    let fields = [
      "provider": "apns", "token": "00ff", "app": "example.acme.field", "version": "1.4.0", "platform": "ios",
    ]
    let outcome = try await bench.backend.perform("register-device", at: me, fields: fields)
    #expect(outcome.message == "Registered the device as d-1.")
    #expect(
      bench.stub.requests.last?.bodyText
        == #"{"notificationProvider":"APNS","notificationToken":"00ff","mobileClient":"#
        + #"{"id":"example.acme.field","platform":"IOS","version":"1.4.0"}}"#)
    _ = try await bench.backend.perform("deregister-device", at: me, fields: fields)
    #expect(bench.stub.requests.last?.bodyText.contains("version") == false)
    #expect(MobileNotifications.hexadecimal([0, 255, 23]) == "00ff17")
  }

  @Test func `a team member lists and sends notifications`() async throws {
    let bench = try await MobileBench.signedIn()
    let path = "/mobile/system/notifications/notifications"
    bench.stub.on(
      "GET", path,
      body:
        #"{"items":[{"id":3,"message":"Hello","status":"Sent","deviceCount":2,"createdOn":"2026-11-30T08:00:00Z"}]}"#)
    bench.stub.on("POST", path, status: 201, body: #"{"id":4}"#)
    let place = try bench.location("/notifications")
    let listing = try await bench.backend.list(place, ListQuery(sort: Sort(column: "created", isDescending: true)))
    #expect(listing.value("devices", in: listing.rows[0]) == .integer(2))
    #expect(bench.lines.last?.hasSuffix("orderBy=createdOn%3Adesc") == true)
    let sent = try await bench.backend.perform(
      "send", at: place, fields: ["message": "Pump 7", "users": "ada, bert", "tag": "", "sendOn": ""])
    #expect(sent.location?.text == "mobile:/notifications/4")
    #expect(bench.stub.requests.last?.bodyText == #"{"message":"Pump 7","users":["ada","bert"]}"#)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform("send", at: place, fields: ["message": "x", "sendOn": "tomorrow"])
    }
    #expect(error?.code == .usage)
  }

  // MARK: Analytics

  @Test func `nothing is noted before somebody opts in`() async throws {
    let bench = try await MobileBench.signedIn()
    try await bench.backend.client.analytics.logEvent("opened")
    try await bench.backend.client.analytics.flush()
    #expect((try await bench.backend.client.analytics.log().isEmpty))
    #expect(bench.lines.count == 1)
  }

  @Test func `events go out as one batch, context first, and wait while it fails`() async throws {
    let bench = try await MobileBench.signedIn()
    let analytics = bench.backend.client.analytics
    let path = "/mobile/platform/analytics/events"
    bench.stub.on("POST", path, status: 503)
    bench.stub.on("POST", path, status: 202, body: #"{"message":"4 events accepted for processing."}"#)
    try await analytics.optIn(true)
    analytics.setContextLocation(.init(country: "AT", locality: "Graz"))
    try await analytics.logEvent("openedCollection", component: "storage", properties: ["collection": "FieldPhotos"])
    await #expect(throws: ServiceError.self) { try await analytics.endSession() }
    #expect(try await analytics.log().allSatisfy { $0.state == .waiting })
    try await analytics.flush()
    let body = try JSONDocument(Array(try #require(bench.stub.requests.last).bodyText.utf8)).root
    #expect(body.elements.map { $0["name"].string } == ["context", "sessionStart", "openedCollection", "sessionEnd"])
    #expect(body[0]["properties"]["locality"].string == "Graz")
    #expect(body[2]["timestamp"].string == "2026-11-30T09:15:00.000Z")
    #expect(body[2]["type"].exists == false && body[3]["type"].string == "system")
    #expect(Set(body.elements.compactMap { $0["sessionID"].string }).count == 1)
    let events = try await bench.backend.list(try bench.location("/analytics"), ListQuery())
    #expect(events.rows.map { events.value("state", in: $0) } == Array(repeating: .text("posted"), count: 4))
    try await analytics.flush()
    #expect(bench.lines.filter { $0.contains("analytics") }.count == 2)
  }

  @Test func `what was noted and not posted outlives the process, and goes out when the server answers`() async throws {
    let directory = try TemporaryDirectory()
    let keeper = StubKeeper()
    let path = "/mobile/platform/analytics/events"
    func makeBench() async throws -> MobileBench {
      let bench = try MobileBench(keeper: keeper, stores: OpenStores(directory.file("events.store")))
      bench.stub.on("GET", "/mobile/platform/users/login", body: "{}")
      bench.stub.on("GET", "/mobile/platform/appconfig/client", body: "{}")
      _ = try await bench.backend.signIn(SignInRequest())
      _ = try await bench.backend.client.openStore("test")
      return bench
    }
    let first = try await makeBench()
    first.stub.on("POST", path, status: 503)
    try await first.backend.client.analytics.optIn(true)
    try await first.backend.client.analytics.logEvent("opened", properties: ["what": "pump"])
    await #expect(throws: ServiceError.self) { try await first.backend.client.analytics.flush() }
    let second = try await makeBench()
    second.stub.on("POST", path, status: 202, body: "{}")
    _ = try await second.backend.client.appConfig()
    let body = try JSONDocument(
      Array(try #require(second.stub.requests.first { $0.request.method == "POST" }).bodyText.utf8)
    ).root
    #expect(body.elements.map { $0["name"].string } == ["context", "sessionStart", "opened"])
    #expect(body[2]["properties"]["what"].string == "pump")
    let third = try await makeBench()
    #expect(third.backend.client.analytics.isOptedIn == false)
    let log = try await third.backend.client.analytics.log()
    #expect(log.map(\.state) == [.posted, .posted, .posted])
    #expect(third.backend.client.analytics.isOptedIn)
    // Out again: nothing more is noted, in this process or in the next.
    try await third.backend.client.analytics.optIn(false)
    let fourth = try await makeBench()
    _ = try await fourth.backend.client.appConfig()
    try await fourth.backend.client.analytics.logEvent("opened")
    #expect(try await fourth.backend.client.analytics.log().count == 3)
    #expect(!fourth.lines.contains { $0.contains("analytics") })
  }

  @Test func `an app is told on the main actor what became of a batch`() async throws {
    let bench = try await MobileBench.signedIn()
    let analytics = bench.backend.client.analytics
    bench.stub.on("POST", "/mobile/platform/analytics/events", status: 503)
    bench.stub.on("POST", "/mobile/platform/analytics/events", status: 202, body: #"{"message":"3 events"}"#)
    let (told, sink) = AsyncStream.makeStream(of: String.self)
    analytics.onReport { report in
      MainActor.assertIsolated()
      switch report {
      case .posted(let events, let answer): sink.yield("\(events.count) \(answer.status)")
      case .failed(let error): sink.yield("\(error.status ?? 0)")
      }
    }
    try await analytics.optIn(true)
    try await analytics.logEvent("opened")
    await #expect(throws: ServiceError.self) { try await analytics.flush() }
    try await analytics.flush()
    var iterator = told.makeAsyncIterator()
    #expect(await iterator.next() == "503")
    #expect(await iterator.next() == "3 202")
  }

  @Test func `a session that somebody opted in to notes what is used, and ends at the sign-out`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "/mobile/platform/storage/collections/C/objects", body: #"{"items":[],"hasMore":false}"#)
    bench.stub.on("POST", "/mobile/platform/analytics/events", status: 202, body: "{}")
    let place = try bench.location("/storage/C")
    _ = try await bench.backend.list(place, ListQuery())
    #expect(try await bench.backend.client.analytics.log().isEmpty)
    try await bench.backend.client.analytics.optIn(true)
    _ = try await bench.backend.list(place, ListQuery())
    try await bench.backend.signOut(SignOutRequest())
    let sent = try #require(bench.stub.requests.last)
    let body = try JSONDocument(Array(sent.bodyText.utf8)).root
    #expect(body.elements.map { $0["name"].string } == ["context", "sessionStart", "openedCollection", "sessionEnd"])
  }

  @Test(arguments: [
    ("", [:]), (String(repeating: "x", count: 101), [:]), ("sessionStart", [:]), ("e", ["latitude": "1"]),
    ("e", ["k": String(repeating: "x", count: 1001)]), ("e", [String(repeating: "x", count: 501): "v"]),
  ])
  func `trap 20: an event that would lose its batch is refused at once`(_ name: String, _ properties: [String: String])
    async throws
  {
    let bench = try await MobileBench.signedIn()
    let analytics = bench.backend.client.analytics
    try await analytics.optIn(true)
    await #expect(throws: ServiceError.self) { try await analytics.logEvent(name, properties: properties) }
  }

  // MARK: The console

  @Test func `a request is sent, saved with its answer, and sent again`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("POST", "/mobile/custom/orders/open", status: 409, body: #"{"title":"Taken","detail":"by bert"}"#)
    bench.stub.on("POST", "/mobile/custom/orders/open", body: #"{"no":7}"#)
    let outcome = try await bench.backend.perform(
      "request", at: try bench.location("/requests"),
      fields: [
        "method": "post", "path": "orders/open/", "body": #"{"site":4}"#, "version": "1.0",
        "headers": "X-One: 1\nX-Two: 2", "name": "open an order",
      ])
    #expect(outcome.message == "POST orders/open/ answered 409: Taken: by bert.")
    let sent = try #require(bench.stub.requests.last)
    #expect(sent.line == "POST /mobile/custom/orders/open")
    #expect(sent.request.headers["Oracle-Mobile-API-Version"] == "1.0")
    #expect(sent.request.headers["X-Two"] == "2")
    let place = try #require(outcome.location)
    #expect(place.text == "mobile:/requests/open an order")
    _ = try await bench.backend.perform("send", at: place, fields: [:])
    let item = try await bench.backend.item(place)
    #expect(item.fields.first { $0.id == "status" }?.value == .integer(200))
    #expect(item.fields.first { $0.id == "answer.no" }?.value == .integer(7))
    _ = try await bench.backend.delete(place)
    #expect(try await bench.backend.list(try bench.location("/requests"), ListQuery()).rows.isEmpty)
  }

  @Test(arguments: [("GET", "{}"), ("DELETE", "{}"), ("TRACE", "")])
  func `trap 22: what would fail on the way is refused before it`(_ method: String, _ body: String) async throws {
    let bench = try await MobileBench.signedIn()
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform(
        "request", at: try bench.location("/custom"), fields: ["method": method, "path": "x", "body": body])
    }
    #expect(error?.code == .usage)
    #expect(bench.lines.count == 1)
  }

  @Test func `a read-only connection calls nothing that may change something`() async throws {
    let bench = try await MobileBench.signedIn(readOnly: true)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.perform(
        "request", at: try bench.location("/custom"), fields: ["method": "POST", "path": "x", "body": "{}"])
    }
    #expect(error?.code == .readOnly)
  }

  // MARK: Policies and the kit

  @Test func `a policy is read as its own type or not at all`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on(
      "GET", "/mobile/platform/appconfig/client", body: #"{"text":"hi","many":25,"beta":false,"ratio":0.750}"#)
    let config = try await bench.backend.client.loadAppConfig()
    #expect(try config.string("text", default: "") == "hi")
    #expect(try config.integer("many", default: 1) == 25)
    #expect(try config.boolean("beta", default: true) == false)
    #expect(try config.number("ratio", default: "1") == "0.750")
    #expect(try config.integer("absent", default: 3) == 3)
    #expect(throws: ServiceError.self) { try config.integer("text", default: 1) }
    #expect(throws: ServiceError.self) { try config.boolean("many", default: true) }
  }

  @Test @MainActor func `a completion arrives on the main actor, once, with a typed error`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "/mobile/platform/users/~", status: 503, body: "<html></html>")
    let result: Result<MobileUser, ServiceError> = await withCheckedContinuation { continuation in
      bench.backend.client.currentUser { result in
        MainActor.assertIsolated()
        continuation.resume(returning: result)
      }
    }
    guard case .failure(let error) = result else {
      Issue.record("a refusal is no user")
      return
    }
    #expect(error.code == .serverFault)
  }

  @Test func `the diagnostic session is shown, and is what the requests carry`() async throws {
    let bench = try await MobileBench.signedIn()
    let item = try await bench.backend.item(try bench.location("/"))
    let shown = item.fields.first { $0.id == "diagnosticSession" }?.value.exactText
    #expect(shown == bench.stub.requests.last?.request.headers["Oracle-Mobile-Diagnostic-Session-ID"])
  }
}
