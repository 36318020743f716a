import Synchronization

/// A value that arrives once, for one task that waits for it whether cancelled or not.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Value, Never>)
    case full(Value)
  }

  private let state = Mutex(State.empty)

  /// Only the first value counts.
  func fulfil(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .empty:
        state = .full(value)
        return nil
      case .waiting(let continuation):
        state = .full(value)
        return continuation
      case .full:
        return nil
      }
    }
    waiting?.resume(returning: value)
  }

  /// Waits; for one caller only.
  func value() async -> Value {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> Value? in
        if case .full(let value) = state { return value }
        state = .waiting(continuation)
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}
