import Model
import Screens

/// The UI loop: the one place where things change.
///
/// What the terminal sends, what the service layer answers and the times that were waited for stand in one queue and are
/// handled in order. When the queue is empty the screen is drawn, and only if something changed. Then the loop sleeps.
@MainActor
package final class Browser {
  enum Occurrence {
    case terminal(TerminalEvent)
    case reply(RequestID, Reply)
    /// Connections, jobs or the question changed.
    case changed
    case deadline
    case message(Message)
    case contentToOpen(Reply, name: String)
    case theme(Theme, isChosen: Bool)
    case fileToEdit(Reply, Location, name: String)
    /// With the file of what was written, where something was.
    case fileEdited(Reply, Location, file: String?)
  }

  let terminal: any TerminalDriver
  let port: any ServicePort
  let programs: any ProgramRunner
  private(set) var themes: [Theme]
  private let clock: any Pacemaker
  var app: App

  private var queue: [Occurrence] = []
  private var sleeper: CheckedContinuation<Void, Never>?
  private var resters: [CheckedContinuation<Void, Never>] = []
  private var shown: CellBuffer?
  private var timer: (target: Timestamp, task: Task<Void, Never>)?
  var pending: [RequestID: any PendingRequest] = [:]
  private var shownColor: String?
  package private(set) var isOver = false
  /// Told of each event before it is handled, and whether a secret is being typed: what a recorder needs.
  package var observer: ((TerminalEvent, _ isSecret: Bool) -> Void)?

  package init(
    terminal: any TerminalDriver, port: any ServicePort, programs: any ProgramRunner, clock: any Pacemaker,
    settings: BrowserSettings
  ) {
    self.terminal = terminal
    self.port = port
    self.programs = programs
    self.clock = clock
    themes = settings.themes
    var world = World(now: clock.now(), zone: settings.zone, keys: settings.keys, size: terminal.size)
    world.themes = settings.themes.map { ThemeInfo(name: $0.name, title: $0.title) }
    world.theme = settings.theme
    world.bookmarks = settings.bookmarks
    world.memory = settings.memory
    world.downloadDirectory = settings.downloadDirectory
    world.connections = port.connections
    world.lockAfter = settings.lockAfter.map { Int64($0) * 60_000 }
    world.isUnicode = terminal.traits.isUnicode
    world.colors = terminal.traits.colors
    world.canvas = terminal.traits.canvas
    app = App(world)
  }

  var now: Timestamp { clock.now() }

  // MARK: The loop

  /// Runs until the person leaves or the terminal is gone; the terminal is not closed here.
  ///
  /// - Parameter notices: Said at the start: what is odd in the configuration.
  /// - Returns: The exit status.
  package func run(notices: [String] = []) async -> Int32 {
    port.onChange = { [weak self] in self?.post(.changed) }
    defer { port.onChange = nil }
    useTheme(app.world.theme)
    perform(app.start(now))
    for notice in notices { app.say(Message(.warning, notice), now) }
    let pump = listen(to: terminal.events)
    await withTaskCancellationHandler {
      await loop()
    } onCancel: {
      Task { @MainActor [weak self] in self?.post(.terminal(.hangUp)) }
    }
    pump.cancel()
    timer?.task.cancel()
    for request in pending.values { request.cancel() }
    release()
    return 0
  }

  private func loop() async {
    draw()
    while !isOver {
      await somethingToDo()
      let batch = queue
      queue = []
      for occurrence in batch where !isOver { handle(occurrence) }
      if queue.isEmpty, !isOver { draw() }
    }
  }

  /// Takes events as they come, off the main actor: while a frame is drawn they gather, and are handled together.
  private func listen(to events: AsyncStream<TerminalEvent>) -> Task<Void, Never> {
    let inbox = Inbox()
    let wake: @Sendable () -> Void = { [weak self] in
      Task { @MainActor in
        for event in inbox.takeAll() { self?.post(.terminal(event)) }
      }
    }
    return Task.detached {
      for await event in events where inbox.add(event) { wake() }
      if inbox.add(.hangUp) { wake() }
    }
  }

  func post(_ occurrence: Occurrence) {
    queue.append(occurrence)
    sleeper?.resume()
    sleeper = nil
  }

  private func somethingToDo() async {
    guard queue.isEmpty else { return }
    if isQuiet { release() }
    await withCheckedContinuation { sleeper = $0 }
  }

  private func handle(_ occurrence: Occurrence) {
    switch occurrence {
    case .terminal(let event):
      observer?(event, app.takesSecret)
      // The size of the letters may be another one, too.
      if case .resized = event { app.world.canvas = terminal.traits.canvas }
      perform(app.handle(event, now))
    case .reply(let id, let reply):
      // A reply to a request that was cancelled meanwhile.
      guard pending[id] != nil else { return }
      if reply.isFinal { pending[id] = nil }
      perform(app.take(reply, for: id, now))
    case .changed: takeChanges()
    case .deadline:
      timer = nil
      perform(app.wake(now))
    case .message(let message): app.say(message, now)
    case .contentToOpen(let reply, let name): open(reply, name: name)
    case .theme(let theme, let isChosen): take(theme, isChosen: isChosen)
    case .fileToEdit(let reply, let location, let name): edit(reply, location, name: name)
    case .fileEdited(let reply, let location, let file): edited(reply, location, file: file)
    }
  }

  func takeChanges() {
    let before = app.world.jobs
    app.world.connections = port.connections
    app.world.jobs = port.jobs
    for job in app.world.jobs where job.isOver {
      guard let old = before.first(where: { $0.id == job.id }), !old.isOver else { continue }
      announce(job)
    }
    perform(app.ask(port.question, now))
  }

  private func announce(_ job: JobInfo) {
    if let connection = job.synchronizes {
      // What was sent, fetched or met a conflict shows wherever it is in view.
      perform(app.changed(Location(connection: connection), now))
      if case .done = job.state { return app.say(Message(.good, job.result ?? job.title), now) }
    }
    switch job.state {
    case .done:
      app.say(Message(.good, "\(job.title) is done" + (job.result.map { ": \($0)" } ?? "")), now)
      // What was uploaded is shown where it lies.
      if let result = job.result, let location = try? Location(parsing: result),
        app.world.connection(location.connection) != nil
      {
        perform(app.changed(location, now))
      }
    case .failed(let reason): app.say(Message(.bad, "\(job.title): \(reason)"), now)
    case .cancelled, .waiting, .running, .paused: break
    }
  }

  func quit() { isOver = true }

  func visit(_ location: Location) { perform(app.visit(location, now)) }

  /// Nothing is under way that would change the screen: no event waits, every request is answered or waits for a person.
  private var isQuiet: Bool {
    queue.isEmpty && (pending.isEmpty || port.question != nil) && !port.isWorking
  }

  /// Waits until all that events have begun has ended and been drawn, or until the browser is left.
  package func settled() async {
    guard !isOver, sleeper == nil || !isQuiet else { return }
    await withCheckedContinuation { resters.append($0) }
  }

  private func release() {
    let ready = resters
    resters = []
    for continuation in ready { continuation.resume() }
  }

  // MARK: Drawing

  private func draw() {
    if app.connectionColor != shownColor { useTheme(app.world.theme) }
    let buffer = app.render()
    if buffer != shown {
      terminal.present(buffer)
      shown = buffer
    }
    arm()
  }

  /// One timer for the nearest time somebody waits for; none when nobody does.
  private func arm() {
    let target = app.deadline
    guard target != timer?.target else { return }
    timer?.task.cancel()
    timer = target.map { target in
      let task = Task { [weak self, clock] in
        guard (try? await clock.sleep(until: target)) != nil, !Task.isCancelled else { return }
        self?.post(.deadline)
      }
      return (target, task)
    }
  }

  /// The theme with the colour of the connection in view as its accent, so that production looks different.
  func useTheme(_ name: String) {
    guard var theme = themes.first(where: { $0.name == name }) ?? themes.first else { return }
    shownColor = app.connectionColor
    if let color = shownColor.flatMap({ Color($0) }) {
      theme.roles[.accent, default: Look()].foreground = color
    }
    terminal.use(theme)
    shown = nil
  }

  /// A theme whose file has changed, or that was chosen from outside.
  private func take(_ theme: Theme, isChosen: Bool) {
    themes.removeAll { $0.name == theme.name }
    themes.append(theme)
    if isChosen { app.world.theme = theme.name }
    if app.world.theme == theme.name { useTheme(theme.name) }
  }

  /// Draws everything anew, whatever the terminal may still show.
  func repaint() {
    shown = nil
    terminal.repaint()
  }
}

/// What the browser is told at its start.
package struct BrowserSettings: Sendable {
  package var themes: [Theme]
  /// Name of the theme to begin with.
  package var theme: String
  package var keys: KeyMap
  package var zone: LocalTime
  package var bookmarks: [Location]
  package var memory: Memory
  package var downloadDirectory: String
  /// Minutes without a key after which the screen is locked; nil for never.
  package var lockAfter: Int?

  package init(
    themes: [Theme] = [.plain], theme: String = "plain", keys: KeyMap = .standard, zone: LocalTime = .system,
    bookmarks: [Location] = [], memory: Memory = Memory(), downloadDirectory: String = ".", lockAfter: Int? = nil
  ) {
    self.themes = themes
    self.theme = theme
    self.keys = keys
    self.zone = zone
    self.bookmarks = bookmarks
    self.memory = memory
    self.downloadDirectory = downloadDirectory
    self.lockAfter = lockAfter
  }
}
