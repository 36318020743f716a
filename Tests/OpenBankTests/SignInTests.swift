import Model
import TestKit
import Testing
import Wire

@testable import OpenBank

@Suite struct SignInTests {
  private static let path = "/my/logins/direct"

  @Test(arguments: [200, 201])
  func `DirectLogin takes both statuses that servers answered over the years`(status: Int) async throws {
    let bench = try OpenBankBench(signedIn: false)
    bench.stub.on("POST", SignInTests.path, status: status, body: Bodies.token)
    let state = try await bench.backend.signIn(SignInRequest())
    #expect(state.isSignedIn)
    #expect(state.user == "ada")
    let sent = try #require(bench.stub.requests.first).request
    #expect(sent.headers["DirectLogin"] == "username=ada, password=s3cret!words, consumer_key=kx3v0sandbox")
    #expect(sent.headers["Authorization"] == nil)
    #expect(sent.headers["Content-Type"] == "application/json")
  }

  @Test func `a server that does not know the new header is asked with the old one`() async throws {
    let bench = try OpenBankBench(signedIn: false)
    bench.stub.on("POST", SignInTests.path) { recorded throws(TransportError) in
      let isOld = recorded.request.headers["Authorization"]?.hasPrefix("DirectLogin username=\"ada\"") ?? false
      let body = isOld ? Bodies.token : Bodies.fault(400, "OBP-20082: Missing DirectLogin header")
      return HTTPResponse(
        status: isOld ? 201 : 400, headers: ["Content-Type": "application/json"], body: Array(body.utf8),
        url: recorded.request.url)
    }
    bench.stub.on("GET", "/obp/v5.1.0/users/current", body: #"{"username":"ada"}"#)
    _ = try await bench.backend.signIn(SignInRequest())
    #expect(bench.lines.count == 2)
    _ = try await bench.backend.item(try bench.location("/me"))
    let call = try #require(bench.stub.requests.last).request
    #expect(call.headers["Authorization"] == "DirectLogin token=\"eyJhbGciOiJIUzI1NiJ9.eyIiOiIifQ.k1X\"")
  }

  @Test func `wrong credentials are sent once and said to be wrong`() async throws {
    let bench = try OpenBankBench(signedIn: false)
    bench.stub.on(
      "POST", SignInTests.path, status: 401,
      body: Bodies.fault(401, "OBP-20004: Invalid login credentials. Check username/password."))
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error?.code == .signInRefused)
    #expect(error?.serverCode == "OBP-20004")
    #expect(bench.lines.count == 1)
    #expect(bench.keeper.all.isEmpty)
  }

  @Test(arguments: ["comma, inside", "bracket[1]", "quote\"s", "käse"])
  func `a password that the header cannot carry is not sent`(password: String) async throws {
    let bench = try OpenBankBench(password: password, signedIn: false)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error?.code == .signInRefused)
    #expect(bench.lines.isEmpty)
    #expect(error.map { !"\($0.message) \($0.debugDescription)".contains(password) } ?? false)
  }

  @Test func `without a password somebody is asked, again after a wrong one, with the name filled in`() async throws {
    let asker = StubAsker([["user": "ada", "password": "wrong-one"], ["user": "ada", "password": "right-one"]])
    let bench = try OpenBankBench(password: nil, signedIn: false, asker: asker)
    bench.stub.on(
      "POST", SignInTests.path, status: 401, body: Bodies.fault(401, "OBP-20004: Invalid login credentials."))
    bench.stub.on("POST", SignInTests.path, status: 201, body: Bodies.token)
    _ = try await bench.backend.signIn(SignInRequest())
    #expect(asker.questions.count == 2)
    guard case .form(let fields, _) = asker.questions[0].kind else {
      Issue.record("signing in asks with a form")
      return
    }
    #expect(fields.map(\.id) == ["user", "password"])
    #expect(fields[0].initial == "ada")
    #expect(asker.questions[0].failure == nil)
    #expect(asker.questions[1].failure != nil)
  }

  @Test func `nobody to ask is a sign-in that is needed`() async throws {
    let bench = try OpenBankBench(password: nil, signedIn: false)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error?.code == .signInNeeded)
    #expect(bench.lines.isEmpty)
  }

  @Test func `the configured password is not sent for another user`() async throws {
    let bench = try OpenBankBench(signedIn: false)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.signIn(SignInRequest(user: "bert"))
    }
    #expect(error?.code == .signInNeeded)
    #expect(bench.lines.isEmpty)
  }

  @Test func `a call that needs somebody goes nowhere without a session`() async throws {
    let bench = try OpenBankBench(signedIn: false)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/accounts"), ListQuery())
    }
    #expect(error?.code == .signInNeeded)
    #expect(bench.lines.isEmpty)
  }

  struct Dead: Sendable, CustomTestStringConvertible {
    let status: Int
    let message: String
    var testDescription: String { "\(status) \(message)" }
  }

  @Test(arguments: [
    Dead(status: 401, message: "OBP-20001: User not logged in. Authentication is required!"),
    Dead(status: 401, message: "OBP-20003: This DirectLogin token is invalid or expired:old.jwt.token"),
    Dead(status: 400, message: "OBP-20003: This DirectLogin token is invalid or expired:old.jwt.token"),
    Dead(status: 400, message: "OBP-50005: An unspecified or internal error occurred."),
    Dead(status: 400, message: "Invalid or expired access token: X"),
  ])
  func `a dead token asks for sign-in, is forgotten, and is not repeated in the message`(_ dead: Dead) async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "/obp/v5.1.0/users/current", status: dead.status, body: Bodies.fault(dead.status, dead.message))
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.item(try bench.location("/me"))
    }
    #expect(error?.code == .signInNeeded)
    #expect(bench.keeper.all.isEmpty)
    #expect(error.map { !$0.debugDescription.contains("old.jwt.token") } ?? false)
  }

  @Test func `a 401 to an anonymous call ends no session`() async throws {
    let bench = try OpenBankBench()
    bench.stub.on(
      "GET", "/obp/v5.1.0/banks", status: 401, body: Bodies.fault(401, "OBP-20001: User not logged in."))
    let sink = MemorySink()
    let reply = try await bench.backend.call(RawCall("GET", "/banks", isPublic: true), to: sink)
    #expect(reply.status == 401)
    #expect(sink.text.contains("OBP-20001"))
    #expect(bench.stub.requests[0].request.headers["DirectLogin"] == nil)
    #expect(bench.keeper.all.count == 1)
  }

  @Test func `a kept token of another server is not sent`() async throws {
    let bench = try OpenBankBench(url: "http://127.0.0.1:9/obp/v5.1.0")
    let state = try await bench.backend.signInState(verifying: false)
    #expect(!state.isSignedIn)
  }

  @Test func `an anonymous connection walks what is public and says why it stops there`() async throws {
    let bench = try OpenBankBench(anonymous: true)
    bench.stub.on("GET", "/obp/v5.1.0/banks", body: Bodies.banks)
    #expect(try await bench.backend.list(try bench.location("/banks"), ListQuery()).rows.count == 2)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.item(try bench.location("/me")) }
    #expect(error?.code == .signInNeeded)
    #expect(error?.advice.contains("auth.method") ?? false)
  }
}
