import HTTPServer
import JSON
import Testing

@testable import Sandbox

@Suite struct BankBearerTests {
  private func status(_ door: OpenBankDoor, _ token: String, _ path: String = "/users/current") -> ServerResponse {
    let request = ServerRequest(
      method: "GET", target: "/obp/v5.1.0\(path)", headers: [("Host", "h"), ("Authorization", "Bearer \(token)")])
    return door.handle(SandboxRequest(request, now: BankClient.now))
  }

  private let setting = DoorSetting(options: SandboxOptions(), clock: .fixed(BankClient.now))

  @Test func `whom the identity server names is let in`() {
    let identity = BankIdentity(discovery: "/d") { token, _ in ["a.b.c": "susan", "d.e.f": "omar"][token] }
    let door = OpenBankDoor(setting, identity: identity)
    #expect(status(door, "a.b.c").bodyText.contains(door.bank.data.owner.id))
    #expect(status(door, "d.e.f").bodyText.contains("\"username\":\"omar\""))
    #expect(status(door, "d.e.f", "/my/accounts").bodyText == "{\"accounts\":[]}")
    #expect(status(door, "x.y.z").bodyText.contains("OBP-20206"))
    #expect(status(door, "opaque").bodyText.contains("OBP-20204"))
    #expect(status(door, "x.y.z").status == 401)
    #expect(status(door, "a.b.c", "/well-known").bodyText.contains("http://h/d"))
  }

  @Test func `without one OAuth 2 is off`() {
    let door = OpenBankDoor(setting)
    #expect(status(door, "a.b.c").bodyText.contains("OBP-20201"))
  }
}

@Suite struct BankAndIdentityTests {
  @Test func `one identity service opens the bank`() throws {
    let client = try BankClient()
    let docs = try #require(client.hall.doors.compactMap { $0 as? AlfrescoDoor }.first)
    let person = try #require(docs.server.issuer.people.first { $0.id == "susan" })
    let form = "grant_type=password&client_id=alfresco&scope=openid&username=susan&password=\(person.password)"
    let answer = client.request(
      "POST", "/auth/realms/alfresco/protocol/openid-connect/token",
      headers: [("Content-Type", "application/x-www-form-urlencoded")], body: form)
    #expect(answer.status == 200)
    let token = try #require(try JSONDocument(answer.bodyBytes).root["access_token"].string)
    let accounts = client.call("GET", "/my/accounts", headers: [("Authorization", "Bearer \(token)")])
    #expect(accounts.status == 200)
    #expect(try JSONDocument(accounts.bodyBytes).root["accounts"].count == 26)
  }
}
