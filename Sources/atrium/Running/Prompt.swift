import Dispatch
import Glibc
import Model
import Synchronization

/// Asks at the terminal: the question on standard error, the answer from standard input.
enum Prompt {
  /// Settings of the terminal before the echo was switched off.
  private static let saved = Mutex<termios?>(nil)

  static var isPossible: Bool { isatty(0) == 1 }

  /// Shows the question and reads a line.
  ///
  /// - Parameter echo: Whether the answer is seen as it is typed.
  /// - Throws: `.cancelled` at the end of input, or when the task is cancelled.
  static func line(_ question: String, echo: Bool = true, to errors: Output) async throws(ServiceError) -> String {
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
  static func firstLine() async -> String? { await readLine() }

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
  private static func readLine() async -> String? {
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

  private static func blockingLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 64 << 10 {
      let count = read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
      if byte == 10 { break }
      bytes.append(byte)
    }
    if bytes.last == 13 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A continuation that two may want to resume: the line, or the end of waiting for it.
private final class OnceContinuation: Sendable {
  private struct State {
    var continuation: CheckedContinuation<String?, Never>?
    var isOver = false
  }

  private let state = Mutex(State())

  func set(_ continuation: CheckedContinuation<String?, Never>) {
    let isOver = state.withLock { state in
      if !state.isOver { state.continuation = continuation }
      return state.isOver
    }
    if isOver { continuation.resume(returning: nil) }
  }

  func resume(_ line: String?) {
    let continuation = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.continuation
    }
    continuation?.resume(returning: line)
  }
}
