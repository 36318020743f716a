import Crypto
import Model

/// Keeps secrets beyond the process: the data vault, or the desktop's own keeper where the configuration asks for it.
package protocol LastingKeeper: SecretKeeper, OfflineStores {
  /// What it is called in messages: the Secret Service.
  var title: String { get }
  /// Makes sure that secrets can be read and kept, asking for what that needs.
  ///
  /// - Throws: `.vaultLocked` when it stays locked.
  func open() async throws(ServiceError)
  /// The same where there may be nothing yet to keep secrets in, which is then offered; false when there is nothing then.
  func isReady() async throws(ServiceError) -> Bool
  /// A secret that the configuration says is kept.
  ///
  /// - Throws: `.signInNeeded` when there is none of this name, `.vaultLocked` when nothing can be read.
  func requiredSecret(named name: String) async throws(ServiceError) -> Secret
}

extension LastingKeeper {
  static func noEntry(_ name: String, in place: String) -> ServiceError {
    ServiceError(
      .signInNeeded, "read the secret “\(name)”", detail: "\(place) has no such entry",
      remedy: "Keep it there with atrium login, or atrium vault set \(name).")
  }

  /// The place of a connection's offline store, whose key is made when it is first asked for.
  func place(of connection: String, in directory: String) async throws(ServiceError) -> OfflinePlace {
    let name = "\(connection)/encryption-key"
    let path = FilePath.joined(directory, "\(connection).store")
    if let kept = try await secret(named: name) { return OfflinePlace(path: path, key: kept, isNew: false) }
    let operation = "make the key of \(connection)’s offline data"
    do throws(FileError) { try Files.makeDirectory(directory) } catch { throw error.serviceError(operation) }
    // Of two that make one at once, the later would take from the earlier what it has written under its own.
    let lock = try await OfflineLock.hold(storeAt: path, operation)
    defer { withExtendedLifetime(lock) {} }
    if let kept = try await secret(named: name) { return OfflinePlace(path: path, key: kept, isNew: false) }
    let made = Secret(Hex.encode(RandomBytes.make(AES256GCM.keyBytes)))
    try await keep(made, named: name)
    return OfflinePlace(path: path, key: made, isNew: true)
  }
}
