import Glibc
import Model
import TestKit
import Testing

/// However the program ends, and whatever reaches it, the terminal is whole afterwards.
@Suite(.serialized, .bounded) struct TerminalJourneyTests {
  private func demo(
    _ size: Size = Size(columns: 80, rows: 24), environment: [String: String] = [:], showing text: String? = "a door"
  ) async throws -> TerminalProcess {
    let directory = try TemporaryDirectory()
    var variables = ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"]
    variables.merge(environment) { $1 }
    let program = try TerminalProcess(
      Journey.program, ["demo"], environment: variables, directory: directory, size: size)
    if let text { try await program.shows(text) }
    return program
  }

  private func expectRestored(_ program: TerminalProcess, _ comment: String = "") {
    let screen = program.screen
    #expect(
      screen.modes.isDisjoint(with: [1049, 1000, 1002, 1003, 1004, 1006, 2004, 2026]), "\(comment) \(screen.modes)")
    #expect(screen.isCursorVisible, "\(comment)")
    #expect(program.isAsFound, "\(comment)")
  }

  /// All that end a program by default and can be caught: 1 to 31, and the first and last real-time signal. SIGPIPE is
  /// none to this program.
  static let signals: [Int32] = [
    SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGALRM, SIGTERM,
    SIGSTKFLT, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS, 34, 64,
  ]

  @Test(arguments: signals) func `a signal that ends the program gives the terminal back`(_ number: Int32) async throws
  {
    let program = try await demo()
    defer { program.stop() }
    #expect(program.screen.isAlternate && !program.isAsFound)
    program.signal(number)
    #expect(try await program.end() == 128 + number)
    expectRestored(program)
  }

  @Test(arguments: [SIGPIPE, SIGXFSZ, SIGCHLD, SIGURG, SIGWINCH, SIGCONT])
  func `a signal that is nobody's end leaves the screen whole`(_ number: Int32) async throws {
    let program = try await demo()
    defer { program.stop() }
    program.signal(number)
    program.type("\r")
    try await program.shows("every bank of this server")
    program.type(":quit\r")
    #expect(try await program.end() == 0)
    expectRestored(program)
  }

  @Test(arguments: [
    "index", "overflow", "nil", "fatal", "precondition", "stack", "abort", "division", "thread", "",
  ]) func `a trap gives the terminal back`(_ how: String) async throws {
    let directory = try TemporaryDirectory()
    let program = try TerminalProcess(
      Journey.program.dropLast("atrium".count) + "TerminalProbe", [how],
      environment: ["HOME": directory.path, "PATH": "/usr/bin:/bin", "TERM": "xterm-256color"], directory: directory)
    defer { program.stop() }
    let status = try await program.end()
    #expect(
      how.isEmpty ? status == 0 : [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGFPE].contains(status - 128), "\(status)")
    expectRestored(program)
  }

  @Test func `a lost terminal ends the program`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.hangUp()
    #expect([0, 128 + SIGHUP].contains(try await program.end()))
  }

  @Test func `a storm of sizes and keys leaves a whole screen`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type("\r")
    try await program.shows("every bank of this server")
    var random = SplitMix(seed: 7)
    for _ in 0..<300 {
      program.resize(Size(columns: Int(random.next() % 200) + 1, rows: Int(random.next() % 70) + 1))
      if random.next().isMultiple(of: 3) { program.type(["j", "k", "\u{1B}[6~", "s"][Int(random.next() % 4)]) }
    }
    program.resize(Size(columns: 100, rows: 30))
    try await program.screen("the footer in the last row") {
      $0.lines[29].contains("open") && $0.shows("every bank of this server")
    }
    program.type(":quit\r")
    #expect(try await program.end() == 0)
    expectRestored(program)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `broken input does no harm`(_ seed: UInt64) async throws {
    let program = try await demo()
    defer { program.stop() }
    var random = SplitMix(seed: seed)
    for _ in 0..<60 { program.type(Self.noise(&random)) }
    // Whatever was typed into: out of it, and to a place that shows that the keys still work.
    program.type("\u{1B}[201~")
    program.type([0x1B, 0x5C])
    program.type("\u{1B}\u{1B}")
    for _ in 0..<12 { program.type("\u{1B}") }
    program.type(":bank:/banks\r")
    _ = try await program.screen("a place, or a dialog over it") { $0.isAlternate }
    program.type("\u{3}\u{3}")
    program.type("\u{3}\u{3}")
    let status = try await program.end()
    #expect(status == 0)
    expectRestored(program)
  }

  /// Bytes as a bad line, a wrong keyboard or a careless program sends them; no Ctrl-C and no Ctrl-Z, which mean it.
  private static func noise(_ random: inout SplitMix) -> [UInt8] {
    let openings: [[UInt8]] = [
      [], [0x1B], Array("\u{1B}[".utf8), Array("\u{1B}[<".utf8), Array("\u{1B}[200~".utf8),
      Array("\u{1B}]11;rgb:".utf8),
      Array("\u{1B}P".utf8), Array("\u{1B}O".utf8), [0xE2, 0x82], [0xF0, 0x9F], Array("\u{1B}[?1;2c".utf8),
      Array("\u{1B}[99999999999999999999;5H".utf8), Array("\u{1B}[M".utf8),
    ]
    let bytes = (0..<Int(random.next() % 24)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let quiet = bytes.filter { ![0x03, 0x1A, UInt8(ascii: "q"), UInt8(ascii: "Q")].contains($0) }
    return openings[Int(random.next() % UInt64(openings.count))] + quiet
  }

  @Test(arguments: [
    "xterm", "xterm-256color", "screen-256color", "tmux-256color", "linux", "rxvt-unicode-256color", "vt100", "vt220",
    "no-such-terminal",
  ]) func `terminals of many kinds are drawn on and given back`(_ term: String) async throws {
    let program = try await demo(environment: ["TERM": term])
    defer { program.stop() }
    program.type("\r")
    try await program.shows("every bank of this server")
    program.type("qq")
    #expect(try await program.end() == 0)
    expectRestored(program, term)
  }

  @Test(arguments: ["dumb", ""]) func `a terminal that cannot move its cursor is refused in one line`(
    _ term: String
  ) async throws {
    let program = try await demo(environment: ["TERM": term], showing: nil)
    defer { program.stop() }
    #expect(try await program.end() == 2)
    #expect(program.screen.text.contains("atrium: could not open the browser"), "\(program.screen.text)")
    #expect(program.isAsFound)
  }
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
