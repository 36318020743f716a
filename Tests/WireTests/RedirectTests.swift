import FoundationEssentials
import HTTPServer
import Model
import Synchronization
import TestKit
import Testing
import Wire

@Suite(.bounded) struct RedirectTests {
  private let transport = CurlTransport()

  private static func redirect(_ status: Int, to location: String) -> ServerResponse {
    ServerResponse(status: status, headers: [("Location", location)])
  }

  @Test(arguments: [301, 302, 303, 307, 308], ["GET", "HEAD"])
  func `a read is led on within its origin, with its headers`(status: Int, method: String) async throws {
    try await withServer { request in
      if request.path == "/new" { return .text(request.header("Authorization") == "Bearer t" ? 200 : 401, "new") }
      return Self.redirect(status, to: "/new?x=1")
    } _: { server in
      let response = try await transport.send(
        HTTPRequest(method, url("\(server.origin)/old"), headers: ["Authorization": "Bearer t"]))
      #expect(response.status == 200)
      #expect(response.url.absoluteString == "\(server.origin)/new?x=1")
    }
  }

  @Test(arguments: [(302, "{}"), (307, "{}"), (303, "")])
  func `a read with a body is led on as its status says`(_ status: Int, _ body: String) async throws {
    try await withServer { request in
      guard request.path == "/new" else { return Self.redirect(status, to: "/new") }
      return .text(200, String(decoding: (try? request.body.bytes()) ?? [], as: UTF8.self))
    } _: { server in
      let source = MemorySource(Array("{}".utf8))
      let response = try await transport.send(HTTPRequest("GET", url("\(server.origin)/old"), body: .source(source)))
      #expect(response.status == 200 && response.text == body)
    }
  }

  @Test func `no credential goes to another origin`() async throws {
    let seen = Mutex<[String]>([])
    try await withServer { request in
      seen.withLock { $0.append(request.target) }
      return .text(200, "stolen")
    } _: { other in
      try await withServer { _ in
        Self.redirect(302, to: "\(other.origin)/steal?token=abc")
      } _: { server in
        let error = await #expect(throws: TransportError.self) {
          try await transport.send(.get(url("\(server.origin)/"), headers: ["Authorization": "Bearer t"]))
        }
        #expect(error?.code == .redirectRefused(target: "\(other.origin)/steal"))
        #expect(error?.detail.contains("\(other.origin)/steal") == true)
        #expect(error?.detail.contains("abc") == false)
      }
    }
    #expect(seen.withLock { $0 }.isEmpty)
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"], [301, 302, 303, 307, 308])
  func `a write is never led on`(method: String, status: Int) async throws {
    let count = Mutex(0)
    try await withServer { _ in
      count.withLock { $0 += 1 }
      return Self.redirect(status, to: "/other")
    } _: { server in
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(HTTPRequest(method, url("\(server.origin)/"), body: .bytes([1])))
      }
      #expect(error?.code == .redirectRefused(target: "\(server.origin)/other"))
    }
    #expect(count.withLock { $0 } == 1)
  }

  @Test(arguments: [
    "https://127.0.0.1:1/", "http://127.0.0.2/x", "http://user:pw@127.0.0.1/", "file:///etc/passwd", "//evil.invalid/",
    "javascript:alert(1)", "http://localhost/",
  ])
  func `another scheme, host, port or user is refused`(location: String) async throws {
    try await withServer { _ in
      Self.redirect(302, to: location)
    } _: { server in
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(.get(url("\(server.origin)/")))
      }
      guard case .redirectRefused(let target) = error?.code else {
        Issue.record("unexpected: \(String(describing: error))")
        return
      }
      #expect(!target.contains("pw"))
    }
  }

  @Test func `ten redirects are followed and an eleventh is not`() async throws {
    let count = Mutex(0)
    let handler: HTTPServer.Handler = { request in
      count.withLock { $0 += 1 }
      let left = Int(request.path.dropFirst()) ?? 0
      return left == 0 ? .text(200, "there") : Self.redirect(302, to: "/\(left - 1)")
    }
    try await withServer(handler) { server in
      let text = try await transport.send(.get(url("\(server.origin)/10"))).text
      #expect(text == "there")
      count.withLock { $0 = 0 }
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(.get(url("\(server.origin)/11")))
      }
      #expect(error?.code == .redirectRefused(target: "\(server.origin)/0"))
      #expect(count.withLock { $0 } == 11)
    }
  }

  @Test func `a redirect that is not to be followed is an answer`() async throws {
    try await withServer { _ in
      Self.redirect(302, to: "https://idp.example/login?x=1")
    } _: { server in
      var request = HTTPRequest.get(url("\(server.origin)/"))
      request.followsRedirects = false
      let response = try await transport.send(request)
      #expect(response.status == 302)
      #expect(response.headers["Location"] == "https://idp.example/login?x=1")
    }
  }

  @Test func `a download is led on, and only its last body reaches the sink`() async throws {
    try await withServer { request in
      request.path == "/new"
        ? .text(200, "content") : ServerResponse(status: 302, headers: [("Location", "/new")], body: .bytes([1, 2, 3]))
    } _: { server in
      let sink = MemorySink()
      let response = try await transport.download(.get(url("\(server.origin)/old")), to: sink)
      #expect(sink.text == "content" && response.body.isEmpty)
      #expect(sink.head?.mediaType == "text/plain")
    }
  }
}
