import Glibc
import JSON
import TestKit
import Testing

@Suite(.bounded) struct ProgramJourneyTests {
  @Test func `the sandbox prints where it listens, writes its configuration, and ends when asked`() async throws {
    let directory = try TemporaryDirectory()
    let environment = ["HOME": directory.path, "PATH": "/usr/bin:/bin"]
    let sandbox = try RunningProcess(
      Journey.program, ["sandbox", "--port", "0", "--print-config", directory.file("config.yaml")],
      environment: environment)
    let line = try #require(await sandbox.firstLine())
    #expect(line.hasPrefix("listening http://127.0.0.1:"))
    #expect(directory.exists("config.yaml"))
    let list = try await ProcessRun.of(
      Journey.program, ["ls", "bank:/banks", "--config", directory.file("config.yaml")], environment: environment)
    #expect(list.status == 0, "\(list.errors)")
    sandbox.signal(SIGINT)
    #expect(await sandbox.end().status == 0)
  }

  @Test func `an interrupted command ends with 130 and one line`() async throws {
    let server = try FaultServer(.silence)
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    try directory.write(
      "connections:\n- { name: bank, kind: openbank, url: '\(server.origin)/obp/v5.1.0', auth: { method: none } }\n",
      to: "config.yaml")
    let running = try RunningProcess(
      Journey.program, ["ls", "bank:/banks"],
      environment: ["HOME": directory.path, "ATRIUM_CONFIG": directory.file("config.yaml")])
    running.write("")
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    running.signal(SIGINT)
    let run = await running.end()
    #expect(run.status == 130)
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }

  @Test(arguments: ["--version", "--help"]) func `the program introduces itself`(_ option: String) async throws {
    let directory = try TemporaryDirectory()
    let run = try await ProcessRun.of(Journey.program, [option], environment: ["HOME": directory.path])
    #expect(run.status == 0)
    #expect(run.text.hasPrefix("atrium"))
    #expect(directory.names.isEmpty)
  }

  @Test func `connections are added, changed and removed, and comments stay`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("# Mine.\ntheme: dusk\n", to: "config.yaml")
    let environment = ["HOME": directory.path, "ATRIUM_CONFIG": directory.file("config.yaml")]
    func run(_ words: String...) async throws -> ProcessRun {
      try await ProcessRun.of(Journey.program, words, environment: environment)
    }
    let added = try await run(
      "connections", "add", "field", "--kind", "unwired", "--url", "https://f.example", "--set", "auth.password=env:PW")
    #expect(added.status == 0, "\(added.errors)")
    #expect(try await run("connections", "edit", "field", "--set", "readOnly=true").status == 0)
    #expect(
      directory.text("config.yaml") == """
        # Mine.
        theme: dusk
        connections:
          - name: field
            kind: unwired
            url: "https://f.example"
            auth:
              password: { env: PW }
            readOnly: true

        """)
    #expect(try await run("connections", "remove", "field").status == 2)
    #expect(try await run("connections", "remove", "field", "--yes").status == 0)
    #expect(directory.text("config.yaml") == "# Mine.\ntheme: dusk\nconnections: []\n")
  }

  @Test func `doctor says what it found without a terminal`() async throws {
    let journey = try Journey()
    let run = try await journey.run("doctor", "--format", "json")
    let findings = try JSONDocument(run.output).root
    let checks = findings.elements.compactMap { $0["check"].string }
    #expect(checks.contains("terminal"))
    #expect(checks.contains("configuration"))
    #expect(checks.contains("connection bank"))
    let server = findings.elements.first { $0["check"].string == "server of bank" }
    #expect(server?["finding"].string?.contains("older generation (Lift): signing in by none, direct, oauth1") ?? false)
  }

  @Test(arguments: [("bash", "bash"), ("fish", "fish"), ("zsh", "zsh")])
  func `a completion script is one its shell reads`(_ shell: String, _ program: String) async throws {
    let directory = try TemporaryDirectory()
    let run = try await ProcessRun.of(Journey.program, ["completions", shell], environment: ["HOME": directory.path])
    #expect(run.status == 0)
    guard access("/usr/bin/\(program)", X_OK) == 0 else { return }
    try directory.write(run.text, to: "script")
    let check = try await ProcessRun.of(
      "/usr/bin/\(program)", ["-n", directory.file("script")], environment: ["HOME": directory.path])
    #expect(check.status == 0, "\(check.errors)")
  }
}
