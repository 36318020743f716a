import Model
import Store

/// A vault of an app's own secrets behind a password (`SUPDataVault`, `DataVault`).
///
/// Salts are made inside and are nobody's business, as in the later generation. A wrong password is counted on the disk
/// before it is looked at; at the limit the vault is deleted with everything in it, the keys of databases included.
public final class DataVault: Sendable {
  let vault: Vault
  /// Name of the file; `vaultID`.
  public var id: String { vault.name }

  private init(_ vault: Vault) { self.vault = vault }

  /// Makes the vault and leaves it unlocked (`createVault:withPassword:`).
  ///
  /// - Parameter password: Nil for none, which only some policies allow.
  public static func create(
    _ id: String, password: Secret?, policy: VaultPolicy = VaultPolicy(), in directory: String, clock: any WallClock
  ) throws(DataVaultError) -> DataVault {
    let vault = Vault(name: id, directory: directory, clock: clock)
    try checking { () throws(VaultError) in try vault.create(pin: password, policy: policy) }
    return DataVault(vault)
  }

  /// Needs no password (`vaultExists:`).
  public static func exists(_ id: String, in directory: String, clock: any WallClock) -> Bool {
    Vault(name: id, directory: directory, clock: clock).exists
  }

  /// A locked handle on a vault that exists (`getVault:`).
  public static func open(
    _ id: String, in directory: String, clock: any WallClock
  ) throws(DataVaultError) -> DataVault {
    let vault = Vault(name: id, directory: directory, clock: clock)
    guard vault.exists else { throw DataVaultError(.doesNotExist, "there is no vault “\(id)”") }
    return DataVault(vault)
  }

  /// Deletes it with all its contents; needs no password (`deleteVault:`).
  public static func delete(_ id: String, in directory: String, clock: any WallClock) throws(DataVaultError) {
    try checking { () throws(VaultError) in try Vault(name: id, directory: directory, clock: clock).destroy() }
  }
}

extension DataVault {
  public var isLocked: Bool { vault.isLocked }

  /// - Throws: `.invalidPassword`, with the tries left in its message; `.doesNotExist` when that was the last one;
  ///   `.passwordExpired` and the codes of the policy when it must be changed first (`IncompatiblePassword`).
  public func unlock(password: Secret?) throws(DataVaultError) {
    try checking { () throws(VaultError) in try vault.unlock(pin: password) }
  }

  /// Does nothing when it is locked already.
  public func lock() { vault.lock() }

  /// Changes the password, and unlocks in the same step (`changePassword:current:new:`).
  public func changePassword(from current: Secret?, to new: Secret?) throws(DataVaultError) {
    try checking { () throws(VaultError) in try vault.changePIN(from: current, to: new) }
  }

  /// What is demanded of the password (`getPasswordPolicy`); also holds lock timeout and retry limit, where 0 is none.
  public func passwordPolicy() throws(DataVaultError) -> VaultPolicy {
    try checking { () throws(VaultError) in try vault.policy() }
  }

  /// - Parameter policy: Nil for the one that a new vault has.
  public func setPasswordPolicy(_ policy: VaultPolicy?) throws(DataVaultError) {
    try checking { () throws(VaultError) in try vault.setPolicy(policy ?? VaultPolicy()) }
  }

  /// Seconds without use until it locks itself (`setLockTimeout:`); 0 for never.
  public func setLockTimeout(_ seconds: Int) throws(DataVaultError) {
    var policy = try passwordPolicy()
    policy.lockTimeout = seconds
    try setPasswordPolicy(policy)
  }

  /// Wrong passwords that delete it (`setRetryLimit:`); 0 for no limit.
  public func setRetryLimit(_ tries: Int) throws(DataVaultError) {
    var policy = try passwordPolicy()
    policy.retryLimit = tries
    try setPasswordPolicy(policy)
  }

  /// Name and kind of every item, by name (`getDataNames`).
  public func dataNames() throws(DataVaultError) -> [DataName] {
    let contents = try checking { () throws(VaultError) in try vault.contents() }
    return contents.map { DataName(name: $0.name, isBinary: $0.kind == .bytes) }
  }

  /// - Throws: `.invalidArgument` for a name that is not there.
  public func string(named name: String) throws(DataVaultError) -> Secret {
    let found = try checking { () throws(VaultError) in try vault.string(named: name) }
    guard let found else { throw DataVaultError(.invalidArgument, "the vault has no item “\(name)”") }
    return found
  }

  /// Keeps a text, or removes it when it is nil.
  public func setString(_ value: Secret?, named name: String) throws(DataVaultError) {
    guard let value else { return try deleteValue(named: name) }
    try checking { () throws(VaultError) in try vault.set(value, named: name) }
  }

  public func deleteValue(named name: String) throws(DataVaultError) {
    guard !name.isEmpty else { throw DataVaultError(.invalidArgument, "an item needs a name") }
    try checking { () throws(VaultError) in try vault.remove(named: name) }
  }
}

/// What is in a vault, without its value.
public struct DataName: Sendable, Hashable {
  public let name: String
  /// Bytes rather than a text.
  public let isBinary: Bool
}

/// Runs something on a vault, its errors as an app knows them.
func checking<Value>(
  _ work: () throws(VaultError) -> Value
) throws(DataVaultError) -> Value {
  do throws(VaultError) { return try work() } catch { throw DataVaultError(error) }
}
