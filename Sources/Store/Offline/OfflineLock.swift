import Glibc
import Model

/// Lets one process at a time send the edits of a store; goes with the value, or the process.
package final class OfflineLock: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Waits while another one sends.
  ///
  /// - Throws: `.busy` when that takes longer than `patience`.
  package static func hold(
    _ store: OfflineStore, _ operation: String, patience: Duration = .seconds(30)
  ) async throws(ServiceError) -> OfflineLock {
    try await hold(storeAt: store.path, operation, patience: patience)
  }

  /// The same for a store that need not be there yet.
  static func hold(
    storeAt path: String, _ operation: String, patience: Duration = .seconds(30)
  ) async throws(ServiceError) -> OfflineLock {
    let path = path + ".lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(.open, path).serviceError(operation) }
    let lock = OfflineLock(descriptor)
    let pause = Duration.milliseconds(50)
    var waited = Duration.zero
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError(.open, path).serviceError(operation) }
      guard waited < patience else {
        throw ServiceError(
          .busy, operation, detail: "another Atrium is synchronising", remedy: "Wait until it has finished.")
      }
      do { try await Task.sleep(for: pause) } catch { throw .cancelled(operation) }
      waited += pause
    }
    return lock
  }
}
