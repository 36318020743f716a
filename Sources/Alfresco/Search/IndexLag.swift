import Model
import Synchronization

/// Whether the search index may still lack what was changed here: searches lag behind writes by seconds.
///
/// A search tells the last transaction it knows of. After a change, results are suspected until that number has grown,
/// or a minute has gone by; a quarter of one where no search was made before the change, so that there is nothing to
/// compare.
final class IndexLag: Sendable {
  private struct State {
    var lastSeen: Int?
    var change: (time: Timestamp, seen: Int?)?
  }

  private let state = Mutex(State())
  private static let patience: (known: Int64, unknown: Int64) = (60_000, 15_000)

  static let notice = "The index is catching up: what was changed just now may be missing yet."

  func noteChange(at now: Timestamp) {
    state.withLock { $0.change = ($0.change?.time ?? now, $0.lastSeen) }
  }

  /// Whether to say so beside the results of a search.
  func isBehind(_ transaction: Int?, at now: Timestamp) -> Bool {
    state.withLock { state in
      defer { state.lastSeen = transaction ?? state.lastSeen }
      guard let change = state.change else { return false }
      let isOld =
        now.milliseconds - change.time.milliseconds > (change.seen == nil ? Self.patience.unknown : Self.patience.known)
      let hasGrown = transaction.flatMap { now in change.seen.map { now > $0 } } ?? false
      guard isOld || hasGrown else { return true }
      state.change = nil
      return false
    }
  }
}
