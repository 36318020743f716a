import Model
import TestKit
import Testing

@testable import Service

@Suite(.bounded) @MainActor struct JobTests {
  private let report = Location(connection: "bank", path: ["report"])

  /// Sends `text` from the offset asked for, in two pieces with a turnstile between them.
  private func backend(_ text: String, between: Turnstile? = nil) -> StubBackend {
    StubBackend { script in
      script.item = { location throws(ServiceError) in
        let content = ContentHead(name: "../report.txt", mediaType: "text/plain")
        return Item(location, title: "Report", sections: [], content: content)
      }
      script.download = { _, request, sink throws(ServiceError) in
        let bytes = Array(text.utf8)
        let start = request.validator == "v1" ? Int(request.offset) : 0
        let middle = max(start, bytes.count / 2)
        let head = ContentHead(
          name: "report.txt", mediaType: "text/plain", size: Int64(bytes.count), validator: "v1")
        do {
          try sink.begin(head, at: Int64(start))
          try bytes[start..<middle].withUnsafeBytes { try sink.write($0) }
          if start < middle { await between?.pass() }
          if Task.isCancelled { throw ServiceError.cancelled("download") }
          try bytes[middle...].withUnsafeBytes { try sink.write($0) }
        } catch {
          throw error as? ServiceError ?? ServiceError(.failed, "download", cause: error)
        }
        return head
      }
    }
  }

  @Test func `a download lands under a safe name and never over another file`() async throws {
    let harness = try Harness(backend("0123456789"))
    try harness.directory.write("mine", to: "report.txt")
    let id = harness.service.startDownload(report, into: harness.directory.path, title: "Report")
    let job = try #require(await harness.service.jobs.end(of: id))
    guard case .done(.file(let path)) = job.state else { return #expect(Bool(false), "\(job)") }
    #expect(path == harness.directory.file("report (2).txt"))
    #expect(harness.directory.text("report.txt") == "mine")
    #expect(harness.directory.text("report (2).txt") == "0123456789")
    #expect(job.title == "report (2).txt")
  }

  @Test func `a paused download keeps what it has and goes on from there`() async throws {
    let between = Turnstile()
    let stub = backend("0123456789", between: between)
    let harness = try Harness(stub)
    let jobs = harness.service.jobs
    let (states, note) = AsyncStream<Job>.makeStream()
    jobs.onChange = { note.yield($0) }
    let id = harness.service.startDownload(report, into: harness.directory.path, title: "Report")
    await between.arrivals(1)
    jobs.pause(id)
    between.open()
    for await job in states { if case .paused = job.state { break } }
    #expect(harness.directory.text("report.txt.part") == "01234")
    #expect(!harness.directory.exists("report.txt"))
    jobs.resume(id)
    _ = await jobs.end(of: id)
    #expect(harness.directory.text("report.txt") == "0123456789")
    #expect(stub.calls.last == "download bank:/report from 5")
  }

  @Test func `a cancelled job is over, and its part stays`() async throws {
    let between = Turnstile()
    let harness = try Harness(backend("0123456789", between: between))
    let id = harness.service.startDownload(report, into: harness.directory.path, title: "Report")
    await between.arrivals(1)
    harness.service.jobs.cancel(id)
    between.open()
    let job = try #require(await harness.service.jobs.end(of: id))
    guard case .cancelled = job.state else { return #expect(Bool(false), "\(job)") }
    #expect(harness.directory.exists("report.txt.part"))
    #expect(harness.service.jobs.activeCount == 0)
    harness.service.jobs.forgetFinished()
    #expect(harness.service.jobs.jobs.isEmpty)
  }

  @Test func `jobs beyond the limit wait their turn`() async throws {
    let jobs = JobCenter(maxRunning: 1)
    let turnstile = Turnstile()
    let first = jobs.add(.loading, "a", banks) { _ throws(ServiceError) in
      await turnstile.pass()
      return .rows(1)
    }
    let second = jobs.add(.loading, "b", banks) { _ throws(ServiceError) in .rows(2) }
    guard case .waiting = jobs.job(second)?.state else { return #expect(Bool(false)) }
    turnstile.open()
    _ = await jobs.end(of: first)
    guard case .done(.rows(2)) = await jobs.end(of: second)?.state else { return #expect(Bool(false)) }
  }

  @Test func `an export is whole or not there`() async throws {
    let harness = try Harness(StubBackend { $0.list = StubBackend.numbers(250) })
    let path = harness.directory.file("rows.csv")
    let id = harness.service.startExport(banks, ListQuery(), as: .csv, toFile: path, title: "Banks")
    _ = await harness.service.jobs.end(of: id)
    let lines = harness.directory.text("rows.csv")?.split(separator: "\r\n") ?? []
    #expect(lines.count == 251)
    #expect(lines.first == "id,name")
    #expect(lines.last == "249,row 2")

    let stub = StubBackend { script in
      script.list = { location, query throws(ServiceError) in
        if query.cursor != nil { throw ServiceError(.serverFault, "list") }
        return try await StubBackend.numbers(250)(location, query)
      }
    }
    let broken = try Harness(stub)
    let failed = broken.service.startExport(
      banks, ListQuery(), as: .csv, toFile: broken.directory.file("rows.csv"), title: "Banks")
    _ = await broken.service.jobs.end(of: failed)
    #expect(!broken.directory.names.contains { $0.hasPrefix("rows") })
  }

  @Test func `a failed job can be tried again`() async throws {
    let jobs = JobCenter()
    let tries = Turnstile()
    tries.open()
    let id = jobs.add(.upload, "a", banks) { _ throws(ServiceError) in
      await tries.pass()
      if tries.arrived == 1 { throw ServiceError(.unreachable, "upload") }
      return .location(banks)
    }
    guard case .failed = await jobs.end(of: id)?.state else { return #expect(Bool(false)) }
    jobs.retry(id)
    guard case .done = await jobs.end(of: id)?.state else { return #expect(Bool(false)) }
  }
}

@Suite struct RateMeterTests {
  @Test func `the rate is that of the last seconds`() {
    var meter = RateMeter()
    let start = ContinuousClock.now
    meter.note(0, at: start)
    #expect(meter.rate == nil)
    for second in 1...20 { meter.note(Int64(second) * 1000, at: start.advanced(by: .seconds(second))) }
    #expect(meter.rate == 1000)
    #expect(meter.timeLeft(to: 30_000) == .seconds(10))
    for second in 21...30 {
      meter.note(20_000 + Int64(second - 20) * 3000, at: start.advanced(by: .seconds(second)))
    }
    #expect(meter.rate == 3000)
  }

  @Test func `what began again has no negative rate`() {
    var meter = RateMeter()
    let start = ContinuousClock.now
    meter.note(5000, at: start)
    meter.note(0, at: start.advanced(by: .seconds(1)))
    #expect(meter.rate == nil)
  }
}
