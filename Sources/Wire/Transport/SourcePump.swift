import Curl
import Dispatch
import Model
import Synchronization

/// Reads a source ahead on a queue of its own, so that a slow one holds up nobody; at most a megabyte.
final class SourcePump: Sendable {
  private struct State {
    var chunks: [[UInt8]] = []
    /// Bytes of the first chunk that are gone.
    var offset = 0
    var held = 0
    var supplied: Int64 = 0
    var isReading = false
    var hasEnded = false
    var isStarved = false
    var isStopped = false
    var failure: TransportError?
  }

  private static let chunkSize = 256 << 10
  private static let maxHeld = 1 << 20

  private let source: any ByteSource
  private let count: Int64?
  private let queue = DispatchQueue(label: "atrium.upload")
  private let state = Mutex(State())
  private let resume: @Sendable () -> Void

  /// - Parameter resume: Called once there are bytes again after `supply` said `.pause`.
  init(_ source: any ByteSource, resume: @escaping @Sendable () -> Void) {
    self.source = source
    self.resume = resume
    count = source.count
  }

  var failure: TransportError? { state.withLock { $0.failure } }

  /// Fills the buffer from what has been read; never waits.
  func supply(_ buffer: UnsafeMutableRawBufferPointer) -> CurlSupply {
    let (supply, wantsMore) = state.withLock { state -> (CurlSupply, Bool) in
      if state.failure != nil { return (.stop, false) }
      let room = count.map { Int(min(Int64(buffer.count), $0 - state.supplied)) } ?? buffer.count
      if room == 0 { return (.end, false) }
      let copied = Self.take(room, from: &state, into: buffer)
      let wantsMore = !state.hasEnded && !state.isReading && state.held <= Self.maxHeld / 2
      if wantsMore { state.isReading = true }
      if copied > 0 { return (.bytes(copied), wantsMore) }
      if state.hasEnded {
        guard count == nil else {
          state.failure = TransportError(.interrupted, "there were fewer bytes to send than announced")
          return (.stop, false)
        }
        return (.end, false)
      }
      state.isStarved = true
      return (.pause, wantsMore)
    }
    if wantsMore { queue.async { self.read() } }
    return supply
  }

  private static func take(_ room: Int, from state: inout State, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var copied = 0
    while copied < room, let chunk = state.chunks.first {
      let piece = min(room - copied, chunk.count - state.offset)
      chunk.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: buffer[copied..<copied + piece])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[state.offset..<state.offset + piece]))
      }
      copied += piece
      state.offset += piece
      if state.offset == chunk.count {
        state.chunks.removeFirst()
        state.offset = 0
      }
    }
    state.held -= copied
    state.supplied += Int64(copied)
    return copied
  }

  /// Reads until enough is held; runs on the queue.
  private func read() {
    while true {
      let result = Result { try Self.chunk(from: source) }
      let (goesOn, wasStarved) = state.withLock { state in
        switch result {
        case .success(let chunk) where chunk.isEmpty:
          state.hasEnded = true
        case .success(let chunk):
          state.chunks.append(chunk)
          state.held += chunk.count
        case .failure(let error):
          state.failure = TransportError(.interrupted, "the bytes to send could not be read", cause: error)
        }
        let goesOn = !state.hasEnded && !state.isStopped && state.failure == nil && state.held < Self.maxHeld
        if !goesOn { state.isReading = false }
        defer { state.isStarved = false }
        return (goesOn, state.isStarved)
      }
      if wasStarved { resume() }
      guard goesOn else { return }
    }
  }

  private static func chunk(from source: any ByteSource) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, count in
      count = min(max(try source.read(into: UnsafeMutableRawBufferPointer(buffer)), 0), chunkSize)
    }
  }

  /// Reads no further and calls back once the source is nobody's any more.
  func stop(then done: @escaping @Sendable () -> Void) {
    state.withLock { $0.isStopped = true }
    queue.async { done() }
  }
}
