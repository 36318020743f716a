import Model
import Synchronization

/// The beginning of some content, in memory, for looking at.
package struct Content: Sendable {
  package let head: ContentHead
  package let bytes: [UInt8]
  /// Whether there is more than what is here.
  package let isCut: Bool
}

extension ServiceLayer {
  /// The first `maxBytes` of some content; the rest is not fetched.
  package func content(_ location: Location, maxBytes: Int) async throws(ServiceError) -> Content {
    let sink = BoundedSink(maxBytes: maxBytes)
    do {
      let head = try await download(location, to: sink)
      return sink.content(head) ?? Content(head: head, bytes: [], isCut: false)
    } catch {
      // The sink ends the transfer when it has enough.
      guard let content = sink.content(nil), content.isCut else { throw error }
      return content
    }
  }
}

/// Takes bytes until it has enough, then breaks off.
private final class BoundedSink: ByteSink {
  private struct Full: Error {}

  private struct State {
    var head: ContentHead?
    var bytes: [UInt8] = []
    var isFull = false
  }

  private let state = Mutex(State())
  private let maxBytes: Int

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  func begin(_ head: ContentHead, at offset: Int64) {
    state.withLock { $0 = State(head: head) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try state.withLock { state in
      let room = maxBytes - state.bytes.count
      state.bytes.append(contentsOf: bytes.prefix(room))
      guard bytes.count <= room else {
        state.isFull = true
        throw Full()
      }
    }
  }

  func content(_ head: ContentHead?) -> Content? {
    state.withLock { state in
      (head ?? state.head).map { Content(head: $0, bytes: state.bytes, isCut: state.isFull) }
    }
  }
}
