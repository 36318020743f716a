import FoundationEssentials
import Model
import TestKit
import Testing
import Wire

@Suite(.bounded) struct LoopbackListenerTests {
  private let transport = CurlTransport()

  @Test func `the redirect comes in once, and the page holds nothing of it`() async throws {
    let listener = try LoopbackListener(expecting: .init("state", "right"))
    defer { listener.stop() }
    #expect(listener.redirectURL.hasPrefix("http://127.0.0.1:") && listener.redirectURL.hasSuffix("/callback"))
    let page = try await transport.send(.get(url("\(listener.redirectURL)?state=right&code=abc-123&x=%3Cscript%3E")))
    #expect(page.status == 200 && page.text.contains("You may close this window"))
    for part in ["abc-123", "right", "script>", "callback"] { #expect(!page.text.contains(part)) }
    #expect(page.headers["Cache-Control"] == "no-store" && page.headers["Referrer-Policy"] == "no-referrer")
    let again = try await transport.send(.get(url("\(listener.redirectURL)?state=right&code=other")))
    #expect(again.status == 404)
    let fields = try await listener.fields()
    #expect(fields.first { $0.name == "code" }?.value == "abc-123")
  }

  @Test func `anything else changes nothing`() async throws {
    let listener = try LoopbackListener(expecting: .init("state", "right"))
    defer { listener.stop() }
    let base = listener.redirectURL
    let wrong = [
      HTTPRequest.get(url("\(base)?state=wrong&code=c")), .get(url("\(base)?code=c")),
      .get(url("\(base)?state=right&state=right&code=c")), .get(url("\(base)/x?state=right&code=c")),
      .get(url("\(base.replacing("/callback", with: "/"))?state=right&code=c")),
      HTTPRequest("POST", url("\(base)?state=right&code=c")), HTTPRequest("HEAD", url("\(base)?state=right&code=c")),
      .get(url("\(base)?state=right&code=c"), headers: ["Host": "rebound.example"]),
    ]
    for request in wrong {
      let response = try await transport.send(request)
      #expect(response.status == 404)
    }
    _ = try await transport.send(.get(url("\(base)?state=right&code=good")))
    let fields = try await listener.fields()
    #expect(fields.first { $0.name == "code" }?.value == "good")
  }

  @Test(arguments: ["0.0.0.0", "::", "127.0.0.2", "192.0.2.1", "localhost", ""])
  func `it listens where nobody else can come, or not at all`(_ address: String) {
    let error = #expect(throws: ServiceError.self) {
      try LoopbackListener(address: address, expecting: .init("state", "s"))
    }
    #expect(error?.code == .configuration)
  }

  @Test func `another address of this machine leads nowhere`() async throws {
    let listener = try LoopbackListener(expecting: .init("state", "right"))
    defer { listener.stop() }
    let other = listener.redirectURL.replacing("127.0.0.1", with: "127.0.0.2")
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(.get(url("\(other)?state=right&code=c")))
    }
    #expect(error != nil)
  }

  @Test func `cancelling ends the wait`() async throws {
    let listener = try LoopbackListener(expecting: .init("state", "s"))
    defer { listener.stop() }
    let task = Task { try await listener.fields() }
    task.cancel()
    let error = await #expect(throws: OAuthError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `nobody coming ends the wait`() async throws {
    let listener = try LoopbackListener(expecting: .init("state", "s"))
    defer { listener.stop() }
    let error = await #expect(throws: OAuthError.self) { _ = try await listener.fields(within: .milliseconds(1)) }
    #expect(error?.code == .expired)
  }

  @Test func `a taken port is a matter of configuration`() throws {
    let first = try LoopbackListener(expecting: .init("state", "s"))
    defer { first.stop() }
    let port = try #require(url(first.redirectURL).port)
    let error = #expect(throws: ServiceError.self) {
      try LoopbackListener(port: UInt16(port), expecting: .init("state", "s"))
    }
    #expect(error?.code == .configuration && error?.detail?.contains("\(port)") == true)
  }
}
