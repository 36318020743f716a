import Model
import TestKit
import Testing
import Wire

@testable import OMCE

@Suite struct MobileSignInTests {
  @Test func `HTTP Basic is proved by the login call and names the backend with every request`() async throws {
    let bench = try await MobileBench.signedIn()
    bench.stub.on("GET", "/mobile/platform/users/~", body: #"{"id":"u-1","username":"ada"}"#)
    _ = try await bench.backend.item(try bench.location("/me"))
    #expect(bench.lines == ["GET /mobile/platform/users/login", "GET /mobile/platform/users/~"])
    for recorded in bench.stub.requests {
      let headers = recorded.request.headers
      #expect(headers["Authorization"] == "Basic YWRhOnMzY3JldCZ3b3Jkcw==")
      #expect(headers["Oracle-Mobile-Backend-ID"] == "backend-1")
      #expect(headers["Oracle-Mobile-Client-Request-Time"] == "2026-11-30T09:15:00.000Z")
      #expect(headers["Oracle-Mobile-Device-ID"]?.count == 36)
      #expect(headers["Oracle-Mobile-Diagnostic-Session-ID"]?.count == 36)
      #expect(headers["Oracle-Mobile-Client-SDK-Info"]?.hasPrefix("Atrium ") ?? false)
    }
  }

  @Test func `the password grant sends client, user and scope, and its token goes with the calls`() async throws {
    let bench = try await MobileBench.signedIn(.oauth)
    let token = try #require(bench.stub.requests.first)
    #expect(token.line == "POST /oauth2/v1/token")
    #expect(token.request.headers["Authorization"] == "Basic Y2xpZW50LTE6c2VjcmV0LW9uZS0x")
    #expect(
      URLForm.decode(token.bodyText).map { "\($0.name)=\($0.value)" } == [
        "grant_type=password", "username=ada", "password=s3cret&words",
        "scope=http://127.0.0.1:8080urn:opc:resource:consumer::all",
      ])
    bench.stub.on("GET", "/mobile/platform/appconfig/client", body: #"{"a":true}"#)
    _ = try await bench.backend.list(try bench.location("/policies"), ListQuery())
    let call = try #require(bench.stub.requests.last).request
    #expect(call.headers["Authorization"] == "Bearer tok-1234")
    #expect(call.headers["Oracle-Mobile-Backend-ID"] == nil)
  }

  @Test func `a token that has ended is not sent any more`() async throws {
    let bench = try await MobileBench.signedIn(.oauth)
    #expect(try await bench.backend.signInState(verifying: false).expires?.rfc3339 == "2026-11-30T10:15:00Z")
    bench.clock.move(seconds: 3590)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/policies"), ListQuery())
    }
    #expect(error?.code == .signInNeeded)
    #expect(bench.lines.count == 1)
  }

  @Test func `a 401 forgets the credential and asks for sign-in`() async throws {
    let bench = try await MobileBench.signedIn(.oauth)
    bench.stub.on("GET", "/mobile/platform/appconfig/client", status: 401, body: #"{"title":"expired tok-1234"}"#)
    let error = await #expect(throws: ServiceError.self) {
      try await bench.backend.list(try bench.location("/policies"), ListQuery())
    }
    #expect(error?.code == .signInNeeded)
    #expect(bench.keeper.all["mobile/session"] == nil)
    #expect(error.map { !$0.debugDescription.contains("tok-1234") } ?? false)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: ServiceError.Code
    var testDescription: String { "\(status) \(body) is \(code.rawValue)" }
  }

  @Test(arguments: [
    Refusal(status: 400, body: #"{"error":"invalid_grant","error_description":"wrong"}"#, code: .signInRefused),
    Refusal(status: 401, body: #"{"error":"invalid_client"}"#, code: .signInRefused),
    Refusal(status: 400, body: #"{"error":"invalid_scope"}"#, code: .configuration),
    Refusal(status: 401, body: "", code: .signInRefused),
    Refusal(status: 503, body: "<html><body>down</body></html>", code: .serverFault),
    Refusal(status: 200, body: "<html></html>", code: .unreadable), Refusal(status: 200, body: "{}", code: .unreadable),
  ])
  func `a token endpoint's refusal is told by its code`(_ refusal: Refusal) async throws {
    let bench = try MobileBench(.oauth)
    bench.stub.on("POST", "/oauth2/v1/token", status: refusal.status, body: refusal.body)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error?.code == refusal.code)
    #expect(bench.lines.count == 1)
  }

  @Test func `trap 3: a login without its backend is the configuration's fault, not the password's`() async throws {
    let bench = try MobileBench()
    bench.stub.on("GET", "/mobile/platform/users/login", status: 400, body: #"{"title":"Backend-ID is missing"}"#)
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error?.advice.contains("mobileBackendID") ?? false)
  }

  @Test func `anonymous Basic sends the key as it is`() async throws {
    let bench = try MobileBench(auth: ["method": "anonymous"])
    bench.stub.on("GET", "/mobile/platform/users/login", body: "{}")
    let state = try await bench.backend.signIn(SignInRequest())
    #expect(state.isSignedIn && state.user == nil)
    #expect(bench.stub.requests[0].request.headers["Authorization"] == "Basic QU5PTjprZXk=")
  }

  @Test func `anonymous OAuth asks for a token of the client alone`() async throws {
    let bench = try MobileBench(.oauth, auth: ["method": "anonymous"])
    bench.stub.on("POST", "/oauth2/v1/token", body: #"{"access_token":"anon","expires_in":"60"}"#)
    let state = try await bench.backend.signIn(SignInRequest())
    #expect(state.user == nil)
    #expect(state.expires != nil)
    #expect(bench.stub.requests[0].bodyText.hasPrefix("grant_type=client_credentials&scope="))
  }

  @Test func `a JWT for the new endpoint is exchanged there, with its user told`() async throws {
    let bench = try MobileBench(.exchange, auth: ["method": "exchange"])
    bench.stub.on("POST", "/mobile/platform/auth/token", body: #"{"access_token":"tok-2","expires_in":21600}"#)
    // {"sub":"ada","aud":"http://127.0.0.1:8080/mobile/platform/auth"}
    let jwt = "e30.eyJzdWIiOiJhZGEiLCJhdWQiOiJodHRwOi8vMTI3LjAuMC4xOjgwODAvbW9iaWxlL3BsYXRmb3JtL2F1dGgifQ.c2ln"
    let state = try await bench.backend.signIn(SignInRequest(token: Secret(jwt)))
    #expect(state.user == "ada")
    #expect(bench.lines == ["POST /mobile/platform/auth/token"])
    #expect(URLForm.decode(bench.stub.requests[0].bodyText).last?.value == jwt)
  }

  @Test func `an opaque token goes to the old endpoint as a bearer with the backend named`() async throws {
    let bench = try MobileBench(.exchange, auth: ["method": "exchange"])
    bench.stub.on("GET", "/mobile/platform/sso/exchange-token", body: #"{"access_token":"t","expires_in":60}"#)
    _ = try await bench.backend.signIn(SignInRequest(token: Secret("opaque")))
    let sent = try #require(bench.stub.requests.first)
    #expect(sent.line == "GET /mobile/platform/sso/exchange-token?format=json")
    #expect(sent.request.headers["Authorization"] == "Bearer opaque")
    #expect(sent.request.headers["Oracle-Mobile-Backend-ID"] == "backend-1")
  }

  @Test func `an empty password is refused without a request`() async throws {
    let bench = try MobileBench(auth: [:], asker: StubAsker([["user": "ada", "password": ""]]))
    let error = await #expect(throws: ServiceError.self) { try await bench.backend.signIn(SignInRequest()) }
    #expect(error != nil)
    #expect(bench.lines.isEmpty)
  }
}
