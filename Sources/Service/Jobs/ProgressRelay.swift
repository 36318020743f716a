import Model
import Synchronization

/// Brings progress from any thread to the main actor, ten times a second at most, so that a fast transfer does not keep
/// the screen busy.
final class ProgressRelay: Sendable {
  private struct State {
    var last: ContinuousClock.Instant?
    var isScheduled = false
    var latest: (done: Int64, total: Int64?) = (0, nil)
  }

  private let state = Mutex(State())
  private let deliver: @MainActor @Sendable (Int64, Int64?) -> Void

  init(_ deliver: @escaping @MainActor @Sendable (Int64, Int64?) -> Void) { self.deliver = deliver }

  func note(_ done: Int64, _ total: Int64?) {
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      state.latest = (done, total)
      guard !state.isScheduled, state.last.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true || done == total
      else { return false }
      state.isScheduled = true
      state.last = now
      return true
    }
    guard isDue else { return }
    Task { @MainActor in
      let (done, total) = state.withLock { state in
        state.isScheduled = false
        return state.latest
      }
      deliver(done, total)
    }
  }
}
