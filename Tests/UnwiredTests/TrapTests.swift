import Model
import Store
import TestKit
import Testing
import Wire

@testable import Unwired

/// What users of the platform tripped on, by the numbers of reference/unwired.md, section 5.
@Suite(.bounded) final class TrapTests: OfflineField {
  @Test func `1: the identifier must be set first, and matches with its capitals`() async throws {
    let properties = ConnectionProperties(serverName: "127.0.0.1", portNumber: 1)
    let unset = #expect(throws: ServiceError.self) { try MobileApplication(identifier: "", properties) }
    #expect(unset?.advice.contains("identifier first") == true)
    let backend = try makeBackend(settings: ["app": "sup101"])
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    #expect(error?.code == .notFound && error?.advice.contains("capitals") == true)
  }

  @Test func `2: while the vault is locked nothing starts, and no second registration is made`() async throws {
    _ = try await signedIn()
    let locked = try UnwiredBackend(
      connection: makeBackend().connection, transport: CurlTransport(),
      surroundings: .stub(keeper: LockedKeeper(), stores: stores))
    let error = await #expect(throws: ServiceError.self) { try await locked.signIn(SignInRequest()) }
    #expect(error?.code == .vaultLocked)
    #expect(locked.application.registrationStatus == .unregistered)
    #expect(locked.client.session.connectionID == nil)
  }

  @Test func `3: registering and starting at once is refused, one after the other is not`() async throws {
    let (requests, asking) = AsyncStream<Void>.makeStream()
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let field = try Field(connected: false)
    field.stub.on("POST", Field.connections, status: 201, body: Sample.registration)
    field.stub.on("GET", "\(Field.connections)('id-1')", body: Sample.registration)
    var properties = ConnectionProperties(serverName: "127.0.0.1", portNumber: 1)
    properties.networkProtocol = .http
    properties.loginCredentials = ("ada", Secret("secret-password"))
    let slow = GatedTransport(field.stub, asking, gate)
    let application = try MobileApplication(identifier: "SUP101", properties, transport: slow, pauses: [])
    let registering = Task { try await application.register() }
    for await _ in requests { break }
    let error = await #expect(throws: ServiceError.self) { try await application.startConnection(as: "id-1") }
    #expect(error?.code == .busy && error?.message.contains("under way") == true)
    #expect(application.registrationStatus == .registering)
    opener.finish()
    _ = try await registering.value
    #expect(try await application.startConnection(as: "id-1")?.id == "id-1")
  }

  @Test func `4: two templates for one application make the registration fail, with the server's words`() async throws {
    try await turn("templates=2")
    let backend = try makeBackend()
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    #expect(error?.message.contains("Two connection templates match") == true)
    #expect(keeper.all.isEmpty)
  }

  @Test func `5: an activation code is of the native protocol, and says so instead of failing later`() async throws {
    let backend = try makeBackend(settings: ["activationCode": "4711"])
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    #expect(error?.code == .notOffered && error?.message.contains("native protocol") == true)
  }

  /// 1: refused; 2: too slow; 3: nobody there.
  @Test func `a registration that is refused, too slow or unreachable is three different messages`() async throws {
    let field = try Field(connected: false)
    field.stub.on("POST", Field.connections, status: 401, body: #"{"error":{"message":{"value":"No"}}}"#)
    field.stub.on("POST", Field.connections, fails: .timedOut)
    field.stub.on("POST", Field.connections, fails: .unreachable)
    var texts: [String] = []
    for _ in 0..<3 {
      let request = SignInRequest(user: "ada", password: Secret("secret"))
      let error = await #expect(throws: ServiceError.self) { try await field.backend.signIn(request) }
      texts.append(error?.message ?? "")
      #expect(error?.operation.contains("register the application “SUP101”") == true)
    }
    #expect(Set(texts).count == 3)
    #expect(texts[0].contains("the sign-in was refused: No"))
    #expect(texts[1].contains("did not answer in time"))
    #expect(texts[2].contains("could not be reached"))
  }

  @Test func `6: a refused registration is over, and a lost connection mends itself`() async throws {
    let properties = ApplicationTests.properties()
    let refusing = StubTransport()
    refusing.on("POST", Field.connections, status: 403)
    refusing.on("POST", Field.connections, status: 201, body: Sample.registration)
    let refused = try MobileApplication(
      identifier: "SUP101", properties, transport: refusing, pauses: [.milliseconds(1)])
    await #expect(throws: ServiceError.self) { try await refused.register() }
    #expect(refused.registrationStatus == .registrationError && refused.connectionStatus == .disconnected)
    let failing = StubTransport()
    failing.on("GET", "\(Field.connections)('id-1')", fails: .unreachable)
    failing.on("GET", "\(Field.connections)('id-1')", body: Sample.registration)
    let lost = try MobileApplication(identifier: "SUP101", properties, transport: failing, pauses: [.milliseconds(1)])
    let events = lost.events.events()
    await #expect(throws: ServiceError.self) { try await lost.startConnection(as: "id-1") }
    for await event in events where event.description == "connected" { break }
    #expect(lost.registrationStatus != .registrationError)
    #expect(refusing.requests.count == 1)
  }

  @Test func `7: data arrives before it counts, and counts at the commit`() async throws {
    let online = try await signedIn()
    let events = online.told.events()
    try await sync(online)
    var texts: [String] = []
    for await event in events {
      texts.append(event.description)
      if texts.last == "finishing" { break }
    }
    #expect(
      texts.filter { !$0.hasPrefix("imported Customers") } == [
        "starting", "uploading", "downloading", "importing Customers", "imported all of Customers, 2500", "committed",
        "finishing",
      ])
    #expect(texts.count { $0.hasPrefix("imported Customers(") } == 2_500)
    #expect(texts.firstIndex(of: "committed") == texts.count - 2)
  }

  @Test func `8: an asynchronous replay leaves rows pending right after synchronising`() async throws {
    try await sync(signedIn())
    _ = try await put(makeBackend(offline: true), #"{"city":"Graz"}"#, "/data/Customers/120")
    let online = try await signedIn(settings: ["asyncReplay": "true"])
    _ = try await online.delete(at("/live/Customers/121"))
    try await turn("replay=503&times=1")
    await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(try await pending(online) == ["waiting"])
    // What came down is here all the same.
    let gone = await #expect(throws: ServiceError.self) { try await online.item(at("/data/Customers/121")) }
    #expect(gone?.code == .notFound)
  }

  @Test func `a replay that waits fetches nothing while an edit could not go up`() async throws {
    try await sync(signedIn())
    _ = try await put(makeBackend(offline: true), #"{"city":"Graz"}"#, "/data/Customers/120")
    let online = try await signedIn()
    try await turn("replay=503&times=1")
    let events = online.told.events()
    await #expect(throws: ServiceError.self) { try await sync(online) }
    var texts: [String] = []
    for await event in events {
      texts.append(event.description)
      if texts.last == "error" { break }
    }
    #expect(texts == ["starting", "uploading", "failed Customers(120) 503", "error"])
  }

  @Test func `9: the vault's end is the end of its database, and only a person throws that away`() async throws {
    try await sync(signedIn())
    stores.key = Secret(String(repeating: "a5", count: 32))
    let offline = try makeBackend(offline: true)
    let error = await #expect(throws: ServiceError.self) { try await offline.list(at("/data"), ListQuery()) }
    #expect(error?.message.contains("encrypted with a key that is no longer in the vault") == true)
    stores.key = OpenStores.usual
    #expect(try await makeBackend(offline: true).list(at("/data"), ListQuery()).rows.count == 1)
  }

  @Test func `9: the server's retry limit is applied, not the unlimited one of the interface`() async throws {
    _ = try await signedIn()
    #expect(stores.policy?.retryLimit == 10 && stores.policy?.lockTimeout == 300)
    try await turn("PasswordPolicyRetryLimit=3&PasswordPolicyMinLength=12")
    _ = try await signedIn()
    #expect(stores.policy?.retryLimit == 3 && stores.policy?.minLength == 12)
  }

  @Test func `10: a timeout or a limit of zero is none, as the server's policy means it`() throws {
    let clock = StubClock()
    var policy = VaultPolicy()
    (policy.lockTimeout, policy.retryLimit) = (0, 0)
    let vault = try DataVault.create(
      "zero", password: Secret("correct horse"), policy: policy, in: directory.path, clock: clock)
    clock.move(seconds: 10_000_000)
    #expect(!vault.isLocked)
    #expect(try vault.triesLeft() == nil)
  }

  @Test func `11: a name that is missing is an error, and no empty value`() throws {
    let vault = try DataVault.create("items", password: Secret("correct horse"), in: directory.path, clock: StubClock())
    for read in [{ _ = try vault.string(named: "nothing") }, { _ = try vault.data(named: "nothing") }] {
      let error = #expect(throws: DataVaultError.self) { try read() }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `a policy that is switched off is kept from the vault`() async throws {
    try await turn("PasswordPolicyEnabled=false")
    _ = try await signedIn()
    #expect(stores.policy == nil)
  }

  @Test func `12: a deleted row is reported by the key it had`() async throws {
    let online = try await signedIn()
    try await sync(online)
    _ = try await makeBackend(offline: true).delete(at("/data/Customers/130"))
    let events = online.told.events()
    try await sync(online)
    for await event in events {
      guard case .replaySucceeded(let entity, let change) = event else { continue }
      #expect(entity == EntityReference(set: "Customers", key: "130") && change == .delete)
      break
    }
  }

  @Test func `13: a missing connection id is not taken for a wrong password`() async throws {
    let online = try await signedIn()
    try await turn("drop=all")
    let error = await #expect(throws: ServiceError.self) { try await online.list(at("/live/Customers"), ListQuery()) }
    #expect(error?.code == .forbidden && error?.advice.contains("registration may be gone") == true)
    // Signing in again registers anew.
    _ = try await online.signIn(SignInRequest())
    #expect(try await online.list(at("/live/Customers"), ListQuery(limit: 1)).rows.count == 1)
  }

  @Test(arguments: ["/ias_relay_server/client/rs_client.dll", "/cli/iasrelayserver"])
  func `14: through a relay links name hosts inside, which are never asked`(_ suffix: String) async throws {
    let online = try await signedIn(settings: ["urlSuffix": suffix, "farm": "farm1"])
    #expect(try await sync(online).contains("2500 rows came"))
    _ = try await put(online, #"{"city":"Graz"}"#, "/data/Customers/120")
    #expect(try await city(online, "/live/Customers/120") == .text("Graz"))
    #expect(try await online.list(at("/data/Customers"), ListQuery(limit: 1)).total == .exact(2_500))
    let lost = try makeBackend(settings: ["urlSuffix": suffix, "farm": "nowhere"])
    let error = await #expect(throws: ServiceError.self) { try await lost.signIn(SignInRequest()) }
    #expect(error?.code == .notFound)
  }

  @Test func `an anonymous registration is nobody else's, and a later run still has its token`() async throws {
    let first = try makeBackend(settings: ["auth.method": "none"])
    _ = try await first.signIn(SignInRequest())
    #expect(try await first.list(at("/live/Customers"), ListQuery(limit: 1)).rows.count == 1)
    let later = try makeBackend(settings: ["auth.method": "none"])
    _ = try await later.signIn(SignInRequest())
    #expect(later.client.session.connectionID == first.client.session.connectionID)
    #expect(try await later.list(at("/live/Customers"), ListQuery(limit: 1)).rows.count == 1)
    later.client.session.keep(securityToken: Secret("guessed"))
    let error = await #expect(throws: ServiceError.self) { try await later.list(at("/live/Customers"), ListQuery()) }
    #expect(error?.code == .forbidden)
  }

  /// The address of the back end goes along, and links begin with it: nothing behind a relay server rewrites them.
  @Test func `14: the back end is named to it, and its links are followed through the platform`() async throws {
    let online = try await signedIn(settings: [
      "urlSuffix": "/cli/iasrelayserver", "farm": "farm1", "backendURL": "http://backend.internal:8080/sup101",
    ])
    #expect(try await sync(online).contains("2500 rows came"))
    _ = try await put(online, #"{"city":"Graz"}"#, "/data/Customers/120")
    #expect(try await sync(online).contains("1 row came"))
    let page = try await online.client.entities(of: "Customers", EntityQuery(top: 3), version: .v2)
    #expect(page.entities.first?.address?.hasPrefix("http://backend.internal:8080/sup101/Customers(") == true)
    let lost = try await signedIn(settings: ["backendURL": "http://elsewhere.internal/sup101"])
    let error = await #expect(throws: ServiceError.self) { try await lost.list(at("/live/Customers"), ListQuery()) }
    #expect(error?.code == .forbidden && error?.message.contains("not allowed") == true)
    #expect(throws: ServiceError.self) { try makeBackend(settings: ["backendURL": "inside"]) }
  }

  @Test func `15: a token counts only with its cookies, and both are fetched anew when they have gone`() async throws {
    let online = try await signedIn()
    _ = try await put(online, #"{"city":"Graz"}"#, "/live/Customers/120")
    online.client.session.forgetCookies()
    online.client.session.keep(csrf: Secret("stale"))
    _ = try await put(online, #"{"city":"Wels"}"#, "/live/Customers/120")
    #expect(try await city(online, "/live/Customers/120") == .text("Wels"))
  }

  @Test func `16: a change of settings names only what changes`() async throws {
    let online = try await signedIn()
    _ = try await online.perform("edit", at: at("/connection"), fields: ["CustomCustom1": "a", "CustomCustom2": "b"])
    _ = try await online.perform("edit", at: at("/connection"), fields: ["CustomCustom2": "c"])
    let custom = try await online.application.refreshSettings().custom
    #expect(custom == ["a", "c", nil, nil])
  }

  @Test(arguments: ["v1", "v2", "v3", "v4", "latest"], ["json=on", "json=off"])
  func `17: every version and form of the connections service is understood`(_ version: String, _ form: String)
    async throws
  {
    try await turn(form)
    let online = try await signedIn(settings: ["version": version])
    let settings = try await online.application.refreshSettings()
    #expect(settings["ETag"] != nil && settings["DeviceModel"] == "Terminal")
    #expect(settings["PasswordPolicyRetryLimit"] == 10 && settings["PasswordPolicyEnabled"] == true)
    _ = try await online.perform("edit", at: at("/connection"), fields: ["CustomCustom1": "a & <b>"])
    #expect(try await online.application.refreshSettings().custom[0] == "a & <b>")
  }

  @Test(arguments: ["deleted=off", "deleted=off&tombstones=off"])
  func `18: a JSON delta that does not name deleted rows loses none`(_ knobs: String) async throws {
    try await turn(knobs)
    let online = try await signedIn()
    try await sync(online)
    for id in [140, 141] { _ = try await online.delete(at("/live/Customers/\(id)")) }
    _ = try await put(online, #"{"fname":"Neu","lname":"Neu"}"#, "/live/Customers")
    try await sync(online)
    #expect(try await online.list(at("/data/Customers"), ListQuery(limit: 1)).total == .exact(2_499))
  }

  @Test func `19: a device type that is not on the list is accepted as unknown`() async throws {
    let online = try await signedIn()
    #expect(try await online.application.refreshSettings()["DeviceType"] == "Unknown")
  }

  @Test func `20: a session that expires in the middle of a flush is renewed, and no edit is marked failed`()
    async throws
  {
    try await turn("sessions=strict")
    try await sync(signedIn())
    let offline = try makeBackend(offline: true)
    for id in 150..<156 { _ = try await put(offline, #"{"city":"Graz"}"#, "/data/Customers/\(id)") }
    let online = try await signedIn()
    try await turn("sessions=expire")
    #expect(try await sync(online).hasPrefix("Sent 6 edits"))
    #expect(try await pending(online).isEmpty)
  }

  @Test func `21: a password changed at the back end is asked for, and the edits wait`() async throws {
    let online = try await signedIn()
    try await sync(online)
    _ = try await put(makeBackend(offline: true), #"{"city":"Graz"}"#, "/data/Customers/120")
    online.client.session.use(user: "supuser", password: Secret("yesterdays-word"))
    let error = await #expect(throws: ServiceError.self) { try await sync(online) }
    #expect(error?.code == .signInNeeded)
    #expect(try await pending(online) == ["waiting"])
    #expect(try await sync(signedIn()).hasPrefix("Sent 1 edit;"))
  }

  /// Error objects come as JSON with the text in two places, as Atom's XML, as a web page, and as plain text.
  @Test(arguments: [
    (#"{"error":{"code":"42","message":{"lang":"en","value":"It is closed"}}}"#, "application/json"),
    (#"{"error":{"code":42,"message":"It is closed"}}"#, "application/json"),
    ("<error><code>42</code><message xml:lang=\"en\">It is closed</message></error>", "application/xml"),
    ("It is closed", "text/plain"), ("<html><body>nginx</body></html>", "text/html"), ("", "text/plain"),
  ]) func `22: whatever a refusal looks like, it is one sentence with the status`(
    _ body: String, _ type: String
  ) async throws {
    let field = try Field()
    field.stub.on("GET", "\(Field.connections)('id-1')", status: 400, headers: ["Content-Type": type], body: body)
    let error = await #expect(throws: ServiceError.self) { try await field.backend.application.refreshSettings() }
    #expect(error?.status == 400 && error?.operation == "read the registration")
    #expect(error?.message.contains("<") == false)
    if body.contains("closed") { #expect(error?.message.contains("It is closed") == true, "\(error?.message ?? "")") }
    if body.hasPrefix("{") { #expect(error?.serverCode == "42") }
  }

  @Test(arguments: ["delta=expire", "delta=off"])
  func `a delta link that has expired means a full read`(_ knob: String) async throws {
    let online = try await signedIn()
    try await sync(online)
    #expect(try await sync(online).contains("nothing has changed"))
    try await turn(knob)
    _ = try await online.delete(at("/live/Customers/160"))
    let message = try await sync(online)
    #expect(knob == "delta=off" || message.contains("2499 rows came"))
    #expect(try await online.list(at("/data/Customers"), ListQuery(limit: 1)).total == .exact(2_499))
  }

  @Test func `edits go up before rows come down, which could overwrite them`() async throws {
    try await sync(signedIn())
    _ = try await put(makeBackend(offline: true), #"{"city":"Graz"}"#, "/data/Customers/120")
    let online = try await signedIn()
    try await sync(online)
    #expect(try await city(online, "/data/Customers/120") == .text("Graz"))
    #expect(try await city(online, "/live/Customers/120") == .text("Graz"))
  }

  @Test func `409 on replay waits for a person, and is not tried again by itself`() async throws {
    try await sync(signedIn())
    _ = try await put(makeBackend(offline: true), #"{"city":"Graz"}"#, "/data/Customers/120")
    let online = try await signedIn()
    try await turn("replay=409&times=1")
    for _ in 0..<2 {
      let error = await #expect(throws: ServiceError.self) { try await sync(online) }
      #expect(error?.code == .conflict)
    }
    #expect(try await pending(online) == ["conflict"])
    #expect(try await city(online, "/live/Customers/120") != .text("Graz"))
  }

  @Test(arguments: [401, 403, 404]) func `a refusal of the connection id is told as it is`(_ status: Int) async throws {
    let online = try await signedIn()
    try await turn("appcid=\(status)&times=2")
    let error = await #expect(throws: ServiceError.self) { try await online.application.refreshSettings() }
    #expect(error?.status == status)
  }

  @Test func `settings that the server changes are named at the next synchronisation`() async throws {
    let online = try await signedIn()
    #expect(try await !sync(online).contains("Settings changed"))
    try await turn("ConnectionLogLevel=DEBUG&PasswordPolicyMinLength=9")
    let message = try await sync(online)
    #expect(message.hasSuffix("Settings changed on the server: ConnectionLogLevel, PasswordPolicyMinLength."))
    #expect(stores.policy?.minLength == 9)
    #expect(try await !sync(online).contains("Settings changed"))
  }

  @Test func `the fourth version synchronises and replays alike`() async throws {
    let online = try await signedIn(settings: ["app": "SUP101V4"])
    #expect(try await sync(online).contains("2500 rows came"))
    _ = try await put(
      makeBackend(offline: true, settings: ["app": "SUP101V4"]), #"{"city":"Graz"}"#, "/data/Customers/120")
    _ = try await online.delete(at("/live/Customers/121"))
    #expect(try await sync(online).hasPrefix("Sent 1 edit; 1 row came"))
    #expect(try await city(online, "/live/Customers/120") == .text("Graz"))
    #expect(try await online.list(at("/data/Customers"), ListQuery(limit: 1)).total == .exact(2_499))
  }
}

/// A vault that nobody opens.
private struct LockedKeeper: SecretKeeper {
  var isLasting: Bool { true }
  func secret(named name: String) async throws(ServiceError) -> Secret? {
    throw ServiceError(.vaultLocked, "read “\(name)”")
  }
  func keep(_ secret: Secret, named name: String) async throws(ServiceError) {
    throw ServiceError(.vaultLocked, "keep “\(name)”")
  }
  func remove(named name: String) async throws(ServiceError) {
    throw ServiceError(.vaultLocked, "remove “\(name)”")
  }
}

/// Says that it was asked, and answers once a gate has been opened.
private struct GatedTransport: Transport {
  private let stub: StubTransport
  private let asking: AsyncStream<Void>.Continuation
  private let gate: AsyncStream<Void>

  init(_ stub: StubTransport, _ asking: AsyncStream<Void>.Continuation, _ gate: AsyncStream<Void>) {
    (self.stub, self.asking, self.gate) = (stub, asking, gate)
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    asking.yield()
    for await _ in gate {}
    return try await stub.send(request)
  }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    try await stub.download(request, to: sink, head: head, progress: progress)
  }
}
