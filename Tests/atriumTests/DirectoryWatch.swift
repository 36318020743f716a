import Dispatch
import Glibc

/// Waits for files that are put into a directory by renaming, as a whole file is.
final class DirectoryWatch: Sendable {
  struct Failed: Error { let number: Int32 }

  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_MOVED_TO)) >= 0 else {
      throw Failed(number: errno)
    }
  }

  deinit { close(descriptor) }

  /// Waits for the next one, on a thread of its own.
  func next() async {
    let descriptor = descriptor
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) < 0, errno == EINTR {}
        continuation.resume()
      }
    }
  }
}
