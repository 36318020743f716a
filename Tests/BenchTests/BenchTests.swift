import TestKit
import Testing

/// A bench that nobody runs breaks unseen: here it runs on little data, and no figure of it counts.
@Suite struct BenchTests {
  @Test(
    .bounded,
    arguments: [
      ("decode", ["decode.rows us", "decode.parse us", "decode.JSONDecoder us", "decode.simdjson us"]),
      ("lists", ["list.1000.memory B/row", "list.1000.filter ms", "list.1000.sortText ms", "list.1000.jump ms"]),
      ("store", ["store.scrypt us", "store.firstRow us", "store.search us", "store.sorted us"]),
    ]) func `every part of the bench measures what it says`(part: String, figures: [String]) async throws
  {
    let run = try await ProcessRun.of(
      BuiltProgram.path("atrium-bench"), [part, "--quick"], environment: [:], seconds: 50)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    for figure in figures {
      let line = try #require(lines.first { $0.first == figure }, "\(figure) is missing")
      #expect(line.count > 1)
      #expect(line.dropFirst().allSatisfy { Double($0) != nil })
    }
  }
}
