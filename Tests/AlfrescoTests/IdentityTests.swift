import FoundationEssentials
import Model
import Sandbox
import Store
import Synchronization
import TestKit
import Testing
import Wire

@testable import Alfresco

/// Signing in through the identity service, against the sandbox's issuer over sockets. The two sides share no code.
@Suite(.bounded) struct IdentityTests {
  @Test func `the page's code becomes tokens, and the repository says who that is`() async throws {
    let desk = try IdentityDesk()
    let state = try await desk.backend.signIn(SignInRequest(page: .print))
    #expect(state.isSignedIn)
    #expect(state.user == "susan")
    #expect(state.method == "pkce")
    #expect(state.expires != nil)
    let page = try #require(desk.person.pages.first)
    #expect(page.contains("code_challenge_method=S256"))
    #expect(page.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A"))
    _ = try await desk.backend.list(desk.files, ListQuery())
    #expect(desk.wire.authorization?.hasPrefix("Bearer ") == true)
  }

  @Test func `a code entered on another device signs in`() async throws {
    let desk = try IdentityDesk(method: "device")
    let state = try await desk.backend.signIn(SignInRequest())
    #expect(state.user == "susan")
    #expect(desk.person.pages.isEmpty)
    #expect(desk.person.codes.count == 1)
  }

  @Test func `a later run takes up the tokens without asking`() async throws {
    let desk = try IdentityDesk()
    _ = try await desk.backend.signIn(SignInRequest())
    let next = try desk.again()
    #expect(try await next.signInState(verifying: true).user == "susan")
    _ = try await next.list(desk.files, ListQuery())
    #expect(desk.person.pages.count == 1)
  }

  @Test func `a token about to end is renewed once for all who wait, and its successor kept`() async throws {
    let desk = try IdentityDesk()
    _ = try await desk.backend.signIn(SignInRequest())
    let before = desk.keeper.all
    desk.clock.move(seconds: 290)
    let asked = desk.wire.count("/token")
    let (backend, files) = (desk.backend, desk.files)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 { group.addTask { _ = try await backend.list(files, ListQuery()) } }
      try await group.waitForAll()
    }
    #expect(desk.wire.count("/token") == asked + 1)
    #expect(desk.person.pages.count == 1)
    #expect(desk.keeper.all != before)
  }

  @Test func `an ended sign-in asks the person once`() async throws {
    let desk = try IdentityDesk()
    let dead = IdentityTokens(
      OAuthTokens(access: Secret("a"), refresh: Secret("dead"), expires: desk.clock.now()), user: "susan",
      issuer: desk.issuer, clientID: "atrium")
    try await desk.keeper.keep(dead.kept, named: "docs/identity")
    let files = desk.files
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.list(files, ListQuery()) }
    #expect(error?.code == .signInNeeded)
    #expect(try await desk.backend.signIn(SignInRequest()).user == "susan")
    #expect(desk.person.pages.count == 1)
  }

  @Test func `signing out ends the session at the issuer`() async throws {
    let desk = try IdentityDesk()
    _ = try await desk.backend.signIn(SignInRequest())
    let kept = try #require(desk.keeper.all["docs/identity"])
    let tokens = try #require(IdentityTokens(kept: kept, issuer: desk.issuer, clientID: "atrium"))
    try await desk.backend.signOut(SignOutRequest())
    #expect(desk.keeper.all.isEmpty)
    #expect(try await desk.backend.signInState(verifying: false).isSignedIn == false)
    let client = try await OpenIDVisit.client(
      issuer: desk.issuer, clientID: "atrium", secret: nil, transport: desk.wire, clock: desk.clock)
    let refresh = try #require(tokens.tokens.refresh)
    let error = await #expect(throws: OAuthError.self) { try await client.refresh(refresh) }
    #expect(error?.needsSignIn == true)
  }

  @Test(arguments: [("state", "other"), ("iss", "http://127.0.0.1:1/another")])
  func `an answer that belongs elsewhere is not believed`(_ name: String, _ value: String) async throws {
    let desk = try IdentityDesk(person: Person(altering: name, to: value))
    let backend = desk.backend
    let error = await #expect(throws: ServiceError.self) { try await backend.signIn(SignInRequest()) }
    // Another state is no answer at all: the person gives up in the end.
    #expect(error?.code == (name == "state" ? .cancelled : .signInRefused))
    #expect(desk.keeper.all.isEmpty)
  }

  @Test func `tokens belong to their issuer and client, and never show`() throws {
    let tokens = IdentityTokens(
      OAuthTokens(access: Secret("acc3ss-text"), refresh: Secret("r3fresh-text")), user: "susan",
      issuer: "https://a", clientID: "atrium")
    #expect(IdentityTokens(kept: tokens.kept, issuer: "https://a", clientID: "atrium")?.user == "susan")
    #expect(IdentityTokens(kept: tokens.kept, issuer: "https://b", clientID: "atrium") == nil)
    #expect(IdentityTokens(kept: tokens.kept, issuer: "https://a", clientID: "other") == nil)
    var text = ""
    dump(tokens, to: &text)
    #expect(!text.contains("acc3ss-text") && !text.contains("r3fresh-text"))
  }

  @Test(arguments: ["auth.issuer", "auth.clientID"]) func `a missing setting is named`(_ missing: String) {
    let all: [(String, String)] = [("auth.issuer", "https://a"), ("auth.clientID", "atrium")]
    let rest = all.filter { $0.0 != missing }[0]
    let error = #expect(throws: ServiceError.self) {
      try Desk("pkce", signedIn: false, settings: ["auth.method": "pkce", rest.0: rest.1])
    }
    #expect(error?.code == .configuration)
    #expect(error?.detail?.contains(missing) == true)
  }
}

/// A person with a browser: signs in on the page, or enters the code, as the sandbox's configuration says.
final class Person: Asker {
  private struct State {
    var pages: [String] = []
    var codes: [String] = []
    var password = ""
  }

  private let state = Mutex(State())
  private let change: (name: String, value: String)?
  private let browser = CurlTransport()

  /// - Parameter name: A field of the redirect that is changed on the way back.
  init(altering name: String? = nil, to value: String = "") { change = name.map { ($0, value) } }

  var pages: [String] { state.withLock { $0.pages } }
  var codes: [String] { state.withLock { $0.codes } }
  func knows(_ password: String) { state.withLock { $0.password = password } }
  private var password: String { state.withLock { $0.password } }

  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    do {
      switch question.kind {
      case .browser(let page):
        state.withLock { $0.pages.append(page) }
        try await visit(page)
        if change?.name == "state" { throw ServiceError.cancelled(question.title) }
      case .device(let code, let page, _):
        state.withLock { $0.codes.append(code) }
        let fields = [("user_code", code), ("answer", "yes"), ("username", "susan"), ("password", password)]
        _ = try await post(page, fields)
      default: throw ServiceError.cancelled(question.title)
      }
    } catch {
      throw .cancelled(question.title)
    }
    // The question is withdrawn once the other side has what it waits for.
    let gate = AsyncStream<Never> { _ in }
    for await _ in gate {}
    throw .cancelled(question.title)
  }

  private func visit(_ page: String) async throws {
    var address = try await walk(page)
    if let change {
      let query = address.split(separator: "?", maxSplits: 1)
      let fields = URLForm.decode(query[1]).map {
        (name: $0.name, value: $0.name == change.name ? change.value : $0.value)
      }
      address = "\(query[0])?\(URLForm.encode(fields))"
    }
    _ = try await browser.send(.get(try #require(URL(string: address))))
  }

  /// Signs in on the page; the address that it leads back to.
  func walk(_ page: String) async throws -> String {
    let url = try #require(URL(string: page))
    let form = try await browser.send(.get(url))
    let html = String(decoding: form.body, as: UTF8.self)
    let start = try #require(html.firstRange(of: "action=\"")).upperBound
    let action = html[start...].prefix { $0 != "\"" }
    let target = try #require(URL(string: String(action), relativeTo: url))
    let back = try await post(target.absoluteString, [("username", "susan"), ("password", password)])
    return try #require(back.headers["Location"])
  }

  private func post(_ address: String, _ fields: [(String, String)]) async throws -> HTTPResponse {
    let url = try #require(URL(string: address))
    var request = HTTPRequest.form(url, fields.map { (name: $0.0, value: $0.1) }, label: "sign in")
    request.followsRedirects = false
    return try await browser.send(request)
  }
}

/// A back end that signs in at the sandbox's issuer.
struct IdentityDesk {
  private let sandbox: Sandbox
  let keeper = StubKeeper()
  let wire = CountingTransport()
  /// Beside the sandbox's own clock, which is the machine's.
  let clock = StubClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
  let person: Person
  let connection: Connection
  let backend: AlfrescoBackend
  let files = Location(connection: "docs", path: ["files"])

  var issuer: String { "\(sandbox.origin)/auth/realms/alfresco" }

  init(method: String = "pkce", person: Person = Person()) throws {
    sandbox = try Sandbox(SandboxOptions(documents: 20))
    self.person = person
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox.yaml")
    let settings = try configuration.requiredConnection(named: "docs").settings
    person.knows(try #require(try settings.text("auth.password")))
    connection = Connection(
      name: "docs", kind: .alfresco,
      settings: .table([
        "url": "\(sandbox.origin)/alfresco", "auth.method": method,
        "auth.issuer": "\(sandbox.origin)/auth/realms/alfresco", "auth.clientID": "atrium",
      ]))
    backend = try AlfrescoBackend(
      connection: connection, transport: wire,
      surroundings: .stub(asker: person, keeper: keeper, clock: clock))
  }

  /// The same connection in a later run of the program.
  func again() throws -> AlfrescoBackend {
    try AlfrescoBackend(
      connection: connection, transport: wire, surroundings: .stub(asker: person, keeper: keeper, clock: clock))
  }
}

/// Sends for real, and counts.
final class CountingTransport: Transport {
  private let inner = CurlTransport()
  private let sent = Mutex<[HTTPRequest]>([])

  func count(_ ending: String) -> Int {
    sent.withLock { $0.filter { $0.url.path(percentEncoded: true).hasSuffix(ending) }.count }
  }

  var authorization: String? { sent.withLock { $0.last?.headers["Authorization"] } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    sent.withLock { $0.append(request) }
    return try await inner.send(request)
  }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    sent.withLock { $0.append(request) }
    return try await inner.download(request, to: sink, head: head, progress: progress)
  }
}
