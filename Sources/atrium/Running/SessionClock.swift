import Model
import Service
import Synchronization

/// The system's clock, until something else tells the time: a tape that is played has a clock of its own.
final class SessionClock: WallClock {
  private let source = Mutex<any WallClock>(SystemClock())

  func now() -> Timestamp { source.withLock { $0 }.now() }

  func follow(_ clock: any WallClock) { source.withLock { $0 = clock } }
}
