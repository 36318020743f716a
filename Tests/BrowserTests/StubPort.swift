import TestKit
import Browser
import Model
import Screens

/// A service layer that does nothing by itself: the test reads what was asked and answers it when it likes.
@MainActor
final class StubPort: ServicePort {
  final class Pending: PendingRequest {
    let request: Request
    let reply: @MainActor (Reply) -> Void
    private(set) var isCancelled = false
    init(_ request: Request, _ reply: @escaping @MainActor (Reply) -> Void) {
      self.request = request
      self.reply = reply
    }
    func cancel() { isCancelled = true }
  }

  var connections: [ConnectionInfo] = []
  var jobs: [JobInfo] = [] { didSet { onChange?() } }
  var question: (id: Int, question: Question)? { didSet { onChange?() } }
  var onChange: (() -> Void)?

  private(set) var requests: [Pending] = []
  private(set) var orders: [JobOrder] = []
  private(set) var answers: [(question: Int, answer: Answer?)] = []
  private(set) var bookmarks: [Location] = []
  private(set) var memory = Memory()
  private(set) var added: [[String: Secret]] = []
  private var waiting: [(count: Int, continuation: CheckedContinuation<Pending, Never>)] = []

  func start(_ request: Request, reply: @escaping @MainActor (Reply) -> Void) -> any PendingRequest {
    let pending = Pending(request, reply)
    requests.append(pending)
    let met = waiting.filter { requests.count >= $0.count }
    waiting.removeAll { requests.count >= $0.count }
    for wait in met { wait.continuation.resume(returning: requests[wait.count - 1]) }
    return pending
  }

  /// The request with this number, counted from 1, as soon as it has been made.
  func request(_ number: Int) async -> Pending {
    if requests.count >= number { return requests[number - 1] }
    return await withCheckedContinuation { waiting.append((number, $0)) }
  }

  func order(_ order: JobOrder) { orders.append(order) }

  func answer(_ question: Int, _ answer: Answer?) {
    answers.append((question, answer))
    self.question = nil
  }

  func startSandbox(reply: @escaping @MainActor (Reply) -> Void) {
    connections = [ConnectionInfo(name: "bank", kind: .openbank, state: .untouched)]
    reply(.done)
  }

  func change(_ change: ConnectionChange) throws(ServiceError) {
    switch change {
    case .add(let fields):
      added.append(fields)
      connections.append(ConnectionInfo(name: fields["name"]?.reveal() ?? "", kind: .openbank))
    case .edit: break
    case .remove(let name): connections.removeAll { $0.name == name }
    }
  }

  func keep(bookmarks: [Location]) { self.bookmarks = bookmarks }

  func keep(memory: Memory) { self.memory = memory }
}

/// A clock that a test moves.
final class ManualClock: Pacemaker, @unchecked Sendable {
  // Only touched on the main actor, where the browser and the tests that use it run; `sleep` hops there.
  private var time = Timestamp(milliseconds: 1_764_525_351_000)
  private var sleepers: [(until: Timestamp, continuation: CheckedContinuation<Void, Never>)] = []

  func now() -> Timestamp { time }

  func sleep(until time: Timestamp) async throws { await rest(until: time) }

  @MainActor
  private func rest(until: Timestamp) async {
    guard until > time else { return }
    await withCheckedContinuation { sleepers.append((until, $0)) }
  }

  @MainActor
  func advance(milliseconds: Int64) {
    time = Timestamp(milliseconds: time.milliseconds + milliseconds)
    let due = sleepers.filter { $0.until <= time }
    sleepers.removeAll { $0.until <= time }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Wakes all that still sleep, at the end of a test.
  @MainActor
  func finish() { advance(milliseconds: 1 << 40) }
}

/// Programs that only note that they ran.
@MainActor
final class StubPrograms: ProgramRunner {
  private(set) var ran: [String] = []
  private var files: [String: [UInt8]] = [:]

  func page(file: String) -> String? {
    ran.append("page \(String(decoding: files[file] ?? [], as: UTF8.self))")
    return nil
  }
  /// What the person writes in the editor; nil leaves the file as it is.
  var written: [UInt8]?
  func edit(file: String) -> String? {
    ran.append("edit \(file)")
    if let written { files[file] = written }
    return nil
  }
  func open(_ target: String) -> String? {
    ran.append("open \(target)")
    return nil
  }
  /// The clipboard program there is; nil for none.
  var clipboard: String?
  func clip(_ text: String) -> String? {
    guard let clipboard else { return nil }
    ran.append("clip \(text)")
    return clipboard
  }
  func temporaryFile(_ bytes: [UInt8], name: String) -> String? {
    files["/tmp/\(name)"] = bytes
    return "/tmp/\(name)"
  }
  func remove(_ file: String) { files[file] = nil }
  func content(of file: String) -> [UInt8]? { files[file] }
}

/// A browser at work in memory.
@MainActor
struct Theatre {
  let terminal: FakeTerminal
  let port = StubPort()
  let clock = ManualClock()
  let programs = StubPrograms()
  let browser: Browser

  init(size: Size = Size(columns: 80, rows: 24), connections: [ConnectionInfo]? = nil) {
    terminal = FakeTerminal(size: size)
    port.connections =
      connections ?? [
        ConnectionInfo(name: "bank", kind: .openbank, color: "#cc3333"),
        ConnectionInfo(name: "docs", kind: .alfresco, capabilities: [.search, .download]),
      ]
    browser = Browser(
      terminal: terminal, port: port, programs: programs, clock: clock, settings: BrowserSettings(zone: .utc))
  }

  /// Plays a test while the loop runs, then leaves.
  func play(_ act: () async throws -> Void) async throws {
    async let status = browser.run()
    try await act()
    terminal.send(.hangUp)
    _ = await status
    clock.finish()
  }
}
