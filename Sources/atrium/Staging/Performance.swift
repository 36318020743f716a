import Browser
import Glibc
import Model
import Sandbox
import Service
import Stage
import Store

/// A tape being played: in the presenter's terminal, or out of sight into files.
struct Performance {
  let tape: Tape
  let path: String
  var speed = 1.0
  /// Plays out of sight in a terminal of this size.
  var size: Size?
  var output = FilmOutput()
  /// Whether the browser stays open at the end.
  var staysOpen = false

  private static let standardSize = Size(columns: 100, rows: 30)

  init(_ path: String) throws(ServiceError) {
    self.path = path
    tape = try Performance.tape(path)
  }

  /// Reads a tape.
  ///
  /// - Throws: `.configuration` with file, line and column when it is wrong.
  private static func tape(_ path: String) throws(ServiceError) -> Tape {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(path, maxBytes: 1 << 20)
    } catch {
      throw error.serviceError("read the tape")
    }
    do throws(TapeError) {
      return try TapeReader.read(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw ServiceError(
        .configuration, "read the tape", detail: error.text(in: path),
        remedy: "Correct line \(error.line); see atrium-tape(5).")
    }
  }

  /// - Parameter sandbox: What the sandbox holds, where the command line says so; else the tape's seed decides.
  func run(_ session: Session, sandbox: SandboxOptions? = nil) async throws(ServiceError) -> Int32 {
    let isLive = size == nil && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    guard tape.settings.connections == .demo || sandbox != nil else {
      let questions = QuestionQueue()
      let clock = StageClock(session.clock.now(), isLive: isLive)
      let service = try session.service(asker: questions)
      let browsing = Browsing(session, service, questions, isDemo: false)
      return try await play(session, browsing, clock, isLive: isLive, downloads: FilePath.workingDirectory)
    }
    let clock = StageClock(tape.settings.clock, isLive: isLive)
    session.clock.follow(clock)
    var options = sandbox ?? SandboxOptions()
    if let seed = tape.settings.seed, !session.invocation.has("seed") { options.seed = seed }
    let house = try DemoHouse(session, options, clock: clock)
    defer { house.close() }
    let browsing = Browsing(session, house.service, house.questions, isDemo: true)
    return try await play(session, browsing, clock, isLive: isLive, downloads: house.scratch)
  }

  @MainActor
  private func play(
    _ session: Session, _ browsing: Browsing, _ clock: StageClock, isLive: Bool, downloads: String
  ) async throws(ServiceError) -> Int32 {
    let inner = isLive ? try Browsing.terminal(session) : nil
    let terminal = StageTerminal(
      inner: inner, size: size ?? tape.settings.size ?? Performance.standardSize, tape: tape, clock: clock)
    let programs: any ProgramRunner = isLive ? SystemPrograms(environment: session.environment) : NoPrograms()
    let browser = browsing.browser(
      on: terminal, clock: clock, programs: programs, theme: tape.settings.theme, downloads: downloads,
      isTimed: isLive || tape.settings.showsTimings)
    if !isLive { session.interrupts.listen { Task { @MainActor in browser.receive(.hangUp) } } }
    let player = TapePlayer(tape, on: terminal, browser, clock: clock, house: house(session), speed: speed)
    let playing = Task { () -> (any Error)? in
      do { try await player.play() } catch {
        browser.receive(.hangUp)
        return error
      }
      terminal.end()
      if !(staysOpen && isLive) { browser.receive(.hangUp) }
      return nil
    }
    let status = await browser.run()
    // Whoever leaves does not wait for the tape's next rest to end.
    playing.cancel()
    terminal.end()
    let failure = await playing.value
    terminal.close()
    if let failure { throw failed(failure, session) }
    try output.write(terminal.film)
    return session.interrupts.signal.map { 128 + $0 } ?? status
  }

  @MainActor
  private func house(_ session: Session) -> TapePlayer.House {
    let output = output
    return TapePlayer.House(
      variable: { session.environment[$0] },
      keep: { name, buffer, theme throws(ServiceError) in try output.keep(name, buffer, theme) })
  }

  /// What went wrong on the stage, with what was seen there.
  private func failed(_ error: any Error, _ session: Session) -> ServiceError {
    guard let error = error as? TapeError else {
      return error as? ServiceError ?? ServiceError(.failed, "play the tape", cause: error)
    }
    if let screen = error.screen, session.level > .none {
      for line in screen.split(separator: "\n", omittingEmptySubsequences: false) { session.ask("  | \(line)") }
    }
    let remedy = error.screen == nil ? nil : "The lines above are what the screen showed."
    return ServiceError(.failed, "play the tape", detail: error.text(in: path), remedy: remedy)
  }
}

/// Where nobody watches, no other program is started.
@MainActor
private final class NoPrograms: ProgramRunner {
  private let reason = "A tape that is played out of sight starts no other program"
  func page(file: String) -> String? { reason }
  func edit(file: String) -> String? { reason }
  func open(_ target: String) -> String? { reason }
  func clip(_ text: String) -> String? { nil }
  func temporaryFile(_ bytes: [UInt8], name: String) -> String? { name }
  func remove(_ file: String) {}
  func content(of file: String) -> [UInt8]? { nil }
}
