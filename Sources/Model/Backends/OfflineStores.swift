/// Where a back end keeps data on this machine, and the key that encrypts it.
public struct OfflinePlace: Sendable {
  /// The file; others of the store stand beside it under longer names.
  public let path: String
  /// 32 random bytes as hexadecimal digits.
  public let key: Secret
  /// The key has just been made: what an older file holds can never be read again.
  public let isNew: Bool

  public init(path: String, key: Secret, isNew: Bool) {
    self.path = path
    self.key = key
    self.isNew = isNew
  }
}

/// Finds a connection's place for offline data. The keys lie in the vault, so all of this needs one that is open.
public protocol OfflineStores: Sendable {
  /// The place of a connection, with a new key when it has none yet. Asks for the vault's PIN where it is locked.
  ///
  /// - Throws: `.vaultLocked` when there is no vault, or it stays locked.
  func place(of connection: String) async throws(ServiceError) -> OfflinePlace
  /// Makes the vault demand what a server demands.
  func adopt(_ policy: VaultPolicy) async throws(ServiceError)
}

/// For surroundings without a vault: there is no place.
public struct NoOfflineStores: OfflineStores {
  public init() {}

  public func place(of connection: String) async throws(ServiceError) -> OfflinePlace {
    throw ServiceError(
      .vaultLocked, "open the offline store of \(connection)",
      detail: "there is no vault to hold the key of its data",
      remedy: "Create one with: atrium vault create.")
  }

  public func adopt(_ policy: VaultPolicy) async throws(ServiceError) {}
}
