import JSON
import Model
import Synchronization
import TestKit
import Testing
import Wire

@testable import Unwired

@Suite(.bounded) struct ApplicationTests {
  private static let one = "\(Field.connections)('id-1')"

  static func properties() -> ConnectionProperties {
    var properties = ConnectionProperties(serverName: "127.0.0.1", portNumber: 1)
    properties.networkProtocol = .http
    properties.loginCredentials = ("ada", Secret("secret-password"))
    return properties
  }

  private func application(_ stub: StubTransport, pauses: [Duration] = []) throws -> MobileApplication {
    try MobileApplication(identifier: "SUP101", Self.properties(), transport: stub, pauses: pauses)
  }

  /// What is told while `work` runs, up to the event that says `last`.
  private func heard(
    _ application: MobileApplication, upTo last: String, _ work: () async throws -> Void
  ) async rethrows -> [String] {
    let events = application.events.events()
    try await work()
    var texts: [String] = []
    for await event in events {
      texts.append(event.description)
      if texts.last == last { break }
    }
    return texts
  }

  @Test func `registering tells its statuses in order`() async throws {
    let stub = StubTransport()
    stub.on("POST", Field.connections, status: 201, body: Sample.registration)
    stub.on("GET", Self.one, body: Sample.registration)
    let application = try application(stub)
    let texts = try await heard(application, upTo: "registered") { try await application.register() }
    #expect(texts == ["registering", "connecting", "connected", "registered"])
    #expect(application.registrationStatus == .registered && application.connectionStatus == .connected)
    #expect(application.applicationSettings?["DeviceType"] == "Unknown")
  }

  @Test func `a refused registration is final, and its reason comes as an event`() async throws {
    let stub = StubTransport()
    stub.on("POST", Field.connections, status: 401, body: #"{"error":{"message":{"value":"No"}}}"#)
    let application = try application(stub, pauses: [.milliseconds(1)])
    let texts = await heard(application, upTo: "registrationError") {
      let error = await #expect(throws: ServiceError.self) { try await application.register() }
      #expect(error?.code == .signInRefused)
    }
    #expect(texts == ["registering", "http 401: No", "registrationError"])
    #expect(stub.requests.count == 1)
  }

  @Test func `a network lost half-way is a connection error that heals in the background`() async throws {
    let stub = StubTransport()
    stub.on("POST", Field.connections, status: 201, body: Sample.registration)
    for _ in 0..<3 { stub.on("GET", Self.one, fails: .unreachable) }
    stub.on("GET", Self.one, body: Sample.registration)
    let application = try application(stub, pauses: [.milliseconds(1)])
    let texts = try await heard(application, upTo: "registered") { try await application.register() }
    let statuses = texts.filter { !$0.hasPrefix("device") }
    #expect(statuses.prefix(3) == ["registering", "connecting", "connectionError"])
    #expect(statuses.suffix(3) == ["connecting", "connected", "registered"])
  }

  @Test func `without a network the device is out of coverage, until somebody answers`() async throws {
    let stub = StubTransport()
    stub.on("GET", Self.one, fails: .unreachable)
    stub.on("GET", Self.one, status: 500)
    stub.on("GET", Self.one, body: Sample.registration)
    let application = try application(stub)
    let events = application.events.events()
    for _ in 0..<2 { await #expect(throws: ServiceError.self) { try await application.startConnection(as: "id-1") } }
    try await application.startConnection(as: "id-1")
    var texts: [String] = []
    for await event in events {
      if event.description.hasPrefix("device") { texts.append(event.description) }
      if event.description == "registered" { break }
    }
    #expect(texts == ["device: outOfCoverage", "device: normal"])
    #expect(application.deviceCondition == .normal)
  }

  @Test func `another bundle is named by its id, and cannot be fetched`() async throws {
    let stub = StubTransport()
    stub.on("GET", Self.one, body: Sample.registration)
    stub.on(
      "GET", Self.one,
      body: Sample.registration.replacing(#""CustomCustom1""#, with: #""CustomizationBundleId":"blue","CustomCustom1""#)
    )
    let application = try application(stub)
    try await application.startConnection(as: "id-1")
    let texts = try await heard(application, upTo: "bundle: blue") { try await application.refreshSettings() }
    #expect(texts == ["settings: CustomizationBundleId", "bundle: blue"])
    #expect(application.applicationSettings?.customizationBundleID == "blue")
    let error = #expect(throws: ServiceError.self) { try application.downloadCustomizationBundle() }
    #expect(error?.code == .notOffered && error?.advice == NativeFeature.customizationBundle.advice)
  }

  @Test func `push goes to the device's own service, and what it delivers is passed on`() async throws {
    let stub = StubTransport()
    stub.on("GET", Self.one, body: Sample.registration)
    stub.on("POST", Self.one, status: 204)
    let application = try application(stub)
    try await application.startConnection(as: "id-1")
    try await application.setPush(.apple(token: Secret("abc")))
    try await application.setPush(.none)
    let sent = stub.requests.filter { $0.line.hasPrefix("POST") }
    #expect(sent.allSatisfy { $0.request.headers["X-HTTP-METHOD"] == "MERGE" })
    #expect(sent[0].bodyText == #"{"ApnsPushEnable":true,"ApnsDeviceToken":"abc"}"#)
    #expect(sent[1].bodyText.contains(#""ApnsPushEnable":false"#) && sent[1].bodyText.contains("Wns"))
    let texts = await heard(application, upTo: "push: alert") { application.received(push: ["alert": "new orders"]) }
    #expect(texts == ["push: alert"])
    let error = #expect(throws: ServiceError.self) { try application.waitForNotification() }
    #expect(error?.code == .notOffered)
  }

  @Test(arguments: NativeFeature.allCases)
  func `what only the native protocol can do says why, and what to do instead`(_ feature: NativeFeature) {
    let error = feature.refusal("do it")
    #expect(error.code == .notOffered && error.message.contains(feature.reason) && error.advice == feature.advice)
    #expect(feature.advice.hasSuffix("."))
  }

  @Test func `a certificate proves the user instead of a password, and cookies of the connection go along`()
    async throws
  {
    var properties = Self.properties()
    properties.loginCertificate = LoginCertificate(certificate: "ada.pem", key: "ada.key")
    properties.httpCookies = [("gate", Secret("open"))]
    #expect(properties.transportSettings.certificate == "ada.pem" && properties.transportSettings.key == "ada.key")
    let stub = StubTransport()
    stub.on(
      "POST", Field.connections, status: 201, headers: ["Set-Cookie": "X-SMP-SESSID=s; Path=/"],
      body: Sample.registration)
    stub.on("GET", Self.one, status: 401)
    stub.on("GET", Self.one, body: Sample.registration)
    let application = try MobileApplication(identifier: "SUP101", properties, transport: stub, pauses: [])
    #expect(try await application.register()?.id == "id-1")
    #expect(stub.requests.allSatisfy { $0.request.headers["Authorization"] == nil })
    #expect(!stub.requests.contains { $0.line.contains("/public/") })
    // The session had ended: only its own cookie is left out of the request that goes again.
    #expect(
      stub.requests.map { $0.request.headers["Cookie"] } == ["gate=open", "gate=open; X-SMP-SESSID=s", "gate=open"])
  }

  @Test func `a start that reaches nobody goes on until it is stopped`() async throws {
    let stub = StubTransport()
    stub.on("GET", Self.one, fails: .unreachable)
    let application = try application(stub, pauses: [.milliseconds(1)])
    let events = application.events.events()
    await #expect(throws: ServiceError.self) { try await application.startConnection(as: "id-1") }
    var errors = 0
    for await event in events {
      if event.description == "connectionError" { errors += 1 }
      if errors == 3 { break }
    }
    application.stopConnection()
    #expect(application.connectionStatus != .connected)
  }

  @Test func `stopping and unregistering tell theirs`() async throws {
    let stub = StubTransport()
    stub.on("GET", Self.one, body: Sample.registration)
    stub.on("DELETE", Self.one, status: 404)
    let application = try application(stub)
    try await application.startConnection(as: "id-1")
    let texts = try await heard(application, upTo: "unregistered") { try await application.unregister() }
    #expect(texts == ["disconnecting", "disconnected", "unregistering", "unregistered"])
    let more = await heard(application, upTo: "disconnected") { application.stopConnection() }
    #expect(more == ["disconnecting", "disconnected"])
  }

  @Test func `after the timeout the attempt goes on, and no wait is no wait`() async throws {
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let slow = SlowTransport(gate)
    let application = try MobileApplication(identifier: "SUP101", Self.properties(), transport: slow, pauses: [])
    let events = application.events.events()
    let error = await #expect(throws: ServiceError.self) { try await application.register(timeout: .milliseconds(5)) }
    #expect(error?.code == .timedOut && error?.advice.contains("background") == true)
    #expect(application.registrationStatus == .registering)
    opener.finish()
    for await event in events where event.description == "registered" { break }
    let again = try MobileApplication(
      identifier: "SUP101", Self.properties(), transport: SlowTransport(gate), pauses: [])
    #expect(try await again.register(timeout: .zero) == nil)
  }

  @Test func `changed settings are told by name`() async throws {
    let stub = StubTransport()
    stub.on("GET", Self.one, body: Sample.registration)
    let changed = Sample.registration.replacing(#""CustomCustom1":" ""#, with: #""CustomCustom1":"region=east""#)
      .replacing(#""PasswordPolicyMinLength":8"#, with: #""PasswordPolicyMinLength":10"#)
      .replacing("10:00:00.0", with: "11:00:00.0")
    stub.on("GET", Self.one, body: changed)
    let application = try application(stub)
    try await application.startConnection(as: "id-1")
    let texts = try await heard(application, upTo: "settings: PasswordPolicyMinLength, CustomCustom1") {
      try await application.refreshSettings()
    }
    #expect(texts == ["settings: PasswordPolicyMinLength, CustomCustom1"])
    #expect(application.applicationSettings?.custom == ["region=east", nil, nil, nil])
  }

  @Test func `callbacks arrive on the main actor, in order`() async throws {
    let stub = StubTransport()
    stub.on("GET", Self.one, body: Sample.registration)
    let application = try application(stub)
    let (texts, sink) = AsyncStream<String>.makeStream()
    let observer = application.events.observe { event in
      MainActor.assertIsolated()
      sink.yield(event.description)
    }
    try await application.startConnection(as: "id-1")
    var heard: [String] = []
    for await text in texts {
      heard.append(text)
      if heard.count == 3 { break }
    }
    observer.cancel()
    #expect(heard == ["connecting", "connected", "registered"])
  }

  @Test func `a policy counts only where it is switched on, with numbers or with texts`() throws {
    func policy(_ members: String) throws -> VaultPolicy? {
      let root = try JSONDocument(Array("{\(members)}".utf8)).root
      return ApplicationSettings(kept: root.node()).passwordPolicy
    }
    #expect(try policy(#""PasswordPolicyEnabled":false,"PasswordPolicyMinLength":12"#) == nil)
    let numbers = try policy(
      #""PasswordPolicyEnabled":true,"PasswordPolicyMinLength":12,"PasswordPolicyRetryLimit":10"#)
    #expect(numbers?.minLength == 12 && numbers?.retryLimit == 10 && numbers?.allowsDefaultPIN == false)
    let texts = try policy(
      #""PasswordPolicyEnabled":"true","PasswordPolicyMinLength":"12","PasswordPolicyRetryLimit":"10""#)
    #expect(texts == numbers)
  }

  @Test func `properties make the address, and a relay's suffix may come as a stream parameter`() throws {
    var properties = Self.properties()
    properties.networkStreamParameters = try StreamParameters(
      parsing: "trusted_certificates=relay.pem;compression=zlib;url_suffix=/cli/iasrelayserver")
    properties.farmID = "farm1"
    #expect(try properties.server(application: "A").base == "http://127.0.0.1:1/cli/iasrelayserver/farm1")
    #expect(properties.transportSettings.authorities == "relay.pem")
    properties.portNumber = 70_000
    let error = #expect(throws: ServiceError.self) { try properties.server(application: "A") }
    #expect(error?.code == .configuration)
    for text in ["compression=fast", "trusted_certificates", "speed=9", "url_suffix="] {
      #expect(throws: ServiceError.self) { try StreamParameters(parsing: text) }
    }
  }
}

/// Answers once a gate has been opened.
private final class SlowTransport: Transport {
  private let gate: AsyncStream<Void>
  private let stub = StubTransport()

  init(_ gate: AsyncStream<Void>) {
    self.gate = gate
    stub.on("POST", Field.connections, status: 201, body: Sample.registration)
    stub.on("GET", "\(Field.connections)('id-1')", body: Sample.registration)
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    for await _ in gate {}
    return try await stub.send(request)
  }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    try await stub.download(request, to: sink, head: head, progress: progress)
  }
}
