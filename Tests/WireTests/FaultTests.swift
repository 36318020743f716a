import FoundationEssentials
import HTTPServer
import Model
import Synchronization
import TestKit
import Testing
import Wire

/// A fault of a server and what the transport makes of it.
struct Fault: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let onConnect: [FaultServer.Step]
  let steps: [FaultServer.Step]
  /// More than one where timing decides how the client sees it.
  let codes: [TransportError.Code]

  init(
    _ name: String, onConnect: [FaultServer.Step] = [], _ steps: [FaultServer.Step] = [],
    is codes: TransportError.Code...
  ) {
    testDescription = name
    self.onConnect = onConnect
    self.steps = steps
    self.codes = codes
  }

  /// A stream is neither bounded nor decompressed, so some faults are none to it.
  var concernsStreams: Bool {
    !["announces too much", "sends a gzip bomb", "calls plain text compressed"].contains(testDescription)
  }

  static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

  static let all: [Fault] = [
    Fault("closes at once", onConnect: [.close], is: .brokenOff),
    Fault("resets at once", onConnect: [.reset], is: .brokenOff, .unreachable),
    Fault("closes without an answer", [.close], is: .brokenOff),
    Fault("resets without an answer", [.reset], is: .brokenOff),
    Fault("says nothing", [.silence], is: .timedOut),
    Fault("goes silent in the head", [.send(head), .silence], is: .timedOut),
    Fault("goes silent in the body", [.send("\(head)Content-Length: 10\r\n\r\n{"), .silence], is: .timedOut),
    Fault("cuts the head", [.send(head), .close], is: .unreadable),
    Fault("cuts the body", [.send("\(head)Content-Length: 10\r\n\r\n{\"a\""), .close], is: .brokenOff),
    Fault("resets in the body", [.send("\(head)Content-Length: 10\r\n\r\n{\"a\""), .reset], is: .brokenOff),
    Fault("cuts a chunked body", [.send("\(head)Transfer-Encoding: chunked\r\n\r\n5\r\nab"), .close], is: .brokenOff),
    Fault(
      "sends bad chunks", [.send("\(head)Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n"), .close], is: .unreadable),
    Fault("is no HTTP server", [.send("220 mail.example ESMTP\r\n"), .close], is: .unreadable),
    Fault("speaks binary", [.send([0x16, 3, 1, 0, 0xFF, 0, 0, 1]), .close], is: .unreadable),
    Fault("announces what is no number", [.send("\(head)Content-Length: many\r\n\r\n{}"), .close], is: .unreadable),
    Fault("announces too much", [.send("\(head)Content-Length: 99999999999\r\n\r\n{"), .silence], is: .tooLarge),
    Fault(
      "sends a header of 1 MB", [.send("\(head)X: \(String(repeating: "x", count: 1 << 20))\r\n\r\n"), .close],
      is: .tooLarge),
    Fault(
      "sends 1 MB of headers",
      [.send(head + (0..<20_000).map { "X-Field-\($0): \(String(repeating: "x", count: 40))\r\n" }.joined()), .close],
      is: .tooLarge),
    Fault(
      "calls plain text compressed",
      [.send("\(head)Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain"), .close],
      is: .unreadable),
    Fault(
      "sends a gzip bomb",
      [.send(Array("\(head)Content-Encoding: gzip\r\n\r\n".utf8) + GzipBomb.zeros), .close],
      is: .tooLarge),
    Fault("sends interim answers only", [.send("HTTP/1.1 100 Continue\r\n\r\n"), .close], is: .brokenOff),
  ]
}

@Suite(.bounded) struct FaultTests {
  private let transport: CurlTransport

  init() {
    var settings = TransportSettings()
    settings.timeout = .milliseconds(300)
    transport = CurlTransport(settings)
  }

  @Test(arguments: Fault.all) func `a fault ends as what it is`(_ fault: Fault) async throws {
    try await withFaults(onConnect: fault.onConnect, { _ in fault.steps }) { server in
      let error = await #expect(throws: TransportError.self) {
        try await transport.send(.get(url("\(server.origin)/")))
      }
      #expect(fault.codes.contains { $0 == error?.code }, "\(error?.code) \(error?.detail ?? "")")
      #expect(error?.detail.isEmpty == false)
    }
  }

  @Test(arguments: Fault.all.filter(\.concernsStreams)) func `a fault ends a download without a whole file`(
    _ fault: Fault
  ) async throws {
    try await withFaults(onConnect: fault.onConnect, { _ in fault.steps }) { server in
      let sink = GatedSink()
      let error = await #expect(throws: TransportError.self) {
        _ = try await transport.download(.get(url("\(server.origin)/")), to: sink)
      }
      #expect(fault.codes.contains { $0 == error?.code }, "\(error?.code) \(error?.detail ?? "")")
    }
  }

  @Test func `nobody there is unreachable`() async throws {
    let port = try FaultServer.closedPort()
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(.get(url("http://127.0.0.1:\(port)/")))
    }
    #expect(error?.code == .unreachable)
  }

  @Test func `an unknown host is unreachable`() async throws {
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(.get(url("https://no-such-host.invalid/")))
    }
    #expect(error?.code == .unreachable || error?.code == .timedOut)
  }

  @Test func `byte by byte is slow but whole`() async throws {
    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n\(String(repeating: "z", count: 300))".utf8)
    try await withFaults({ _ in [.trickle(answer), .close] }) { server in
      let count = try await transport.send(.get(url("\(server.origin)/"))).body.count
      #expect(count == 300)
    }
  }

  @Test func `HTML with 200 is an answer, not an error`() async throws {
    try await withFaults({ _ in
      [.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")]
    }) { server in
      let mediaType = try await transport.send(.get(url("\(server.origin)/"))).headers.mediaType
      #expect(mediaType == "text/html")
    }
  }

  @Test func `invalid UTF-8 in headers and body is repaired, not lost`() async throws {
    try await withFaults({ _ in
      [
        .send(
          Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xFF, 0x0D, 0x0A] + Array("Content-Length: 1\r\n\r\n".utf8) + [0xFE])
      ]
    }) { server in
      let response = try await transport.send(.get(url("\(server.origin)/")))
      #expect(response.headers["X"] == "\u{FFFD}")
      #expect(response.body == [0xFE])
    }
  }

  @Test func `a stale kept connection costs a read nothing`() async throws {
    try await withFaults({ request in
      request.connection == 0 && request.target == "/second"
        ? [.close] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
    }) { server in
      _ = try await transport.send(.get(url("\(server.origin)/first")))
      let text = try await transport.send(.get(url("\(server.origin)/second"))).text
      #expect(text == "ok")
    }
  }

  @Test func `the transport is usable after every fault`() async throws {
    for fault in Fault.all where fault.codes != [.timedOut] {
      try await withFaults(onConnect: fault.onConnect, { _ in fault.steps }) { server in
        _ = try? await transport.send(.get(url("\(server.origin)/")))
      }
    }
    try await withServer { _ in
      .text(200, "fine")
    } _: { server in
      let text = try await transport.send(.get(url("\(server.origin)/"))).text
      #expect(text == "fine")
    }
  }
}
