import Dispatch
import Glibc

/// What a command printed and how it ended.
package struct CommandOutput: Sendable {
  package let bytes: [UInt8]
  /// Exit status; 128 and the signal's number when a signal ended it.
  package let status: Int32

  /// Runs a command found along `PATH`, with the terminal as its input and for its errors, so that it may ask for a
  /// passphrase itself. Waits on a thread of its own; at most 64 KiB are kept.
  package static func of(_ words: [String], environment: [String: String]) async throws(FileError) -> CommandOutput {
    let result: Result<CommandOutput, FileError> = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        do throws(FileError) {
          continuation.resume(returning: .success(try run(words, environment: environment)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  private static func run(_ words: [String], environment: [String: String]) throws(FileError) -> CommandOutput {
    guard let name = words.first else { throw FileError(.open, "", number: ENOENT) }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw FileError(.create, name) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process = spawn(name, words, environment, output: ends[1])
    close(ends[1])
    guard let process else { throw FileError(.open, name) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      if bytes.count < 64 << 10 { bytes += buffer[..<count] }
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return CommandOutput(bytes: bytes, status: signal == 0 ? status >> 8 & 0xFF : 128 + signal)
  }

  private static func spawn(
    _ name: String, _ words: [String], _ environment: [String: String], output: Int32
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var process: pid_t = 0
    let number = posix_spawnp(&process, name, &actions, nil, arguments, variables)
    errno = number
    return number == 0 ? process : nil
  }
}
