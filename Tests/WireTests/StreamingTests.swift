import FoundationEssentials
import HTTPServer
import Model
import Synchronization
import TestKit
import Testing
import Wire

@Suite(.bounded) struct StreamingTests {
  private let transport = CurlTransport()

  private static func zeros(_ count: Int, headers: [ServerResponse.Field] = []) -> ServerResponse {
    ServerResponse(
      status: 200, headers: headers,
      body: .generated(length: count) { offset, buffer in
        let piece = min(buffer.count, count - offset)
        for index in 0..<piece { buffer[index] = UInt8(truncatingIfNeeded: offset + index) }
        return piece
      })
  }

  @Test func `a download arrives whole, with its head first and progress to the end`() async throws {
    let size = 3_000_000
    try await withServer { _ in
      Self.zeros(
        size,
        headers: [
          ("Content-Type", "image/png; x=1"), ("ETag", "\"v1\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
          ("Content-Disposition", "attachment; filename=\"../a b.png\""),
        ])
    } _: { server in
      let sink = MemorySink()
      let progress = Mutex<[Int64]>([])
      let response = try await transport.download(.get(url("\(server.origin)/x")), to: sink) { done, total in
        #expect(total == Int64(size))
        progress.withLock { $0.append(done) }
      }
      #expect(response.status == 200 && response.body.isEmpty)
      #expect(sink.bytes.count == size)
      #expect(sink.bytes.enumerated().allSatisfy { UInt8(truncatingIfNeeded: $0) == $1 })
      let head = try #require(sink.head)
      #expect(head.name == "a b.png" && head.mediaType == "image/png" && head.size == Int64(size))
      #expect(head.validator == "\"v1\"" && head.modified == Timestamp(seconds: 784_111_777))
      let steps = progress.withLock { $0 }
      #expect(steps.last == Int64(size) && steps == steps.sorted())
    }
  }

  @Test func `a download asks for the bytes as they are`() async throws {
    let asked = Mutex<String?>(nil)
    try await withServer { request in
      asked.withLock { $0 = request.header("Accept-Encoding") }
      return .text(200, "x")
    } _: { server in
      _ = try await transport.download(.get(url("\(server.origin)/")), to: MemorySink())
    }
    #expect(asked.withLock { $0 } == "identity")
  }

  @Test func `a partial answer begins where it says`() async throws {
    try await withServer { request in
      guard request.header("Range") == "bytes=4-" else { return .text(400, "") }
      return ServerResponse(status: 206, headers: [("Content-Range", "bytes 4-6/7")], body: .bytes([5, 6, 7]))
    } _: { server in
      let sink = MemorySink()
      let last = Mutex<Int64>(0)
      _ = try await transport.download(.get(url("\(server.origin)/"), headers: ["Range": "bytes=4-"]), to: sink) {
        done, total in
        #expect(total == 7)
        last.withLock { $0 = done }
      }
      #expect(sink.offset == 4 && sink.bytes == [5, 6, 7] && sink.head?.size == 7)
      #expect(last.withLock { $0 } == 7)
    }
  }

  @Test func `an error's body is collected, not streamed`() async throws {
    try await withServer { _ in
      .text(404, "no such file")
    } _: { server in
      let sink = MemorySink()
      let response = try await transport.download(.get(url("\(server.origin)/")), to: sink)
      #expect(response.status == 404 && response.text == "no such file")
      #expect(sink.head == nil && sink.bytes.isEmpty)
    }
  }

  @Test func `a sink that fails ends the transfer and is named`() async throws {
    try await withServer { _ in
      Self.zeros(64 << 20)
    } _: { server in
      let error = await #expect(throws: TransportError.self) {
        _ = try await transport.download(.get(url("\(server.origin)/")), to: GatedSink(limit: 1 << 20))
      }
      #expect(error?.code == .interrupted)
      #expect(error?.cause is GatedSink.Full)
    }
  }

  @Test func `a head that is refused ends the transfer`() async throws {
    struct NotThis: Error {}
    try await withServer { _ in
      Self.zeros(64 << 20)
    } _: { server in
      let error = await #expect(throws: TransportError.self) {
        _ = try await transport.download(
          .get(url("\(server.origin)/")), to: MemorySink(), head: { _ in throw NotThis() }, progress: { _, _ in })
      }
      #expect(error?.code == .interrupted && error?.cause is NotThis)
    }
  }

  @Test func `a slow sink makes the server wait instead of filling memory`() async throws {
    let served = Mutex(0)
    let size = 64 << 20
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let gate = Mutex(false)
    final class SlowSink: ByteSink {
      let waits: @Sendable () -> Void
      init(_ waits: @escaping @Sendable () -> Void) { self.waits = waits }
      func begin(_ head: ContentHead, at offset: Int64) {}
      func write(_ bytes: UnsafeRawBufferPointer) { waits() }
    }
    try await withServer { _ in
      ServerResponse(
        status: 200,
        body: .generated(length: size) { offset, buffer in
          served.withLock { $0 = offset }
          return min(buffer.count, size - offset)
        })
    } _: { server in
      let target = url("\(server.origin)/")
      let sink = SlowSink {
        beginning.finish()
        while !gate.withLock({ $0 }) {}
      }
      let task = Task { try await transport.download(.get(target), to: sink) }
      for await _ in begun {}
      // Another transfer on the same thread is not held up meanwhile.
      try await withServer { _ in
        .text(200, "quick")
      } _: { other in
        let text = try await transport.send(.get(url("\(other.origin)/"))).text
        #expect(text == "quick")
      }
      #expect(served.withLock { $0 } < size / 2)
      gate.withLock { $0 = true }
      _ = try await task.value
      #expect(served.withLock { $0 } > size / 2)
    }
  }

  @Test(arguments: [true, false]) func `a source is sent whole`(isCounted: Bool) async throws {
    let pieces = (0..<300).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 10_000) }
    let seen = Mutex<(Int, Int, String?)>((0, 0, nil))
    try await withServer { request in
      let body = (try? request.body.bytes()) ?? []
      seen.withLock { $0 = (body.count, body.reduce(0) { $0 + Int($1) }, request.header("Content-Length")) }
      return .text(201, "")
    } _: { server in
      let sent = Mutex<Int64>(0)
      var request = HTTPRequest("PUT", url("\(server.origin)/"))
      request.body = .source(ScriptedSource(pieces, count: isCounted ? 3_000_000 : nil))
      request.onUpload = { done, total in
        #expect(total == (isCounted ? 3_000_000 : nil))
        sent.withLock { $0 = done }
      }
      let status = try await transport.send(request).status
      #expect(status == 201)
      let sum = pieces.reduce(0) { $0 + $1.reduce(0) { $0 + Int($1) } }
      #expect(seen.withLock { $0.0 } == 3_000_000 && seen.withLock { $0.1 } == sum)
      #expect(seen.withLock { $0.2 } == (isCounted ? "3000000" : nil))
      #expect(sent.withLock { $0 } >= 3_000_000)
    }
  }

  @Test func `bytes in memory beyond a megabyte are sent whole`() async throws {
    try await withServer {
      .text(200, "\($0.body.count)")
    } _: { server in
      let body = HTTPBody.bytes([UInt8](repeating: 7, count: 5_000_000))
      let text = try await transport.send(HTTPRequest("PUT", url("\(server.origin)/"), body: body)).text
      #expect(text == "5000000")
    }
  }

  @Test(arguments: [(true, 1_000_000), (false, 10_000)])
  func `a source that breaks or ends early is not taken for whole`(breaks: Bool, sent: Int) async throws {
    let handled = Mutex(0)
    try await withServer { _ in
      handled.withLock { $0 += 1 }
      return .text(201, "")
    } _: { server in
      var request = HTTPRequest("PUT", url("\(server.origin)/"))
      request.body = .source(
        ScriptedSource([[UInt8](repeating: 1, count: 10_000)], count: Int64(sent) * 2, breaks: breaks))
      let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
      #expect(error?.code == .interrupted)
      #expect((error?.cause is ScriptedSource.Broken) == breaks)
    }
    #expect(handled.withLock { $0 } == 0)
  }

  @Test func `a refusal in the middle of an upload is heard`() async throws {
    let server = try HTTPServer(maxBodyBytes: 1000) { _ in .text(200, "") }
    defer { server.stop() }
    var request = HTTPRequest("PUT", url("\(server.origin)/"))
    request.body = .source(MemorySource([UInt8](repeating: 1, count: 20 << 20)))
    let status = try await transport.send(request).status
    #expect(status == 413)
  }

  @Test func `a collected answer is bounded`() async throws {
    try await withServer { _ in
      Self.zeros(2000)
    } _: { server in
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(HTTPRequest("GET", url("\(server.origin)/"), maxBytes: 1999))
      }
      #expect(error?.code == .tooLarge)
      let whole = try await transport.send(HTTPRequest("GET", url("\(server.origin)/"), maxBytes: 2000))
      #expect(whole.body.count == 2000)
    }
  }
}
