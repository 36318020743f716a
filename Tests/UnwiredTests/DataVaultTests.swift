import Model
import TestKit
import Testing

@testable import Unwired

/// The vault as the platform's own documentation has it: reference/unwired.md, section 1.
@Suite(.bounded) struct DataVaultTests {
  private let directory: TemporaryDirectory
  private let clock = StubClock()
  private let word = Secret("correct horse")

  init() throws { directory = try TemporaryDirectory() }

  private func create(_ policy: VaultPolicy = VaultPolicy(), _ password: Secret? = nil) throws -> DataVault {
    try DataVault.create(
      "SUP101DataVaultID", password: password ?? word, policy: policy, in: directory.path, clock: clock)
  }

  private func open() throws -> DataVault { try DataVault.open("SUP101DataVaultID", in: directory.path, clock: clock) }

  private func code(_ work: () throws(DataVaultError) -> Void) -> DataVaultError.Code? {
    do throws(DataVaultError) {
      try work()
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `a life of a vault by its codes`() throws {
    #expect(throws: DataVaultError.self) { try open() }
    let vault = try create()
    #expect(!vault.isLocked)
    try vault.setString(Secret("value"), named: "password")
    vault.lock()
    vault.lock()
    #expect(vault.isLocked)
    #expect(code { () throws(DataVaultError) in _ = try vault.string(named: "password") } == .locked)
    #expect(code { () throws(DataVaultError) in try vault.unlock(password: Secret("wrong")) } == .invalidPassword)
    try vault.unlock(password: word)
    #expect(
      try vault.string(named: "password") == Secret("value")
        && vault.dataNames() == [DataName(name: "password", isBinary: false)])
    #expect(code { () throws(DataVaultError) in _ = try vault.string(named: "nothing") } == .invalidArgument)
    #expect(code { () throws(DataVaultError) in try vault.setString(word, named: "") } == .invalidArgument)
    try vault.setString(nil, named: "password")
    #expect(try vault.dataNames().isEmpty)
    #expect(throws: DataVaultError.self) { try create() }
    try DataVault.delete("SUP101DataVaultID", in: directory.path, clock: clock)
    #expect(!DataVault.exists("SUP101DataVaultID", in: directory.path, clock: clock))
  }

  @Test func `bytes and a certificate are kept beside texts, each as what it is`() throws {
    let vault = try create()
    try vault.setData([0, 255, 10], named: "blob")
    try vault.setString(Secret("text"), named: "word")
    #expect(try vault.data(named: "blob") == [0, 255, 10])
    #expect(try vault.dataNames() == [.init(name: "blob", isBinary: true), .init(name: "word", isBinary: false)])
    #expect(code { () throws(DataVaultError) in _ = try vault.data(named: "word") } == .dataType)
    #expect(try vault.certificate() == nil)
    #expect(code { () throws(DataVaultError) in try vault.setCertificate(Secret("no certificate")) } == .dataType)
    try vault.setCertificate(Secret(TestCertificates.good))
    vault.lock()
    #expect(code { () throws(DataVaultError) in _ = try vault.data(named: "blob") } == .locked)
    #expect(code { () throws(DataVaultError) in _ = try vault.certificate() } == .locked)
    try vault.unlock(password: word)
    #expect(try vault.certificate() == Secret(TestCertificates.good))
    try vault.setCertificate(nil)
    try vault.setData(nil, named: "blob")
    #expect(try vault.dataNames().map(\.name) == ["word"])
    #expect(
      code { () throws(DataVaultError) in try vault.setData([1], named: String(repeating: "n", count: 256)) }
        == .nameTooLong)
  }

  @Test func `a vault says whether it has a password, and its clock can be started anew`() throws {
    let vault = try create()
    #expect(try !vault.isDefaultPasswordUsed())
    try vault.setLockTimeout(60)
    clock.move(seconds: 50)
    try vault.resetLockTimeout()
    clock.move(seconds: 50)
    #expect(!vault.isLocked)
    try vault.changePassword(from: word, to: nil)
    #expect(try vault.isDefaultPasswordUsed())
  }

  @Test func `at the retry limit the vault is gone, and zero is no limit`() throws {
    let vault = try create()
    try vault.setRetryLimit(2)
    vault.lock()
    #expect(code { () throws(DataVaultError) in try vault.unlock(password: Secret("wrong")) } == .invalidPassword)
    #expect(code { () throws(DataVaultError) in try vault.unlock(password: Secret("wrong")) } == .doesNotExist)
    #expect(throws: DataVaultError.self) { try open() }
    let again = try create()
    try again.setRetryLimit(0)
    again.lock()
    for _ in 0..<3 { _ = code { () throws(DataVaultError) in try again.unlock(password: Secret("wrong")) } }
    try again.unlock(password: word)
  }

  @Test func `the lock timeout locks, and zero never does`() throws {
    let vault = try create()
    try vault.setLockTimeout(60)
    clock.move(seconds: 61)
    #expect(vault.isLocked)
    try vault.unlock(password: word)
    try vault.setLockTimeout(0)
    clock.move(seconds: 1_000_000)
    #expect(!vault.isLocked)
  }

  @Test func `a stricter policy asks for another password, each reason by its code`() throws {
    let vault = try create()
    var policy = VaultPolicy()
    policy.minLength = 20
    try vault.setPasswordPolicy(policy)
    vault.lock()
    #expect(code { () throws(DataVaultError) in try vault.unlock(password: word) } == .passwordUnderMinLength)
    try vault.changePassword(from: word, to: Secret("correct horse battery staple"))
    #expect(!vault.isLocked)
    func refused(_ change: (inout VaultPolicy) -> Void, _ password: String) -> DataVaultError.Code? {
      var policy = VaultPolicy()
      change(&policy)
      return code { () throws(DataVaultError) in
        _ = try DataVault.create("other", password: Secret(password), policy: policy, in: directory.path, clock: clock)
      }
    }
    #expect(refused({ $0.needsDigit = true }, "abcdefghij") == .passwordRequiresDigit)
    #expect(refused({ $0.needsUpper = true }, "abcdefghij") == .passwordRequiresUpper)
    #expect(refused({ $0.needsLower = true }, "ABCDEFGHIJ") == .passwordRequiresLower)
    #expect(refused({ $0.needsSpecial = true }, "abcdefghij") == .passwordRequiresSpecial)
    #expect(refused({ $0.minUniqueCharacters = 5 }, "aaaaaaaaaa") == .passwordUnderMinUniqueCharacters)
    #expect(refused({ $0.allowsDefaultPIN = false }, "") == .passwordRequired)
  }

  @Test func `a database's key is made once and lies in the vault`() async throws {
    let vault = try create()
    let stores = VaultStores(vault, directory: directory.path)
    let first = try await stores.place(of: "SUP101")
    #expect(first.isNew && first.key.reveal().utf8.count == 64)
    let second = try await stores.place(of: "SUP101")
    #expect(!second.isNew && second.key == first.key)
    vault.lock()
    let error = await #expect(throws: ServiceError.self) { try await stores.place(of: "SUP101") }
    #expect(error?.code == .vaultLocked)
  }
}
