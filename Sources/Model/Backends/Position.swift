import Synchronization

/// How far a source has been read; guarded, so that a source may cross threads between two reads.
final class Position: Sendable {
  private let offset = Mutex(0)

  /// Hands the next range to `copy` and moves behind it; returns its length.
  func advance(upTo length: Int, of total: Int, _ copy: (Range<Int>) -> Void) -> Int {
    offset.withLock { offset in
      let range = offset..<min(total, offset + length)
      if !range.isEmpty { copy(range) }
      offset = range.upperBound
      return range.count
    }
  }

  func reset() { offset.withLock { $0 = 0 } }
}
