import Model
import TestKit
import Testing

/// Something that goes wrong between a server and us, and what has to come of it.
struct WireFault: Sendable, CustomTestStringConvertible {
  /// Which requests are struck: those of the operation alone, or every one, sign-in included.
  enum Reach: Sendable { case operation, everything }

  /// How something ends that meets the fault.
  enum End: Sendable {
    /// With one of these; more than one where timing decides.
    case fails([ServiceError.Code])
    /// As if nothing had been.
    case succeeds
    /// Either: the fault is one only to somebody who reads the answer as JSON.
    case either([ServiceError.Code])
  }

  let testDescription: String
  var reach = Reach.operation
  /// Whether nothing comes for so long that only patience ends it.
  var isSilent = false
  /// Most requests that may be struck before a reading operation gives up.
  var mostReads = 1
  let spoil: FaultProxy.Spoil
  /// How an operation ends that reads its answer as JSON.
  let reads: End
  /// How a transfer of bytes ends.
  let streams: End
  /// How a request ends that takes whatever comes.
  var anything: End {
    switch (streams, reads) {
    case (.fails(let some), .fails(let others)): .fails(some + others)
    case (_, .fails(let codes)): .either(codes)
    default: reads
    }
  }
  /// How a request that changes something ends.
  let writes: End
  /// How a sign-in ends.
  let signsIn: End

  init(
    _ name: String, reads: End, streams: End? = nil, writes: End? = nil, signsIn: End? = nil,
    spoil: @escaping FaultProxy.Spoil
  ) {
    testDescription = name
    self.spoil = spoil
    self.reads = reads
    self.streams = streams ?? reads
    self.writes = writes ?? reads
    self.signsIn = signsIn ?? reads
  }

  /// The same steps for every struck request.
  init(_ name: String, _ steps: FaultServer.Step..., reads: End, streams: End? = nil, writes: End? = nil) {
    self.init(name, reads: reads, streams: streams, writes: writes) { _, _, _ in steps }
  }

  /// The same, allowed so many requests in all.
  func repeating(_ requests: Int) -> WireFault {
    var fault = self
    fault.mostReads = requests
    return fault
  }

  func silent() -> WireFault {
    var fault = self
    fault.isSilent = true
    return fault
  }

  func everywhere() -> WireFault {
    var fault = self
    fault.reach = .everything
    return fault
  }
}

extension WireFault {
  static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
  private static let broken = End.fails([.brokenOff])
  private static let unreadable = End.fails([.unreadable])
  private static let late = End.fails([.timedOut])

  /// A whole answer with its length.
  static func answer(
    _ status: String, _ body: String, headers: String = "", type: String = "application/json"
  ) -> FaultServer.Step {
    .send(
      "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// Faults of the connection: what arrives is no whole answer.
  static let ofTheConnection: [WireFault] = [
    WireFault("closes without an answer", .close, reads: broken).repeating(6),
    WireFault("resets without an answer", .reset, reads: broken).repeating(6),
    WireFault("says nothing", .silence, reads: late).silent(),
    WireFault("goes silent in the head", .send(head), .silence, reads: late).silent(),
    WireFault("goes silent in the body", .send("\(head)Content-Length: 10\r\n\r\n{"), .silence, reads: late).silent(),
    WireFault("cuts the head", .send(head), .close, reads: unreadable),
    WireFault("cuts the body", .send("\(head)Content-Length: 10\r\n\r\n{\"a\""), .close, reads: broken).repeating(3),
    WireFault("resets in the body", .send("\(head)Content-Length: 10\r\n\r\n{\"a\""), .reset, reads: broken)
      .repeating(3),
    WireFault("cuts a chunked body", .send("\(head)Transfer-Encoding: chunked\r\n\r\n5\r\nab"), .close, reads: broken)
      .repeating(3),
    WireFault(
      "sends bad chunks", .send("\(head)Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n"), .close, reads: unreadable),
    WireFault("is no HTTP server", .send("220 mail.example ESMTP\r\n"), .close, reads: unreadable).repeating(2),
    WireFault("speaks binary", .send([0x16, 3, 1, 0, 0xFF, 0, 0, 1]), .close, reads: unreadable).repeating(2),
    WireFault("announces what is no number", .send("\(head)Content-Length: many\r\n\r\n{}"), .close, reads: unreadable),
    WireFault(
      "announces more than it sends", reads: broken,
      spoil: { _, _, relay in [.send(resized(relay(), by: 1000)), .close] }
    ).repeating(3),
    WireFault(
      "announces less than it sends", reads: unreadable, streams: .succeeds, writes: .either([.unreadable]),
      spoil: { _, _, relay in [.send(resized(relay(), by: -10)), .close] }),
    WireFault(
      "sends interim answers only", .send("HTTP/1.1 100 Continue\r\n\r\n"), .close, reads: broken
    ).repeating(6),
    WireFault(
      "lets a kept connection die", reads: .succeeds,
      spoil: { _, request, relay in request.ordinal > 0 ? [.close] : [.send(relay())] }
    ).repeating(24).everywhere(),
    WireFault("sends byte by byte", reads: .succeeds, spoil: { _, _, relay in [.trickle(relay())] }).repeating(6),
  ]

  /// Faults of the answer: it is HTTP, and more, or other, than anybody asked for.
  static let ofTheAnswer: [WireFault] = [
    WireFault(
      "announces too much", .send("\(head)Content-Length: 99999999999\r\n\r\n{"), .close,
      reads: .fails([.tooLarge]), streams: .fails([.brokenOff]), writes: .fails([.tooLarge, .brokenOff])
    ).repeating(3),
    WireFault(
      "sends 300 MB", .send("\(head)Transfer-Encoding: chunked\r\n\r\n"),
      .flood(Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8), times: 4_800),
      .send("0\r\n\r\n"), reads: .fails([.tooLarge]), streams: .succeeds,
      writes: .either([.tooLarge, .unreadable])),
    WireFault(
      "sends a gzip bomb", .send(Array("\(head)Content-Encoding: gzip\r\n\r\n".utf8) + GzipBomb.zeros), .close,
      reads: .fails([.tooLarge]), streams: .succeeds, writes: .either([.tooLarge, .unreadable])),
    WireFault(
      "calls plain text compressed",
      .send("\(head)Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain"), reads: unreadable,
      streams: .succeeds, writes: .either([.unreadable])),
    WireFault(
      "sends a header of 1 MB", .send("\(head)X: \(String(repeating: "x", count: 1 << 20))\r\n\r\n"), .close,
      reads: .fails([.tooLarge])),
    WireFault(
      "sends 1 MB of headers",
      .send(head + (0..<20_000).map { "X-Field-\($0): \(String(repeating: "x", count: 40))\r\n" }.joined()), .close,
      reads: .fails([.tooLarge])),
    WireFault(
      "nests 100,000 deep", answer("200 OK", String(repeating: "[", count: 100_000)),
      reads: .fails([.tooLarge, .unreadable]), streams: .succeeds,
      writes: .either([.tooLarge, .unreadable])),
    WireFault(
      "closes what it never opened", answer("200 OK", "{\"a\":1}}"), reads: unreadable, streams: .succeeds,
      writes: .either([.unreadable])),
    WireFault(
      "sends invalid JSON", answer("200 OK", "{\"list\": [1, 2"), reads: unreadable, streams: .succeeds,
      writes: .either([.unreadable])),
    WireFault(
      "sends nothing with 200", answer("200 OK", ""), reads: unreadable, streams: .succeeds,
      writes: .either([.unreadable])),
    WireFault(
      "sends a number where a list belongs", answer("200 OK", "42"), reads: unreadable, streams: .succeeds,
      writes: .either([.unreadable])),
    WireFault(
      "sends bad UTF-8",
      .send(Array("\(head)Content-Length: 9\r\n\r\n".utf8) + Array("{\"a\":\"".utf8) + [0xC3, 0x28, 0x22]),
      reads: unreadable, streams: .succeeds, writes: .either([.unreadable])),
    WireFault(
      "sends HTML with 200", answer("200 OK", "<html><body>Sign in here</body></html>", type: "text/html"),
      reads: unreadable, streams: .either([.unreadable]), writes: .either([.unreadable])),
  ]

  /// An answer whose `Content-Length` is off by so much.
  private static func resized(_ answer: [UInt8], by bytes: Int) -> [UInt8] {
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return answer }
    let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
    let body = answer[end.upperBound...]
    let kept = lines.filter { line in
      !["content-length:", "transfer-encoding:"].contains { line.lowercased().hasPrefix($0) }
    }
    let head = kept + ["Content-Length: \(max(0, body.count + bytes))"]
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}

extension WireFault {
  /// Faults of a server that sends somewhere else; `elsewhere` is another origin.
  static func redirects(elsewhere: String) -> [WireFault] {
    let target = elsewhere.dropFirst("http://".count)
    func to(_ name: String, _ location: String) -> WireFault {
      WireFault(
        "redirects to \(name)", answer("302 Found", "", headers: "Location: \(location)\r\n"),
        reads: .fails([.redirected]))
    }
    return [
      to("another origin", "\(elsewhere)/stolen"), to("another origin of the same scheme", "//\(target)/stolen"),
      to("another scheme", "https://\(target)/stolen"), to("a file", "file:///etc/passwd"),
      to("another user", "http://me:pw@\(target)/"), to("what is no address", "http://[::1"),
      WireFault(
        "redirects in a circle", reads: .fails([.redirected]),
        spoil: { number, request, _ in
          let target = request.target.split(separator: "&round=")[0]
          return [answer("302 Found", "", headers: "Location: \(target)&round=\(number)\r\n")]
        }
      ).repeating(12),
    ]
  }

  /// Faults of a server that has no time, or does not know us; the retrying transport's clock stands at 09:15.
  static let ofTheService: [WireFault] = [
    WireFault("refuses everybody", answer("401 Unauthorized", "{}"), reads: .fails([.signInRefused, .signInNeeded]))
      .repeating(16).everywhere(),
    WireFault(
      "refuses everybody and names a challenge",
      answer("401 Unauthorized", "{}", headers: "WWW-Authenticate: Basic realm=\"x\"\r\n"),
      reads: .fails([.signInRefused, .signInNeeded])
    ).repeating(16).everywhere(),
    WireFault("forbids everything", answer("403 Forbidden", "{}"), reads: .fails([.forbidden, .signInRefused]))
      .repeating(6),
    WireFault(
      "is always too busy, for a second", answer("429 Too Many Requests", "{}", headers: "Retry-After: 1\r\n"),
      reads: .fails([.busy])
    ).repeating(9),
    WireFault(
      "is too busy for ten minutes", answer("429 Too Many Requests", "{}", headers: "Retry-After: 600\r\n"),
      reads: .fails([.busy])
    ),
    WireFault(
      "is too busy until 09:25",
      answer("503 Service Unavailable", "{}", headers: "Retry-After: Mon, 30 Nov 2026 09:25:00 GMT\r\n"),
      reads: .fails([.busy]), streams: .fails([.busy, .serverFault]),
      writes: .fails([.busy, .serverFault])
    ),
    WireFault(
      "is down for a second", answer("503 Service Unavailable", "{}", headers: "Retry-After: 1\r\n"),
      reads: .fails([.busy, .serverFault])
    ).repeating(9),
    WireFault("is down", answer("503 Service Unavailable", "{}"), reads: .fails([.busy, .serverFault])).repeating(9),
    WireFault("has an error of its own", answer("500 Internal Server Error", "{}"), reads: .fails([.serverFault]))
      .repeating(6),
    WireFault(
      "is a gateway to nothing", answer("502 Bad Gateway", "<html>502</html>", type: "text/html"),
      reads: .fails([.serverFault])
    ).repeating(9),
    WireFault(
      "flaps", reads: .succeeds, writes: .fails([.busy, .serverFault]), signsIn: .either([.serverFault]),
      spoil: { number, _, relay in
        number.isMultiple(of: 2) ? [answer("503 Service Unavailable", "{}")] : [.send(relay())]
      }
    ).repeating(12),
  ]
}
