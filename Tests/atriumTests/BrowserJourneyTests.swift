import Glibc
import Model
import TestKit
import Testing

/// A person at the keyboard: the real program in a pseudo-terminal, against the sandbox in it.
@Suite(.serialized, .bounded) struct BrowserJourneyTests {
  /// The demo in a directory of its own, on its first screen.
  private func demo(
    _ size: Size = Size(columns: 80, rows: 24), environment: [String: String] = [:], ready: Bool = true
  ) async throws -> TerminalProcess {
    let directory = try TemporaryDirectory()
    var variables = ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"]
    variables.merge(environment) { $1 }
    let program = try TerminalProcess(
      Journey.program, ["demo"], environment: variables, directory: directory, size: size)
    if ready { try await program.shows("Choose a door") }
    return program
  }

  private func expectRestored(_ program: TerminalProcess) {
    let screen = program.screen
    #expect(screen.modes.isDisjoint(with: [1049, 1000, 1002, 1003, 1006, 2004, 2026]), "\(screen.modes)")
    #expect(screen.isCursorVisible)
    #expect(program.isAsFound)
  }

  @Test func `a person walks from a bank to an account to a transaction`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type("\r")
    try await program.shows("every bank of this server")
    program.type("j\r")
    try await program.shows("Sign in to bank")
    program.type("\r")
    try await program.shows("Everyday account")
    program.type("\r")
    try await program.shows("→ Transactions")
    program.type("\r")
    try await program.shows("Counterparty")
    program.type("12j\r")
    try await program.shows("Balance after")
  }

  @Test func `a person searches documents, opens one and reads it`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type(":docs:/files\r")
    try await program.shows("Sign in to docs")
    program.type("\r")
    try await program.shows("Shared/")
    program.type("f")
    try await program.shows("Type words")
    program.type("minutes\r")
    try await program.shows("minutes.txt")
    program.type("\r")
    try await program.screen("the document") { $0.shows("docs:") && $0.shows("minutes.txt") && !$0.shows("Search") }
    program.type("v")
    try await program.shows("text/plain")
  }

  @Test func `a person downloads an object into the directory they are in`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type(":mobile:/storage/Archive\r")
    try await program.shows("Sign in to mobile")
    program.type("\r")
    try await program.shows("ledger.bin")
    program.type("d")
    try await program.shows("ledger.bin is done")
    #expect(program.directory.exists("ledger.bin"))
    #expect(!program.directory.exists("ledger.bin.part"))
  }

  @Test func `a challenge is asked, refused by Esc, and answered`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type(":mfp:/resources\r")
    try await program.shows("My resource")
    program.type("\r")
    try await program.shows("It wants an answer")
    program.type("\u{1B}")
    try await program.shows("r try again")
    program.type("r")
    try await program.shows("It wants an answer")
    program.type("\r")
    try await program.shows("You have reached the protected procedure")
  }

  @Test(arguments: ["qq", "\u{3}\u{3}", ":quit\r"])
  func `leaving gives the terminal back as it was`(_ keys: String) async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type("\r")
    try await program.shows("every bank of this server")
    program.type(keys)
    #expect(try await program.end() == 0)
    expectRestored(program)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGSEGV])
  func `a signal that ends the program gives the terminal back first`(_ number: Int32) async throws {
    let program = try await demo()
    defer { program.stop() }
    #expect(program.screen.isAlternate)
    program.signal(number)
    #expect(try await program.end() == 128 + number)
    expectRestored(program)
  }

  @Test func `the screen follows the window, down to one cell and back`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type("\r")
    try await program.shows("every bank of this server")
    for (columns, rows) in [(160, 48), (1, 1), (20, 5), (2, 60), (300, 2), (120, 40)] {
      program.resize(Size(columns: columns, rows: rows))
    }
    try await program.screen("the footer in the last row") {
      $0.lines[39].contains("open") && $0.shows("every bank of this server") && $0.shows("│")
    }
  }

  @Test func `after Ctrl-Z the terminal is the shell's, and after fg the screen is whole in its new size`() async throws
  {
    let program = try await demo()
    defer { program.stop() }
    program.type("\r")
    try await program.shows("every bank of this server")
    program.type("\u{1A}")
    try await program.stopped()
    let left = try await program.screen("the shell's screen") { !$0.isAlternate && $0.isCursorVisible }
    #expect(left.modes.isDisjoint(with: [1000, 1006, 2004]), "\(left.modes)")
    program.resize(Size(columns: 100, rows: 30))
    program.signal(SIGCONT)
    try await program.screen("the footer in the last row") {
      $0.isAlternate && $0.lines[29].contains("open") && $0.shows("every bank of this server")
    }
    #expect(program.screen.modes.isSuperset(of: [1000, 1006, 2004]))
  }

  @Test func `what is typed before the first screen counts`() async throws {
    let program = try await demo(ready: false)
    defer { program.stop() }
    program.type("\r")
    try await program.shows("every bank of this server")
  }

  @Test func `without Unicode the screen is ASCII`() async throws {
    let program = try await demo(environment: ["LC_ALL": "C"])
    defer { program.stop() }
    program.type("\r")
    let screen = try await program.shows("every bank of this server")
    #expect(screen.lines.allSatisfy { $0.allSatisfy(\.isASCII) })
  }
}
