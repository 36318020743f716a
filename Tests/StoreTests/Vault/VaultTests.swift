import Crypto
import Glibc
import Model
import Store
import Synchronization
import Testing

/// A vault in a directory of its own, with a cheap scrypt and a clock that stands still until told.
private struct Bench {
  let directory: String
  let clock = HandClock()
  let keyring = MemoryKeyring()

  init() throws {
    var template = Array("/tmp/atrium-vault-XXXXXX".utf8CString)
    directory = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  var vault: Vault { Vault(name: "default", directory: directory, clock: clock, keyring: keyring) }
  var path: String { directory + "/default.vault" }

  func made(_ policy: VaultPolicy = VaultPolicy(), pin: Secret? = pin) throws -> Vault {
    let vault = vault
    try vault.create(pin: pin, policy: policy, cost: VaultCost(logN: 4))
    return vault
  }

  func remove() {
    for name in Files.names(in: directory) { unlink(directory + "/" + name) }
    rmdir(directory)
  }
}

private final class HandClock: WallClock {
  private let time = Mutex(Timestamp(seconds: 1_800_000_000))
  func now() -> Timestamp { time.withLock { $0 } }
  func advance(seconds: Int64) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

private final class MemoryKeyring: Keyring {
  private let keys = Mutex<[String: LockedBytes]>([:])
  func key(named name: String) -> LockedBytes? { keys.withLock { $0[name] } }
  func keep(_ key: LockedBytes, named name: String, seconds: Int) -> Bool {
    keys.withLock { $0[name] = key }
    return true
  }
  func remove(named name: String) { keys.withLock { $0[name] = nil } }
}

private let pin = Secret("correct horse 7")
private let wrong = Secret("battery staple")

@Suite struct VaultTests {
  @Test func `what was kept is there after a restart and the right PIN`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let vault = try bench.made()
    try vault.set(Secret("tök€n"), named: "bank/token")
    try vault.set(LockedBytes([1, 2, 0, 255]), named: "field/key")
    let again = bench.vault
    #expect(again.isLocked)
    #expect(throws: VaultError.locked("default")) { try again.string(named: "bank/token") }
    try again.unlock(pin: pin)
    #expect(try again.string(named: "bank/token") == Secret("tök€n"))
    #expect(try again.bytes(named: "field/key")?.withBytes { Array($0) } == [1, 2, 0, 255])
    #expect(try again.string(named: "nothing") == nil)
    #expect(try again.names() == ["bank/token", "field/key"])
    try again.remove(named: "bank/token")
    #expect(try vault.names() == ["field/key"])
  }

  @Test func `a wrong PIN counts down over restarts, and the right one starts anew`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.retryLimit = 3
    try bench.made(policy).set(Secret("x"), named: "n")
    #expect(throws: VaultError.invalidPIN("default", triesLeft: 2)) { try bench.vault.unlock(pin: wrong) }
    #expect(throws: VaultError.invalidPIN("default", triesLeft: 1)) { try bench.vault.unlock(pin: wrong) }
    try bench.vault.unlock(pin: pin)
    #expect(try bench.vault.triesLeft() == 3)
  }

  @Test func `the last wrong try deletes the vault`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.retryLimit = 2
    let vault = try bench.made(policy)
    #expect(throws: VaultError.invalidPIN("default", triesLeft: 1)) { try bench.vault.unlock(pin: wrong) }
    #expect(throws: VaultError.wiped("default")) { try bench.vault.unlock(pin: nil) }
    #expect(!bench.vault.exists)
    #expect(throws: VaultError.doesNotExist("default")) { try vault.string(named: "n") }
    #expect(throws: VaultError.doesNotExist("default")) { try bench.vault.unlock(pin: pin) }
  }

  @Test func `a try is on disk before the PIN is looked at`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.retryLimit = 5
    _ = try bench.made(policy)
    // A file whose tries were used up by processes that never came to the answer.
    var bytes = try Files.read(bench.path)
    bytes[135] = 5
    let body = Array(bytes.dropLast(32))
    try Files.replace(bench.path, with: body + Hash.sha256.digest(body))
    #expect(throws: VaultError.wiped("default")) { try bench.vault.unlock(pin: pin) }
  }

  @Test func `a vault without a limit is never deleted`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.retryLimit = 0
    _ = try bench.made(policy)
    for _ in 0..<30 {
      #expect(throws: VaultError.invalidPIN("default", triesLeft: nil)) { try bench.vault.unlock(pin: wrong) }
    }
    try bench.vault.unlock(pin: pin)
  }

  @Test func `an idle vault locks itself, and use keeps it open`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.lockTimeout = 60
    let vault = try bench.made(policy)
    for _ in 0..<5 {
      bench.clock.advance(seconds: 50)
      #expect(!vault.isLocked)
    }
    bench.clock.advance(seconds: 61)
    #expect(vault.isLocked)
  }

  @Test func `a changed PIN opens, the old one does not, and nothing is lost`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let vault = try bench.made()
    try vault.set(Secret("kept"), named: "n")
    #expect(throws: VaultError.invalidPIN("default", triesLeft: 19)) { try vault.changePIN(from: wrong, to: wrong) }
    try vault.changePIN(from: pin, to: wrong)
    #expect(throws: VaultError.invalidPIN("default", triesLeft: 19)) { try bench.vault.unlock(pin: pin) }
    let again = bench.vault
    try again.unlock(pin: wrong)
    #expect(try again.string(named: "n") == Secret("kept"))
  }

  @Test func `an expired PIN opens nothing until it is changed`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.expirationDays = 30
    _ = try bench.made(policy)
    bench.clock.advance(seconds: 31 * 86_400)
    #expect(throws: VaultError.expiredPIN("default")) { try bench.vault.unlock(pin: pin) }
    try bench.vault.changePIN(from: pin, to: wrong)
    try bench.vault.unlock(pin: wrong)
  }

  @Test func `a second vault of a name is refused and the first is untouched`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.made().set(Secret("first"), named: "n")
    #expect(throws: VaultError.alreadyExists("default")) { try bench.made() }
    let again = bench.vault
    try again.unlock(pin: pin)
    #expect(try again.string(named: "n") == Secret("first"))
  }

  @Test func `the keyring keeps it open for the next command until it is locked`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let vault = try bench.made()
    try vault.set(Secret("x"), named: "n")
    #expect(try vault.keepUnlocked())
    #expect(try bench.vault.string(named: "n") == Secret("x"))
    bench.vault.lock()
    #expect(bench.vault.isLocked)
  }

  @Test func `the file is the owner's alone and shows nothing`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let vault = try bench.made()
    try vault.set(Secret("a-very-secret-token"), named: "bank/refresh")
    var status = stat()
    #expect(stat(bench.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let text = String(decoding: try Files.read(bench.path), as: UTF8.self)
    for word in ["secret", "bank/refresh", "horse"] { #expect(!text.contains(word)) }
  }

  @Test func `every flipped byte and every cut is found`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.made().set(Secret("value"), named: "name")
    let whole = try Files.read(bench.path)
    func isFound(_ bytes: [UInt8]) throws -> Bool {
      try Files.replace(bench.path, with: bytes)
      do throws(VaultError) {
        try bench.vault.unlock(pin: pin)
        return false
      } catch {
        guard case .damaged(let path, let what) = error else { return false }
        return path == bench.path && !what.isEmpty
      }
    }
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 0x40
      #expect(try isFound(bytes), "byte \(index)")
    }
    for length in 0..<whole.count { #expect(try isFound(Array(whole.prefix(length))), "cut at \(length)") }
    try Files.replace(bench.path, with: whole)
    try bench.vault.unlock(pin: pin)
  }

  @Test func `a forged file is found though its digest is right`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.made().set(Secret("value"), named: "name")
    let whole = try Files.read(bench.path)
    // The policy (96…123) and the time of the PIN (124…131) are bound to the entries, the entries to themselves.
    for index in [96, 103, 119, 131, 140, 152, whole.count - 33] {
      var body = Array(whole.dropLast(32))
      body[index] ^= 1
      try Files.replace(bench.path, with: body + Hash.sha256.digest(body))
      #expect(throws: VaultError.self, "byte \(index)") {
        let vault = bench.vault
        try vault.unlock(pin: pin)
        _ = try vault.names()
      }
    }
  }
}

@Suite struct VaultPolicyTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let pin: String?
    let change: @Sendable (inout VaultPolicy) -> Void
    let objections: Int
    var testDescription: String { "\(pin ?? "no PIN") has \(objections) objections" }
  }

  @Test(arguments: [
    Case(pin: nil, change: { _ in }, objections: 0),
    Case(pin: nil, change: { $0.allowsDefaultPIN = false }, objections: 1),
    Case(pin: "1234567", change: { _ in }, objections: 1),
    Case(pin: "12345678", change: { _ in }, objections: 0),
    Case(
      pin: "abcdefgh",
      change: {
        $0.needsDigit = true; $0.needsUpper = true; $0.needsSpecial = true
      }, objections: 3),
    Case(
      pin: "Abcdef-1",
      change: {
        $0.needsDigit = true; $0.needsUpper = true; $0.needsSpecial = true
      }, objections: 0),
    Case(pin: "ABCDEFGH", change: { $0.needsLower = true }, objections: 1),
    Case(pin: "aaaaaaaa", change: { $0.minUniqueCharacters = 4 }, objections: 1),
    Case(pin: "企業口座企業口座", change: { $0.minUniqueCharacters = 4 }, objections: 0),
  ]) func `a PIN is held against the policy`(_ c: Case) {
    var policy = VaultPolicy()
    c.change(&policy)
    #expect(policy.objections(to: c.pin.map { Secret($0) }).count == c.objections)
  }
}

@Suite struct VaultErrorTests {
  @Test(arguments: [
    VaultError.doesNotExist("v"), .alreadyExists("v"), .locked("v"), .invalidPIN("v", triesLeft: 2),
    .invalidPIN("v", triesLeft: nil), .wiped("v"), .unacceptablePIN(["a digit is missing"]), .expiredPIN("v"),
    .nameTooLong, .valueTooLarge, .damaged(path: "/p", what: "it is cut short"),
  ]) func `every failure says what to do`(_ error: VaultError) {
    #expect(error.serviceError("open the vault").advice.hasSuffix("."))
  }

  @Test func `from three tries on there is a warning`() {
    #expect(VaultError.invalidPIN("v", triesLeft: 3).serviceError("x").advice.contains("deleted"))
    #expect(!VaultError.invalidPIN("v", triesLeft: 4).serviceError("x").advice.contains("deleted"))
  }
}
