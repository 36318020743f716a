import Synchronization

/// Lets one caller in at a time, in the order they came; a cancelled caller stops waiting.
final class Gate: Sendable {
  private struct State {
    var isBusy = false
    var next = 0
    var waiting: [(number: Int, caller: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Mutex(State())

  /// Waits for the turn.
  ///
  /// - Returns: False when the task was cancelled; then there is nothing to leave.
  func enter() async -> Bool {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        let entry = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.isBusy else {
            state.isBusy = true
            return true
          }
          state.waiting.append((number, caller))
          return nil
        }
        if let entry { caller.resume(returning: entry) }
      }
    } onCancel: {
      let caller = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return state.waiting.remove(at: place).caller
      }
      caller?.resume(returning: false)
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.waiting.removeFirst().caller
    }
    next?.resume(returning: true)
  }
}
