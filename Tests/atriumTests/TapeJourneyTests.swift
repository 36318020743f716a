import Glibc
import JSON
import Model
import TestKit
import Testing

/// Tapes played by the real program: what presenters, screenshots and CI do.
@Suite(.bounded) struct TapeJourneyTests {
  private static let tapes: String = {
    let root = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(root)/Tapes"
  }()

  private func play(_ words: String..., environment: [String: String] = [:]) async throws -> ProcessRun {
    let directory = try TemporaryDirectory()
    var variables = ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"]
    variables.merge(environment) { $1 }
    return try await ProcessRun.of(Journey.program, ["play"] + words, environment: variables, seconds: 50)
  }

  @Test(arguments: ["tour", "bank", "documents", "mobile"])
  func `every tape of the project plays to its end`(_ name: String) async throws {
    let run = try await play("\(Self.tapes)/\(name).tape")
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func `the same tape makes the same film, byte for byte`() async throws {
    let directory = try TemporaryDirectory()
    for name in ["one", "two"] {
      let run = try await play(
        "\(Self.tapes)/tour.tape", "--cast", directory.file("\(name).cast"), "--film", directory.file("\(name).svg"),
        "--size", "90x24")
      #expect(run.status == 0, "\(run.errors)")
    }
    let casts = [try #require(directory.text("one.cast")), try #require(directory.text("two.cast"))]
    #expect(casts[0] == casts[1])
    #expect(directory.text("one.svg") == directory.text("two.svg"))
    let lines = casts[0].split(separator: "\n")
    let header = try JSONDocument(Array(lines[0].utf8)).root
    #expect(header["version"].int == 2)
    #expect(header["width"].int == 90)
    #expect(header["height"].int == 24)
    #expect(lines.count > 80)
  }

  @Test func `screenshots are drawn as pictures and as text`() async throws {
    let directory = try TemporaryDirectory()
    let tape = directory.file("one.tape")
    try directory.write("size 80x20\nwait \"Choose a door\"\nscreenshot doors\n", to: "one.tape")
    let run = try await play(tape, "--pictures", directory.file("pictures"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(directory.text("pictures/doors.txt")?.contains("Open Bank Project") == true)
    #expect(directory.text("pictures/doors.svg")?.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"") == true)
  }

  @Test func `what does not come ends the tape and shows the screen`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("wait \"Choose a door\"\nwait \"A unicorn\" 200ms\n", to: "sad.tape")
    let run = try await play(directory.file("sad.tape"))
    #expect(run.status == 1)
    #expect(run.errors.contains("sad.tape:2: “A unicorn” did not appear within 0.2 s"), "\(run.errors)")
    #expect(run.errors.contains("  | "))
    #expect(run.errors.contains("Open Bank Project"))
  }

  @Test func `a mistake in a tape is told before anything is opened`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("wait \"x\"\n  prss enter\n", to: "bad.tape")
    let run = try await play(directory.file("bad.tape"))
    #expect(run.status == 2)
    #expect(run.errors.contains("bad.tape:2:3: there is no command “prss”"), "\(run.errors)")
  }

  @Test func `demo plays a tape in the terminal and goes on with the person`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      "pace 1ms\nwait \"Choose a door\"\ncaption \"To the bank\"\nkeys enter\nwait \"every bank of this server\"\n",
      to: "t.tape")
    let program = try TerminalProcess(
      Journey.program, ["demo", "--tape", directory.file("t.tape")],
      environment: ["HOME": directory.path, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"], directory: directory)
    defer { program.stop() }
    try await program.shows("To the bank")
    try await program.screen("the end of the tape") {
      $0.shows("every bank of this server") && !$0.shows("To the bank")
    }
    program.type("j\r")
    try await program.shows("Sign in to bank")
    program.type("\u{3}\u{3}")
    #expect(try await program.end() == 0)
    #expect(program.isAsFound)
  }

  @Test func `a key takes over from the tape, and F12 gives back`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("wait \"Choose a door\"\nhold\nkeys enter\n", to: "t.tape")
    let program = try TerminalProcess(
      Journey.program, ["play", directory.file("t.tape"), "--stay"],
      environment: ["HOME": directory.path, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"], directory: directory)
    defer { program.stop() }
    try await program.shows("⏎ goes on")
    program.type("?")
    try await program.shows("F12 goes on with it")
    program.type("\u{1B}")
    try await program.shows("Choose a door")
    program.type("\u{1B}[24~")
    try await program.shows("every bank of this server")
    program.type("\u{3}\u{3}")
    #expect(try await program.end() == 0)
  }

  @Test func `what is recorded can be played, and a secret is not in it`() async throws {
    let directory = try TemporaryDirectory()
    let tape = directory.file("mine.tape")
    let program = try TerminalProcess(
      Journey.program, ["record", tape],
      environment: ["HOME": directory.path, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"], directory: directory,
      size: Size(columns: 90, rows: 24))
    defer { program.stop() }
    try await program.shows("Choose a door")
    program.type(":bank:/accounts\r")
    try await program.shows("Sign in to bank")
    program.type("\t\u{15}geheim123")
    try await program.shows("•••••••••")
    program.type("\u{1B}")
    try await program.screen("the refusal") { !$0.shows("Sign in to bank") }
    program.type("q:mfp:/resources\r")
    try await program.shows("My resource")
    program.type("\u{3}\u{3}")
    #expect(try await program.end() == 0)
    let text = try #require(directory.text("mine.tape"))
    #expect(text.contains("size 90x24"))
    #expect(text.contains("type \":bank:/accounts\""))
    #expect(text.contains("type env TAPE_SECRET_1"))
    #expect(!text.contains("geheim"))
    let run = try await play(tape, environment: ["TAPE_SECRET_1": "geheim123"])
    #expect(run.status == 0, "\(run.errors)")
    let without = try await play(tape)
    #expect(without.status == 1)
    #expect(without.errors.contains("the environment has no TAPE_SECRET_1"))
  }
}

/// What is longer than the screen.
@Suite(.bounded) struct PagerJourneyTests {
  private func list(_ limit: Int, pager: String) async throws -> TerminalScreen {
    let journey = try Journey()
    let program = try TerminalProcess(
      Journey.program, ["ls", "docs:/files", "--limit", "\(limit)"],
      environment: journey.environment.merging(["TERM": "xterm-256color", "PAGER": pager]) { $1 },
      directory: journey.directory, size: Size(columns: 80, rows: 6))
    defer { program.stop() }
    let screen = try await program.shows("rows")
    #expect(try await program.end() == 0)
    return screen
  }

  @Test func `a list that is longer goes through the pager, a shorter one does not`() async throws {
    let long = try await list(50, pager: "sed -n '1s/^/paged: /p'")
    #expect(long.shows("paged: "))
    let short = try await list(2, pager: "sed -n '1s/^/paged: /p'")
    #expect(!short.shows("paged: "))
  }

  @Test func `without the program the list is printed all the same`() async throws {
    #expect(try await list(50, pager: "no-such-program-here").shows("User Homes"))
  }
}

/// Themes in the running browser.
@Suite(.bounded) struct ThemeJourneyTests {
  @Test func `a theme in use is read anew when it is saved, and a mistake in it is told`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("title: Mine\nroles: { text: red }\n", to: "mine.yaml")
    let program = try TerminalProcess(
      Journey.program, ["demo", "--theme", directory.file("mine.yaml")],
      environment: ["HOME": directory.path, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"], directory: directory)
    defer { program.stop() }
    try await program.shows("Choose a door")
    try directory.write("roles: { text: purplish }\n", to: "mine.yaml")
    try await program.shows("purplish")
    program.type("\u{3}\u{3}")
    #expect(try await program.end() == 0)
  }

  @Test func `auto takes what the terminal says, and what was typed meanwhile counts`() async throws {
    let directory = try TemporaryDirectory()
    let program = try TerminalProcess(
      Journey.program, ["demo", "--theme", "auto"],
      environment: ["HOME": directory.path, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"], directory: directory)
    defer { program.stop() }
    // The terminal answers, between two keys of the person.
    program.type("j\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62ck\r")
    try await program.shows("every bank of this server")
    program.type("\u{3}\u{3}")
    #expect(try await program.end() == 0)
  }

  @Test func `checking a theme tells of what cannot be read`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      "title: Fog\nroles: { text: \"#777777\" }\ngrounds: { screen: { background: \"#888888\" } }\n", to: "fog.yaml")
    let run = try await ProcessRun.of(
      Journey.program, ["theme", "check", directory.file("fog.yaml")], environment: ["HOME": directory.path])
    #expect(run.status == 0)
    #expect(run.errors.contains("text on screen has a contrast of 1.2, 4.5 is wanted"), "\(run.errors)")
  }
}
