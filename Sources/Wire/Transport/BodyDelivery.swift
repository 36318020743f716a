import Curl
import Dispatch
import FoundationEssentials
import Model
import Synchronization

/// Carries a streamed body from libcurl's thread to its sink, which may be slow: at most a megabyte waits, then the
/// transfer does.
final class BodyDelivery: Sendable {
  private struct State {
    var head: HTTPResponse?
    var chunks: [[UInt8]] = []
    var held = 0
    var isPaused = false
    var isScheduled = false
    var isStopped = false
    var outcome: CurlOutcome?
  }

  /// What the consumer takes in one go.
  private struct Work {
    var head: HTTPResponse?
    var chunks: [[UInt8]]
    var outcome: CurlOutcome?
    var wasPaused: Bool
  }

  private static let chunkSize = 256 << 10
  private static let maxHeld = 1 << 20

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "atrium.download")
  private let consumer: BodyConsumer
  private let resume: @Sendable () -> Void
  private let stop: @Sendable () -> Void
  private let done: @Sendable (BodyConsumer, CurlOutcome) -> Void

  /// - Parameters:
  ///   - resume: Lets the transfer go on after `.pause`.
  ///   - stop: Ends the transfer because the consumer failed.
  ///   - done: Called last, on the delivery's queue.
  init(
    _ consumer: BodyConsumer, resume: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void,
    done: @escaping @Sendable (BodyConsumer, CurlOutcome) -> Void
  ) {
    self.consumer = consumer
    self.resume = resume
    self.stop = stop
    self.done = done
  }

  func begin(_ head: HTTPResponse) {
    schedule { $0.head = head }
  }

  /// Keeps a copy of the bytes, or asks for a pause.
  func write(_ bytes: UnsafeRawBufferPointer) -> CurlVerdict {
    state.withLock { state in
      if state.isStopped { return .stop }
      guard state.held < Self.maxHeld else {
        state.isPaused = true
        return .pause
      }
      if let last = state.chunks.indices.last, state.chunks[last].count + bytes.count <= Self.chunkSize {
        state.chunks[last].append(contentsOf: bytes)
      } else {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(max(Self.chunkSize, bytes.count))
        chunk.append(contentsOf: bytes)
        state.chunks.append(chunk)
      }
      state.held += bytes.count
      return .go
    }
  }

  /// Starts the consumer where bytes wait for it.
  func flush() {
    guard state.withLock({ $0.held > 0 && !$0.isScheduled }) else { return }
    schedule { _ in }
  }

  func end(_ outcome: CurlOutcome) {
    schedule { $0.outcome = outcome }
  }

  private func schedule(_ change: (inout State) -> Void) {
    let isNew = state.withLock { state in
      change(&state)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNew { queue.async { self.drain() } }
  }

  private func drain() {
    while let work = take() {
      if work.wasPaused { resume() }
      if let head = work.head { consumer.begin(head) }
      for chunk in work.chunks { consumer.write(chunk) }
      if consumer.failure != nil, work.outcome == nil, !state.withLock({ $0.isStopped }) {
        state.withLock { $0.isStopped = true }
        stop()
      }
      if let outcome = work.outcome { done(consumer, outcome) }
    }
  }

  private func take() -> Work? {
    state.withLock { state in
      guard state.head != nil || !state.chunks.isEmpty || state.outcome != nil else {
        state.isScheduled = false
        return nil
      }
      let work = Work(head: state.head, chunks: state.chunks, outcome: state.outcome, wasPaused: state.isPaused)
      state.head = nil
      state.chunks = []
      state.held = 0
      state.isPaused = false
      state.outcome = nil
      return work
    }
  }
}
