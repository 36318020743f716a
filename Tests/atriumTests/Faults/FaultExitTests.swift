import Model
import TestKit
import Testing

/// The real program before servers that do one thing only, and that a wrong one: its exit status and its one line.
@Suite(.bounded) struct FaultExitTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [FaultServer.Step]
    /// For reading and for signing in.
    let statuses: Set<Int32>
    init(_ name: String, _ steps: FaultServer.Step..., ends statuses: Int32...) {
      testDescription = name
      self.steps = steps
      self.statuses = Set(statuses)
    }
  }

  private static let head = WireFault.head

  static let cases = [
    Case("resets", .reset, ends: 5),
    Case("is silent", .silence, ends: 5),
    Case("cuts the body", .send("\(head)Content-Length: 10\r\n\r\n{"), .close, ends: 5),
    Case("is no HTTP server", .send("220 mail.example ESMTP\r\n"), .close, ends: 5),
    Case("sends a web page", WireFault.answer("200 OK", "<html></html>", type: "text/html"), ends: 5),
    Case("nests 100,000 deep", WireFault.answer("200 OK", String(repeating: "[", count: 100_000)), ends: 5),
    Case(
      "sends 300 MB", .send("\(head)Transfer-Encoding: chunked\r\n\r\n"),
      .flood(Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8), times: 4_800),
      ends: 5),
    Case(
      "sends a gzip bomb", .send(Array("\(head)Content-Encoding: gzip\r\n\r\n".utf8) + GzipBomb.zeros), .close, ends: 5),
    Case("refuses everybody", WireFault.answer("401 Unauthorized", "{}"), ends: 3),
    Case("forbids everything", WireFault.answer("403 Forbidden", "{}"), ends: 1, 3),
    Case("has nothing", WireFault.answer("404 Not Found", "{}"), ends: 4, 1, 3),
    Case("is down", WireFault.answer("500 Internal Server Error", "{}"), ends: 5),
    Case(
      "is too busy", WireFault.answer("429 Too Many Requests", "{}", headers: "Retry-After: 600\r\n"), ends: 5),
    Case("points elsewhere", WireFault.answer("302 Found", "", headers: "Location: http://127.0.0.2/\r\n"), ends: 1, 5),
  ]

  static let commands = [
    ["ls", "bank:/accounts"], ["ls", "docs:/files"], ["ls", "mobile:/storage"], ["login", "mfp"],
    ["ls", "field:/live/Customers"],
  ]

  @Test(arguments: cases) func `a fault ends with its status and one line, in bounded memory`(_ c: Case) async throws {
    let server = try FaultServer { [steps = c.steps] _ in steps }
    defer { server.stop() }
    let ground = try await Ground.shared.value
    let directory = try TemporaryDirectory()
    try directory.write(
      ground.sandbox.configuration.replacing(ground.sandbox.origin, with: server.origin)
        .replacing("    kind:", with: "    timeout: 1\n    kind:"), to: "config.yaml")
    for words in Self.commands {
      let before = server.requests.count
      // What it may allocate, answers of 64 MB and their copies included.
      let run = try await ProcessRun.of(
        "/usr/bin/prlimit", ["--data=600000000", Journey.program] + words,
        environment: ["HOME": directory.path, "ATRIUM_CONFIG": directory.file("config.yaml")])
      #expect(c.statuses.contains(run.status), "\(words): \(run.status) \(run.errors)")
      #expect(run.errors.hasPrefix("atrium: could not ") && run.errors.hasSuffix(")\n"), "\(words): \(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1 && run.errors.count < 700, "\(words): \(run.errors)")
      #expect(run.output.isEmpty)
      #expect(server.requests.count - before <= 8, "\(words): \(server.requests.count - before) requests")
    }
  }
}
