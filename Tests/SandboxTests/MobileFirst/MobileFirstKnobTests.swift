import Crypto
import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// Each knob of the server by what it does, and the vendor's sample checks.
@Suite struct MobileFirstKnobTests {
  let app: MobileFirstApp
  private let resource = "/MyResource/MyProtectedProcedure"

  init() throws { app = try MobileFirstApp() }

  private func set(_ name: String, _ value: String) { #expect(app.door.set(name, to: value), "\(name)=\(value)") }

  @Test func `conflicts come as often as they were ordered`() {
    set("conflicts", "3")
    #expect((0..<4).map { _ in app.get(resource).status } == [409, 409, 409, 401])
  }

  @Test func `a token is refused after the calls it was given`() throws {
    let id = try app.register()
    let token = try app.token(id, "accessRestricted")
    set("calls", "2")
    #expect((0..<2).map { _ in app.get(resource, token: token).status } == [200, 200])
    #expect(app.get(resource, token: token).header("WWW-Authenticate") == "Bearer error=\"invalid_token\"")
  }

  @Test func `a resource without a scope wants the default token, unless that is switched off`() throws {
    #expect(app.get("/mfp/api/adapters/JavaSQL").header("WWW-Authenticate") == "Bearer")
    set("enabled", "off")
    #expect(app.get("/mfp/api/adapters/JavaSQL").status == 200)
    // One with a scope of its own is guarded all the same.
    #expect(app.get(resource).status == 401)
    set("enabled", "on")
    #expect(app.get("/mfp/api/adapters/JavaSQL").status == 401)
  }

  @Test func `with application authenticity only the vendor's apps register`() throws {
    set("authenticity", "on")
    let answer = app.send("POST", "/mfp/api/registration/v1/self", try app.registration())
    #expect(answer.status == 401 && answer.header("WWW-Authenticate") == "MFP-Challenge")
    #expect(answer.json["challenges"]["appAuthenticity"].isNull)
  }

  @Test func `a disabled version is told so, and unprotected resources do not show it`() throws {
    let id = try app.register()
    set("disabled", "Update first")
    let answer = app.preauthorize(id, "")
    #expect(answer.status == 403)
    #expect(answer.json["failures"]["wl_remoteDisableRealm"]["message"].string == "Update first")
    #expect(answer.json["failures"]["wl_remoteDisableRealm"]["downloadLink"].string?.hasPrefix("https://") == true)
    #expect(app.get("/MyResource/Public").status == 200)
    set("disabled", "")
    #expect(app.preauthorize(id, "").status == 200)
  }

  @Test func `a notice is shown to each client once, and answered by its number`() throws {
    let id = try app.register()
    set("notice", "Maintenance at noon")
    let answer = app.preauthorize(id, "")
    let notice = answer.json["challenges"]["wl_remoteDisableRealm"]
    #expect(answer.status == 401 && notice["message"].string == "Maintenance at noon")
    let number = try #require(notice["messageId"].int)
    #expect(app.preauthorize(id, "", ["wl_remoteDisableRealm": ["messageId": .int(number)]]).status == 200)
    #expect(app.preauthorize(id, "").status == 200)
    #expect(app.preauthorize(try app.register(), "").status == 401)
  }

  @Test func `a gateway lets nobody through who has not signed in by its page`() throws {
    set("gateway", "on")
    for path in [resource, "/mfp/api/adapters/ResourceAdapter/publicData"] {
      let page = app.get(path)
      #expect(page.status == 200 && page.bodyText.contains("j_security_check"))
    }
    let form = "j_username=susan&j_password="
    #expect(app.send("POST", "/MyResource/j_security_check", form + "no").bodyText.contains("wrong"))
    let entry = app.send("POST", "/MyResource/j_security_check", form + app.secrets.userPassword)
    let cookie = String(try #require(entry.header("Set-Cookie")).prefix { $0 != ";" })
    #expect(entry.status == 302)
    #expect(app.send("GET", resource, "", [("Cookie", "a=b; \(cookie)")]).status == 401)
    #expect(app.send("GET", resource, "", [("Cookie", "GATEWAYSESSION=other")]).status == 200)
  }

  @Test func `a mandatory scope is checked and stands in no token`() throws {
    let id = try app.register()
    set("mandatory", "PinCode")
    #expect(app.preauthorize(id, "").json["challenges"].members.map(\.key) == ["PinCode"])
    #expect(app.preauthorize(id, "", ["PinCode": ["pin": .string(app.secrets.pin)]]).status == 200)
    let code = MobileFirstApp.code(of: app.authorize(id, "RegisteredClient"))
    #expect(try app.exchange(id, code: code).json["scope"].string == "RegisteredClient")
  }

  @Test func `lifetime, refresh tokens and the version are as they were set`() throws {
    set("lifetime", "30")
    set("refresh", "off")
    set("version", "8.0.2016010100")
    let registered = app.send("POST", "/mfp/api/registration/v1/self", try app.registration())
    #expect(registered.json["server_version"].string == "8.0.2016010100")
    let id = try app.register()
    #expect(app.preauthorize(id, "").status == 200)
    let answer = try app.exchange(id, code: MobileFirstApp.code(of: app.authorize(id, "RegisteredClient")))
    #expect(answer.json["expires_in"].int == 30)
    #expect(!answer.json["refresh_token"].exists)
  }

  @Test(arguments: [
    ("calls", "-1"), ("gateway", "maybe"), ("mandatory", "nobody knows"), ("speed", "1"), ("lifetime", "0"),
  ])
  func `a knob that is none, or a value it has not, is refused`(_ name: String, _ value: String) {
    #expect(!app.door.set(name, to: value))
  }

  @Test func `reset turns every knob back`() throws {
    set("gateway", "on")
    set("conflicts", "5")
    app.door.suffer(.reset)
    #expect(app.get(resource).status == 401)
  }

  // MARK: Sample checks

  @Test(arguments: ["PinCodeAttempts", "StepUpPinCode", "PinCode"])
  func `a PIN check counts down from three and blocks for a minute`(_ check: String) throws {
    let id = try app.register()
    let first = app.preauthorize(id, check).json["challenges"][check]
    #expect(first["remainingAttempts"].int == 3 && first["errorMsg"].isNull)
    let wrong: JSONNode = .object([.init(key: check, value: ["pin": "1"])])
    for left in [2, 1] {
      #expect(app.preauthorize(id, check, wrong).json["challenges"][check]["remainingAttempts"].int == left)
    }
    #expect(app.preauthorize(id, check, wrong).status == 403)
    app.clock.advance(seconds: 59)
    #expect(app.preauthorize(id, check).status == 403)
    app.clock.advance(seconds: 2)
    #expect(app.preauthorize(id, check).status == 401)
  }

  @Test func `half-used attempts are forgotten after two minutes`() throws {
    let id = try app.register()
    let wrong: JSONNode = ["PinCodeAttempts": ["pin": "1"]]
    #expect(
      app.preauthorize(id, "PinCodeAttempts", wrong).json["challenges"]["PinCodeAttempts"]["remainingAttempts"].int == 2
    )
    app.clock.advance(seconds: 121)
    #expect(app.preauthorize(id, "PinCodeAttempts").json["challenges"]["PinCodeAttempts"]["remainingAttempts"].int == 3)
  }

  @Test func `remember me makes a login last twice as long`() throws {
    for (remember, status) in [(false, 401), (true, 200)] {
      let id = try app.register()
      let answer: JSONNode = [
        "UserLogin": [
          "username": "susan", "password": .string(app.secrets.userPassword), "rememberMe": .bool(remember),
        ]
      ]
      #expect(app.preauthorize(id, "UserLogin", answer).status == 200)
      app.clock.advance(seconds: 90)
      #expect(app.preauthorize(id, "UserLogin").status == status)
    }
  }

  @Test func `a client enrols with a login and opens its account by its own PIN from then on`() throws {
    let id = try app.register()
    let before = app.preauthorize(id, "accountBalance")
    #expect(before.status == 403)
    #expect(before.json["failures"]["IsEnrolled"]["failure"].string?.isEmpty == false)
    let login: JSONNode = [
      "EnrollmentUserLogin": ["username": "susan", "password": .string(app.secrets.userPassword)]
    ]
    #expect(app.preauthorize(id, "setPinCode", login).status == 200)
    let code = MobileFirstApp.code(of: app.authorize(id, "setPinCode"))
    let token = try #require(try app.exchange(id, code: code).json["access_token"].string)
    let bearer = [("Authorization", "Bearer \(token)")]
    let enrolled = "/mfp/api/adapters/Enrollment/isEnrolled"
    #expect(app.get(enrolled, token: token).bodyText == "false")
    #expect(app.send("POST", "/mfp/api/adapters/Enrollment/setPinCode/2468", "", bearer).status == 200)
    #expect(app.get(enrolled, token: token).bodyText == "true")
    #expect(app.preauthorize(id, "accountBalance").json["challenges"].members.map(\.key) == ["EnrollmentPinCode"])
    #expect(app.preauthorize(id, "accountBalance", ["EnrollmentPinCode": ["pin": "2468"]]).status == 200)
    let second = MobileFirstApp.code(of: app.authorize(id, "accountBalance"))
    let account = try #require(try app.exchange(id, code: second).json["access_token"].string)
    #expect(app.get("/mfp/api/adapters/Enrollment/accountBalance", token: account).bodyText == "2204.15")
    let deleted = app.send(
      "DELETE", "/mfp/api/adapters/Enrollment/deletePinCode", "", [("Authorization", "Bearer \(account)")])
    #expect(deleted.status == 200)
    #expect(app.preauthorize(id, "accountBalance").status == 403)
  }

  // MARK: Clients as they come

  @Test func `Base64 of either alphabet, padded or not, is accepted`() throws {
    let body = try JSONDocument(Array(try app.registration().utf8)).root["signedRegistrationData"]
    let signature = base64(try #require(Base64URL.decode(body["signature"].string ?? "")))
    // The signature covers the parts as they are sent, so only its own form can be changed here.
    let signed: JSONNode = [
      "header": .string(body["header"].string ?? ""), "payload": .string(body["payload"].string ?? ""),
      "signature": .string(signature),
    ]
    let text = String(decoding: (["signedRegistrationData": signed] as JSONNode).encoded(), as: UTF8.self)
    #expect(app.send("POST", "/mfp/api/registration/v1/self", text).status == 201)
    #expect(LooseBase64.decode("-_8=") == LooseBase64.decode("+/8"))
  }

  @Test func `a modulus may begin with a zero byte, and be as short as 512 bits`() throws {
    func key(_ modulus: [UInt8]) throws -> ClientKey? {
      let text = #"{"kty":"RSA","n":"\#(Base64URL.encode(modulus))","e":"AQAB"}"#
      return ClientKey(jwk: try JSONDocument(Array(text.utf8)).root)
    }
    let short = [UInt8](repeating: 0xC5, count: 64)
    #expect(try key([0] + short) == key(short))
    #expect(try key(short) != nil)
    #expect(try key([UInt8](repeating: 0xC5, count: 63)) == nil)
  }

  @Test func `a change of version is accepted with the client's own key only`() throws {
    let id = try app.register()
    let path = "/mfp/api/registration/v1/self/\(id)"
    #expect(app.send("PUT", path, try app.registration()).status == 200)
    let forged = app.send("PUT", path, try app.registration(isForged: true))
    #expect(forged.status == 403 && forged.json["errorMsg"].string == "Invalid request.")
    #expect(
      app.send("PUT", "/mfp/api/registration/v1/self/nobody", "{}").json["errorCode"].string == "INVALID_CLIENT_ID")
  }

  @Test func `a heartbeat is noted, and only of a client that proves itself`() throws {
    let id = try app.register()
    let form = "client_assertion=\(try app.assertion(id))"
    #expect(app.send("POST", "/mfp/api/preauth/v1/heartbeat", form).status == 200)
    #expect(app.send("POST", "/mfp/api/preauth/v1/heartbeat", "client_assertion=x.y.z").status == 400)
  }
}
