import Glibc
import Model
import TestKit
import Testing

/// A restless person at the keyboard: after long use the program holds no more than after short use.
///
/// `ATRIUM_SOAK_MINUTES` asks for more than the few seconds of a quick run.
@Suite(.serialized, .timeLimit(.minutes(300))) struct SoakTests {
  private static let places = [
    "bank:/banks", "bank:/accounts", "docs:/files", "docs:/files/Shared", "docs:/sites", "docs:/people",
    "mobile:/storage", "mobile:/storage/Names", "mobile:/storage/Big", "mfp:/resources", "mfp:/checks",
    "field:/live/Customers", "field:/connection", "bank:/nowhere", "docs:/files/no such file",
  ]
  private static let keys = [
    "j", "k", "\u{1B}[6~", "\u{1B}[5~", "G", "g", "s", "S", "\r", "\u{1B}", "h", "v", "i", "x", "t", "?", "/a\r", "r",
    " ", "*", "y", "\u{1B}", "m", "[", "]", "\u{10}ref\u{1B}", "a\u{1B}", "c\u{1B}", "T\u{1B}", "\t",
  ]

  /// What the process holds: open files where they may be seen, resident kilobytes.
  private struct Held {
    let files: Int?
    let kilobytes: Int

    init(_ process: pid_t) {
      files = opendir("/proc/\(process)/fd").map { stream in
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
      }
      var found = 0
      if let file = fopen("/proc/\(process)/status", "r") {
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
          let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
          if text.hasPrefix("VmRSS:") { found = Int(text.filter(\.isNumber)) ?? 0 }
        }
      }
      kilobytes = found
    }
  }

  @Test func `long use takes no more memory and no more files than short use`() async throws {
    let minutes = getenv("ATRIUM_SOAK_MINUTES").flatMap { Double(String(cString: $0)) } ?? 0.1
    let directory = try TemporaryDirectory()
    let program = try TerminalProcess(
      Journey.program, ["demo"],
      environment: ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"],
      directory: directory, size: Size(columns: 110, rows: 30))
    defer { program.stop() }
    try await program.shows("a door")
    var random = SplitMix(seed: UInt64(minutes * 1000))
    let start = ContinuousClock.now
    let whole = Duration.seconds(minutes * 60)
    var early: Held?
    var journeys = 0
    while start.duration(to: .now) < whole {
      try await journey(in: program, &random)
      journeys += 1
      if early == nil, start.duration(to: .now) > whole / 3 { early = Held(program.identifier) }
    }
    let late = Held(program.identifier)
    let before = try #require(early)
    print(
      "soak: \(journeys) journeys in \(minutes) min; files \(before.files ?? -1) → \(late.files ?? -1),",
      "resident \(before.kilobytes) → \(late.kilobytes) kB")
    if let then = before.files, let now = late.files { #expect(now <= then + 24) }
    // The exchange log and the cache of answers fill up to their limits.
    #expect(late.kilobytes <= before.kilobytes * 5 / 4 + 64 << 10)
    program.type("\u{1B}\u{1B}\u{1B}\u{1B}:\u{15}quit\r")
    #expect(try await program.end() == 0)
    #expect(program.isAsFound)
  }

  /// To a place, and a dozen keys there; waits until the program has drawn the end of it.
  private func journey(in program: TerminalProcess, _ random: inout SplitMix) async throws {
    program.type("\u{1B}\u{1B}\u{1B}")
    program.type(":\u{15}\(Self.places[Int(random.next() % UInt64(Self.places.count))])\r")
    program.type("\r")
    for _ in 0..<12 { program.type(Self.keys[Int(random.next() % UInt64(Self.keys.count))]) }
    if random.next().isMultiple(of: 4) {
      program.resize(Size(columns: Int(random.next() % 150) + 30, rows: Int(random.next() % 40) + 12))
    }
    program.type("\u{1B}\u{1B}\u{1B}\u{1B}\u{1B}")
    program.type("\u{C}:\u{15}mark-\(random.next() % 100_000)")
    try await program.screen("the command line") { $0.shows("mark-") }
    program.type("\u{1B}")
    try await program.screen("the command line closed") { !$0.shows("mark-") }
  }
}
