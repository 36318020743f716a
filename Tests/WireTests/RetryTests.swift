import FoundationEssentials
import Model
import Synchronization
import TestKit
import Testing
import Wire

struct FixedClock: WallClock {
  var time = Timestamp(seconds: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT
  func now() -> Timestamp { time }
}

@Suite struct RetryTests {
  /// Remembers how long it was asked to wait, and waits no time.
  private final class Waits: Sendable {
    let all = Mutex<[Duration]>([])
    var durations: [Duration] { all.withLock { $0 } }
    func transport(_ inner: any Transport) -> RetryingTransport {
      RetryingTransport(
        inner, clock: FixedClock(), random: { 0 }, sleep: { [self] wait in all.withLock { $0.append(wait) } })
    }
  }

  private let target = url("https://bank.example/x")

  @Test(arguments: [429, 502, 503, 504]) func `a read is repeated twice at most`(status: Int) async throws {
    let stub = StubTransport().on("GET", "/x", status: status, body: "busy")
    let waits = Waits()
    let response = try await waits.transport(stub).send(.get(target))
    #expect(response.status == status && response.text == "busy")
    #expect(stub.requests.count == 3)
    #expect(waits.durations == [.milliseconds(400), .milliseconds(800)])
  }

  @Test(arguments: [TransportError.Code.unreachable, .brokenOff])
  func `a connection that fails is tried again`(code: TransportError.Code) async throws {
    let stub = StubTransport().on("GET", "/x", fails: code).on("GET", "/x", body: "ok")
    let response = try await Waits().transport(stub).send(.get(target))
    #expect(response.text == "ok" && stub.requests.count == 2)
    // Others that are kept may have died with the one that was tried.
    #expect(stub.requests.map(\.request.freshConnection) == [false, true])
  }

  @Test(arguments: [TransportError.Code.timedOut, .tls, .tooLarge, .unreadable, .insecure, .cancelled, .badRequest])
  func `what a repeat cannot mend is not repeated`(code: TransportError.Code) async {
    let stub = StubTransport().on("GET", "/x", fails: code)
    let error = await #expect(throws: TransportError.self) { try await Waits().transport(stub).send(.get(target)) }
    #expect(error?.code == code && stub.requests.count == 1)
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"], [429, 503])
  func `a write is never repeated`(method: String, status: Int) async throws {
    let stub = StubTransport().on(method, "/x", status: status, headers: ["Retry-After": "1"])
    var request = HTTPRequest(method, target)
    request.isIdempotent = true
    let response = try await Waits().transport(stub).send(request)
    #expect(response.status == status && stub.requests.count == 1)
  }

  @Test func `a write on a broken connection is never repeated`() async {
    let stub = StubTransport().on("POST", "/x", fails: .brokenOff)
    await #expect(throws: TransportError.self) { try await Waits().transport(stub).send(HTTPRequest("POST", target)) }
    #expect(stub.requests.count == 1)
  }

  @Test(arguments: [400, 401, 403, 404, 500, 501]) func `other statuses are answers`(status: Int) async throws {
    let stub = StubTransport().on("GET", "/x", status: status)
    let response = try await Waits().transport(stub).send(.get(target))
    #expect(response.status == status && stub.requests.count == 1)
  }

  @Test(arguments: [
    ("7", 7), ("30", 30), ("Sun, 06 Nov 1994 08:49:49 GMT", 12), ("Sunday, 06-Nov-94 08:49:49 GMT", 12),
    ("Sun Nov  6 08:49:49 1994", 12), (" 5 ", 5),
  ])
  func `Retry-After is obeyed in both forms`(header: String, seconds: Int) async throws {
    let stub = StubTransport().on("GET", "/x", status: 503, headers: ["Retry-After": header]).on(
      "GET", "/x", body: "ok")
    let waits = Waits()
    let response = try await waits.transport(stub).send(.get(target))
    #expect(response.text == "ok")
    #expect(waits.durations == [.seconds(seconds)])
  }

  @Test(arguments: ["0", "Sun, 06 Nov 1994 08:00:00 GMT", "soon", "-5", ""])
  func `a Retry-After that is over or no time leaves our own wait`(header: String) async throws {
    let stub = StubTransport().on("GET", "/x", status: 429, headers: ["Retry-After": header]).on(
      "GET", "/x", body: "ok")
    let waits = Waits()
    _ = try await waits.transport(stub).send(.get(target))
    #expect(waits.durations == [.milliseconds(400)])
  }

  @Test(arguments: [
    ("31", 31), ("86400", 86_400), ("99999999999999999999", Int.max), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
  ])
  func `a longer wait is reported at once`(header: String, seconds: Int) async {
    let stub = StubTransport().on("GET", "/x", status: 503, headers: ["Retry-After": header])
    let waits = Waits()
    let error = await #expect(throws: TransportError.self) { try await waits.transport(stub).send(.get(target)) }
    #expect(error?.code == .busy(retryAfter: seconds))
    #expect(error?.serviceError("list").code == .busy)
    #expect(stub.requests.count == 1 && waits.durations.isEmpty)
  }

  @Test func `a used-up allowance is waited for where it says when it begins anew, within reason`() async throws {
    let stub = StubTransport().on("GET", "/x", status: 429, headers: ["X-Rate-Limit-Reset": "9"]).on(
      "GET", "/x", body: "ok")
    let waits = Waits()
    #expect(try await waits.transport(stub).send(.get(target)).text == "ok")
    #expect(waits.durations == [.seconds(9)])
    let long = StubTransport().on("GET", "/x", status: 429, headers: ["X-Rate-Limit-Reset": "55"])
    let answer = try await Waits().transport(long).send(.get(target))
    #expect(answer.status == 429 && long.requests.count == 1)
    let unset = StubTransport().on("GET", "/x", status: 429, headers: ["X-Rate-Limit-Reset": "-1"])
    _ = try await Waits().transport(unset).send(.get(target))
    #expect(unset.requests.count == 3)
  }

  @Test func `a long wait keeps the status, and is reported for a write, too`() async {
    for method in ["GET", "POST"] {
      let stub = StubTransport().on(method, "/x", status: 429, headers: ["Retry-After": "600"])
      let error = await #expect(throws: TransportError.self) {
        try await Waits().transport(stub).send(HTTPRequest(method, target))
      }
      #expect(error?.code == .busy(retryAfter: 600))
      #expect(error?.serviceError("list").status == 429)
    }
  }

  @Test func `a caller that wants every body gets that of a busy server`() async throws {
    let stub = StubTransport().on("GET", "/x", status: 429, headers: ["Retry-After": "600"], body: "later")
    let sink = MemorySink()
    let response = try await Waits().transport(stub).download(
      .get(target), to: sink, head: { $0.contentHead }, progress: { _, _ in })
    #expect(response.status == 429 && sink.text == "later" && stub.requests.count == 1)
  }

  @Test func `jitter shortens the wait by up to half`() async throws {
    let stub = StubTransport().on("GET", "/x", status: 503)
    let waits = Mutex<[Duration]>([])
    let transport = RetryingTransport(
      stub, clock: FixedClock(), random: { 1 }, sleep: { wait in waits.withLock { $0.append(wait) } })
    _ = try await transport.send(.get(target))
    #expect(waits.withLock { $0 } == [.milliseconds(200), .milliseconds(400)])
  }

  @Test func `cancelling ends the wait`() async {
    let stub = StubTransport().on("GET", "/x", status: 503)
    let transport = RetryingTransport(stub, clock: FixedClock(), sleep: { _ in throw CancellationError() })
    let error = await #expect(throws: TransportError.self) { try await transport.send(.get(target)) }
    #expect(error?.code == .cancelled && stub.requests.count == 1)
  }

  @Test func `a download is repeated only while the sink has seen nothing`() async throws {
    let stub = StubTransport().on("GET", "/x", status: 503, body: "busy").on("GET", "/x", body: "content")
    let sink = MemorySink()
    let response = try await Waits().transport(stub).download(
      .get(target), to: sink, head: { $0.contentHead }, progress: { _, _ in })
    #expect(response.status == 200 && sink.text == "content" && stub.requests.count == 2)
  }

  @Test func `a download that broke off after its first byte is the caller's to resume`() async throws {
    final class Holder: Sendable { let inner = Mutex(0) }
    let counter = Holder()
    struct Counting: Transport {
      let holder: Holder
      func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.brokenOff, "")
      }
      func download(
        _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
      ) async throws(TransportError) -> HTTPResponse {
        holder.inner.withLock { $0 += 1 }
        _ = try? head(HTTPResponse(status: 200, url: request.url))
        throw TransportError(.brokenOff, "")
      }
    }
    let error = await #expect(throws: TransportError.self) {
      _ = try await Waits().transport(Counting(holder: counter)).download(.get(target), to: MemorySink())
    }
    #expect(error?.code == .brokenOff && counter.inner.withLock { $0 } == 1)
  }
}
