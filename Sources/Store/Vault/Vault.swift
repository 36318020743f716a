import Crypto
import LockedMemory
import Model
import Synchronization

/// A named, encrypted file of secrets behind a PIN, in the semantics of DataVault (SMP 3 SDK).
///
/// The PIN gives a key through scrypt, that key opens the data key, the data key opens the entries. Several processes
/// may use one vault at once: each call reads the file anew, and each change happens under a lock on it and replaces it
/// in one step. A try is counted on disk before the PIN is looked at, so that ending the process does not save it. Locked
/// by hand in one process, it is locked in all.
package final class Vault: Sendable {
  package let name: String
  package let path: String
  let clock: any WallClock
  let keyring: any Keyring
  let guardFile: VaultGuard
  let state = Mutex(State())

  struct State {
    var dataKey: LockedBytes?
    var lastUse: Timestamp?
    /// The round in which it was opened; another one means that somebody locked it since.
    var round: [UInt8] = []
  }

  /// A handle on a vault that may or may not exist; locked unless the keyring holds its key.
  package init(name: String, directory: String, clock: any WallClock, keyring: any Keyring = NoKeyring()) {
    self.name = name
    path = FilePath.joined(directory, name + Vault.suffix)
    guardFile = VaultGuard(path: path + ".lock")
    self.clock = clock
    self.keyring = keyring
  }

  package var exists: Bool { Files.exists(path) }

  static let suffix = ".vault"

  /// Names of the vaults in a directory, sorted.
  package static func names(in directory: String) -> [String] {
    Files.names(in: directory).filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.map {
      String($0.dropLast(suffix.count))
    }
  }

  /// Name of the key in the keyring: the vault's path without telling it.
  var keyName: String { "atrium:vault:" + Hex.encode(Array(Hash.sha256.digest(Array(path.utf8)).prefix(16))) }
}

extension Vault {
  /// Makes the vault and leaves it unlocked.
  package func create(
    pin: Secret?, policy: VaultPolicy = VaultPolicy(), cost: VaultCost = .interactive
  ) throws(VaultError) {
    let objections = policy.objections(to: pin)
    guard objections.isEmpty else { throw .unacceptablePIN(objections) }
    do throws(FileError) { try Files.makeDirectory(FilePath.directory(of: path)) } catch { throw .file(error) }
    try locking { () throws(VaultError) in
      guard !exists else { throw VaultError.alreadyExists(name) }
      let dataKey = LockedBytes.random(AES256GCM.keyBytes)
      var file = VaultFile(cost: cost, policy: policy)
      try wrap(dataKey, pin: pin, into: &file)
      try seal(VaultEntries(), with: dataKey, into: &file)
      try write(file)
      // Whoever still holds a key of an older vault of this name is out.
      guardFile.beginRound()
      opened(dataKey)
    }
  }

  /// - Throws: `.invalidPIN` with the tries that are left, `.wiped` when that was the last, `.expiredPIN` and
  ///   `.incompatiblePIN` when it must be changed first; `.doesNotExist`, `.damaged`.
  package func unlock(pin: Secret?) throws(VaultError) {
    try locking { () throws(VaultError) in
      let (file, dataKey) = try triedKey(pin)
      if file.isExpired(at: clock.now()) { throw VaultError.expiredPIN(name) }
      let objections = file.policy.objections(to: pin)
      guard objections.isEmpty else { throw VaultError.incompatiblePIN(name, objections) }
      opened(dataKey)
    }
  }

  /// Locks it for this and every other process; does nothing when it is locked already.
  package func lock() {
    close()
    if exists { try? locking { guardFile.beginRound() } }
  }

  /// Whether a PIN is needed; asking is no use of the vault that would keep it open.
  package var isLocked: Bool { (try? currentKey(isUse: false)) == nil }

  /// Begins the lock timeout anew.
  package func restartTimeout() throws(VaultError) { _ = try currentKey() }

  /// Keeps the vault unlocked for later processes of this login session; false where the system has no place for it.
  package func keepUnlocked() throws(VaultError) -> Bool {
    let key = try currentKey()
    return keyring.keep(key, named: keyName, seconds: try read().policy.lockTimeout)
  }

  /// Changes the PIN; the old one is tried like any other, also when the vault is unlocked.
  package func changePIN(from old: Secret?, to new: Secret?) throws(VaultError) {
    try locking { () throws(VaultError) in
      var (file, dataKey) = try triedKey(old)
      let objections = file.policy.objections(to: new)
      guard objections.isEmpty else { throw VaultError.unacceptablePIN(objections) }
      let entries = try entries(in: file, with: dataKey)
      try wrap(dataKey, pin: new, into: &file)
      try seal(entries, with: dataKey, into: &file)
      try write(file)
      opened(dataKey)
    }
  }

  /// Deletes the vault and everything in it; needs no PIN.
  package func destroy() throws(VaultError) {
    try locking { () throws(VaultError) in
      guard exists else { throw VaultError.doesNotExist(name) }
      try remove()
    }
  }

  package func policy() throws(VaultError) -> VaultPolicy { try read().policy }

  /// Sets the policy of an unlocked vault, which stays unlocked; a PIN that it would refuse must be changed at the next
  /// unlocking.
  package func setPolicy(_ policy: VaultPolicy) throws(VaultError) {
    try changing { (file, entries) throws(VaultError) in file.policy = policy }
  }

  /// Tries that are left; nil without a limit.
  package func triesLeft() throws(VaultError) -> Int? { try read().triesLeft }

  /// Whether it was made without a PIN, so that anybody who may read its file can open it.
  package func hasNoPIN() throws(VaultError) -> Bool { try read().hasNoPIN }

  /// When the PIN must be changed; nil for never.
  package func pinExpires() throws(VaultError) -> Timestamp? { try read().pinExpires }
}
