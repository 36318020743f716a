import Crypto
import FoundationEssentials
import Glibc
import Model
import Service

/// From the command line to the exit status.
enum Program {
  static let version = "0.1.0"

  static func run(_ words: [String], environment: [String: String]) async -> Int32 {
    // Passwords and tokens stand in memory: a crash must not write them down.
    ProcessMemory.keepPrivate()
    // A reader that goes away is an error of the write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that may not grow any more.
    signal(SIGXFSZ, SIG_IGN)
    let commands = CommandTable.all
    let invocation: Invocation
    do throws(ServiceError) {
      invocation = try Invocation(words, commands: commands)
    } catch {
      return Report.failure(
        error, isJSON: Report.wantsJSON(words), Output(1, environment: environment),
        Output(2, environment: environment))
    }
    let session = Session(invocation, environment: environment, commands: commands)
    defer { session.endLogging() }
    do throws(ServiceError) {
      let status = try await start(session)
      try session.output.flush()
      return status
    } catch {
      return Report.end(of: session, error)
    }
  }

  private static func start(_ session: Session) async throws(ServiceError) -> Int32 {
    let invocation = session.invocation
    if invocation.has("version") {
      try session.output.write("atrium \(version)\n")
      return ExitStatus.done
    }
    if invocation.has("help") {
      let columns = min(100, max(40, session.output.columns ?? 80))
      try session.output.write(
        invocation.command.map { Help.text(of: $0, columns: columns) }
          ?? Help.overview(session.commands, columns: columns))
      return ExitStatus.done
    }
    try invocation.checkArguments()
    try session.startLogging()
    if !session.isFullScreen { try session.checkTheme() }
    let task = Task { () async -> Result<Int32, ServiceError> in
      do throws(ServiceError) {
        guard let command = invocation.command else { return .success(try await CommandTable.browse(session)) }
        return .success(try await command.run(session))
      } catch {
        return .failure(error)
      }
    }
    if !session.isFullScreen { session.interrupts.listen { task.cancel() } }
    return try await task.value.get()
  }
}

/// How a command says that it failed.
enum Report {
  /// Reports the end of a command that did not do what it should.
  static func end(of session: Session, _ error: ServiceError) -> Int32 {
    if error.cause is Output.Closed { return ExitStatus.done }
    if let signal = session.interrupts.signal {
      try? session.output.flush()
      let remedy = error.remedy.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } ?? "Run it again to go on"
      session.ask("atrium: interrupted: what was under way has been broken off (\(remedy))")
      return 128 + signal
    }
    return failure(error, isJSON: session.isJSON, session.output, session.errors, level: session.level)
  }

  static func failure(
    _ error: ServiceError, isJSON: Bool, _ output: Output, _ errors: Output, level: Session.Level = .warning
  ) -> Int32 {
    // What was printed before the failure comes first.
    try? output.flush()
    if isJSON {
      try? output.write(json: document(error, isForTerminal: output.isTerminal))
      try? output.flush()
    }
    try? errors.write("atrium: \(oneLine(error.line))\n")
    try? errors.flush()
    return ExitStatus.of(error)
  }

  /// Whether a command line that could not be understood asks for JSON.
  static func wantsJSON(_ words: [String]) -> Bool {
    words.contains("--format=json") || zip(words, words.dropFirst()).contains { $0 == "--format" && $1 == "json" }
  }

  /// Servers' messages have line breaks and worse; the line stays one line.
  private static func oneLine(_ text: String) -> String {
    Visible.escaped(
      text.split(whereSeparator: \.isNewline).map { $0.split(separator: "\t").joined(separator: " ") }
        .joined(separator: " "))
  }
}
