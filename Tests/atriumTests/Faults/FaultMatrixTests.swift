import HTTPServer
import Model
import Service
import Synchronization
import TestKit
import Testing
import Wire

/// Every fault, met in every operation of every kind: it ends in few requests as what it is, and the next one works.
@Suite(.bounded) struct FaultMatrixTests {
  @Test(arguments: Operation.all) func `a broken connection is an error, and the next request works`(
    _ operation: Operation
  ) async throws {
    try await meet(WireFault.ofTheConnection, in: operation)
  }

  @Test(arguments: Operation.all) func `an answer nobody asked for is an error, and the next request works`(
    _ operation: Operation
  ) async throws {
    try await meet(WireFault.ofTheAnswer, in: operation)
  }

  @Test(arguments: Operation.all) func `a server without time or trust is an error, and the next request works`(
    _ operation: Operation
  ) async throws {
    try await meet(WireFault.ofTheService, in: operation)
  }

  @Test(arguments: Operation.all) func `a redirect carries nothing to another origin`(
    _ operation: Operation
  ) async throws {
    let elsewhere = try FaultServer(.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))
    defer { elsewhere.stop() }
    try await meet(WireFault.redirects(elsewhere: elsewhere.origin), in: operation)
    #expect(elsewhere.requests.isEmpty)
    #expect(elsewhere.connections == 0)
  }

  @Test(arguments: Operation.all.filter { $0.sort == .reads }) func `a wait that was asked for is kept`(
    _ operation: Operation
  ) async throws {
    let bench = try await Bench()
    #expect(await bench.run(operation) == nil)
    _ = bench.waits()
    let fault = try #require(WireFault.ofTheService.first { $0.testDescription == "is always too busy, for a second" })
    _ = await bench.meet(fault, in: operation)
    #expect(bench.waits().allSatisfy { $0 >= .seconds(1) })
  }

  private func meet(_ faults: [WireFault], in operation: Operation) async throws {
    let bench = try await Bench()
    #expect(await bench.run(operation) == nil)
    for fault in faults {
      let meeting = await bench.meet(fault, in: operation)
      check(meeting, fault, operation)
      if let error = await bench.run(operation) {
        Issue.record("after “\(fault.testDescription)” \(operation.testDescription) no longer works: \(error.line)")
      }
    }
  }

  private func check(_ meeting: Bench.Meeting, _ fault: WireFault, _ operation: Operation) {
    let row = "\(operation.testDescription), the server \(fault.testDescription)"
    #expect(!meeting.struck.isEmpty, "\(row): the fault struck nothing")
    // A sign-in has several steps, and each may be struck.
    let most = operation.sort == .writes && fault.reach == .operation ? 1 : fault.mostReads
    let steps = operation.sort == .signsIn ? 4 : 0
    #expect(meeting.struck.count <= most + steps, "\(row): \(meeting.struck.count) requests")
    switch (operation.end(of: fault), meeting.error) {
    case (.succeeds, nil), (.either, nil):
      break
    case (.fails(let codes), let error?), (.either(let codes), let error?):
      #expect(codes.contains(error.code), "\(row): \(error.code) \(error.line)")
      #expect(!error.reason.isEmpty && error.line.count < 800, "\(row): \(error.line)")
      #expect(!error.line.contains { $0.isNewline }, "\(row): \(error.line)")
    case (.succeeds, let error?):
      Issue.record("\(row): \(error.code) \(error.line)")
    case (.fails, nil):
      Issue.record("\(row): taken for a success")
    }
  }
}

/// Servers that cannot be reached at all, or cannot prove who they are: nothing is sent to them.
@Suite(.bounded) struct ClosedDoorTests {
  struct Certificate: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    static let all = [
      Certificate(testDescription: "expired", text: TestCertificates.expired),
      Certificate(testDescription: "of another host", text: TestCertificates.wrongHost),
      Certificate(testDescription: "vouched for by itself", text: TestCertificates.selfSigned),
    ]
  }

  @Test(arguments: Certificate.all, Operation.all)
  func `a certificate that does not hold ends everything before anything is sent`(
    _ certificate: Certificate, _ operation: Operation
  ) async throws {
    let requests = Atomic(0)
    let identity = ServerIdentity(certificate: certificate.text, key: TestCertificates.key)
    let server = try HTTPServer(identity: identity) { _ in
      requests.add(1, ordering: .relaxed)
      return .text(200, "{}")
    }
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    try directory.write(TestCertificates.authority, to: "ca.pem")
    let error = try await error(of: operation, at: "https://localhost:\(server.port)", ca: directory.file("ca.pem"))
    #expect(error?.code == .unreachable, "\(error?.line ?? "taken for a success")")
    #expect(error?.advice.contains("tls.ca") == true)
    #expect(requests.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: Operation.all) func `a refused connection is unreachable`(_ operation: Operation) async throws {
    let origin = "http://127.0.0.1:\(try FaultServer.closedPort())"
    let error = try await error(of: operation, at: origin)
    #expect(error?.code == .unreachable, "\(error?.line ?? "taken for a success")")
  }

  private func error(of operation: Operation, at origin: String, ca: String? = nil) async throws -> ServiceError? {
    let bench = try await Bench()
    let ground = try await Ground.shared.value
    var text = ground.sandbox.configuration.replacing(ground.sandbox.origin, with: origin)
    if let ca { text = text.replacing("    kind:", with: "    tls: { ca: \"\(ca)\" }\n    kind:") }
    let service = try Bench.service(text, under: "/nonexistent") { settings in
      RetryingTransport(CurlTransport(settings), clock: SystemClock(), sleep: { _ in })
    }
    do throws(ServiceError) {
      try await operation.run(service, bench)
      return nil
    } catch {
      return error
    }
  }
}
