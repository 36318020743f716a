import Dispatch
import Glibc
import LockedMemory
import Model
import Synchronization

/// What a command printed and how it ended.
package struct CommandOutput: Sendable {
  package var bytes: [UInt8]
  /// What it said on standard error, where that was to be kept.
  package let errors: String
  /// Exit status; 128 and the signal's number when a signal ended it.
  package let status: Int32
  /// It was ended because it took too long.
  package let isOverdue: Bool

  /// Runs a command found along `PATH`, with the terminal as its input and for its errors, so that it may ask for a
  /// passphrase itself. Waits on a thread of its own; at most 64 KiB are kept. It is ended, with what it started, when it
  /// takes longer than the limit or when the task is cancelled.
  ///
  /// - Parameters:
  ///   - limit: Nil for a command that may go on for as long as it likes.
  ///   - input: In place of the terminal, which it then has nothing to do with; its errors are kept, too.
  package static func of(
    _ words: [String], environment: [String: String], limit: Duration?, input: Secret? = nil
  ) async throws(FileError) -> CommandOutput {
    let child: ChildCommand
    do throws(FileError) { child = try ChildCommand(words, environment: environment, input: input) } catch {
      throw error
    }
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
  private let keepsErrors: Bool
  /// Nil where errors go straight to a terminal: a pipe that it inherited would stay open as long as it lives.
  private let errors: Int32?
  /// Nobody may be signalled by this number once it has been waited for.
  private let isRunning = Mutex(true)

  init(_ words: [String], environment: [String: String], input: Secret?) throws(FileError) {
    guard let name = words.first else { throw FileError(.open, "", number: ENOENT) }
    keepsErrors = input != nil
    let (output, errors) = (try Pipe(name), isatty(2) == 1 && !keepsErrors ? nil : try Pipe(name))
    isLeader = isatty(0) == 0 || keepsErrors
    var source: Int32?
    defer { if let source { close(source) } }
    do throws(FileError) {
      source = try input.map { (secret) throws(FileError) in try Self.source(of: secret, name) }
      process = try Self.spawn(words, environment, source, output.end, errors?.end, isLeader: isLeader)
    } catch {
      output.close()
      errors?.close()
      throw error
    }
    close(output.end)
    if let errors { close(errors.end) }
    (self.output, self.errors) = (output.start, errors?.start)
  }

  /// What reads as the secret and then ends. A socket takes 64 KiB at once, and a reader that has gone raises no signal.
  private static func source(of secret: Secret, _ name: String) throws(FileError) -> Int32 {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw FileError(.create, name) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    let sent = secret.withUTF8 { bytes in
      bytes.isEmpty || send(ends[1], bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
    guard sent else {
      let error = FileError(.write, name)
      close(ends[0])
      throw error
    }
    return ends[0]
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
    var said: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Growing would leave copies behind that nobody wipes.
    bytes.reserveCapacity(64 << 10)
    defer { buffer.wipe() }
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
      if ready[1].revents != 0, !forward(errors, &buffer, &said) { errors = -1 }
      guard ready[0].revents != 0 else { continue }
      let length = read(output, &buffer, buffer.count)
      if length < 0, errno == EINTR { continue }
      if length <= 0 { break }
      bytes += buffer[..<min(length, (64 << 10) - bytes.count)]
    }
    while keepsErrors, !isOverdue, errors >= 0 { if !forward(errors, &buffer, &said) { errors = -1 } }
    let words = String(decoding: said.prefix(4096), as: UTF8.self)
    return CommandOutput(bytes: bytes, errors: words, status: status(), isOverdue: isOverdue)
  }

  /// - Returns: Whether there may be more.
  private func forward(_ errors: Int32, _ buffer: inout [UInt8], _ said: inout [UInt8]) -> Bool {
    let length = read(errors, &buffer, buffer.count)
    guard length > 0 else { return false }
    if !keepsErrors {
      _ = write(2, buffer, length)
    } else if said.count < 4096 {
      said += buffer[..<length]
    }
    return true
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
    _ words: [String], _ environment: [String: String], _ input: Int32?, _ output: Int32, _ errors: Int32?,
    isLeader: Bool
  ) throws(FileError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
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
    let program = Self.program(words[0], along: environment["PATH"] ?? "")
    let number = posix_spawn(&process, program, &actions, &attributes, arguments, variables)
    guard number == 0 else { throw FileError(.open, words[0], number: number) }
    return process
  }

  /// The path of a program by the `PATH` that it will see itself.
  private static func program(_ name: String, along path: String) -> String {
    guard !name.contains("/") else { return name }
    let places = path.split(separator: ":").map { "\($0)/\(name)" }
    return places.first { access($0, X_OK) == 0 && !Files.isDirectory($0) } ?? name
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
