import Synchronization

/// What was said to a handler, in order.
final class Heard: Sendable {
  private let said = Mutex<[String]>([])
  var all: [String] { said.withLock { $0 } }
  func add(_ text: String) { said.withLock { $0.append(text) } }
}

/// Counts up from one, from any thread.
final class Counter: Sendable {
  private let count = Mutex<UInt8>(0)

  func next() -> UInt8 {
    count.withLock { count in
      count &+= 1
      return count
    }
  }
}
