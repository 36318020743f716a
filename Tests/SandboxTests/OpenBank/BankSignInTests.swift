import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct BankSignInTests {
  @Test(arguments: [false, true]) func `DirectLogin answers 201 in both header forms`(old: Bool) throws {
    let client = try BankClient()
    let user = client.door.bank.data.owner
    let response = client.login(user.username, user.password, old: old)
    #expect(response.status == 201)
    let token = try #require(try JSONDocument(response.bodyBytes).root["token"].string)
    for header in [("DirectLogin", "token=\(token)"), ("Authorization", "DirectLogin token=\"\(token)\"")] {
      #expect(client.call("GET", "/users/current", headers: [header]).bodyText.contains(user.id))
    }
  }

  @Test func `wrong credentials are refused by code`() throws {
    let client = try BankClient()
    let user = client.door.bank.data.owner
    let locked = client.door.bank.data.users[3]
    let cases = [
      (client.login(user.username, "wrong wrong wrong"), 401, "OBP-20004"),
      (client.login("nobody", "x"), 401, "OBP-20004"),
      (client.login(locked.username, locked.password), 401, "OBP-20013"),
      (client.login(user.username, user.password, key: "nokey"), 401, "OBP-20008"),
      (client.login(user.username, user.password, key: client.door.bank.data.consumers[1].key), 401, "OBP-20008"),
      (client.login(user.username, "a[b]c"), 400, "OBP-20011"),
      (client.login(user.username, String(repeating: "x", count: 513)), 400, "OBP-20010"),
      (client.request("POST", "/my/logins/direct"), 400, "OBP-20082"),
      (client.request("POST", "/my/logins/direct", headers: [("Authorization", "Basic x")]), 400, "OBP-20083"),
      (client.request("POST", "/my/logins/direct", headers: [("DirectLogin", "username=a")]), 400, "OBP-20002"),
    ]
    for (response, status, code) in cases {
      #expect(response.status == status)
      #expect(try JSONDocument(response.bodyBytes).root["message"].string?.hasPrefix(code) == true)
    }
  }

  @Test func `five wrong passwords lock`() throws {
    let client = try BankClient()
    let user = client.door.bank.data.users[2]
    for _ in 0..<5 { #expect(client.login(user.username, "wrong").bodyText.contains("OBP-20004")) }
    #expect(client.login(user.username, user.password).bodyText.contains("OBP-20013"))
  }

  @Test func `anonymous calls on protected endpoints name the schemes`() throws {
    let response = try BankClient().call("GET", "/my/accounts")
    #expect(response.status == 401)
    #expect(
      response.bodyText == "{\"code\":401,\"message\":\"OBP-20001: User not logged in. Authentication is required!\"}")
    #expect(response.header("WWW-Authenticate")?.contains("DirectLogin realm=\"http://127.0.0.1:8080\"") == true)
  }

  @Test func `a dead token is 400 on new endpoints and 401 on old ones`() throws {
    var client = try BankClient.signedIn()
    client.door.suffer(.expireTokens)
    let new = client.call("GET", "/my/accounts")
    #expect(new.status == 400)
    #expect(new.bodyText.contains("OBP-20003"))
    client.version = "v2.0.0"
    #expect(client.call("GET", "/my/accounts").status == 401)
    client.version = "v5.1.0"
    #expect(client.door.set("profile", to: "gen-h"))
    #expect(client.call("GET", "/my/accounts").status == 401)
  }

  @Test func `a token lives as long as told`() throws {
    let clock = MovingClock(BankClient.now)
    var client = try BankClient(clock: clock.clock)
    try client.signIn()
    clock.advance(seconds: 4 * 7 * 86_400 - 1)
    #expect(client.call("GET", "/my/accounts").status == 200)
    clock.advance(seconds: 2)
    #expect(client.call("GET", "/my/accounts").status == 400)
  }

  @Test func `an unknown scheme is named`() throws {
    let response = try BankClient().call("GET", "/my/accounts", headers: [("Authorization", "Digest x")])
    #expect(response.status == 401)
    #expect(response.bodyText.contains("OBP-20080"))
  }
}
