import Crypto
import Glibc

/// The file beside a vault that processes lock while they change the vault, which itself is replaced by every change.
///
/// What stands in it names a round. Another one begins whenever somebody locks the vault, so that every process that
/// holds it open finds out at the next use.
struct VaultGuard: Sendable {
  let path: String
  private static let roundBytes = 16

  /// Waits until nobody else changes the vault.
  ///
  /// - Returns: A descriptor that holds the lock until it is closed.
  func take() throws(FileError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(.open, path) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        let error = FileError(.open, path)
        close(descriptor)
        throw error
      }
    }
    return descriptor
  }

  /// Empty before the first one.
  var round: [UInt8] { (try? Files.read(path, maxBytes: Self.roundBytes)) ?? [] }

  /// Only for who holds the lock.
  func beginRound() {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = RandomBytes.make(Self.roundBytes)
    _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }
}
