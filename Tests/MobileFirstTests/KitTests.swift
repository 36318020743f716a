import JSON
import Model
import Synchronization
import TestKit
import Testing
import Wire

@testable import MobileFirst

/// The classes of reference/mobilefirst.md section 6, as an application would use them.
@Suite(.bounded) struct KitTests {
  private func confidential(_ stub: StubTransport) throws -> ConfidentialClient {
    try ConfidentialClient(
      id: "test", secret: Secret("t0p"), address: "http://127.0.0.1:1/mfp", transport: stub, surroundings: .stub())
  }

  private func serving(_ introspection: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubTransport {
    let stub = StubTransport()
    stub.on("POST", "\(Gatehouse.api)/az/v1/token", body: #"{"access_token":"own","expires_in":3600}"#)
    return stub.on(
      "POST", "\(Gatehouse.api)/az/v1/introspection", status: status, headers: headers, body: introspection)
  }

  @Test func `a request is written as its body says`() async throws {
    let gate = try Gatehouse()
    let path = "\(Gatehouse.api)/adapters/A/p"
    for method in ["GET", "POST", "PUT", "DELETE"] { gate.stub.on(method, path, body: #"{"n":1.50}"#) }
    func sent(_ request: ResourceRequest) async throws -> (line: String, body: String, type: String?) {
      let reply = try await gate.backend.protected.send(request)
      #expect(reply.isSuccess && reply.json == ["n": .number("1.50")] && reply.text == #"{"n":1.50}"#)
      let recorded = try #require(gate.stub.requests.last)
      return (recorded.line, recorded.bodyText, recorded.request.headers["Content-Type"])
    }
    let arguments = ResourceRequest.Body.arguments(["4711", 10])
    #expect(
      try await sent(ResourceRequest("/adapters/A/p", body: arguments)).line
        == "GET \(path)?params=%5B%224711%22%2C10%5D")
    #expect(
      try await sent(ResourceRequest("adapters/A/p", method: "post", body: arguments)).body
        == "params=%5B%224711%22%2C10%5D")
    let json = try await sent(ResourceRequest("/adapters/A/p", method: "PUT", body: .json(["a": 1])))
    #expect(json.body == #"{"a":1}"# && json.type == "application/json; charset=UTF-8")
    // As in the product, other methods carry nothing.
    #expect(try await sent(ResourceRequest("/adapters/A/p", method: "DELETE", body: .text("x"))).body.isEmpty)
    var request = ResourceRequest("http://127.0.0.1:1\(path)?a=1", body: .none)
    request.query = [("b", "2 3")]
    request.addHeader("X-Tag", "one")
    request.addHeader("x-tag", "two")
    #expect(try await sent(request).line == "GET \(path)?a=1&b=2%203")
    #expect(gate.stub.requests.last?.request.headers["X-Tag"] == "one,two")
  }

  @Test func `a request that takes too long says so in the product's word`() async throws {
    let gate = try Gatehouse()
    let resource = ProtectedResource(manager: gate.backend.manager, transport: NeverAnswers())
    let error = await #expect(throws: ServiceError.self) {
      try await resource.send(ResourceRequest("/adapters/A/p", timeout: .milliseconds(10)))
    }
    #expect(error?.code == .timedOut)
    #expect(error.map(MobileFirstErrorCode.init) == .requestTimeout)
  }

  @Test func `an authorization server that takes too long says so, and five seconds are the least to wait`()
    async throws
  {
    let manager = try AuthorizationManager(
      address: "http://127.0.0.1:1/mfp", client: .registered(ApplicationIdentity(id: "com.example.app")), name: "kit",
      transport: NeverAnswers(), surroundings: .stub(), handler: ChallengeHandlers(), wantsRefresh: false,
      makeKey: { () throws(ServiceError) in try Gatehouse.key.get() })
    #expect(manager.loginTimeout == nil)
    manager.loginTimeout = .seconds(1)
    #expect(manager.loginTimeout == .seconds(5))
    manager.server.loginTimeout.duration = .milliseconds(10)
    let error = await #expect(throws: ServiceError.self) { try await manager.accessToken() }
    #expect(error?.code == .timedOut && error?.operation == "register this application")
    #expect(error.map(MobileFirstErrorCode.init) == .requestTimeout)
    let configured = try Gatehouse(auth: ["loginTimeout": "12"])
    #expect(configured.backend.manager.loginTimeout == .seconds(12))
  }

  @Test func `an answer is judged under the product's own names`() {
    let lacking: HTTPHeaders = ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="a b""#]
    #expect(AuthorizationManager.isAuthorizationRequired(status: 403, headers: lacking))
    #expect(AuthorizationManager.resourceScope(headers: lacking) == "a b")
    #expect(AuthorizationManager.resourceScope(headers: [:]) == nil)
    #expect(AuthorizationManager.isConflict(status: 409, headers: ["mfp-conflict": "true"]))
    #expect(AuthorizationManager.isAuthorizationRequired(status: 409, headers: ["MFP-Conflict": "x"]))
    for status in [200, 404, 409, 500] {
      #expect(!AuthorizationManager.isAuthorizationRequired(status: status, headers: [:]))
    }
  }

  @Test func `a second sign-in to a check while one runs is refused, and so is a second sign-out`() async throws {
    let waiting = Waiting()
    let gate = try Kit(ChallengeHandlers(["UserLogin": waiting]))
    gate.gatehouse.challenge(#"{"UserLogin":null}"#)
    gate.gatehouse.grant()
    let first = Task { try await gate.manager.login(check: "UserLogin", credentials: nil) }
    await waiting.asked()
    let error = await #expect(throws: ServiceError.self) {
      try await gate.manager.login(check: "UserLogin", credentials: ["username": "ada"])
    }
    #expect(error.map(MobileFirstErrorCode.init) == .loginAlreadyInProcess)
    waiting.answer(["username": "ada"])
    _ = try await first.value
    // The way is free again.
    _ = try await gate.manager.login(check: "UserLogin", credentials: ["username": "ada"])
  }

  @Test func `cancelling ends the call in the product's word`() async throws {
    let gate = try Kit(ChallengeHandlers(["UserLogin": Cancelling()]))
    gate.gatehouse.challenge(#"{"UserLogin":null}"#)
    let error = await #expect(throws: ServiceError.self) { try await gate.manager.accessToken() }
    #expect(error.map(MobileFirstErrorCode.init) == .challengeHandlingCanceled)
  }

  @Test func `handlers hear of success and of failure`() async throws {
    let heard = Hearing()
    let gate = try Kit(ChallengeHandlers(["UserLogin": heard]))
    gate.gatehouse.challenge(#"{"UserLogin":null}"#)
    gate.gatehouse.grant(#"{"UserLogin":{"user":{"id":"ada","displayName":"Ada"}}}"#)
    gate.gatehouse.token("t")
    gate.gatehouse.refuse("UserLogin", "Account blocked")
    _ = try await gate.manager.accessToken()
    _ = try? await gate.manager.accessToken(for: Scope("more"))
    #expect(heard.words == ["asked", "in: Ada", "out: Account blocked"])
  }

  @Test func `a confidential client gets tokens, keeps them, and asks about others`() async throws {
    let stub = serving(#"{"active":true,"scope":"a b","client_id":"c","username":"ada","exp":1796043600}"#)
    let client = try confidential(stub)
    #expect(try await client.token(scope: Scope("a")).headerField == Secret("Bearer own"))
    #expect(try await client.token(scope: Scope("a")).formField == Secret("access_token=own"))
    #expect(stub.requests.count == 1)
    let said = try await client.introspect(Secret("subject"))
    #expect(
      said.isActive && said.user == "ada" && said.clientID == "c"
        && said.scope?.covers(Scope("a", addingStandard: false)) == true)
    let asked = try #require(stub.requests.last)
    #expect(asked.bodyText == "token=subject")
    #expect(asked.request.headers["Authorization"] == "Bearer own")
  }

  @Test func `a confidential client whose own token is refused gets another one, once`() async throws {
    let stub = StubTransport()
    for token in ["one", "two"] {
      stub.on("POST", "\(Gatehouse.api)/az/v1/token", body: #"{"access_token":"\#(token)","expires_in":3600}"#)
    }
    stub.on("POST", "\(Gatehouse.api)/az/v1/introspection", status: 401)
    stub.on("POST", "\(Gatehouse.api)/az/v1/introspection", body: #"{"active":false}"#)
    #expect(try await !confidential(stub).introspect(Secret("x")).isActive)
    #expect(
      stub.requests.filter { $0.line.contains("introspection") }.map { $0.request.headers["Authorization"] } == [
        "Bearer one", "Bearer two",
      ])
    let never = StubTransport()
    never.on("POST", "\(Gatehouse.api)/az/v1/token", body: #"{"access_token":"own","expires_in":3600}"#)
    never.on("POST", "\(Gatehouse.api)/az/v1/introspection", status: 401)
    await #expect(throws: ServiceError.self) { try await confidential(never).introspect(Secret("x")) }
    #expect(never.requests.count { $0.line.contains("introspection") } == 2)
  }

  struct FilterCase: CustomTestStringConvertible, Sendable {
    let header: String?
    let introspection: String
    var status = 200
    var headers: HTTPHeaders = [:]
    /// Nil where the request passes.
    let refusal: String?
    var testDescription: String { "\(header ?? "nothing") and \(introspection) is \(refusal ?? "let in")" }
  }

  @Test(arguments: [
    FilterCase(header: nil, introspection: "{}", refusal: "401 WWW-Authenticate: Bearer"),
    FilterCase(header: "Basic dGVzdA==", introspection: "{}", refusal: "401 WWW-Authenticate: Bearer"),
    FilterCase(
      header: "Bearer x", introspection: #"{"active":false}"#,
      refusal: #"401 WWW-Authenticate: Bearer error="invalid_token""#),
    FilterCase(
      header: "Bearer x", introspection: #"{"active":true,"scope":"other"}"#,
      refusal: #"403 WWW-Authenticate: Bearer error="insufficient_scope", scope="a b""#),
    FilterCase(
      header: "Bearer x", introspection: "{}", status: 409, headers: ["MFP-Conflict": "true"],
      refusal: "409 MFP-Conflict: true"),
    FilterCase(header: "bearer x", introspection: #"{"active":true,"scope":"c b a"}"#, refusal: nil),
  ]) func `a filter answers as the product's own filters do`(_ c: FilterCase) async throws {
    let stub = serving(c.introspection, status: c.status, headers: c.headers)
    let filter = TokenFilter(try confidential(stub))
    let verdict = try await filter.verdict(
      on: c.header.map { Secret($0) }, scope: Scope("b a", addingStandard: false))
    switch verdict {
    case .pass: #expect(c.refusal == nil)
    case .refuse(let status, let header, let value): #expect("\(status) \(header): \(value)" == c.refusal)
    }
  }

  @Test func `a heartbeat that is switched off never beats`() async throws {
    let gate = try Kit(ChallengeHandlers())
    let beat = Heartbeat(gate.manager, every: .zero)
    beat.start()
    beat.stop()
    #expect(gate.gatehouse.stub.requests.isEmpty)
    let error = await #expect(throws: ServiceError.self) { try await gate.manager.heartbeat() }
    #expect(error?.code == .signInNeeded)
  }

  @Test func `a hundred scopes are remembered, those used last`() {
    var learnt = LearntScopes()
    for number in 0..<100 { learnt.learn(Scope("s\(number)"), for: "GET /\(number)") }
    let first = learnt.scope(of: "GET /0")
    #expect(first == Scope("s0"))
    let (news, old) = (learnt.learn(Scope("new"), for: "GET /new"), learnt.learn(Scope("new"), for: "GET /new"))
    #expect(news && !old)
    #expect(learnt.entries.count == 100)
    let (kept, dropped) = (learnt.scope(of: "GET /0"), learnt.scope(of: "GET /1"))
    #expect(kept == Scope("s0") && dropped == nil)
  }

  @MainActor @Test func `completions arrive on the main actor`() async throws {
    let gate = try Kit(ChallengeHandlers())
    gate.gatehouse.grant()
    gate.gatehouse.token("t")
    let token = try await withCheckedContinuation {
      (end: CheckedContinuation<Result<AccessToken, ServiceError>, Never>) in
      gate.manager.accessToken { result in
        MainActor.assertIsolated()
        end.resume(returning: result)
      }
    }.get()
    #expect(token.value == Secret("t"))
  }

  @Test(arguments: [
    (ServiceError(.timedOut, "x"), MobileFirstErrorCode.requestTimeout),
    (ServiceError(.forbidden, "x"), .authorizationFailure), (ServiceError(.usage, "x"), .illegalArgument),
    (ServiceError(.serverFault, "x"), .serverError), (ServiceError(.unreadable, "x"), .unexpectedError),
    (ServiceError(.failed, "x", serverCode: "MINIMUM_SERVER"), .minimumServer),
  ]) func `an error has the product's code`(_ error: ServiceError, _ code: MobileFirstErrorCode) {
    #expect(MobileFirstErrorCode(error) == code)
  }
}

private struct NeverAnswers: Transport {
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let never = AsyncStream<Never> { _ in }
    for await _ in never {}
    throw TransportError(.cancelled, "cancelled")
  }

  func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse { try await send(request) }
}

private struct Cancelling: ChallengeHandler {
  func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode { throw .cancelled("answer") }
}

/// Remembers what it was told.
private final class Hearing: ChallengeHandler {
  private let heard = Mutex<[String]>([])
  var words: [String] { heard.withLock { $0 } }
  func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode {
    heard.withLock { $0.append("asked") }
    return ["username": "ada"]
  }
  func succeeded(_ success: CheckSuccess) async { heard.withLock { $0.append("in: \(success.userName ?? "")") } }
  func failed(_ check: String, _ reason: String) async { heard.withLock { $0.append("out: \(reason)") } }
}

/// Answers when it is told to.
private final class Waiting: ChallengeHandler {
  private let (questions, asking) = AsyncStream.makeStream(of: Void.self)
  private let (answers, giving) = AsyncStream.makeStream(of: JSONNode.self)

  func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode {
    asking.yield()
    for await answer in answers { return answer }
    throw .cancelled("answer")
  }

  func asked() async { for await _ in questions { return } }
  func answer(_ node: JSONNode) { giving.yield(node) }
}
