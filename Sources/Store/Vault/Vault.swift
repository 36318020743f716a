import Crypto
import Glibc
import Model
import Synchronization

/// A named, encrypted file of secrets behind a PIN, in the semantics of DataVault (SMP 3 SDK).
///
/// The PIN gives a key through scrypt, that key opens the data key, the data key opens the entries. Several processes
/// may use one vault at once: each call reads the file anew, and each change happens under a lock on it and replaces it
/// in one step. A try is counted on disk before the PIN is looked at, so that ending the process does not save it.
package final class Vault: Sendable {
  package let name: String
  package let path: String
  private let clock: any WallClock
  private let keyring: any Keyring
  private let state = Mutex(State())

  private struct State {
    var dataKey: LockedBytes?
    var lastUse: Timestamp?
  }

  /// A handle on a vault that may or may not exist; locked unless the keyring holds its key.
  package init(name: String, directory: String, clock: any WallClock, keyring: any Keyring = NoKeyring()) {
    self.name = name
    path = FilePath.joined(directory, name + ".vault")
    self.clock = clock
    self.keyring = keyring
  }

  package var exists: Bool { Files.exists(path) }

  /// Name of the key in the keyring: the vault's path without telling it.
  private var keyName: String { "atrium:vault:" + Hex.encode(Array(Hash.sha256.digest(Array(path.utf8)).prefix(16))) }
}

// MARK: - Life

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
      var file = VaultFile(
        cost: cost, salt: [], keyNonce: [], sealedKey: [], policy: policy, pinSet: 0, failures: 0, entriesNonce: [],
        sealedEntries: [])
      try wrap(dataKey, pin: pin, into: &file)
      try seal(VaultEntries(), with: dataKey, into: &file)
      try write(file)
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

  /// Does nothing when it is locked already.
  package func lock() {
    state.withLock { $0 = State() }
    keyring.remove(named: keyName)
  }

  package var isLocked: Bool { (try? currentKey()) == nil }

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
}

// MARK: - Entries

extension Vault {
  package func string(named name: String) throws(VaultError) -> Secret? {
    try value(named: name).map { Secret(String(decoding: $0, as: UTF8.self)) }
  }

  /// The bytes in memory that is locked and wiped.
  package func bytes(named name: String) throws(VaultError) -> LockedBytes? {
    guard var bytes = try value(named: name) else { return nil }
    defer { bytes.wipe() }
    return LockedBytes(bytes)
  }

  package func set(_ secret: Secret, named name: String) throws(VaultError) {
    try set(VaultEntries.Entry(kind: .string, value: Array(secret.reveal().utf8)), named: name)
  }

  package func set(_ bytes: LockedBytes, named name: String) throws(VaultError) {
    try set(VaultEntries.Entry(kind: .bytes, value: bytes.withBytes { Array($0) }), named: name)
  }

  package func remove(named name: String) throws(VaultError) {
    try changing { (file, entries) throws(VaultError) in entries.byName[name] = nil }
  }

  /// Names of what is in an unlocked vault, sorted.
  package func names() throws(VaultError) -> [String] {
    let key = try currentKey()
    return try entries(in: read(), with: key).byName.keys.sorted()
  }

  private func value(named name: String) throws(VaultError) -> [UInt8]? {
    let key = try currentKey()
    return try entries(in: read(), with: key).byName[name]?.value
  }

  private func set(_ entry: VaultEntries.Entry, named name: String) throws(VaultError) {
    guard name.utf8.count <= VaultError.maxNameBytes, !name.isEmpty else { throw .nameTooLong }
    guard entry.value.count <= VaultError.maxValueBytes else { throw .valueTooLarge }
    try changing { (file, entries) throws(VaultError) in entries.byName[name] = entry }
  }

  private func changing(
    _ change: (inout VaultFile, inout VaultEntries) throws(VaultError) -> Void
  ) throws(VaultError) {
    let key = try currentKey()
    try locking { () throws(VaultError) in
      var file = try read()
      var entries = try entries(in: file, with: key)
      try change(&file, &entries)
      try seal(entries, with: key, into: &file)
      try write(file)
    }
  }
}

// MARK: - Keys

extension Vault {
  private func opened(_ key: LockedBytes) {
    state.withLock { $0 = State(dataKey: key, lastUse: clock.now()) }
  }

  /// The data key, as long as the lock timeout has not passed since the last use.
  private func currentKey() throws(VaultError) -> LockedBytes {
    let now = clock.now()
    let timeout = try read().policy.lockTimeout
    let held = state.withLock { state -> LockedBytes? in
      if timeout > 0, let last = state.lastUse, now > last.adding(seconds: Int64(timeout)) { state = State() }
      if state.dataKey != nil { state.lastUse = now }
      return state.dataKey
    }
    if let held { return held }
    guard let kept = keyring.key(named: keyName) else { throw .locked(name) }
    opened(kept)
    _ = keyring.keep(kept, named: keyName, seconds: timeout)
    return kept
  }

  /// Tries a PIN, counting first.
  private func triedKey(_ pin: Secret?) throws(VaultError) -> (VaultFile, LockedBytes) {
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

  private func wipe() throws(VaultError) -> Never {
    try remove()
    throw .wiped(name)
  }

  /// Seals the data key under a new salt.
  private func wrap(_ key: LockedBytes, pin: Secret?, into file: inout VaultFile) throws(VaultError) {
    file.salt = RandomBytes.make(16)
    file.keyNonce = RandomBytes.make(AES256GCM.nonceBytes)
    file.pinSet = clock.now().milliseconds / 1000
    file.failures = 0
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

  private func seal(_ entries: VaultEntries, with key: LockedBytes, into file: inout VaultFile) throws(VaultError) {
    file.entriesNonce = RandomBytes.make(AES256GCM.nonceBytes)
    var plain = entries.bytes
    defer { plain.wipe() }
    do throws(CryptoError) {
      file.sealedEntries = try AES256GCM.seal(
        plain, key: key, nonce: file.entriesNonce, authenticating: VaultFile.entriesBinding(file.policy, file.pinSet))
    } catch {
      throw .crypto(error)
    }
  }

  private func entries(in file: VaultFile, with key: LockedBytes) throws(VaultError) -> VaultEntries {
    guard
      var plain = try? AES256GCM.open(
        file.sealedEntries, key: key, nonce: file.entriesNonce,
        authenticating: VaultFile.entriesBinding(file.policy, file.pinSet))
    else { throw .damaged(path: path, what: "its entries were not sealed with its key") }
    defer { plain.wipe() }
    guard let entries = VaultEntries(plain) else { throw .damaged(path: path, what: "its entries cannot be read") }
    return entries
  }
}

// MARK: - File

extension Vault {
  private func read() throws(VaultError) -> VaultFile {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(path, maxBytes: 64 << 20)
    } catch {
      throw error.isMissing ? .doesNotExist(name) : .file(error)
    }
    return try VaultFile(bytes, path: path)
  }

  private func write(_ file: VaultFile) throws(VaultError) {
    do throws(FileError) { try Files.replace(path, with: file.bytes) } catch { throw .file(error) }
  }

  private func remove() throws(VaultError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw .file(FileError(.remove, path)) }
    Files.synchronise(FilePath.directory(of: path))
    lock()
  }

  /// Runs `body` while no other process changes the vault. The lock is on a file beside it, since the vault itself is
  /// replaced by every change.
  private func locking(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    let guardPath = path + ".lock"
    let descriptor = open(guardPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let error = FileError(.open, guardPath)
      throw error.isMissing ? .doesNotExist(name) : .file(error)
    }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .file(FileError(.open, guardPath)) }
    }
    try body()
  }
}

extension VaultFile {
  var triesLeft: Int? { policy.retryLimit == 0 ? nil : max(0, policy.retryLimit - Int(failures)) }

  func isExpired(at now: Timestamp) -> Bool {
    policy.expirationDays > 0 && now.milliseconds / 1000 > pinSet + Int64(policy.expirationDays) * 86_400
  }
}
