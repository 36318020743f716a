import Glibc
import Model
import Screens

/// The time, and how to wait for a later one; a value of its own so that tests stand still.
package protocol Pacemaker: WallClock {
  /// Ends early, by throwing, when the task is cancelled.
  func sleep(until time: Timestamp) async throws
}

/// The system's clock.
package struct SystemPacemaker: Pacemaker {
  package init() {}

  package func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  package func sleep(until time: Timestamp) async throws {
    try await Task.sleep(for: .milliseconds(max(1, time.milliseconds - now().milliseconds)))
  }
}

extension LocalTime {
  /// The time zone of this process, as the C library knows it.
  package static let system = LocalTime { time in
    var seconds = time_t(time.milliseconds / 1000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return 0 }
    return Int(parts.tm_gmtoff) / 60
  }
}
