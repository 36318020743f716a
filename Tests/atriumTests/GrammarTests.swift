import Model
import TestKit
import Testing

@testable import atrium

private func parse(_ words: String...) throws -> Invocation { try Invocation(words, commands: CommandTable.all) }

@Suite struct GrammarTests {
  @Test func `options stand anywhere, and two dashes end them`() throws {
    let invocation = try parse("--limit", "5", "ls", "bank:/", "--sort=-balance", "--where", "a=b", "--where", "c=d")
    #expect(invocation.command?.name == "ls")
    #expect(invocation.arguments == ["bank:/"])
    #expect(try invocation.integer("limit") == 5)
    #expect(invocation.value("sort") == "-balance")
    #expect(invocation.all("where") == ["a=b", "c=d"])
    #expect(try parse("rm", "--", "--yes").arguments == ["--yes"])
  }

  @Test func `a single dash is an argument, and a short option takes its value either way`() throws {
    #expect(try parse("put", "-", "docs:/files/").arguments == ["-", "docs:/files/"])
    #expect(try parse("get", "docs:/a", "-o", "-").value("output") == "-")
    #expect(try parse("get", "docs:/a", "-ofile").value("output") == "file")
  }

  @Test func `no command at all is the browser`() throws {
    #expect(try parse().command == nil)
    #expect(try parse("--theme", "dusk").command == nil)
  }

  @Test(arguments: [
    (["lss", "bank:/"], "did you mean ls?"), (["ls", "--limt", "5"], "did you mean --limit?"),
    (["ls", "--limit"], "--limit N"), (["ls", "--all=yes"], "takes no value"), (["ls", "-x"], "no option -x"),
    (["show", "--format", "jsn"], "did you mean json?"),
  ]) func `a wrong command line says what was meant`(_ words: [String], _ hint: String) {
    let error = #expect(throws: ServiceError.self) { try Invocation(words, commands: CommandTable.all) }
    #expect(error?.code == .usage)
    #expect(error?.detail?.contains(hint) == true, "\(error?.detail ?? "")")
  }

  @Test func `too few and too many arguments are mistakes`() throws {
    #expect(throws: ServiceError.self) { try parse("ls").checkArguments() }
    #expect(throws: ServiceError.self) { try parse("ls", "a:/", "b:/").checkArguments() }
    try parse("search", "docs", "a", "b", "c").checkArguments()
  }

  @Test(arguments: CommandTable.all.map(\.name)) func `every command explains itself`(_ name: String) throws {
    let command = try #require(CommandTable.all.first { $0.name == name })
    let help = Help.text(of: command)
    #expect(help.hasPrefix("atrium \(name)"))
    for option in command.options { #expect(help.contains("--\(option.name)")) }
    for columns in [60, 80, 100] {
      let lines = Help.text(of: command, columns: columns).split(separator: "\n").dropFirst(command.forms.count)
      for line in lines { #expect(TextWidth.columns(of: line) <= columns, "\(line)") }
    }
  }

  @Test func `the overview fits the width of a terminal`() {
    for line in Help.overview(CommandTable.all, columns: 80).split(separator: "\n") {
      #expect(TextWidth.columns(of: line) <= 80, "\(line)")
    }
  }

  @Test(arguments: Completions.shells) func `a completion script knows every listed command and option`(_ shell: String)
  {
    let script = Completions.script(for: shell, CommandTable.all)
    for command in CommandTable.all where command.isListed {
      #expect(script.contains(command.name))
      for option in command.options { #expect(script.contains(option.name)) }
    }
  }

  @Test func `every code of an error has an exit status of the contract`() {
    for code in ServiceError.Code.allCases {
      #expect((1...6).contains(ExitStatus.of(ServiceError(code, "test"))))
    }
    #expect(ExitStatus.of(ServiceError(.insecure, "test")) == 2)
    #expect(ExitStatus.of(ServiceError(.vaultLocked, "test")) == 3)
    #expect(ExitStatus.of(ServiceError(.unreadable, "test")) == 5)
  }
}
