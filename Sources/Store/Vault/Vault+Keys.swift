import Crypto
import LockedMemory
import Model

extension Vault {
  func opened(_ key: LockedBytes) {
    state.withLock { $0 = State(dataKey: key, lastUse: clock.now(), round: guardFile.round) }
  }

  /// The data key, as long as the lock timeout has not passed since the last use and nobody has locked the vault.
  ///
  /// - Parameter isUse: Begins the timeout anew.
  func currentKey(isUse: Bool = true) throws(VaultError) -> LockedBytes {
    let now = clock.now()
    let timeout = try read().policy.lockTimeout
    let held = state.withLock { state -> LockedBytes? in
      if timeout > 0, let last = state.lastUse, now > last.adding(seconds: Int64(timeout)) { state = State() }
      if state.dataKey != nil, state.round != guardFile.round { state = State() }
      if state.dataKey != nil, isUse { state.lastUse = now }
      return state.dataKey
    }
    if let held { return held }
    guard let kept = keyring.key(named: keyName) else { throw .locked(name) }
    guard isUse else { return kept }
    opened(kept)
    _ = keyring.keep(kept, named: keyName, seconds: timeout)
    return kept
  }

  /// Tries a PIN, counting first.
  func triedKey(_ pin: Secret?) throws(VaultError) -> (VaultFile, LockedBytes) {
    var file = try read()
    if file.triesLeft == 0 { try wipe() }
    file.failures += 1
    try write(file)
    let key = try file.cost.key(from: pin, salt: file.salt)
    guard
      let opened = try? AES256GCM.open(
        file.sealedKey, key: key, nonce: file.keyNonce, authenticating: VaultFile.keyBinding(file.cost, file.salt))
    else {
      if file.triesLeft == 0 { try wipe() }
      throw .invalidPIN(name, triesLeft: file.triesLeft)
    }
    file.failures = 0
    try write(file)
    var bytes = opened
    defer { bytes.wipe() }
    return (file, LockedBytes(bytes))
  }

  func wipe() throws(VaultError) -> Never {
    try remove()
    throw .wiped(name)
  }

  /// Seals the data key under a new salt.
  func wrap(_ key: LockedBytes, pin: Secret?, into file: inout VaultFile) throws(VaultError) {
    file.salt = RandomBytes.make(16)
    file.keyNonce = RandomBytes.make(AES256GCM.nonceBytes)
    file.pinSet = clock.now().milliseconds / 1000
    file.failures = 0
    file.hasNoPIN = pin?.isEmpty ?? true
    let pinKey = try file.cost.key(from: pin, salt: file.salt)
    var plain = key.withBytes { Array($0) }
    defer { plain.wipe() }
    do throws(CryptoError) {
      file.sealedKey = try AES256GCM.seal(
        plain, key: pinKey, nonce: file.keyNonce, authenticating: VaultFile.keyBinding(file.cost, file.salt))
    } catch {
      throw .crypto(error)
    }
  }

  func seal(_ entries: VaultEntries, with key: LockedBytes, into file: inout VaultFile) throws(VaultError) {
    file.entriesNonce = RandomBytes.make(AES256GCM.nonceBytes)
    var plain = entries.bytes
    defer { plain.wipe() }
    do throws(CryptoError) {
      file.sealedEntries = try AES256GCM.seal(
        plain, key: key, nonce: file.entriesNonce, authenticating: file.entriesBinding)
    } catch {
      throw .crypto(error)
    }
  }

  func entries(in file: VaultFile, with key: LockedBytes) throws(VaultError) -> VaultEntries {
    guard
      var plain = try? AES256GCM.open(
        file.sealedEntries, key: key, nonce: file.entriesNonce,
        authenticating: file.entriesBinding)
    else { throw .damaged(path: path, what: "its entries were not sealed with its key") }
    defer { plain.wipe() }
    guard let entries = VaultEntries(plain) else { throw .damaged(path: path, what: "its entries cannot be read") }
    return entries
  }
}
