import JSON
import Sandbox
import TestKit

/// The real program against a sandbox of its own, with directories of its own.
struct Journey {
  let directory: TemporaryDirectory
  let sandbox: Sandbox
  private let seconds: Int

  /// - Parameter edit: Changes the sandbox's configuration before it is written.
  init(_ options: SandboxOptions = Journey.small, seconds: Int = 40, edit: (String) -> String = { $0 }) throws {
    directory = try TemporaryDirectory()
    sandbox = try Sandbox(options)
    self.seconds = seconds
    try directory.write(edit(sandbox.configuration), to: "config.yaml")
  }

  static let small = SandboxOptions(accounts: 6, transactions: 130, documents: 60, objects: 30)

  /// Runs `atrium` with these words.
  func run(_ words: String..., input: String = "", environment: [String: String] = [:]) async throws -> ProcessRun {
    try await ProcessRun.of(
      Journey.program, words, environment: self.environment.merging(environment) { $1 }, input: input,
      seconds: seconds)
  }

  func start(_ words: String...) throws -> RunningProcess {
    try RunningProcess(Journey.program, words, environment: environment)
  }

  /// Runs and reads the JSON it prints.
  func json(_ words: String...) async throws -> JSONValue {
    let run = try await ProcessRun.of(Journey.program, words, environment: environment, seconds: seconds)
    guard run.status == 0 else { throw Failed(run: run) }
    return try JSONDocument(run.output).root
  }

  /// The program failed where it should not.
  struct Failed: Error, CustomStringConvertible {
    let run: ProcessRun
    var description: String { "status \(run.status): \(run.errors)\(run.text)" }
  }

  var environment: [String: String] {
    [
      "HOME": directory.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
      "ATRIUM_CONFIG": directory.file("config.yaml"),
    ]
  }

  static let program = BuiltProgram.path("atrium")
}
