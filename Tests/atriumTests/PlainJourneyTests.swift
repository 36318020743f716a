import Model
import TestKit
import Testing

@testable import atrium

/// Plain mode, as a screen reader meets it: only ever more lines, answered by numbers and words.
@Suite(.bounded) struct PlainJourneyTests {
  private func demo() async throws -> TerminalProcess {
    let directory = try TemporaryDirectory()
    let program = try TerminalProcess(
      Journey.program, ["demo", "--plain"],
      environment: ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb"],
      directory: directory, size: Size(columns: 100, rows: 200))
    try await program.shows("connections> ")
    return program
  }

  @Test func `a person walks through a bank by numbers`() async throws {
    let program = try await demo()
    defer { program.stop() }
    #expect(program.screen.shows("1. bank, Open Bank Project"))
    program.type("bank:/accounts\n")
    try await program.shows("User")
    program.type("\n")
    try await program.shows("Password")
    program.type("\n")
    try await program.shows("bank:/accounts> ")
    #expect(program.screen.shows("Everyday account"))
    program.type("row 1\n")
    try await program.shows("Balance: ")
    program.type("1\n")
    try await program.shows("leads to Transactions")
    program.type("1\n")
    try await program.shows("were said; Enter says more.")
    program.type("\n")
    try await program.shows("40 were said")
    program.type("back\nback\n")
    try await program.screen("the accounts again") { screen in
      screen.lines.last { $0.contains("> ") }?.hasPrefix("bank:/accounts> ") == true
    }
    program.type("quit\n")
    #expect(try await program.end() == 0)
    // Nothing was drawn over: no other screen, the cursor always seen, no mouse.
    #expect(program.screen.modes == [7, 25])
  }

  @Test(arguments: [
    ("docs:/files", "Shared"), ("mobile:/storage", "Archive"), ("field:/live", "Customers"),
  ]) func `every kind can be used`(_ place: String, _ row: String) async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type("\(place)\n")
    try await program.shows("User [")
    program.type("\n")
    try await program.shows("Password")
    program.type("\n")
    try await program.shows("\(place)> ")
    #expect(program.screen.shows(row))
    program.type("do\nhelp\nquit\n")
    #expect(try await program.end() == 0)
    #expect(program.screen.shows("leave"))
  }

  @Test func `a challenge is asked and answered`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type("mfp:/resources\n")
    try await program.shows("1. My resource")
    program.type("1\n")
    for field in ["User [", "Password", "Remember me"] {
      try await program.shows(field)
      program.type("\n")
    }
    try await program.shows("You have reached the protected procedure")
    program.type("quit\n")
    #expect(try await program.end() == 0)
  }

  @Test func `a mistake is said and nothing is lost`() async throws {
    let program = try await demo()
    defer { program.stop() }
    program.type("dance\n")
    try await program.shows("There is no command dance.")
    program.type("77\n")
    try await program.shows("find connection 77")
    program.type("nowhere:/x\n")
    try await program.shows("nowhere")
    program.type("\u{4}")
    #expect(try await program.end() == 0)
  }

  @Test func `ls says rows in plain mode, one a line`() async throws {
    let journey = try Journey()
    let run = try await journey.run("ls", "bank:/banks", "--plain", "--format", "table", "--limit", "3")
    #expect(run.status == 0)
    let lines = run.text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.enumerated().allSatisfy { $1.hasPrefix("\($0 + 1). ") }, "\(run.text)")
  }
}

@Suite struct PlainCommandTests {
  @Test(arguments: [
    ("", PlainCommand.Kind.more, ""), ("7", .open, "7"), ("b", .back, ""), ("h", .home, ""), ("he", .help, ""),
    ("?", .help, ""), ("bank:/x", .go, "bank:/x"), ("go bank:/x", .go, "bank:/x"),
    ("WHERE rent due", .filter, "rent due"),
    ("q", .quit, ""), ("row 3", .record, "3"), ("do 2", .actions, "2"),
  ]) func `a line means a command`(_ line: String, _ kind: PlainCommand.Kind, _ rest: String) throws {
    let reading = try #require(PlainCommand.reading(line))
    #expect(reading.kind == kind)
    #expect(reading.rest == rest)
  }

  @Test func `what is none is none`() { #expect(PlainCommand.reading("dance") == nil) }
}

@Suite struct SpokenTextTests {
  private let spoken = SpokenText(zone: .utc, now: Timestamp(milliseconds: 0))

  @Test func `values are words`() {
    #expect(spoken.value(.null) == "not given")
    #expect(spoken.value(.text("")) == "empty")
    #expect(spoken.value(.flag(true)) == "yes")
    #expect(spoken.value(.money(Money(units: -123_456, decimals: 2, currency: "EUR"))) == "minus 1,234.56 EUR")
    #expect(spoken.value(.list([])) == "none")
    #expect(spoken.value(.text("red\u{1B}[31m")) == "red\\u001b[31m")
  }

  @Test func `a row leaves out what is not there, and names what would say nothing alone`() {
    let columns = [
      Column("label", "Label", rank: 0), Column("count", "Count", .integer, rank: 0),
      Column("open", "Open", .flag, rank: 1), Column("id", "Id", rank: 9), Column("note", "Note", rank: 0),
    ]
    let row = Row(
      Location(connection: "x"), [.text("Savings"), .integer(3), .flag(false), .text("4711"), .null])
    #expect(spoken.row(2, row, columns) == "2. Savings, Count 3, Open no")
    #expect(spoken.record(2, of: 9, row, columns).contains("Id: 4711"))
    #expect(spoken.record(2, of: 9, row, columns).contains("Note: not given"))
  }

  @Test func `an amount says its currency once`() {
    let columns = [Column("currency", "Currency", .currency, rank: 0), Column("balance", "Balance", .amount, rank: 0)]
    let row = Row(
      Location(connection: "x"), [.text("EUR"), .money(Money(units: 5, decimals: 2, currency: "EUR"))])
    #expect(spoken.row(1, row, columns) == "1. 0.05 EUR")
  }

  @Test func `what is private is masked when it is asked for`() {
    var masked = spoken
    masked.isPrivate = true
    let columns = [Column("label", "Label", rank: 0, isPrivate: true)]
    #expect(!masked.row(1, Row(Location(connection: "x"), [.text("Savings")]), columns).contains("Savings"))
  }
}
