import Crypto
import Glibc
import LockedMemory
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

  var vault: Vault { vault(named: "default") }

  /// As another process would hold it: with a keyring of its own unless it shares the session's.
  func vault(named name: String, sharesKeyring: Bool = true) -> Vault {
    Vault(name: name, directory: directory, clock: clock, keyring: sharesKeyring ? keyring : MemoryKeyring())
  }
  var path: String { directory + "/default.vault" }

  func made(_ policy: VaultPolicy = VaultPolicy(), pin: Secret? = pin) throws -> Vault {
    let vault = vault
    try vault.create(pin: pin, policy: policy, cost: VaultCost(logN: 4))
    return vault
  }

  /// Changes the file and makes its digest right again.
  func forge(_ change: (inout [UInt8]) -> Void) throws {
    var body = Array(try Files.read(path).dropLast(32))
    change(&body)
    try Files.replace(path, with: body + Hash.sha256.digest(body))
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

  /// The real thing is killed while it tries: VaultJourneyTests.
  @Test func `tries that ended without an answer count`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.retryLimit = 5
    _ = try bench.made(policy)
    // A file whose tries were used up by processes that never came to the answer.
    try bench.forge { $0[135] = 5 }
    #expect(throws: VaultError.wiped("default")) { try bench.vault.unlock(pin: pin) }
    #expect(!bench.vault.exists)
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
      #expect(try vault.names().isEmpty)
    }
    bench.clock.advance(seconds: 50)
    try vault.restartTimeout()
    bench.clock.advance(seconds: 50)
    // To look whether it is locked is no use.
    #expect(!vault.isLocked)
    bench.clock.advance(seconds: 11)
    #expect(vault.isLocked)
    #expect(throws: VaultError.locked("default")) { try vault.names() }
  }

  @Test func `a lock timeout of zero never locks`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.lockTimeout = 0
    let vault = try bench.made(policy)
    bench.clock.advance(seconds: 10 * 365 * 86_400)
    #expect(!vault.isLocked)
  }

  @Test func `locked in one process, it is locked in all`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.made().set(Secret("x"), named: "n")
    let (browser, command) = (
      bench.vault(named: "default", sharesKeyring: false), bench.vault(named: "default", sharesKeyring: false)
    )
    try browser.unlock(pin: pin)
    try command.unlock(pin: pin)
    #expect(try browser.string(named: "n") == Secret("x"))
    command.lock()
    #expect(browser.isLocked)
    #expect(throws: VaultError.locked("default")) { try browser.string(named: "n") }
    #expect(throws: VaultError.locked("default")) { try browser.set(Secret("y"), named: "n") }
    try browser.unlock(pin: pin)
    #expect(try browser.string(named: "n") == Secret("x"))
  }

  @Test func `a process that still holds a key of a vault that was deleted is out of the next one`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let old = bench.vault(named: "default", sharesKeyring: false)
    try old.create(pin: pin, cost: VaultCost(logN: 4))
    try bench.vault.destroy()
    try bench.vault.create(pin: wrong, cost: VaultCost(logN: 4))
    #expect(old.isLocked)
    #expect(throws: VaultError.locked("default")) { try old.names() }
  }

  @Test func `several vaults stand side by side and know nothing of each other`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (home, work) = (bench.vault(named: "home"), bench.vault(named: "work"))
    try home.create(pin: pin, cost: VaultCost(logN: 4))
    try work.create(pin: wrong, cost: VaultCost(logN: 4))
    try home.set(Secret("at home"), named: "n")
    #expect(Vault.names(in: bench.directory) == ["home", "work"])
    #expect(try work.names().isEmpty)
    home.lock()
    #expect(home.isLocked && !work.isLocked)
    #expect(throws: VaultError.invalidPIN("home", triesLeft: 19)) { try home.unlock(pin: wrong) }
    #expect(try work.triesLeft() == 20)
    try work.destroy()
    #expect(Vault.names(in: bench.directory) == ["home"])
    try home.unlock(pin: pin)
    #expect(try home.string(named: "n") == Secret("at home"))
  }

  @Test func `without a PIN it says so, and only where its policy permits it`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    var policy = VaultPolicy()
    policy.allowsDefaultPIN = false
    #expect(throws: VaultError.unacceptablePIN(["a PIN is required"])) { try bench.made(policy, pin: nil) }
    #expect(!bench.vault.exists)
    policy.allowsDefaultPIN = true
    let vault = try bench.made(policy, pin: nil)
    #expect(try vault.hasNoPIN())
    try bench.vault.unlock(pin: nil)
    policy.allowsDefaultPIN = false
    try vault.setPolicy(policy)
    #expect(throws: VaultError.incompatiblePIN("default", ["a PIN is required"])) { try bench.vault.unlock(pin: nil) }
    try vault.changePIN(from: nil, to: pin)
    #expect(try !bench.vault.hasNoPIN())
    // Whether there is a PIN is sealed like the policy.
    try bench.forge { $0[99] ^= 32 }
    #expect(throws: VaultError.self) {
      let vault = bench.vault(named: "default", sharesKeyring: false)
      try vault.unlock(pin: pin)
      _ = try vault.names()
    }
  }

  @Test func `names are listed with what they hold, and values are in no list`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let vault = try bench.made()
    try vault.set(Secret("v4lue"), named: "text")
    try vault.set(LockedBytes([7]), named: "bytes")
    let contents = try vault.contents()
    #expect(contents == [VaultContent(name: "bytes", kind: .bytes), VaultContent(name: "text", kind: .string)])
    #expect(!"\(contents)".contains("v4lue"))
  }

  @Test(arguments: [
    (String(repeating: "é", count: 127) + "x", nil), (String(repeating: "é", count: 128), VaultError.nameTooLong),
    ("", .nameEmpty),
  ]) func `a name has 1 to 255 bytes`(_ name: String, _ error: VaultError?) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let vault = try bench.made()
    var thrown: VaultError?
    do throws(VaultError) { try vault.set(Secret("x"), named: name) } catch { thrown = error }
    #expect(thrown == error)
    if error == nil { #expect(try vault.names() == [name]) }
  }

  @Test func `the cost of the PIN stands in the file, which opens at whatever cost it was made`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    // The usual cost takes a third of a second and 128 MiB.
    #expect(VaultCost.interactive == VaultCost(logN: 17, r: 8, p: 1))
    for cost in [VaultCost(logN: 5, r: 4, p: 3), VaultCost(logN: 6)] {
      let vault = bench.vault
      try vault.create(pin: pin, cost: cost)
      let bytes = try Files.read(bench.path)
      #expect(bytes[8..<20].elementsEqual([0, 0, 0, UInt8(cost.logN), 0, 0, 0, UInt8(cost.r), 0, 0, 0, UInt8(cost.p)]))
      try bench.vault(named: "default", sharesKeyring: false).unlock(pin: pin)
      try vault.destroy()
    }
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

  /// All of the file but the count of failed tries, which is written before a key is at hand.
  @Test func `a forged byte is found though the digest is right`() throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.made().set(Secret("value"), named: "name")
    let whole = try Files.read(bench.path)
    for index in whole.indices.dropLast(32) where !(132..<136).contains(index) {
      try Files.replace(bench.path, with: whole)
      try bench.forge { $0[index] ^= 1 }
      #expect(throws: VaultError.self, "byte \(index)") {
        let vault = bench.vault(named: "default", sharesKeyring: false)
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
    .nameEmpty, .nameTooLong, .valueTooLarge, .incompatiblePIN("v", ["a digit is missing"]),
    .damaged(path: "/p", what: "it is cut short"),
  ]) func `every failure says what to do`(_ error: VaultError) {
    #expect(error.serviceError("open the vault").advice.hasSuffix("."))
  }

  @Test func `from three tries on there is a warning`() {
    #expect(VaultError.invalidPIN("v", triesLeft: 3).serviceError("x").advice.contains("deleted"))
    #expect(!VaultError.invalidPIN("v", triesLeft: 4).serviceError("x").advice.contains("deleted"))
  }
}
