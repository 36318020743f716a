import Glibc
import Model

/// The system's clock.
package struct SystemClock: WallClock {
  package init() {}

  package func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// Unpredictable bytes from the kernel.
package enum SystemRandom {
  package static func bytes(_ count: Int) -> [UInt8] {
    // Swift's system generator is getrandom(2) on Linux.
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}
