import Model
import Synchronization

/// Takes a small payload into memory; more than it may hold ends the download.
final class CollectingSink: ByteSink {
  private let most: Int
  private let collected = Mutex<[UInt8]>([])

  init(most: Int) { self.most = most }

  var bytes: [UInt8] { collected.withLock { $0 } }

  func begin(_ head: ContentHead, at offset: Int64) { collected.withLock { $0 = [] } }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    let fits = collected.withLock { collected in
      guard collected.count + bytes.count <= most else { return false }
      collected.append(contentsOf: bytes)
      return true
    }
    guard fits else { throw ServiceError(.tooLarge, "take the content", detail: "it has more than \(most) bytes") }
  }
}
