import Browser
import Model
import Sandbox
import Service
import Stage
import Store
import Terminal

enum RecordCommand {
  static let command = Command(
    "record", ["TAPE"], "write down what you do in the browser, to be played again",
    details: [
      "The browser opens on the sandbox of atrium demo; the tape is written when you leave it. What you type where it is",
      "not shown is left out: the tape takes it from an environment variable, which it names.",
    ],
    options: [
      Option("connections", choices: Tape.Connections.allCases.map(\.rawValue), "the sandbox's, or your own"),
      Option("seed", value: "N", "what the sandbox makes its data from"),
    ],
    arguments: 1...1, fullScreen: true, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let path = session.arguments[0]
    guard !Files.exists(path) else {
      throw ServiceError(
        .usage, "record \(path)", detail: "there is such a file", remedy: "Name one that is not there yet.")
    }
    var settings = Tape.Settings()
    settings.connections = session.invocation.value("connections").flatMap(Tape.Connections.init) ?? .demo
    settings.seed = try session.invocation.integer("seed").map(UInt64.init)
    settings.theme = session.invocation.value("theme")
    guard settings.connections == .demo else {
      let questions = QuestionQueue()
      let service = try session.service(asker: questions, offer: .afterQuestions)
      let browsing = Browsing(session, service, questions, isDemo: false)
      let clock = StageClock(session.clock.now(), isLive: true)
      return try await record(session, settings, browsing, clock, to: path, downloads: FilePath.workingDirectory)
    }
    let clock = StageClock(settings.clock, isLive: true)
    session.clock.follow(clock)
    let house = try DemoHouse(session, try SandboxCommand.options(session), clock: clock)
    defer { house.close() }
    let browsing = Browsing(session, house.service, house.questions, isDemo: true)
    return try await record(session, settings, browsing, clock, to: path, downloads: house.scratch)
  }

  @MainActor
  private static func record(
    _ session: Session, _ settings: Tape.Settings, _ browsing: Browsing, _ clock: StageClock, to path: String,
    downloads: String
  ) async throws(ServiceError) -> Int32 {
    let terminal = try Browsing.terminal(session)
    var settings = settings
    settings.size = terminal.size
    let recorder = TapeRecorder(clock: clock, settings: settings)
    let browser = browsing.browser(
      on: terminal, clock: clock, programs: SystemPrograms(environment: session.environment), theme: nil,
      downloads: downloads, isTimed: true)
    browser.observer = { recorder.note($0, isSecret: $1) }
    let status = await browser.run()
    terminal.close()
    do throws(FileError) {
      try Files.replace(path, with: Array(TapeWriter.text(of: recorder.tape).utf8), mode: 0o644)
    } catch {
      throw error.serviceError("write the tape")
    }
    let hidden = recorder.tape.variables
    if !hidden.isEmpty {
      session.tell("\(path): set \(hidden.joined(separator: ", ")) to what was typed unseen before you play it")
    }
    return status
  }
}
