import Model
import Synchronization

/// Events that have arrived and not been looked at yet.
final class Inbox: Sendable {
  private let events = Mutex<[TerminalEvent]>([])

  /// Says whether it was empty before, so that somebody must be told.
  func add(_ event: TerminalEvent) -> Bool {
    events.withLock { events in
      events.append(event)
      return events.count == 1
    }
  }

  func takeAll() -> [TerminalEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
