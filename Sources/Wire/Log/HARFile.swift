import Glibc
public import Model
import Synchronization

/// Writes each exchange of a log into a HAR file as soon as it has ended; the file is a whole archive at every moment.
public final class HARFile: Sendable {
  private struct State {
    var descriptor: Int32
    /// Where the next entry goes: before the closing brackets.
    var position: off_t
    var isFirst = true
    var failure: Int32 = 0
  }

  private static let end = Array("\n]}}\n".utf8)

  private let state: Mutex<State>
  private let subscription = Mutex<ExchangeLog.Subscription?>(nil)

  /// Creates the file anew, readable by its owner only.
  ///
  /// - Parameter version: The program's own.
  /// - Throws: `.configuration` where the file cannot be made.
  public init(path: String, log: ExchangeLog, version: String) throws(ServiceError) {
    // A new file rather than the old one emptied: its mode and its other names stay out of it.
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw ServiceError(.configuration, "write the trace “\(path)”", detail: String(cString: strerror(errno)))
    }
    let start = Array(
      "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"Atrium\",\"version\":\"\(version)\"},\"entries\":[".utf8)
    state = Mutex(State(descriptor: descriptor, position: off_t(start.count)))
    state.withLock { Self.write(start + Self.end, at: 0, &$0) }
    let subscription = log.observe { [weak self] exchange in
      if exchange.state != .running { self?.add(exchange) }
    }
    self.subscription.withLock { $0 = subscription }
  }

  deinit { close() }

  /// The system's error, where writing failed once; 0 when all went well.
  public var failure: Int32 { state.withLock { $0.failure } }

  /// Ends the trace; exchanges that are still running are not in it.
  public func close() {
    subscription.withLock { $0 = nil }
    state.withLock { state in
      if state.descriptor >= 0 { Glibc.close(state.descriptor) }
      state.descriptor = -1
    }
  }

  private func add(_ exchange: Exchange) {
    let entry = HAR.entry(exchange).encoded()
    state.withLock { state in
      guard state.descriptor >= 0, state.failure == 0 else { return }
      let text = Array((state.isFirst ? "\n" : ",\n").utf8) + entry
      Self.write(text + Self.end, at: state.position, &state)
      state.position += off_t(text.count)
      state.isFirst = false
    }
  }

  private static func write(_ bytes: [UInt8], at position: off_t, _ state: inout State) {
    var done = 0
    while done < bytes.count {
      let written = bytes[done...].withUnsafeBytes {
        pwrite(state.descriptor, $0.baseAddress, $0.count, position + off_t(done))
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return state.failure = errno }
      done += written
    }
  }
}
