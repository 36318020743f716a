import Dispatch
import Glibc
import Synchronization

/// What a command printed and how it ended.
package struct CommandOutput: Sendable {
  package let bytes: [UInt8]
  /// Exit status; 128 and the signal's number when a signal ended it.
  package let status: Int32
  /// It was ended because it took too long.
  package let isOverdue: Bool

  /// Runs a command found along `PATH`, with the terminal as its input and for its errors, so that it may ask for a
  /// passphrase itself. Waits on a thread of its own; at most 64 KiB are kept. It is ended, with what it started, when it
  /// takes longer than the limit or when the task is cancelled.
  ///
  /// - Parameter limit: Nil for a command that may go on for as long as it likes.
  package static func of(
    _ words: [String], environment: [String: String], limit: Duration?
  ) async throws(FileError) -> CommandOutput {
    let child: ChildCommand
    do throws(FileError) { child = try ChildCommand(words, environment: environment) } catch { throw error }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: child.run(limit: limit)) }
      }
    } onCancel: {
      if limit != nil { child.end() }
    }
  }
}

/// A started command, its output, and the means to end it.
private final class ChildCommand: Sendable {
  private let process: pid_t
  /// Whether it leads a group of its own. At a terminal it stays in ours, or it could not read from it.
  private let isLeader: Bool
  private let output: Int32
  /// Nil where errors go straight to a terminal: a pipe that it inherited would stay open as long as it lives.
  private let errors: Int32?
  /// Nobody may be signalled by this number once it has been waited for.
  private let isRunning = Mutex(true)

  init(_ words: [String], environment: [String: String]) throws(FileError) {
    guard let name = words.first else { throw FileError(.open, "", number: ENOENT) }
    let (output, errors) = (try Pipe(name), isatty(2) == 1 ? nil : try Pipe(name))
    isLeader = isatty(0) == 0
    do throws(FileError) {
      process = try Self.spawn(words, environment, output.end, errors?.end, isLeader: isLeader)
    } catch {
      output.close()
      errors?.close()
      throw error
    }
    close(output.end)
    if let errors { close(errors.end) }
    (self.output, self.errors) = (output.start, errors?.start)
  }

  deinit {
    close(output)
    if let errors { close(errors) }
  }

  func end() {
    isRunning.withLock { isRunning in
      guard isRunning else { return }
      kill(isLeader ? -process : process, SIGKILL)
    }
  }

  /// Blocks until it has ended.
  func run(limit: Duration?) -> CommandOutput {
    let deadline = limit.map { ContinuousClock.now.advanced(by: $0) }
    var bytes: [UInt8] = []
    var isOverdue = false
    var errors = self.errors ?? -1  // poll passes over it
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var ready = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let wait = deadline.map { max(0, Int32(ContinuousClock.now.duration(to: $0) / .milliseconds(1))) } ?? -1
      let count = poll(&ready, nfds_t(ready.count), wait)
      if count < 0, errno == EINTR { continue }
      if count == 0, !isOverdue {
        isOverdue = true
        end()
        break
      }
      if ready[1].revents != 0, !forward(errors, &buffer) { errors = -1 }
      guard ready[0].revents != 0 else { continue }
      let length = read(output, &buffer, buffer.count)
      if length < 0, errno == EINTR { continue }
      if length <= 0 { break }
      if bytes.count < 64 << 10 { bytes += buffer[..<length] }
    }
    return CommandOutput(bytes: bytes, status: status(), isOverdue: isOverdue)
  }

  /// - Returns: Whether there may be more.
  private func forward(_ errors: Int32, _ buffer: inout [UInt8]) -> Bool {
    let length = read(errors, &buffer, buffer.count)
    if length > 0 { _ = write(2, buffer, length) }
    return length > 0
  }

  private func status() -> Int32 {
    var information = siginfo_t()
    // It stays a zombie, and its number its own, until nobody can signal it any more.
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    isRunning.withLock { $0 = false }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  private static func spawn(
    _ words: [String], _ environment: [String: String], _ output: Int32, _ errors: Int32?, isLeader: Bool
  ) throws(FileError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    if let errors { posix_spawn_file_actions_adddup2(&actions, errors, 2) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    if isLeader { posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var process: pid_t = 0
    let number = posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    guard number == 0 else { throw FileError(.open, words[0], number: number) }
    return process
  }

  private struct Pipe {
    let start: Int32
    let end: Int32

    init(_ name: String) throws(FileError) {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw FileError(.create, name) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (start, end) = (ends[0], ends[1])
    }

    func close() {
      Glibc.close(start)
      Glibc.close(end)
    }
  }
}
