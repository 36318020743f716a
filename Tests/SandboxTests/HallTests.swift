import HTTPServer
import Testing

@testable import Sandbox

@Suite struct HallTests {
  private func send(_ method: String, _ target: String, to hall: Hall) -> ServerResponse {
    hall.respond(to: ServerRequest(method: method, target: target, headers: [("Host", "127.0.0.1:1")]))
  }

  @Test func `the front page names every server`() {
    let hall = Hall()
    let page = send("GET", "/", to: hall).bodyText
    for door in hall.doors { #expect(page.contains("\(door.name): ")) }
    #expect(send("GET", "/nowhere", to: hall).status == 404)
  }

  @Test func `a fault strikes as often as ordered and only where ordered`() {
    let hall = Hall()
    #expect(send("POST", "/sandbox/faults?kind=status&status=503&path=/a&times=2", to: hall).status == 204)
    let statuses = ["/a", "/b", "/a/x", "/a"].map { send("GET", $0, to: hall).status }
    #expect(statuses == [503, 404, 503, 404])
  }

  @Test func `a busy server says when to come back`() {
    let hall = Hall()
    _ = send("POST", "/sandbox/faults?kind=busy&seconds=7", to: hall)
    let response = send("GET", "/", to: hall)
    #expect(response.status == 429)
    #expect(response.header("retry-after") == "7")
    _ = send("DELETE", "/sandbox/faults", to: hall)
    #expect(send("GET", "/", to: hall).status == 200)
  }

  @Test func `truncated and cut answers are broken`() {
    let hall = Hall()
    let whole = send("GET", "/", to: hall).bodyBytes
    _ = send("POST", "/sandbox/faults?kind=truncated&times=1", to: hall)
    #expect(send("GET", "/", to: hall).bodyBytes == Array(whole.prefix(whole.count / 2)))
    _ = send("POST", "/sandbox/faults?kind=cut&times=1", to: hall)
    guard case .generated(_, let fill) = send("GET", "/", to: hall).body else {
      Issue.record("a cut answer is generated")
      return
    }
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(buffer.withUnsafeMutableBytes { fill(1, $0) } == -1)
  }

  @Test func `unknown faults and doors are refused`() {
    let hall = Hall()
    #expect(send("POST", "/sandbox/faults?kind=earthquake", to: hall).status == 400)
    #expect(send("POST", "/sandbox/faults?kind=cut&door=cellar", to: hall).status == 400)
  }

  @Test func `the journal keeps names but no values`() {
    let hall = Hall()
    _ = send("GET", "/x?token=hunter2hunter2&limit=3", to: hall)
    #expect(
      hall.journal.entries == [.init(door: "", method: "GET", path: "/x", query: ["token", "limit"], status: 404)])
    #expect(!send("GET", "/sandbox/requests", to: hall).bodyText.contains("hunter2"))
  }

  @Test func `absolute addresses follow Host and X-Forwarded-Proto`() {
    let plain = ServerRequest(method: "GET", target: "/", headers: [("host", "bank.example:8443")])
    #expect(SandboxRequest(plain, now: DoorSetting.present).origin == "http://bank.example:8443")
    let forwarded = ServerRequest(
      method: "GET", target: "/", headers: [("Host", "bank.example"), ("x-forwarded-proto", "https, http")])
    #expect(SandboxRequest(forwarded, now: DoorSetting.present).origin == "https://bank.example")
  }

  @Test func `credentials of HTTP Basic are read`() {
    let request = ServerRequest(method: "GET", target: "/", headers: [("Authorization", "Basic YWRhOmE6YsOk")])
    let credentials = SandboxRequest(request, now: DoorSetting.present).basicCredentials
    #expect(credentials?.user == "ada")
    #expect(credentials?.password == "a:bä")
  }
}
