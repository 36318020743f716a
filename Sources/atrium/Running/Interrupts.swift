import Dispatch
import Glibc
import Synchronization

/// Signals that ask the program to end: they cancel what runs, so that it can leave things in order.
final class Interrupts: Sendable {
  /// Set up by one thread and never touched again: the lock of `state` guards the only reference to it.
  private struct Listening: @unchecked Sendable {
    let source: any DispatchSourceSignal
  }

  private struct State {
    var signal: Int32?
    var cancel: (@Sendable () -> Void)?
    var waiting: CheckedContinuation<Void, Never>?
    var listening: [Listening] = []
  }

  private let state = Mutex(State())

  /// The signal that arrived; nil when none has.
  var signal: Int32? { state.withLock { $0.signal } }

  /// Begins to listen; `cancel` is called once, at the first signal. A second one ends the program on the spot.
  func listen(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { $0.cancel = cancel }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // A command started with a signal ignored (nohup) keeps ignoring it.
      var action = sigaction()
      sigaction(number, nil, &action)
      if number != SIGINT, isIgnored(action) { continue }
      Glibc.signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable [weak self] in self?.arrived(number) }
      source.resume()
      let listening = Listening(source: source)
      state.withLock { $0.listening.append(listening) }
    }
  }

  /// Waits for a signal.
  func wait() async {
    await withCheckedContinuation { continuation in
      let hasArrived = state.withLock { state in
        guard state.signal == nil else { return true }
        state.waiting = continuation
        return false
      }
      if hasArrived { continuation.resume() }
    }
  }

  private func arrived(_ number: Int32) {
    let (isFirst, cancel, waiting) = state.withLock { state in
      defer {
        state.signal = state.signal ?? number
        state.waiting = nil
      }
      return (state.signal == nil, state.cancel, state.waiting)
    }
    Prompt.restoreTerminal()
    guard isFirst else { _exit(128 + number) }
    cancel?()
    waiting?.resume()
    // What does not end by itself ends here.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(5)) { @Sendable in _exit(128 + number) }
  }

  private func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
