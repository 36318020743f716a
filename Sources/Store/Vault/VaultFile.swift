import Crypto
import LockedMemory
import Model

/// A vault as its file holds it, in one fixed layout (all numbers big endian):
///
/// ```
///   0  "ATRIUMV1"
///   8  scrypt's log2 N, r, p (4 bytes each) and salt (16)         what turns the PIN into a key
///  36  nonce (12) and the data key sealed with that key (48)      bound to bytes 0…35
///  96  policy (28) and when the PIN was set (8)                   bound to the entries
/// 132  failed tries since the last right one (4)
/// 136  nonce (12), length (4) and the entries sealed with the data key
///      SHA-256 of everything before (32)
/// ```
///
/// The digest tells damage from a wrong PIN; the seals tell forgery. The failed tries cannot be sealed, since they are
/// written before the PIN is known: whoever may write the file may also put back an older one.
struct VaultFile: Sendable, Equatable {
  static let magic = Array("ATRIUMV1".utf8)
  private static let fixedBytes = 152
  private static let digestBytes = 32

  var cost: VaultCost
  var salt: [UInt8]
  var keyNonce: [UInt8]
  var sealedKey: [UInt8]
  var policy: VaultPolicy
  /// It stands among the flags of the policy.
  var hasNoPIN = false
  /// Seconds since 1970.
  var pinSet: Int64 = 0
  var failures: UInt32 = 0
  var entriesNonce: [UInt8] = []
  var sealedEntries: [UInt8] = []

  /// A new one, whose keys and entries are still to come.
  init(cost: VaultCost, policy: VaultPolicy) {
    self.cost = cost
    self.policy = policy
    (salt, keyNonce, sealedKey) = ([], [], [])
  }

  /// What the sealed data key is bound to.
  static func keyBinding(_ cost: VaultCost, _ salt: [UInt8]) -> [UInt8] {
    magic + UInt32(cost.logN).bytes + UInt32(cost.r).bytes + UInt32(cost.p).bytes + salt
  }

  /// What the sealed entries are bound to.
  var entriesBinding: [UInt8] {
    VaultFile.magic + policy.bytes(hasNoPIN: hasNoPIN) + UInt64(bitPattern: pinSet).bytes
  }

  var bytes: [UInt8] {
    var bytes = VaultFile.keyBinding(cost, salt) + keyNonce + sealedKey
    bytes += policy.bytes(hasNoPIN: hasNoPIN) + UInt64(bitPattern: pinSet).bytes + failures.bytes
    bytes += entriesNonce + UInt32(sealedEntries.count).bytes + sealedEntries
    return bytes + Hash.sha256.digest(bytes)
  }
}

extension VaultFile {
  /// - Throws: `VaultError.damaged` naming what is wrong; every flipped or missing byte is found.
  init(_ bytes: [UInt8], path: String) throws(VaultError) {
    func damaged(_ what: String) -> VaultError { .damaged(path: path, what: what) }
    guard bytes.starts(with: VaultFile.magic) else { throw damaged("it does not begin as a vault does") }
    guard bytes.count >= VaultFile.fixedBytes + VaultFile.digestBytes else { throw damaged("it is cut short") }
    let body = Array(bytes.dropLast(VaultFile.digestBytes))
    guard Hash.sha256.digest(body) == Array(bytes.suffix(VaultFile.digestBytes)) else {
      throw damaged("its digest does not match")
    }
    var reader = ByteReader(body, from: VaultFile.magic.count)
    cost = VaultCost(logN: Int(reader.uint32()), r: Int(reader.uint32()), p: Int(reader.uint32()))
    salt = reader.bytes(16)
    keyNonce = reader.bytes(AES256GCM.nonceBytes)
    sealedKey = reader.bytes(AES256GCM.keyBytes + AES256GCM.tagBytes)
    (policy, hasNoPIN) = VaultPolicy.read(&reader)
    pinSet = Int64(bitPattern: reader.uint64())
    failures = reader.uint32()
    entriesNonce = reader.bytes(AES256GCM.nonceBytes)
    let count = Int(reader.uint32())
    guard count == reader.left else { throw damaged("the length of its entries is wrong") }
    sealedEntries = reader.bytes(count)
    guard cost.isBearable else { throw damaged("its scrypt parameters are out of bounds") }
    // Unknown flags would be dropped by the next change; a newer Atrium may mean something by them.
    guard Array(bytes[96..<124]) == policy.bytes(hasNoPIN: hasNoPIN) else {
      throw damaged("its policy is of an unknown kind")
    }
  }
}

/// scrypt's parameters. The usual ones take 128 MiB and a third of a second on a machine of today.
package struct VaultCost: Sendable, Hashable {
  package var logN: Int
  package var r: Int
  package var p: Int

  package init(logN: Int, r: Int = 8, p: Int = 1) {
    self.logN = logN
    self.r = r
    self.p = p
  }

  package static let interactive = VaultCost(logN: 17)

  /// Bounds for what a file may ask for: at most 1 GiB.
  var isBearable: Bool {
    (1...20).contains(logN) && (1...32).contains(r) && (1...16).contains(p) && 128 * r << logN <= Scrypt.maxMemory
  }

  func key(from pin: Secret?, salt: [UInt8]) throws(VaultError) -> LockedBytes {
    // No PIN is the empty one: what DataVault calls the default password.
    var password = pin?.withUTF8 { Array($0) } ?? []
    defer { password.wipe() }
    do throws(CryptoError) {
      return try Scrypt.deriveLocked(
        password: password, salt: salt, n: 1 << logN, r: r, p: p, length: AES256GCM.keyBytes)
    } catch {
      throw .crypto(error)
    }
  }
}

extension VaultFile {
  var triesLeft: Int? { policy.retryLimit == 0 ? nil : max(0, policy.retryLimit - Int(failures)) }

  /// When the PIN must be changed; nil for never.
  var pinExpires: Timestamp? {
    policy.expirationDays == 0 ? nil : Timestamp(seconds: pinSet + Int64(policy.expirationDays) * 86_400)
  }

  func isExpired(at now: Timestamp) -> Bool { pinExpires.map { now > $0 } ?? false }
}

extension VaultPolicy {
  fileprivate func bytes(hasNoPIN: Bool) -> [UInt8] {
    let flags = [allowsDefaultPIN, needsDigit, needsUpper, needsLower, needsSpecial, hasNoPIN].enumerated()
      .reduce(UInt32(0)) { $0 | ($1.element ? 1 << UInt32($1.offset) : 0) }
    let numbers = [minLength, minUniqueCharacters, expirationDays, lockTimeout, retryLimit]
    return flags.bytes + numbers.flatMap { UInt32(clamping: $0).bytes } + UInt32(0).bytes
  }

  fileprivate static func read(_ reader: inout ByteReader) -> (VaultPolicy, hasNoPIN: Bool) {
    var policy = VaultPolicy()
    let flags = reader.uint32()
    policy.allowsDefaultPIN = flags & 1 != 0
    policy.needsDigit = flags & 2 != 0
    policy.needsUpper = flags & 4 != 0
    policy.needsLower = flags & 8 != 0
    policy.needsSpecial = flags & 16 != 0
    policy.minLength = Int(reader.uint32())
    policy.minUniqueCharacters = Int(reader.uint32())
    policy.expirationDays = Int(reader.uint32())
    policy.lockTimeout = Int(reader.uint32())
    policy.retryLimit = Int(reader.uint32())
    _ = reader.uint32()
    return (policy, flags & 32 != 0)
  }
}
