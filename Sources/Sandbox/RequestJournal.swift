import Synchronization

/// The last requests that were answered, for tests that ask what a client really sent. Holds no header, body or query value.
package final class RequestJournal: Sendable {
  /// One answered request.
  package struct Entry: Sendable, Equatable {
    package let door: String
    package let method: String
    /// Percent-encoded, without the query.
    package let path: String
    /// Names of the query's parameters, in order.
    package let query: [String]
    package let status: Int
  }

  private struct State {
    var entries: [Entry] = []
    var total = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  package init(limit: Int = 2_000) { self.limit = limit }

  package func add(_ entry: Entry) {
    state.withLock { state in
      if state.entries.count >= limit { state.entries.removeFirst(limit / 2) }
      state.entries.append(entry)
      state.total += 1
    }
  }

  package func clear() {
    state.withLock { $0 = State() }
  }

  /// Oldest first; at most the last `limit`.
  package var entries: [Entry] { state.withLock { $0.entries } }

  /// How many there were since the start, or since `clear`.
  package var total: Int { state.withLock { $0.total } }
}
