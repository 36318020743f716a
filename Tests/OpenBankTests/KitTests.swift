import FoundationEssentials
import JSON
import Model
import Store
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite(.bounded) struct KitTests {
  @Test func `a completion arrives once, on the main actor, with the typed value`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/banks", body: Bodies.banks)
    let names = await withCheckedContinuation { continuation in
      bench.backend.client.banks { result in
        MainActor.assertIsolated()
        continuation.resume(returning: (try? result.get())?.map(\.shortName))
      }
    }
    #expect(names == ["Kiln", "Nord"])
  }

  // MARK: Requests of one's own

  @Test func `a request of one's own gets the token, and none for another server`() async throws {
    let bench = try OpenBankBench()
    let session = bench.backend.client.session
    let own = try #require(URL(string: "\(OpenBankBench.origin)/obp/v5.1.0/my/accounts"))
    let sent = try await session.authorized(HTTPRequest("GET", own))
    #expect(sent.request.headers["DirectLogin"] == "token=old.jwt.token")
    for foreign in ["http://127.0.0.1:8081/obp/v5.1.0/x", "https://127.0.0.1:8080/x", "http://other.example:8080/x"] {
      let url = try #require(URL(string: foreign))
      let error = await #expect(throws: ServiceError.self) { try await session.authorized(HTTPRequest("GET", url)) }
      #expect(error?.code == .usage)
    }
    let signedOut = try OpenBankBench(signedIn: false).backend.client.session
    let error = await #expect(throws: ServiceError.self) { try await signedOut.authorized(HTTPRequest("GET", own)) }
    #expect(error?.code == .signInNeeded)
    let anonymous = try OpenBankBench(anonymous: true).backend.client.session
    #expect(try await anonymous.authorized(HTTPRequest("GET", own)).request.headers.isEmpty)
  }

  @Test(arguments: [
    (401, "OBP-20001", true), (400, "OBP-20003", true), (403, "OBP-20006", false), (500, "OBP-50000", false),
    (200, "", false),
  ])
  func `the answer to it ends the session where its token is dead`(
    _ status: Int, _ code: String, _ ends: Bool
  ) async throws {
    let bench = try OpenBankBench()
    let session = bench.backend.client.session
    let own = try #require(URL(string: "\(OpenBankBench.origin)/obp/v5.1.0/my/accounts"))
    let sent = try await session.authorized(HTTPRequest("GET", own))
    let body = Bodies.fault(status, "\(code): refused:old.jwt.token")
    let response = HTTPResponse(status: status, body: Array(body.utf8), url: own)
    let told = await told { try await session.check(response, to: sent) }
    #expect(session.isValid == !ends)
    #expect((told == nil) == (status == 200))
    #expect(told?.message.contains("old.jwt.token") != true)
  }

  private func told(_ body: () async throws -> Void) async -> ServiceError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? ServiceError
    }
  }

  @Test func `every name of OBPKit leads to what it is called here`() throws {
    let folder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let page = try Files.read("\(folder)/Sources/OpenBank/OpenBank.docc/ComingFromOBPKit.md")
    let text = String(decoding: page, as: UTF8.self)
    let names = """
      OBPServerInfo OBPServerInfoStore OBPServerInfoCustomise addEntryForAPIServer firstEntryForAPIServer defaultEntry \
      entries removeEntry name APIServer APIVersion APIBase accessData appData usable inUse AuthServerBase RequestPath \
      GetUserAuthPath GetTokenPath ClientKey ClientSecret TokenKey TokenSecret OBPSession sessionWithServerInfo \
      findSessionWithServerInfo removeSession currentSession setCurrentSession allSessions webViewProvider serverInfo \
      authMethod directLoginParamsProvider validate invalidate state valid authorizeSTHTTPRequest authorizeURLRequest \
      OBPWebViewProvider callbackScheme showURL resetWebViewProvider OBPDefaultWebViewProvider \
      configureToUseExternalWebViewer handleCallbackURL OBPMarshal getResourceAtAPIPath updateResource createResource \
      deleteResourceAtAPIPath OnlyPublicResources SendDictAsForm ExtraHeaders ExpectClass ExpectStatus DeserializeJSON \
      ErrorHandler OBPDateFormatter stringFromDate dateFromString
      """
    let missing = names.split(separator: " ").filter { name in
      !["`\(name)`", "`+\(name)", "`\(name):"].contains { text.contains($0) }
    }
    #expect(missing == [])
  }

  // MARK: Any resource

  @Test func `any resource is reached by its path, with the verb's body and the options' headers`() async throws {
    let bench = try OpenBankBench()
    let marshal = OpenBankMarshal(bench.backend.client)
    bench.stub.on("POST", "/obp/v5.1.0/things", status: 201, body: #"{"id":"1"}"#)
    bench.stub.on("DELETE", "/obp/v5.1.0/things/1", status: 204)
    var options = OpenBankMarshal.Options()
    options.headers = [(name: "X-Mark", value: "a")]
    options.add("X-Since", Timestamp(seconds: 1_796_030_100))
    let made = try await marshal.create("things", .json(["name": "x"]), options)
    #expect(made.status == 201)
    #expect(made.json?["id"].string == "1")
    #expect(made.text == #"{"id":"1"}"#)
    #expect(bench.stub.requests[0].bodyText == #"{"name":"x"}"#)
    #expect(bench.stub.requests[0].request.headers["X-Mark"] == "a")
    #expect(bench.stub.requests[0].request.headers["X-Since"] == "2026-11-30T09:15:00.000Z")
    #expect(try await marshal.delete("/things/1").status == 204)
  }

  @Test func `only the expected statuses count, and a public call carries no token`() async throws {
    let bench = try OpenBankBench()
    let marshal = OpenBankMarshal(bench.backend.client)
    bench.stub.on("GET", "/obp/v5.1.0/x", status: 200, body: "{}")
    var options = OpenBankMarshal.Options()
    options.isPublic = true
    options.expected = [204]
    let error = await #expect(throws: ServiceError.self) { try await marshal.get("x", options) }
    #expect(error?.status == 200)
    #expect(bench.stub.requests[0].request.headers["DirectLogin"] == nil)
  }

  @Test func `a form and bytes go out as they are`() async throws {
    let bench = try OpenBankBench()
    let marshal = OpenBankMarshal(bench.backend.client)
    bench.stub.on("PUT", "/obp/v5.1.0/x", body: "{}")
    _ = try await marshal.update("x", .form([("a", "1 2"), ("b", "ä")]))
    #expect(bench.stub.requests[0].bodyText == "a=1%202&b=%C3%A4")
    #expect(bench.stub.requests[0].request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    _ = try await marshal.update("x", .bytes([1, 2]))
    #expect(bench.stub.requests[1].body == [1, 2])
    #expect(bench.stub.requests[1].request.headers["Content-Type"] == nil)
  }

  @Test(arguments: [
    (OpenBankMarshal.Kind.object, "[]", false), (.array, "[]", true), (.anything, "[]", true), (.object, "{}", true),
    (.array, "{}", false), (.object, "", false), (.anything, "", true),
  ])
  func `the root is what was asked for, or the reply is the error's cause`(
    kind: OpenBankMarshal.Kind, body: String, fits: Bool
  ) async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/x", body: body)
    var options = OpenBankMarshal.Options()
    options.kind = kind
    do {
      let reply = try await OpenBankMarshal(bench.backend.client).get("x", options)
      #expect(fits && reply.text == body)
    } catch {
      #expect(!fits)
      #expect((error.cause as? OpenBankUnexpectedReply)?.reply.text == body)
    }
  }

  @Test func `an unread answer is its text, and errors are told to the handler too`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on("GET", "/obp/v5.1.0/x", body: "not JSON")
    var options = OpenBankMarshal.Options()
    options.readsJSON = false
    let heard = Heard()
    var marshal = OpenBankMarshal(bench.backend.client)
    marshal.onError = { error, path in heard.add("\(path) \(error.code)") }
    let reply = try await marshal.get("x", options)
    #expect(reply.json == nil && reply.text == "not JSON")
    await #expect(throws: ServiceError.self) { try await marshal.get("x") }
    await #expect(throws: ServiceError.self) { try await marshal.get("") }
    #expect(heard.all == ["x unreadable", " usage"])
  }

  // MARK: Sessions

  @Test func `a newer sign-in ends the one that is under way`() async throws {
    let bench = try OpenBankBench(signedIn: false)
    let session = bench.backend.client.session
    #expect(session.standing == .invalid)
    let gate = AsyncStream<Void>.makeStream()
    let started = AsyncStream<Void>.makeStream()
    let older = Task { () -> ServiceError? in
      do throws(ServiceError) {
        _ = try await session.validating { () async throws(ServiceError) -> OpenBankToken in
          started.continuation.yield()
          for await _ in gate.stream { break }
          throw .cancelled("older")
        }
        return nil
      } catch {
        return error
      }
    }
    for await _ in started.stream { break }
    #expect(session.standing == .validating)
    bench.stub.on("POST", "/my/logins/direct", status: 201, body: Bodies.token)
    #expect(try await session.signIn(SignInRequest()).isSignedIn)
    #expect(session.standing == .valid)
    #expect(await older.value?.code == .cancelled)
  }

  // MARK: Server records

  private func records(_ directory: TemporaryDirectory, _ keeper: StubKeeper) throws -> OpenBankServerRecords {
    let count = Counter()
    return try OpenBankServerRecords(path: directory.file("servers/servers.json"), keeper: keeper) { length in
      let number = count.next()
      return (0..<length).map { UInt8(truncatingIfNeeded: $0 + Int(number)) }
    }
  }

  @Test func `servers are found again by a later run, their secrets by the keeper alone`() async throws {
    let (directory, keeper) = (try TemporaryDirectory(), StubKeeper())
    let first = try records(directory, keeper)
    var record = try first.add("https://api.bank.example/obp/v4.0.0")
    _ = try first.add("https://api.bank.example", name: "Second user")
    record.appData = ["colour": "red"]
    try first.update(record)
    try await first.setClient(key: Secret("key-words"), secret: Secret("secret-words"), of: record)
    let standing = try await first.standing(of: record)
    #expect(standing.isUsable && !standing.isInUse)
    let text = try #require(directory.text("servers/servers.json"))
    #expect(!text.contains("key-words") && !text.contains("secret-words"))

    let later = try records(directory, keeper)
    #expect(later.all.map(\.name) == ["api.bank.example", "Second user"])
    #expect(later.first?.appData == ["colour": "red"])
    #expect(later.first(for: "https://api.bank.example/obp/v4.0.0")?.id == record.id)
    #expect(later.first(for: "https://api.bank.example/obp/v9.0.0") == nil)
    #expect(later.first(for: "https://other.example") == nil)
    try await later.remove(record)
    #expect(keeper.all.isEmpty)
    #expect(later.all.count == 1)
  }

  @Test func `a client pair is kept once`() async throws {
    let records = try records(try TemporaryDirectory(), StubKeeper())
    let record = try records.add("https://api.bank.example")
    try await records.setClient(key: Secret("a"), secret: Secret("b"), of: record)
    let error = await #expect(throws: ServiceError.self) {
      try await records.setClient(key: Secret("c"), secret: Secret("d"), of: record)
    }
    #expect(error?.code == .conflict)
    #expect(throws: ServiceError.self) { try records.add("nonsense") }
  }

  @Test func `a file that is something else is left alone`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[]", to: "servers.json")
    let error = #expect(throws: ServiceError.self) {
      try OpenBankServerRecords(path: directory.file("servers.json"), keeper: StubKeeper()) { _ in [] }
    }
    #expect(error?.code == .unreadable)
    #expect(directory.text("servers.json") == "[]")
  }

  @Test func `a record has one session, which signs in with the record's own secrets`() async throws {
    let keeper = StubKeeper()
    let records = try records(try TemporaryDirectory(), keeper)
    let (one, two) = (try records.add("http://127.0.0.1:8080/obp/v4.0.0"), try records.add("http://127.0.0.1:8080"))
    try await records.setClient(key: Secret("kx3v0"), secret: Secret("words"), of: one)
    let stub = StubTransport()
    stub.on("POST", "/my/logins/direct", status: 201, body: Bodies.token)
    let sessions = OpenBankSessions(
      records: records, transport: stub,
      surroundings: .stub(asker: StubAsker([["user": "ada", "password": "s3cret"]])))
    let client = try sessions.client(for: one, method: .direct)
    #expect(try sessions.client(for: one, method: .direct) === client)
    _ = try sessions.client(for: two, method: .none)
    #expect(sessions.current === client)
    sessions.makeCurrent(two)
    #expect(sessions.current !== client && sessions.all.count == 2)
    _ = try await client.session.signIn(SignInRequest())
    #expect(stub.requests[0].request.headers["DirectLogin"]?.contains("consumer_key=kx3v0") ?? false)
    #expect(try await records.standing(of: one).isInUse)
    try await sessions.remove(one)
    #expect(try await !records.standing(of: one).isInUse)
    #expect(sessions.found(one) == nil)
  }

  // MARK: Pages

  @Test func `the out-of-band page asks for the verifier that it shows`() async throws {
    let heard = Heard()
    let pages = OpenBankPages.outOfBand { url throws(ServiceError) in
      heard.add(url)
    } verifier: { () throws(ServiceError) in
      Secret("40718")
    }
    #expect(pages.request.page == .outOfBand)
    let answer = try await pages.ask(
      Question(
        connection: "bank", title: "t", message: "open http://x/oauth/authorize?oauth_token=1",
        kind: .form([FormField("verifier", "Verifier")], submit: "ok")))
    #expect(answer == .fields(["verifier": Secret("40718")]))
    #expect(heard.all == ["http://x/oauth/authorize?oauth_token=1"])
  }

  @Test func `a page that cannot be shown ends the question, one that can waits until it is withdrawn`() async throws {
    let question = Question(connection: "bank", title: "t", message: "m", kind: .browser(url: "http://x"))
    let broken = OpenBankPages.loopback { _ throws(ServiceError) in throw ServiceError(.failed, "show it") }
    let error = await #expect(throws: ServiceError.self) { try await broken.ask(question) }
    #expect(error?.code == .failed)
    let missing = OpenBankPages.externalBrowser(program: "/nowhere/browser", environment: [:])
    let unknown = await #expect(throws: ServiceError.self) { try await missing.ask(question) }
    #expect(unknown?.advice.contains("http://x") ?? false)
    let shown = AsyncStream<Void>.makeStream()
    let waiting = Task { () -> ServiceError? in
      let pages = OpenBankPages.loopback { _ throws(ServiceError) in _ = shown.continuation.yield() }
      do throws(ServiceError) { _ = try await pages.ask(question) } catch { return error }
      return nil
    }
    for await _ in shown.stream { break }
    waiting.cancel()
    #expect(await waiting.value?.code == .cancelled)
  }
}
