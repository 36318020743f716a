import HTTPServer
import Testing

@testable import Sandbox

@Suite struct RouterTests {
  private static let router: Router = {
    var router = Router()
    for (methods, pattern) in [
      ("GET", "/banks"), ("GET|POST", "/banks/{bank}/accounts"), ("GET", "/banks/{bank}/accounts/private"),
      ("GET", "/banks/{bank}/accounts/{account}"), ("GET", "/banks/{bank}/accounts/{account}/{view}/account"),
      ("PUT", "/banks/{bank}/accounts/private"), ("GET", "/Connections('{id}')"), ("GET", "/Connections"),
      ("GET", "/custom/{api}/{rest...}"), ("DELETE", "/custom/{api}/self"),
    ] {
      router.on(methods, pattern) { request in
        let captured = request.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        return .text(([pattern] + captured).joined(separator: " "))
      }
    }
    return router
  }()

  struct Case: CustomTestStringConvertible {
    let method: String, path: String, answer: String
    var testDescription: String { "\(method) \(path)" }
    init(_ method: String, _ path: String, _ answer: String) {
      (self.method, self.path, self.answer) = (method, path, answer)
    }
  }

  @Test(arguments: [
    Case("GET", "/banks", "/banks"),
    Case("HEAD", "/banks", "/banks"),
    Case("POST", "/banks", "405 GET"),
    Case("GET", "/bank", "404"),
    Case("GET", "/banks/kiln/accounts", "/banks/{bank}/accounts bank=kiln"),
    Case("GET", "/banks/kiln/accounts/private", "/banks/{bank}/accounts/private bank=kiln"),
    Case("GET", "/banks/k%2Fi/accounts/a%20b", "/banks/{bank}/accounts/{account} account=a b bank=k/i"),
    Case(
      "GET", "/banks/kiln/accounts/private/owner/account",
      "/banks/{bank}/accounts/{account}/{view}/account account=private bank=kiln view=owner"),
    Case("DELETE", "/banks/kiln/accounts/private", "405 GET PUT"),
    Case("GET", "/Connections('a''b')", "/Connections('{id}') id=a''b"),
    Case("GET", "/Connections('')", "404"),
    Case("GET", "/Connections", "/Connections"),
    Case("GET", "/custom/echo", "/custom/{api}/{rest...} api=echo rest="),
    Case("GET", "/custom/echo/a/b%2Fc", "/custom/{api}/{rest...} api=echo rest=a/b/c"),
    Case("GET", "/custom/echo/self", "/custom/{api}/{rest...} api=echo rest=self"),
    Case("GET", "/", "404"),
  ])
  func `the most literal route answers`(_ c: Case) {
    let request = SandboxRequest(ServerRequest(method: c.method, target: c.path), now: DoorSetting.present)
    let response = Self.router.respond(to: request) { match, _ in
      if case .methodNotAllowed(let allowed) = match { return .text("405 " + allowed.joined(separator: " ")) }
      return .text("404")
    }
    #expect(response.bodyText == c.answer)
  }
}
