import FoundationEssentials
import HTTPServer
import Model
import Synchronization
import TestKit
import Testing
import Wire

@Suite(.bounded) struct CurlTransportTests {
  private let transport = CurlTransport()

  private static func echo(_ request: ServerRequest) -> ServerResponse {
    let fields = request.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    let body = (try? request.body.bytes()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return .text(200, "\(request.method) \(request.target)\n\(fields)\n\n\(body)")
  }

  @Test func `a GET brings status, headers, body, version and timings`() async throws {
    try await withServer { _ in
      ServerResponse(status: 404, headers: [("X-A", "1"), ("x-a", "2"), ("ETag", "\"t\"")], body: .bytes([104, 105]))
    } _: { server in
      let response = try await transport.send(.get(url("\(server.origin)/a%2Fb?q=%20#part")))
      #expect(response.status == 404)
      #expect(response.text == "hi")
      #expect(response.headers.values(for: "X-A") == ["1", "2"])
      #expect(response.headers["etag"] == "\"t\"")
      #expect(response.version == "HTTP/1.1")
      #expect(response.remoteAddress == "127.0.0.1:\(server.port)")
      #expect(response.timings.total > .zero && response.timings.tls == .zero)
    }
  }

  @Test func `the target is sent as it stands, without the fragment`() async throws {
    try await withServer(Self.echo) { server in
      let response = try await transport.send(.get(url("\(server.origin)/a%2Fb/../c;d?q=%20&r=a+b#part")))
      #expect(response.text.hasPrefix("GET /a%2Fb/../c;d?q=%20&r=a+b\n"))
    }
  }

  @Test(arguments: [
    ("GET", HTTPBody.none, "", nil as String?), ("POST", .none, "", "0"), ("PUT", .bytes([]), "", "0"),
    ("POST", .bytes(Array("hello".utf8)), "hello", "5"), ("PATCH", .bytes(Array("p".utf8)), "p", "1"),
    ("DELETE", .none, "", nil), ("DELETE", .bytes(Array("x".utf8)), "x", "1"), ("PROPFIND", .none, "", nil),
  ])
  func `a method goes out with its body`(method: String, body: HTTPBody, text: String, length: String?) async throws {
    try await withServer(Self.echo) { server in
      let response = try await transport.send(HTTPRequest(method, url("\(server.origin)/x"), body: body))
      #expect(response.text.hasPrefix("\(method) /x\n"))
      #expect(response.text.hasSuffix("\n\n\(text)"))
      #expect(response.text.contains("Content-Length: \(length ?? "")") == (length != nil))
      #expect(!response.text.lowercased().contains("content-type"))
      #expect(!response.text.lowercased().contains("expect:"))
    }
  }

  @Test func `headers of the settings go along unless the request sets them`() async throws {
    var settings = TransportSettings()
    settings.headers = ["X-Kept": "1", "X-Changed": "old"]
    let transport = CurlTransport(settings)
    try await withServer(Self.echo) { server in
      let request = HTTPRequest.get(url("\(server.origin)/"), headers: ["x-changed": "new", "X-Empty": ""])
      let text = try await transport.send(request).text
      #expect(text.contains("X-Kept: 1\n"))
      #expect(text.contains("x-changed: new\n") && !text.contains("old"))
      #expect(text.contains("X-Empty: \n"))
      #expect(text.contains("User-Agent: Atrium"))
    }
  }

  @Test(arguments: [
    HTTPHeaders.Field("X", "a\r\nEvil: 1"), .init("X", "a\nb"), .init("X\r\nEvil", "1"), .init("X Y", "1"),
    .init("", "1"), .init("X", "\u{0}"),
  ])
  func `a header that would break its line is refused`(field: HTTPHeaders.Field) async throws {
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(.get(url("http://127.0.0.1:1/"), headers: HTTPHeaders([field])))
    }
    #expect(error?.code == .badRequest)
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nX:", "", "A B"])
  func `a method that is no word is refused`(method: String) async throws {
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(HTTPRequest(method, url("http://127.0.0.1:1/")))
    }
    #expect(error?.code == .badRequest)
  }

  @Test(arguments: [
    ("http://example.invalid/", TransportError.Code.insecure), ("http://128.0.0.1/", .insecure),
    ("http://localhost.example.invalid/", .insecure), ("ftp://127.0.0.1/", .badRequest),
    ("file:///etc/passwd", .badRequest), ("http://user:pass@127.0.0.1:1/", .badRequest),
    ("http://127.0.0.1.example.invalid/", .insecure),
  ])
  func `an address against the rules never leaves`(address: String, code: TransportError.Code) async throws {
    let error = await #expect(throws: TransportError.self) { try await transport.send(.get(url(address))) }
    #expect(error?.code == code)
    #expect(error?.detail.contains("pass") == false || code == .badRequest)
    #expect(error?.description.contains("user:pass") == false)
  }

  @Test func `a compressed answer arrives plain`() async throws {
    let gzip: [UInt8] = [
      0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0, 0x86, 0xa6, 0x10, 0x36, 0x05, 0,
      0, 0,
    ]
    try await withServer { request in
      guard request.header("Accept-Encoding")?.contains("gzip") == true else { return .text(400, "not asked for") }
      return ServerResponse(status: 200, headers: [("Content-Encoding", "gzip")], body: .bytes(gzip))
    } _: { server in
      let text = try await transport.send(.get(url("\(server.origin)/"))).text
      #expect(text == "hello")
    }
  }

  @Test func `connections are kept for reads and fresh for writes`() async throws {
    try await withFaults({ _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] }) { server in
      let target = url("\(server.origin)/")
      // All other tests share an engine, and with it the number of connections it keeps.
      let transport = CurlTransport(alone: TransportSettings())
      _ = try await transport.send(.get(target))
      let second = try await transport.send(.get(target))
      #expect(second.timings.reusedConnection)
      let write = try await transport.send(HTTPRequest("POST", target))
      #expect(!write.timings.reusedConnection)
      // Nor is it kept: whatever is written, the pool does not grow.
      _ = try await transport.send(.get(target))
      #expect(server.requests.map(\.connection) == [0, 0, 1, 0])
      let other = CurlTransport(alone: TransportSettings())
      _ = try await other.send(HTTPRequest("POST", target))
      _ = try await other.send(.get(target))
      #expect(server.requests.suffix(2).map(\.connection) == [2, 3])
    }
  }

  @Test func `a POST on a connection that dies is sent exactly once`() async throws {
    try await withFaults({ request in
      request.method == "GET" ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] : [.close]
    }) { server in
      let target = url("\(server.origin)/")
      _ = try await transport.send(.get(target))
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(HTTPRequest("POST", target, body: .bytes([1, 2, 3])))
      }
      #expect(error?.code == .brokenOff)
      #expect(server.requests.filter { $0.method == "POST" }.count == 1)
    }
  }

  @Test func `many requests at once all come back`() async throws {
    try await withServer(Self.echo) { server in
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<60 {
          let target = url("\(server.origin)/\(number)")
          group.addTask { try await transport.send(.get(target)).text }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert(String($1.prefix { $0 != "\n" })) }
      }
      #expect(texts == Set((0..<60).map { "GET /\($0)" }))
    }
  }

  @Test func `cancelling the task hangs up`() async throws {
    let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
    try await withFaults({ _ in
      arrival.finish()
      return [.silence]
    }) { server in
      let target = url("\(server.origin)/")
      let task = Task { try await transport.send(.get(target)) }
      for await _ in arrived {}
      task.cancel()
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func `a task cancelled beforehand sends nothing`() async throws {
    try await withFaults({ _ in [.send("HTTP/1.1 204 No Content\r\n\r\n")] }) { server in
      let target = url("\(server.origin)/")
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await transport.send(.get(target))
      }
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `HEAD tells the length and has no body`() async throws {
    try await withServer { _ in
      .text(200, "12345")
    } _: { server in
      let response = try await transport.send(HTTPRequest("HEAD", url("\(server.origin)/"), maxBytes: 2))
      #expect(response.headers.contentLength == 5 && response.body.isEmpty)
    }
  }

  @Test func `a proxy is asked for other hosts and never for this machine`() async throws {
    try await withFaults({ _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")] }) { proxy in
      var settings = TransportSettings()
      settings.proxy = .all(proxy.origin)
      settings.proxy.exceptions = ["direct.invalid"]
      settings.allowsInsecure = true
      let transport = CurlTransport(settings)
      let far = try await transport.send(.get(url("http://bank.invalid/x")))
      #expect(far.text == "proxy" && proxy.requests.first?.target == "http://bank.invalid/x")
      await #expect(throws: TransportError.self) { try await transport.send(.get(url("http://a.direct.invalid/"))) }
      try await withServer { _ in
        .text(200, "near")
      } _: { server in
        let near = try await transport.send(.get(url("\(server.origin)/")))
        #expect(near.text == "near" && proxy.requests.count == 1)
      }
    }
  }

  @Test func `an environment proxy is not used unless told`() throws {
    let rule = ProxyRule.environment([
      "HTTPS_PROXY": "http://proxy.example:3128", "no_proxy": "intern.example, .corp.example",
    ])
    let settings = TransportSettings(environment: ["SSL_CERT_FILE": "/ca.pem", "http_proxy": "http://p:1"])
    #expect(rule.https == "http://proxy.example:3128" && rule.http == nil)
    #expect(rule.exceptions == ["intern.example", ".corp.example"])
    #expect(settings.authorities == "/ca.pem" && settings.proxy.http == "http://p:1")
    #expect(TransportSettings().proxy == .none)
  }
}
