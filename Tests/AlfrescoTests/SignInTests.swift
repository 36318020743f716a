import Model
import TestKit
import Testing

@testable import Alfresco

@Suite struct SignInTests {
  private static let me = #"{"entry":{"id":"susan","displayName":"Susan Marsh"}}"#

  @Test func `nothing is sent without a credential`() async throws {
    let desk = try Desk(signedIn: false)
    let location = try desk.at("/files")
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.list(location, ListQuery()) }
    #expect(error?.code == .signInNeeded)
    #expect(desk.stub.requests.isEmpty)
  }

  @Test func `configured name and password need no question`() async throws {
    let desk = try Desk(
      signedIn: false, settings: ["auth.method": "basic", "auth.user": "susan", "auth.password": "pässwörd"])
    desk.stub.on("GET", "\(Desk.core)/people/-me-", body: Self.me)
    let state = try await desk.backend.signIn(SignInRequest())
    #expect(state == SignInState(isSignedIn: true, user: "susan", method: "basic"))
    #expect(desk.asker.questions.isEmpty)
    #expect(desk.stub.requests[0].request.headers["Authorization"] == "Basic c3VzYW46cMOkc3N3w7ZyZA==")
  }

  @Test func `the question comes filled in, and again with the reason when the answer was wrong`() async throws {
    let desk = try Desk(
      signedIn: false, answers: [["user": "susan", "password": "bad"], ["user": "susan", "password": "good"]],
      settings: ["auth.method": "basic", "auth.user": "susan"])
    desk.stub.on("GET", "\(Desk.core)/people/-me-", status: 401)
    desk.stub.on("GET", "\(Desk.core)/people/-me-", body: Self.me)
    let state = try await desk.backend.signIn(SignInRequest())
    #expect(state.isSignedIn)
    #expect(desk.asker.questions.count == 2)
    guard case .form(let fields, _) = desk.asker.questions[0].kind else {
      Issue.record("it must be a form")
      return
    }
    #expect(fields.map(\.id) == ["user", "password"])
    #expect(fields[0].initial == "susan")
    #expect(fields[1].kind == .secret)
    #expect(desk.asker.questions[0].failure == nil)
    #expect(desk.asker.questions[1].failure != nil)
  }

  @Test func `a configured password that is refused is asked for, with the reason`() async throws {
    let desk = try Desk(
      signedIn: false, answers: [["user": "susan", "password": "good"]],
      settings: ["auth.method": "basic", "auth.user": "susan", "auth.password": "old"])
    desk.stub.on("GET", "\(Desk.core)/people/-me-", status: 401)
    desk.stub.on("GET", "\(Desk.core)/people/-me-", body: Self.me)
    #expect(try await desk.backend.signIn(SignInRequest()).isSignedIn)
    #expect(desk.asker.questions.count == 1)
    #expect(desk.asker.questions[0].failure != nil)
    guard case .form(let fields, _) = desk.asker.questions[0].kind else {
      Issue.record("it must be a form")
      return
    }
    #expect(fields[1].initialSecret == nil)
  }

  @Test func `a configured password that is refused where nobody can be asked is a refusal`() async throws {
    let desk = try Desk(
      signedIn: false, settings: ["auth.method": "basic", "auth.user": "susan", "auth.password": "old"])
    desk.stub.on("GET", "\(Desk.core)/people/-me-", status: 401)
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.signIn(SignInRequest()) }
    #expect(error?.code == .signInRefused)
  }

  @Test func `where nobody can be asked sign-in is needed`() async throws {
    let desk = try Desk(signedIn: false, settings: ["auth.method": "ticket", "auth.user": "susan"])
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.signIn(SignInRequest()) }
    #expect(error?.code == .signInNeeded)
  }

  @Test func `a server that cannot be reached is named by what was being done`() async throws {
    let desk = try Desk(signedIn: false, settings: ["auth.method": "basic"])
    desk.stub.on("GET", "\(Desk.core)/people/-me-", fails: .unreachable)
    let request = SignInRequest(user: "susan", password: Secret("good"))
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.signIn(request) }
    #expect(error?.code == .unreachable)
    #expect(error?.operation.hasPrefix("sign in to ") == true)
  }

  @Test func `a refused ticket is a refused sign-in, although it is a 403`() async throws {
    let desk = try Desk("ticket", signedIn: false)
    desk.stub.on("POST", Desk.tickets, status: 403, body: Sample.error(403, "Login failed", "10300001 Login failed"))
    let request = SignInRequest(user: "susan", password: Secret("bad"))
    let error = await #expect(throws: ServiceError.self) { try await desk.backend.signIn(request) }
    #expect(error?.code == .signInRefused)
    #expect(error?.detail == "Login failed")
    #expect(desk.keeper.all.isEmpty)
  }

  @Test func `a ticket stands alone in the header, without a colon`() async throws {
    let desk = try Desk("ticket", signedIn: false, kept: ["docs/ticket": Secret("TICKET_1")])
    desk.stub.on("GET", "\(Desk.core)/nodes/-root-/children", body: Sample.list([]))
    _ = try await desk.backend.list(desk.at("/files"), ListQuery())
    #expect(desk.stub.requests[0].request.headers["Authorization"] == "Basic VElDS0VUXzE=")
  }

  @Test(arguments: [400, 401, 404]) func `a dead ticket is as good as ended`(_ status: Int) async throws {
    let desk = try Desk("ticket", signedIn: false, kept: ["docs/ticket": Secret("TICKET_1")])
    desk.stub.on("DELETE", "\(Desk.tickets)/-me-", status: status)
    try await desk.backend.signOut(SignOutRequest())
    #expect(desk.keeper.all.isEmpty)
    #expect(try await desk.backend.signInState(verifying: false).isSignedIn == false)
  }

  @Test func `secrets never show`() throws {
    let credential = AlfrescoCredential.basic(user: "susan", password: Secret("s3cret-words"))
    var text = ""
    dump(credential, to: &text)
    #expect(!"\(credential)\(credential.authorization)\(text)".contains("s3cret-words"))
  }

  @Test(arguments: ["ftp://x", "nonsense", "http://"]) func `an address that is none is a configuration error`(
    _ text: String
  ) {
    let error = #expect(throws: ServiceError.self) { try AlfrescoClient(address: text, transport: StubTransport()) }
    #expect(error?.code == .configuration)
  }

  @Test @MainActor func `a completion arrives on the main actor`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: Sample.file)
    let name = await withCheckedContinuation { (waiting: CheckedContinuation<String?, Never>) in
      desk.backend.client.run({ (client) async throws(ServiceError) in try await client.node("c4b7") }) { result in
        MainActor.assertIsolated()
        waiting.resume(returning: try? result.get().value.name)
      }
    }
    #expect(name == "Quay 7 facility.pdf")
  }
}
