import HTTPServer
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
