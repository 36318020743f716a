import Dispatch
import Glibc
import LockedMemory
import Model
import Synchronization

/// Asks at the terminal: the question on standard error, the answer from standard input.
enum Prompt {
  /// Settings of the terminal before the echo was switched off.
  private static let saved = Mutex<termios?>(nil)

  static var isPossible: Bool { isatty(0) == 1 }

  /// Shows the question and reads a line.
  ///
  /// - Throws: `.cancelled` at the end of input, or when the task is cancelled.
  static func line(_ question: String, to errors: Output) async throws(ServiceError) -> String {
    try await secret(question, echo: true, to: errors).reveal()
  }

  /// The same for what must not be seen as it is typed, and stays in locked memory.
  static func secret(
    _ question: String, echo: Bool = false, to errors: Output
  ) async throws(ServiceError) -> Secret {
    try errors.write(question)
    try errors.flush()
    if !echo { hideTyping() }
    defer { if !echo { restoreTerminal() } }
    let line = await readLine()
    if !echo {
      try errors.write("\n")
      try errors.flush()
    }
    guard let line else { throw .cancelled("read an answer") }
    return line
  }

  /// The first line of standard input, for `--password-stdin`; nil when there is none.
  static func firstLine() async -> Secret? { await readLine() }

  /// Yes or no; no is what Enter says.
  static func confirm(_ question: String, to errors: Output) async throws(ServiceError) -> Bool {
    let answer = try await line("\(question) [y/N] ", to: errors)
    return ["y", "yes"].contains(answer.lowercased())
  }

  static func restoreTerminal() {
    saved.withLock { saved in
      if var settings = saved { tcsetattr(0, TCSANOW, &settings) }
      saved = nil
    }
  }

  private static func hideTyping() {
    var settings = termios()
    guard tcgetattr(0, &settings) == 0 else { return }
    saved.withLock { $0 = $0 ?? settings }
    settings.c_lflag &= ~tcflag_t(ECHO)
    settings.c_lflag |= tcflag_t(ECHONL | ICANON)
    settings.c_lflag &= ~tcflag_t(ECHONL)
    tcsetattr(0, TCSAFLUSH, &settings)
  }

  /// Reads on a thread of its own, byte by byte, so that what follows the line stays for others.
  private static func readLine() async -> Secret? {
    let answer = OnceContinuation()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer.set(continuation)
        DispatchQueue.global().async { answer.resume(blockingLine()) }
      }
    } onCancel: {
      answer.resume(nil)
    }
  }

  private static func blockingLine() -> Secret? {
    var bytes: [UInt8] = []
    // All of it at once: growing would leave copies behind that nobody wipes.
    bytes.reserveCapacity(maxLineBytes)
    defer { bytes.wipe() }
    var byte: UInt8 = 0
    while bytes.count < maxLineBytes {
      let count = read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return bytes.isEmpty ? nil : Secret(utf8: bytes) }
      if byte == 10 { break }
      bytes.append(byte)
    }
    if bytes.last == 13 { bytes.removeLast() }
    return Secret(utf8: bytes)
  }

  private static let maxLineBytes = 64 << 10
}

/// A continuation that two may want to resume: the line, or the end of waiting for it.
private final class OnceContinuation: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Secret?, Never>?
    var isOver = false
  }

  private let state = Mutex(State())

  func set(_ continuation: CheckedContinuation<Secret?, Never>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.continuation = continuation }
      return state.isOver
    }
    if isOver { continuation.resume(returning: nil) }
  }

  func resume(_ line: Secret?) {
    let continuation = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.continuation
    }
    continuation?.resume(returning: line)
  }
}
