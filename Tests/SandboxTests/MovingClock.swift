import Synchronization

@testable import Sandbox

/// A clock that moves only when told.
final class MovingClock: Sendable {
  private let time: Mutex<SandboxTime>

  init(_ start: SandboxTime) { time = Mutex(start) }

  func advance(seconds: Int) { time.withLock { $0 = $0.adding(seconds: seconds) } }

  var clock: SandboxClock { SandboxClock { [self] in time.withLock { $0 } } }
}
