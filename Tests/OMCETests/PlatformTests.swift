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

  @Test func `a device is registered in capitals, with its provider`() async throws {
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
    try bench.backend.client.analytics.logEvent("opened")
    try await bench.backend.client.analytics.flush()
    #expect(bench.backend.client.analytics.log.isEmpty)
    #expect(bench.lines.count == 1)
  }

  @Test func `events go out as one batch, context first, and wait while it fails`() async throws {
    let bench = try await MobileBench.signedIn()
    let analytics = bench.backend.client.analytics
    let path = "/mobile/platform/analytics/events"
    bench.stub.on("POST", path, status: 503)
    bench.stub.on("POST", path, status: 202, body: #"{"message":"4 events accepted for processing."}"#)
    analytics.isOptedIn = true
    analytics.setContextLocation(.init(country: "AT", locality: "Graz"))
    try analytics.logEvent("openedCollection", component: "storage", properties: ["collection": "FieldPhotos"])
    await #expect(throws: ServiceError.self) { try await analytics.endSession() }
    #expect(analytics.log.allSatisfy { $0.state == .waiting })
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

  @Test(arguments: [
    ("", [:]), (String(repeating: "x", count: 101), [:]), ("sessionStart", [:]), ("e", ["latitude": "1"]),
    ("e", ["k": String(repeating: "x", count: 1001)]), ("e", [String(repeating: "x", count: 501): "v"]),
  ])
  func `an event that would lose its batch is refused at once`(_ name: String, _ properties: [String: String])
    async throws
  {
    let bench = try await MobileBench.signedIn()
    let analytics = bench.backend.client.analytics
    analytics.isOptedIn = true
    #expect(throws: ServiceError.self) { try analytics.logEvent(name, properties: properties) }
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
  func `what would fail on the way is refused before it`(_ method: String, _ body: String) async throws {
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
