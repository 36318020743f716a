import Browser
import Model
import Synchronization

/// The time on the stage: it begins where the tape says. With a presenter it goes on by itself; without one it moves only
/// when the player moves it, so that the same tape always makes the same film.
package final class StageClock: Pacemaker {
  private enum Hands {
    case moved(Timestamp)
    case running(from: Timestamp, since: ContinuousClock.Instant)
  }

  private let hands: Mutex<Hands>
  private let isLive: Bool

  package init(_ start: Timestamp, isLive: Bool) {
    self.isLive = isLive
    hands = Mutex(isLive ? .running(from: start, since: .now) : .moved(start))
  }

  package func now() -> Timestamp {
    switch hands.withLock({ $0 }) {
    case .moved(let time): time
    case .running(let start, let since):
      Timestamp(milliseconds: start.milliseconds + StageClock.milliseconds(ContinuousClock.now - since))
    }
  }

  /// Moves a clock that does not go by itself; never back.
  func move(to time: Timestamp) {
    hands.withLock { hands in
      if case .moved(let now) = hands { hands = .moved(max(now, time)) }
    }
  }

  /// Where the player moves the time it also wakes the browser, so that nothing here ever ends but by being cancelled.
  package func sleep(until time: Timestamp) async throws {
    guard isLive else { return try await Task.sleep(for: .seconds(86_400 * 365)) }
    try await Task.sleep(for: .milliseconds(max(1, time.milliseconds - now().milliseconds)))
  }

  static func milliseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
  }
}
