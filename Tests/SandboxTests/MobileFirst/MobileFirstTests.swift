import Crypto
import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct MobileFirstTests {
  let app: MobileFirstApp
  private let resource = "/MyResource/MyProtectedProcedure"

  init() throws { app = try MobileFirstApp() }

  @Test func `the whole way from a refused request to the resource`() throws {
    let first = app.get(resource)
    #expect(first.status == 401)
    #expect(first.header("WWW-Authenticate") == "Bearer")
    let id = try app.register()
    #expect(app.preauthorize(id, "").status == 200)
    let plain = try app.token(id, "RegisteredClient")
    let second = app.get(resource, token: plain)
    #expect(second.status == 403)
    #expect(
      second.header("WWW-Authenticate")
        == "Bearer error=\"insufficient_scope\", scope=\"RegisteredClient accessRestricted\"")
    let challenge = app.preauthorize(id, "accessRestricted")
    #expect(challenge.status == 401)
    #expect(challenge.header("WWW-Authenticate") == "MFP-Challenge")
    let token = try app.token(id, "accessRestricted")
    #expect(app.get(resource, token: token).json["user"].string == "susan")
  }

  @Test func `registration names the client in an address without version and self`() throws {
    let answer = app.send("POST", "/mfp/api/registration/v1/self", try app.registration())
    #expect(answer.status == 201)
    #expect(answer.header("Location")?.hasPrefix("/mfp/api/registration/clients/") == true)
    #expect(app.send("POST", "/mfp/api/registration/v1/self", try app.registration(isForged: true)).status == 400)
    let other = app.send("POST", "/mfp/api/registration/v1/self", try app.registration(app: "org.other"))
    #expect(other.json["errorCode"].string == "APPLICATION_NOT_REGISTERED")
  }

  @Test func `wrong answers count down, then the check blocks for a while`() throws {
    let id = try app.register()
    let wrong: JSONNode = ["UserLogin": ["username": "susan", "password": "no"]]
    let first = app.preauthorize(id, "accessRestricted")
    #expect(first.status == 401)
    #expect(first.header("WWW-Authenticate") == "MFP-Challenge")
    #expect(first.json["challenges"]["UserLogin"].isNull)
    for left in [2, 1] {
      let answer = app.preauthorize(id, "accessRestricted", wrong).json["challenges"]["UserLogin"]
      #expect(answer["remainingAttempts"].int == left)
    }
    let last = app.preauthorize(id, "accessRestricted", wrong)
    #expect(last.status == 403)
    #expect(last.json["failures"]["UserLogin"]["failure"].string == "Account blocked")
    #expect(app.preauthorize(id, "accessRestricted", app.login).status == 403)
    app.clock.advance(seconds: 11)
    #expect(app.preauthorize(id, "accessRestricted", app.login).status == 200)
  }

  @Test func `a step-up asks for the PIN only after the login`() throws {
    let id = try app.register()
    #expect(app.preauthorize(id, "transferPrivilege").json["challenges"].members.map(\.key) == ["UserLogin"])
    let second = app.preauthorize(id, "transferPrivilege", app.login)
    #expect(second.status == 401)
    #expect(second.json["challenges"].members.map(\.key) == ["PinCode"])
    #expect(second.json["successes"]["UserLogin"]["user"]["id"].string == "susan")
    let pin: JSONNode = ["PinCode": ["pin": .string(app.secrets.pin)]]
    #expect(app.preauthorize(id, "transferPrivilege", pin).status == 200)
    let both = try MobileFirstApp()
    let other = try both.register()
    #expect(both.preauthorize(other, "UserLogin PinCode").json["challenges"].count == 2)
  }

  @Test func `a code works once, for its own assertion, within a minute`() throws {
    let id = try app.register()
    #expect(app.preauthorize(id, "accessRestricted", app.login).status == 200)
    let redirect = app.authorize(id, "accessRestricted", "&state=a%26b")
    #expect(redirect.status == 302)
    #expect(redirect.header("Location")?.hasPrefix("https://mfpredirecturi?code=") == true)
    #expect(redirect.header("Location")?.hasSuffix("&state=a%26b") == true)
    let foreign = MobileFirstApp.code(of: app.authorize(id, "accessRestricted"))
    #expect(try app.exchange(id, code: foreign, jti: "other").status == 400)
    let code = MobileFirstApp.code(of: app.authorize(id, "accessRestricted"))
    #expect(try app.exchange(id, code: code).status == 200)
    #expect(try app.exchange(id, code: code).status == 400)
    #expect(app.authorize(id, "accessRestricted", "&isAjaxRequest=true").status == 222)
    let late = MobileFirstApp.code(of: app.authorize(id, "RegisteredClient"))
    app.clock.advance(seconds: 61)
    #expect(try app.exchange(id, code: late).status == 400)
  }

  @Test func `a token lasts no longer than its checks`() throws {
    let id = try app.register()
    let token = try app.token(id, "accessRestricted")
    #expect(app.get(resource, token: token).status == 200)
    app.clock.advance(seconds: 61)
    let late = app.get(resource, token: token)
    #expect(late.header("WWW-Authenticate") == "Bearer error=\"invalid_token\"")
  }

  @Test func `authorization before the checks redirects with an error`() throws {
    let id = try app.register()
    #expect(app.authorize(id, "accessRestricted").header("Location")?.contains("error=") == true)
    #expect(app.authorize("nobody", "accessRestricted").json["errorCode"].string == "INVALID_CLIENT_ID")
    #expect(app.preauthorize("nobody", "").json["errorCode"].string == "INVALID_CLIENT_ID")
  }

  @Test func `a refresh token is replaced at each use`() throws {
    let id = try app.register()
    #expect(app.preauthorize(id, "accessRestricted", app.login).status == 200)
    let code = MobileFirstApp.code(of: app.authorize(id, "accessRestricted"))
    let refresh = try #require(try app.exchange(id, code: code).json["refresh_token"].string)
    func renew(_ token: String) throws -> ServerResponse {
      let assertion = try app.assertion(id, jti: "get_refresh_token")
      return app.send(
        "POST", "/mfp/api/az/v1/token",
        "grant_type=refresh_token&refresh_token=\(token)&client_id=\(id)&client_assertion=\(assertion)")
    }
    let renewed = try renew(refresh)
    #expect(renewed.status == 200)
    #expect(renewed.json["refresh_token"].string != refresh)
    #expect(try renew(refresh).status == 400)
  }

  @Test func `logout ends the tokens that rest on the check`() throws {
    let id = try app.register()
    let token = try app.token(id, "accessRestricted")
    let form = "client_assertion=\(try app.assertion(id))&security_check=UserLogin"
    #expect(app.send("POST", "/mfp/api/preauth/v1/logout", form).status == 200)
    #expect(app.get(resource, token: token).status == 401)
    #expect(app.preauthorize(id, "accessRestricted").status == 401)
  }

  @Test func `confidential clients get what they are allowed and may look into tokens`() throws {
    func confidential(_ id: String, _ secret: String, _ scope: String) -> ServerResponse {
      let basic = base64(Array("\(id):\(secret)".utf8))
      return app.send(
        "POST", "/mfp/api/az/v1/token", "grant_type=client_credentials&scope=\(scope)",
        [("Authorization", "Basic \(basic)")])
    }
    #expect(confidential("test", "wrong", "").status == 401)
    #expect(confidential("reader", app.secrets.readerSecret, "transferPrivilege").status == 400)
    let answer = confidential("reader", app.secrets.readerSecret, "authorization.introspect")
    let token = try #require(answer.json["access_token"].string)
    let id = try app.register()
    let subject = try app.token(id, "accessRestricted")
    let seen = app.send(
      "POST", "/mfp/api/az/v1/introspection", "token=\(subject)", [("Authorization", "Bearer \(token)")])
    #expect(seen.json["active"].bool == true)
    #expect(seen.json["username"].string == "susan")
    let unknown = app.send(
      "POST", "/mfp/api/az/v1/introspection", "token=nothing", [("Authorization", "Bearer \(token)")])
    #expect(unknown.json["active"].bool == false)
    let service = confidential("test", app.secrets.testSecret, "accessRestricted").json["access_token"].string
    #expect(app.get(resource, token: service).status == 200)
  }

  @Test func `a conflict is 409 with its header and goes away`() {
    app.door.suffer(.conflict)
    let first = app.get(resource)
    #expect(first.status == 409)
    #expect(first.header("MFP-Conflict") != nil)
    #expect(app.get(resource).status == 401)
  }

  @Test func `adapters answer in their own ways`() throws {
    let id = try app.register()
    let token = try app.token(id, "accessRestricted")
    #expect(app.get("/mfp/api/adapters/ResourceAdapter/publicData").status == 200)
    #expect(app.get("/mfp/api/adapters/ResourceAdapter/balance", token: token).bodyText == "19938.80")
    #expect(app.get("/mfp/api/adapters/ResourceAdapter/transactions", token: token).status == 403)
    let sum = app.get("/mfp/api/adapters/MyAdapter/addTwoIntegers?params=%5B4711,10%5D", token: token)
    #expect(sum.json["result"].int == 4_721)
    #expect(app.get("/mfp/api/adapters/Nobody/nothing", token: token).status == 404)
  }
}
