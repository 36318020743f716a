import Dispatch
import Glibc
package import Model
import Synchronization

/// A program in a pseudo-terminal of its own: what it draws is read, keys are sent, and how it leaves the terminal is kept.
package final class TerminalProcess: Sendable {
  private struct State: Sendable {
    var screen: TerminalScreen
    var status: Int32?
    var hasEnded = false
    var isStopped = false
    var isHungUp = false
    var left = termios()
    var watchers: [Int: (test: @Sendable (State) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = [:]
    var serial = 0

    mutating func takeMet() -> [CheckedContinuation<Bool, Never>] {
      let met = watchers.filter { $0.value.test(self) }
      for serial in met.keys { watchers[serial] = nil }
      return met.values.map(\.continuation)
    }
  }

  /// What was waited for did not come; the screen says what did.
  package struct Missing: Error, CustomStringConvertible {
    package let description: String
  }

  package let identifier: pid_t
  /// Where it runs; kept as long as this is.
  package let directory: TemporaryDirectory
  private let master: Int32
  private let slave: Int32
  private let found: termios
  /// Ends the reading of the terminal: its first end is read, its second closed.
  private let unplug: (read: Int32, write: Int32)
  private let state: Mutex<State>

  package init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: TemporaryDirectory,
    size: Size = Size(columns: 80, rows: 24)
  ) throws {
    let (master, slave, name) = try TerminalProcess.openTerminal()
    var modes = termios()
    tcgetattr(slave, &modes)
    found = modes
    self.directory = directory
    (self.master, self.slave) = (master, slave)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw RawClient.Failure(call: "pipe", number: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    unplug = (ends[0], ends[1])
    state = Mutex(State(screen: TerminalScreen(size)))
    TerminalProcess.set(size, of: master)
    identifier = try TerminalProcess.spawn(program, arguments, environment, directory: directory.path, terminal: name)
    DispatchQueue.global().async { [self] in readAll() }
    DispatchQueue.global().async { [self] in awaitEnd() }
  }

  deinit { for descriptor in [master, unplug.read, unplug.write] { close(descriptor) } }

  // MARK: For tests

  package var screen: TerminalScreen { state.withLock { $0.screen } }

  /// Whether the terminal's modes (echo, lines, signals) are as they were before the program.
  package var isAsFound: Bool {
    let left = state.withLock { $0.left }
    return left.c_iflag == found.c_iflag && left.c_oflag == found.c_oflag && left.c_lflag == found.c_lflag
      && left.c_cflag == found.c_cflag
  }

  /// Sends keys as bytes: `\r` for Enter, `\u{1B}` for Esc.
  package func type(_ text: String) { type(Array(text.utf8)) }

  package func type(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  package func signal(_ number: Int32) { kill(identifier, number) }

  /// Takes the terminal away, as a lost connection does; the program's end can still be awaited.
  package func hangUp() { TerminalProcess.letGo(of: unplug.write) }

  /// Changes the window; the program is told, unless it is stopped.
  package func resize(_ size: Size) {
    state.withLock { $0.screen.resize(size) }
    TerminalProcess.set(size, of: master)
  }

  /// Waits for a text on the screen.
  @discardableResult
  package func shows(_ text: String) async throws -> TerminalScreen {
    try await screen("“\(text)”") { $0.shows(text) }
  }

  /// Waits until the screen is so; ends with `Missing` when the program ends before or the test's time is up.
  @discardableResult
  package func screen(
    _ what: String, where test: @escaping @Sendable (TerminalScreen) -> Bool
  ) async throws -> TerminalScreen {
    try await state(what) { test($0.screen) }
  }

  /// Waits until it has stopped, as Ctrl-Z does it: a continuation sent before would be lost.
  package func stopped() async throws { try await state("its stop", where: \.isStopped) }

  @discardableResult
  private func state(
    _ what: String, where test: @escaping @Sendable (State) -> Bool
  ) async throws -> TerminalScreen {
    let serial = state.withLock { state in
      state.serial += 1
      return state.serial
    }
    let isMet = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now: Bool? = state.withLock { state in
          if test(state) { return true }
          if state.hasEnded || Task.isCancelled { return false }
          state.watchers[serial] = (test, continuation)
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      state.withLock { $0.watchers.removeValue(forKey: serial) }?.continuation.resume(returning: false)
    }
    let shown = screen
    guard isMet else { throw Missing(description: "\(what) did not appear; the screen shows:\n\(shown.text)") }
    return shown
  }

  /// Waits for its end: the exit status, or 128 and the number of the signal that ended it.
  package func end() async throws -> Int32 {
    _ = try? await screen("its end") { _ in false }
    guard let status = state.withLock({ $0.status }) else {
      throw Missing(description: "the program did not end; the screen shows:\n\(screen.text)")
    }
    return status
  }

  /// Ends it whatever it does.
  package func stop() { if state.withLock({ $0.status == nil }) { kill(identifier, SIGKILL) } }

  // MARK: The terminal

  private static func openTerminal() throws -> (master: Int32, slave: Int32, name: String) {
    var (master, slave): (Int32, Int32) = (0, 0)
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&master, &slave, &name, nil, nil) == 0 else {
      throw RawClient.Failure(call: "openpty", number: errno)
    }
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (master, slave, String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Cells of 10 by 20 pixels.
  private static func set(_ size: Size, of terminal: Int32) {
    var window = winsize(
      ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: UInt16(10 * size.columns),
      ws_ypixel: UInt16(20 * size.rows))
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &window)
  }

  /// `POSIX_SPAWN_SETSID` of Linux's spawn.h, which shows it under `_GNU_SOURCE` only.
  private static let newSession: Int16 = 0x80

  /// The program leads a session of its own: opening the terminal first makes it the one that controls it.
  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String], directory: String, terminal: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, newSession)
    let words = (["sh", "-c", "cd \"$0\" && exec \"$@\"", directory, program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var process: pid_t = 0
    let number = posix_spawn(&process, "/bin/sh", &actions, &attributes, words, variables)
    guard number == 0 else { throw RawClient.Failure(call: "posix_spawn \(program)", number: number) }
    return process
  }

  /// Reads until nobody holds the terminal any more; that is after its end was noted.
  private func readAll() {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var waits = [master, unplug.read].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      if poll(&waits, 2, -1) < 0, errno == EINTR { continue }
      guard waits[1].revents == 0 else { return hungUp() }
      let count = read(master, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      let met = state.withLock { state in
        state.screen.feed(buffer[..<count])
        return state.takeMet()
      }
      for continuation in met { continuation.resume(returning: true) }
    }
    noteEnd()
  }

  /// Closes what a descriptor stands for, and keeps its number, so that a later write cannot meet somebody else's file.
  private static func letGo(of descriptor: Int32) {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(nothing, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    close(nothing)
  }

  /// Nothing more is seen; the end is all there is to wait for.
  private func hungUp() {
    TerminalProcess.letGo(of: master)
    let hasStatus = state.withLock { state in
      state.isHungUp = true
      return state.status != nil
    }
    if hasStatus { noteEnd() }
  }

  private func noteEnd() {
    let left = state.withLock { state in
      defer { state.watchers = [:] }
      state.hasEnded = true
      return state.watchers.values.map(\.continuation)
    }
    for continuation in left { continuation.resume(returning: false) }
  }

  private func awaitEnd() {
    var status: Int32 = 0
    while true {
      if waitpid(identifier, &status, WUNTRACED) < 0 {
        if errno == EINTR { continue }
        break
      }
      guard status & 0xFF == 0x7F else { break }
      let met = state.withLock { state in
        state.isStopped = true
        return state.takeMet()
      }
      for continuation in met { continuation.resume(returning: true) }
    }
    var left = termios()
    tcgetattr(slave, &left)
    let isHungUp = state.withLock { state in
      state.left = left
      state.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
      return state.isHungUp
    }
    close(slave)
    if isHungUp { noteEnd() }
  }
}
