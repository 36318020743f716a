import Glibc
import Model
import Synchronization

/// A download into something that is no file of its own, such as a device or a pipe: bytes go in as they come.
package final class StreamFile: ByteSink {
  private let path: String
  private let descriptor: Int32
  private let hasBegun = Mutex(false)

  /// Waits until somebody reads, where it is a pipe.
  ///
  /// - Throws: `.failed` with the system's reason.
  package init(_ path: String) throws(ServiceError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw FileError(.open, path).serviceError("download to \(path)") }
  }

  deinit { close(descriptor) }

  /// - Throws: Where something has been written already, which cannot be taken back.
  package func begin(_ head: ContentHead, at offset: Int64) throws {
    let isAgain = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return hasBegun
    }
    guard !isAgain, offset == 0 else { throw FileError(.write, path, number: ESPIPE) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    var start = 0
    while start < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileError(.write, path).serviceError("download to \(path)") }
      start += count
    }
  }
}
