import Model
import Synchronization
import TestKit
import Testing

@testable import Store

@Suite struct VaultKeeperTests {
  private static let pin = "correct horse 7"
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var vault: Vault { Vault(name: "default", directory: directory.path, clock: StubClock()) }

  private func keeper(_ asker: any Asker = StubAsker(), offersVault: Bool = false) -> VaultKeeper {
    VaultKeeper(
      vault, pins: PINSource(asker: asker), offersVault: { offersVault }, directory: directory.file("offline"),
      cost: VaultCost(logN: 4))
  }

  private func made(_ secrets: [String: String] = [:]) throws {
    let vault = vault
    try vault.create(pin: Secret(Self.pin), cost: VaultCost(logN: 4))
    for (name, secret) in secrets { try vault.set(Secret(secret), named: name) }
  }

  @Test func `without a vault secrets live as long as the keeper, and nobody is asked`() async throws {
    let asker = StubAsker()
    let keeper = keeper(asker)
    #expect(!keeper.isLasting)
    try await keeper.keep(Secret("t"), named: "bank/token")
    #expect(try await keeper.secret(named: "bank/token") == Secret("t"))
    #expect(asker.questions.isEmpty)
    #expect(!vault.exists)
  }

  @Test func `what is kept is there for the next process, after one question`() async throws {
    try made()
    let asker = StubAsker([["pin": Self.pin]])
    let first = keeper(asker)
    try await first.keep(Secret("t"), named: "bank/token")
    try await first.keep(Secret("u"), named: "bank/other")
    #expect(asker.questions.count == 1)
    #expect(try await keeper(StubAsker([["pin": Self.pin]])).secret(named: "bank/token") == Secret("t"))
  }

  @Test func `ten that need the vault at once lead to one question`() async throws {
    try made(["bank/token": "t"])
    let asker = StubAsker([["pin": Self.pin]])
    let keeper = keeper(asker)
    try await withThrowingTaskGroup(of: Secret?.self) { group in
      for _ in 0..<10 { group.addTask { try await keeper.secret(named: "bank/token") } }
      for try await secret in group { #expect(secret == Secret("t")) }
    }
    #expect(asker.questions.count == 1)
  }

  @Test func `a wrong PIN is asked again with the tries that are left`() async throws {
    try made(["n": "v"])
    let asker = StubAsker([["pin": "wrong wrong"], ["pin": Self.pin]])
    #expect(try await keeper(asker).secret(named: "n") == Secret("v"))
    #expect(asker.questions.map(\.attemptsLeft) == [nil, 19])
    #expect(asker.questions.last?.failure == "the PIN is wrong")
  }

  @Test func `a locked vault that nobody opens is no obstacle to what can do without`() async throws {
    try made(["bank/token": "t"])
    let asker = StubAsker()
    let keeper = keeper(asker)
    #expect(try await keeper.secret(named: "bank/token") == nil)
    try await keeper.keep(Secret("new"), named: "bank/token")
    #expect(try await keeper.secret(named: "bank/token") == Secret("new"))
    #expect(asker.questions.count == 1)
  }

  @Test func `a secret that the configuration puts into the vault needs it open`() async throws {
    let none = await #expect(throws: ServiceError.self) { try await keeper().requiredSecret(named: "field") }
    #expect(none?.code == .vaultLocked)
    try made(["field": "p"])
    let locked = await #expect(throws: ServiceError.self) { try await keeper().requiredSecret(named: "field") }
    #expect(locked?.code == .vaultLocked)
    let open = keeper(StubAsker([["pin": Self.pin]]))
    #expect(try await open.requiredSecret(named: "field") == Secret("p"))
    let missing = await #expect(throws: ServiceError.self) { try await open.requiredSecret(named: "gone") }
    #expect(missing?.code == .signInNeeded)
  }

  @Test func `the first secret to keep offers a vault, and a person may decline`() async throws {
    let declined = keeper(StubAsker(), offersVault: true)
    try await declined.keep(Secret("t"), named: "n")
    #expect(!vault.exists)
    let asker = StubAsker([
      ["pin": "short", "again": "short"], ["pin": Self.pin, "again": "other"], ["pin": Self.pin, "again": Self.pin],
    ])
    let accepted = keeper(asker, offersVault: true)
    try await accepted.keep(Secret("t"), named: "n")
    #expect(vault.exists)
    #expect(asker.questions.map { $0.failure == nil } == [true, false, false])
    #expect(try await keeper(StubAsker([["pin": Self.pin]])).secret(named: "n") == Secret("t"))
  }

  @Test func `a PIN from a file is not tried twice`() async throws {
    try made(["n": "v"])
    try directory.write("wrong wrong\n", to: "pin")
    let pins = PINSource(file: directory.file("pin"), environment: [:], asker: StubAsker())
    let keeper = VaultKeeper(vault, pins: pins, offersVault: { false }, directory: directory.path)
    let error = await #expect(throws: ServiceError.self) { try await keeper.secret(named: "n") }
    #expect(error?.code == .vaultLocked)
    #expect(error?.message.contains("19 tries are left") == true)
    #expect(try vault.triesLeft() == 19)
  }

  @Test func `the environment names a PIN file`() async throws {
    try made(["n": "v"])
    try directory.write(Self.pin + "\n", to: "pin")
    let pins = PINSource(file: nil, environment: ["ATRIUM_PIN_FILE": directory.file("pin")], asker: StubAsker())
    let keeper = VaultKeeper(vault, pins: pins, offersVault: { false }, directory: directory.path)
    #expect(try await keeper.secret(named: "n") == Secret("v"))
  }

  /// Otherwise what one had written would be lost to the other's key.
  @Test func `ten that need an offline store's first key at once get the same`() async throws {
    try made()
    let keeper = keeper(StubAsker([["pin": Self.pin]]))
    let keys = try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<10 { group.addTask { try await keeper.place(of: "field").key } }
      return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
    #expect(try await keeper.place(of: "field").key == keys.first)
  }

  /// Each looks before any has made one, as processes may.
  @Test func `whoever is late takes the offline store's key that another one made meanwhile`() async throws {
    let keeper = Meeting(guests: 5)
    let directory = directory.file("offline")
    let places = try await withThrowingTaskGroup(of: OfflinePlace.self) { group in
      for _ in 0..<5 { group.addTask { try await keeper.place(of: "field", in: directory) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(places.map(\.key)).count == 1)
    #expect(places.count(where: \.isNew) == 1)
  }

  @Test func `an offline store's key is made once and stays`() async throws {
    try made()
    let keeper = keeper(StubAsker([["pin": Self.pin]]))
    let first = try await keeper.place(of: "field")
    let second = try await keeper.place(of: "field")
    #expect(first.isNew && !second.isNew)
    #expect(first.key == second.key && first.path == second.path)
    #expect(try await keeper.place(of: "other").key != first.key)
  }

  @Test func `rules that a server sets make a weak PIN change at the next unlocking`() async throws {
    try made()
    let keeper = keeper(StubAsker([["pin": Self.pin]]))
    try await keeper.open()
    var policy = VaultPolicy()
    policy.needsUpper = true
    policy.retryLimit = 10
    try await keeper.adopt(policy)
    #expect(try vault.triesLeft() == 10)
    #expect(throws: VaultError.incompatiblePIN("default", ["a capital letter is missing"])) {
      try vault.unlock(pin: Secret(Self.pin))
    }
    try vault.changePIN(from: Secret(Self.pin), to: Secret("Correct horse 7"))
    try vault.unlock(pin: Secret("Correct horse 7"))
  }

  @Test func `a vault without a PIN opens without a question`() async throws {
    let vault = vault
    try vault.create(pin: nil, cost: VaultCost(logN: 4))
    try vault.set(Secret("v"), named: "n")
    let asker = StubAsker()
    #expect(try await keeper(asker).secret(named: "n") == Secret("v"))
    #expect(asker.questions.isEmpty)
  }

  @Test func `a PIN that has become too weak is changed on the way in`() async throws {
    try made(["n": "v"])
    var policy = VaultPolicy()
    policy.needsUpper = true
    let vault = vault
    try vault.unlock(pin: Secret(Self.pin))
    try vault.setPolicy(policy)
    let new = "Correct horse 7"
    let asker = StubAsker([["pin": Self.pin], ["pin": new, "again": new]])
    #expect(try await keeper(asker).secret(named: "n") == Secret("v"))
    let question = try #require(asker.questions.last)
    #expect(question.message.contains("a capital letter is missing"))
    #expect(question.message.contains("at least 8 characters, a capital letter"))
    try self.vault.unlock(pin: Secret(new))
  }

  @Test func `somebody who locks the vault elsewhere makes the keeper ask again`() async throws {
    try made(["n": "v"])
    let asker = StubAsker([["pin": Self.pin], ["pin": Self.pin]])
    let keeper = keeper(asker)
    #expect(try await keeper.secret(named: "n") == Secret("v"))
    vault.lock()
    #expect(try await keeper.secret(named: "n") == Secret("v"))
    #expect(asker.questions.count == 2)
  }
}

/// A keeper whose first guests wait for each other before they hear that it has nothing.
private final class Meeting: LastingKeeper {
  private let memory = MemoryKeeper()
  private let missing: Mutex<(count: Int, waiting: [CheckedContinuation<Void, Never>])>

  init(guests: Int) { missing = Mutex((guests, [])) }

  var title: String { "the meeting" }
  var isLasting: Bool { true }

  func secret(named name: String) async throws(ServiceError) -> Secret? {
    let found = memory.secret(named: name)
    await withCheckedContinuation { continuation in
      let all = missing.withLock { missing -> [CheckedContinuation<Void, Never>] in
        guard missing.count > 0 else { return [continuation] }
        missing.count -= 1
        missing.waiting.append(continuation)
        guard missing.count == 0 else { return [] }
        defer { missing.waiting = [] }
        return missing.waiting
      }
      for guest in all { guest.resume() }
    }
    return found
  }

  func keep(_ secret: Secret, named name: String) async throws(ServiceError) { memory.keep(secret, named: name) }
  func remove(named name: String) async throws(ServiceError) { memory.remove(named: name) }
  func open() async throws(ServiceError) {}
  func isReady() async throws(ServiceError) -> Bool { true }
  func requiredSecret(named name: String) async throws(ServiceError) -> Secret {
    throw Self.noEntry(name, in: title)
  }
  func place(of connection: String) async throws(ServiceError) -> OfflinePlace {
    try await NoOfflineStores().place(of: connection)
  }
  func adopt(_ policy: VaultPolicy) async throws(ServiceError) {}
}
