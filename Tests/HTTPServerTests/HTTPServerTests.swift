import HTTPServer
import Synchronization
import TestKit
import Testing

@Suite(.bounded) struct HTTPServerTests {
  /// Answers with what it understood of the request.
  static func echo(_ request: ServerRequest) -> ServerResponse {
    let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
    let body = (try? request.body.bytes()).map { String(decoding: $0.prefix(100), as: UTF8.self) } ?? ""
    return .text(
      200, "\(request.method) \(request.target) path=\(request.path) query=\(query) count=\(request.body.count) \(body)"
    )
  }

  private func ask(_ text: String, handler: @escaping HTTPServer.Handler = echo) throws -> String {
    let server = try HTTPServer(handler: handler)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try client.send(text)
    return try client.receiveAll()
  }

  @Test func `the target stays raw and the query is decoded in order`() throws {
    let answer = try ask("GET /a%2Fb/%C3%A9?x=1&x=a+b%26&flag&%zz=%4 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("path=/a%2Fb/%C3%A9 query=x=1|x=a b&|flag=|%zz=%4 count=0"))
    #expect(answer.contains("\r\nDate: "))
  }

  @Test func `headers keep order and are found in any case`() throws {
    let seen = Mutex<[String]>([])
    _ = try ask("GET / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n") { request in
      seen.withLock { $0 = request.headers.map { "\($0.name)=\($0.value)" } + [request.header("X-a") ?? "none"] }
      return .text(204, "")
    }
    #expect(seen.withLock { $0 } == ["Host=h", "X-A=1", "x-a=2", "Connection=close", "1"])
  }

  @Test func `one connection carries many requests`() throws {
    let server = try HTTPServer(handler: Self.echo)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    for number in 1...20 {
      try client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
      let answer = try client.receive(until: "count=0 ")
      #expect(answer.contains("GET /\(number) "))
    }
  }

  @Test func `HEAD tells the length without the body`() throws {
    let answer = try ask("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") { _ in .text(200, "12345") }
    #expect(answer.contains("Content-Length: 5\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n"))
  }

  @Test func `a chunked upload arrives whole`() throws {
    let answer = try ask(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    )
    #expect(answer.contains("count=5 abcde"))
  }

  @Test func `a client that asks for 100 gets it before it sends the body`() throws {
    let server = try HTTPServer(handler: Self.echo)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
    try client.send("ok")
    #expect(try client.receive(until: "count=2 ok").contains("count=2 ok"))
  }

  @Test func `an upload beyond the memory threshold is spooled and readable in chunks`() throws {
    let size = (8 << 20) + 12_345
    let seen = Mutex<(count: Int, sum: Int, chunks: Int)>((0, 0, 0))
    let server = try HTTPServer { request in
      request.body.withChunks { chunk in
        let sum = chunk.reduce(0) { $0 + Int($1) }
        seen.withLock { $0 = ($0.count + chunk.count, $0.sum + sum, $0.chunks + 1) }
      }
      return .text(200, "got \(request.body.count)")
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\nConnection: close\r\n\r\n")
    try client.send([UInt8](repeating: 3, count: size))
    #expect(try client.receiveAll().hasSuffix("got \(size)"))
    #expect(seen.withLock { $0.count } == size)
    #expect(seen.withLock { $0.sum } == size * 3)
    #expect(seen.withLock { $0.chunks } == 9)
  }

  @Test(arguments: ["Content-Length: 11\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n"])
  func `an upload over the limit is refused`(rest: String) throws {
    let server = try HTTPServer(maxBodyBytes: 10, handler: Self.echo)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try client.send("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(rest)")
    #expect(try client.receiveAll().hasPrefix("HTTP/1.1 413 "))
  }

  @Test func `headers over the limit are refused`() throws {
    let answer = try ask("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 431 ") || answer.isEmpty)
  }

  @Test func `a generated body of known length is what the generator wrote`() throws {
    let answer = try ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") { _ in
      ServerResponse(
        status: 200,
        body: .generated(length: 300_000) { offset, buffer in
          let count = min(buffer.count, 300_000 - offset)
          for index in 0..<count { buffer[index] = UInt8(ascii: "a") + UInt8((offset + index) % 26) }
          return count
        })
    }
    let body = answer.utf8.suffix(300_000)
    #expect(answer.contains("Content-Length: 300000\r\n"))
    #expect(body.first == UInt8(ascii: "a") && body.last == UInt8(ascii: "a") + UInt8(299_999 % 26))
  }

  @Test func `a generated body without a length goes out chunked`() throws {
    let answer = try ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") { _ in
      ServerResponse(
        status: 200,
        body: .generated(length: nil) { offset, buffer in
          guard offset < 5 else { return 0 }
          buffer[0] = UInt8(ascii: "x")
          return 1
        })
    }
    #expect(answer.contains("Transfer-Encoding: chunked"))
    #expect(answer.hasSuffix("1\r\nx\r\n0\r\n\r\n"))
  }

  @Test func `a generator that breaks off leaves the body short`() throws {
    let answer = try ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n") { _ in
      ServerResponse(status: 200, body: .generated(length: 10) { offset, buffer in offset == 0 ? 3 : -1 })
    }
    #expect(answer.contains("Content-Length: 10\r\n"))
    #expect(answer.utf8.count < 400 && !answer.isEmpty)
  }

  @Test func `hanging up sends nothing`() throws {
    #expect(try ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n") { _ in .hangUp } == "")
  }

  @Test func `a header with a line break never leaves`() throws {
    let answer = try ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") { _ in
      ServerResponse(status: 200, headers: [("X", "a\r\nSet-Cookie: b")])
    }
    #expect(answer.hasPrefix("HTTP/1.1 500 "))
    #expect(!answer.contains("Set-Cookie"))
  }

  @Test func `a part of a file is sent`() throws {
    let answer = try ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") { _ in
      ServerResponse(status: 206, body: .file(path: "/proc/self/exe", offset: 1, count: 3))
    }
    #expect(answer.hasSuffix("ELF"))
  }

  @Test func `stop waits for the handler that runs`() async throws {
    let (entered, entry) = AsyncStream.makeStream(of: Void.self)
    let done = Mutex(false)
    let gate = Mutex(false)
    let server = try HTTPServer { _ in
      entry.finish()
      while !gate.withLock({ $0 }) {}
      done.withLock { $0 = true }
      return .text(200, "late")
    }
    let client = try RawClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    for await _ in entered {}
    gate.withLock { $0 = true }
    server.stop()
    #expect(done.withLock { $0 })
    #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
  }

  @Test func `a taken port is named`() throws {
    let first = try HTTPServer(handler: Self.echo)
    defer { first.stop() }
    let error = #expect(throws: HTTPServerError.self) { try HTTPServer(port: first.port, handler: Self.echo) }
    #expect(error?.code == .portTaken)
    #expect(error?.description.contains("\(first.port)") == true)
  }

  @Test func `an address that is none is refused`() {
    let error = #expect(throws: HTTPServerError.self) { try HTTPServer(address: "not-an-address", handler: Self.echo) }
    #expect(error?.code == .badAddress)
  }

  @Test func `the IPv6 loopback works where there is one`() throws {
    let server = try? HTTPServer(address: "::1", handler: Self.echo)
    defer { server?.stop() }
    #expect(server == nil || server?.origin.hasPrefix("http://[::1]:") == true)
  }
}
