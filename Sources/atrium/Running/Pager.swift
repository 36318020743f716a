import Glibc
import Model

/// Shows what does not fit on the screen through `$PAGER`, where the person has set one.
struct Pager: Sendable {
  private let command: String
  private let rows: Int
  private let environment: [String: String]

  /// More than this streams past: nobody waits for the end of a million rows before seeing the first.
  static let most = 1 << 20

  /// Nil without a terminal, without `$PAGER`, and in plain mode.
  init?(_ session: Session) {
    guard session.output.isTerminal, !session.isPlain, let command = session.environment["PAGER"], !command.isEmpty
    else { return nil }
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
    self.command = command
    rows = Int(size.ws_row)
    // less passes colours on only when it is told to, and would clear the screen behind itself.
    environment = session.environment.merging(["LESS": "RX"]) { own, _ in own }
  }

  /// Whether these bytes are for the pager.
  func takes(_ bytes: [UInt8]) -> Bool { bytes.count { $0 == 10 } >= rows }

  /// Runs the pager on the bytes and waits; false when there is no such program.
  func show(_ bytes: [UInt8]) -> Bool {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return false }
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    let arguments = ["sh", "-c", "exec \(command)"]
    let words = arguments.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var process: pid_t = 0
    let number = posix_spawn(&process, "/bin/sh", &actions, nil, words, variables)
    close(ends[0])
    var start = 0
    while number == 0, start < bytes.count {
      let count = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress?.advanced(by: start), $0.count - start) }
      // A pager that was left takes no more.
      guard count > 0 || errno == EINTR else { break }
      start += max(0, count)
    }
    close(ends[1])
    var status: Int32 = 0
    while number == 0, waitpid(process, &status, 0) < 0, errno == EINTR {}
    return number == 0 && status >> 8 & 0xFF != 127
  }
}
