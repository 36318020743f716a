import Synchronization

/// A gate in the way of work that goes step by step: closed, it holds the work up until it opens or is cancelled.
final class PauseGate: Sendable {
  private struct State {
    var isClosed = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  func close() { state.withLock { $0.isClosed = true } }

  func open() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      state.isClosed = false
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the gate is open, or when the task is cancelled.
  func pass() async {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayPass = state.withLock { state in
          guard state.isClosed, !Task.isCancelled else { return true }
          state.waiting[number] = continuation
          return false
        }
        if mayPass { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }
}
