import Synchronization

/// Tells everybody who listens what happens, in the order it happened. Listeners never hold up the work they hear of.
public final class EventChannel<Event: Sendable>: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  init() {}

  deinit {
    for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
  }

  /// Everything from now on, to one listener; ends with the listener's loop or with the channel.
  public func events() -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    let number = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  /// The same for callbacks: each comes on the main actor; cancelling the task ends them.
  @discardableResult
  public func observe(_ callback: @escaping @MainActor @Sendable (Event) -> Void) -> Task<Void, Never> {
    let events = events()
    return Task { for await event in events { await callback(event) } }
  }

  /// Whether anybody listens, for what would cost something to tell.
  var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }

  func post(_ event: Event) {
    // Under the lock, so that two events cannot overtake each other on their way to a listener.
    state.withLock { for listener in $0.listeners.values { listener.yield(event) } }
  }
}
