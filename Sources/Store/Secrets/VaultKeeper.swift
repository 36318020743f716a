import Crypto
import Model
import Synchronization

/// Keeps secrets in a vault that it opens when one is first needed; without a vault, for as long as the process lives.
package final class VaultKeeper: LastingKeeper {
  package let vault: Vault
  private let pins: PINSource
  /// Whether a person is offered a new vault when there is none and something must be kept.
  private let offersVault: @Sendable () -> Bool
  private let directory: String
  /// Of a vault that is made here.
  private let cost: VaultCost
  private let memory = MemoryKeeper()
  private let opening = Opening()
  private let refusals = Mutex(Refusals())

  private struct Refusals {
    /// The person would not say the PIN: what can do without the vault does not ask again.
    var unlocking = false
    var creating = false
  }

  /// - Parameter directory: Where offline stores live.
  package init(
    _ vault: Vault, pins: PINSource, offersVault: @escaping @Sendable () -> Bool, directory: String,
    cost: VaultCost = .interactive
  ) {
    self.vault = vault
    self.pins = pins
    self.offersVault = offersVault
    self.directory = directory
    self.cost = cost
  }

  package var title: String { "the vault “\(vault.name)”" }
  package var isLasting: Bool { vault.exists }

  /// What is kept under a name; nil also while the vault is locked and nobody opens it, so that a command that has all it
  /// needs in the configuration runs unattended.
  package func secret(named name: String) async throws(ServiceError) -> Secret? {
    if let kept = memory.secret(named: name) { return kept }
    guard vault.exists, try await isOpen() else { return nil }
    return try reading("read “\(name)” from the vault") { () throws(VaultError) in try vault.string(named: name) }
  }

  package func keep(_ secret: Secret, named name: String) async throws(ServiceError) {
    if !vault.exists, offersVault() { try await offerVault() }
    guard vault.exists, try await isOpen() else { return memory.keep(secret, named: name) }
    try reading("keep “\(name)” in the vault") { () throws(VaultError) in try vault.set(secret, named: name) }
    memory.remove(named: name)
  }

  package func remove(named name: String) async throws(ServiceError) {
    memory.remove(named: name)
    guard vault.exists, try await isOpen() else { return }
    try reading("remove “\(name)” from the vault") { () throws(VaultError) in try vault.remove(named: name) }
  }

  /// A secret that the configuration says is in the vault.
  ///
  /// - Throws: `.signInNeeded` when there is none of this name, `.vaultLocked` when the vault stays locked or there is none.
  package func requiredSecret(named name: String) async throws(ServiceError) -> Secret {
    let operation = "read the secret “\(name)”"
    if let kept = memory.secret(named: name) { return kept }
    guard vault.exists else {
      throw ServiceError(
        .vaultLocked, operation, detail: "there is no vault",
        remedy: "Create one with atrium vault create, or give the secret as { env: NAME } or { command: [...] }.")
    }
    try await open()
    let kept = try reading(operation) { () throws(VaultError) in try vault.string(named: name) }
    guard let kept else { throw Self.noEntry(name, in: "the vault") }
    return kept
  }

  private func reading<Value>(
    _ operation: String, _ work: () throws(VaultError) -> Value
  ) throws(ServiceError) -> Value {
    do throws(VaultError) { return try work() } catch { throw error.serviceError(operation) }
  }
}

// Opening.
extension VaultKeeper {
  /// Opens the vault, asking for its PIN as often as the person answers.
  ///
  /// - Throws: `.vaultLocked` when it stays locked.
  package func open() async throws(ServiceError) {
    if !vault.isLocked { return }
    try await opening.run { [self] () async throws(ServiceError) in
      if vault.isLocked { try await unlock() }
    }
    refusals.withLock { $0.unlocking = false }
  }

  /// Makes sure that what is kept from now on lasts, offering a vault where there is none; false when there is none then.
  ///
  /// - Throws: `.vaultLocked` when it stays locked.
  package func isReady() async throws(ServiceError) -> Bool {
    if !vault.exists, offersVault() { try await offerVault() }
    guard vault.exists else { return false }
    try await open()
    return true
  }

  /// Opens it for what can do without.
  private func isOpen() async throws(ServiceError) -> Bool {
    if !vault.isLocked { return true }
    if refusals.withLock({ $0.unlocking }) { return false }
    do throws(ServiceError) {
      try await open()
      return true
    } catch {
      let isUnanswered = error.code == .cancelled || (error.code == .vaultLocked && error.cause is PINSource.Unasked)
      guard isUnanswered, !Task.isCancelled else { throw error }
      refusals.withLock { $0.unlocking = true }
      return false
    }
  }

  private func unlock() async throws(ServiceError) {
    let operation = "open the vault"
    if try reading(operation, { () throws(VaultError) in try vault.hasNoPIN() }) {
      return try reading(operation) { () throws(VaultError) in try vault.unlock(pin: nil) }
    }
    var failure: (words: String, left: Int?)?
    while true {
      let pin = try await pins.pin(
        of: vault.name, message: "It keeps passwords, tokens and the keys of offline data.", triesLeft: failure?.left,
        failure: failure?.words)
      do throws(VaultError) {
        return try vault.unlock(pin: pin)
      } catch {
        if error.wantsAnotherPIN, !pins.isFile { return try await changePIN(pin, error) }
        guard case .invalidPIN(_, let left) = error, !pins.isFile else { throw error.serviceError(operation) }
        let warning = (left ?? .max) <= 3 ? "; when no try is left, the vault and everything in it is deleted" : ""
        failure = ("the PIN is wrong" + warning, left)
      }
    }
  }

  /// The PIN is right, and the policy wants another one before the vault opens.
  private func changePIN(_ old: Secret, _ reason: VaultError) async throws(ServiceError) {
    let operation = "change the PIN of the vault"
    let policy = try reading(operation) { () throws(VaultError) in try vault.policy() }
    let new = try await pins.newPIN(
      of: vault.name, title: "Choose a new PIN", message: "The vault opens once its PIN is changed: \(reason.why).",
      policy: policy)
    try reading(operation) { () throws(VaultError) in try vault.changePIN(from: old, to: new) }
  }

  /// The first run: something must be kept and there is nowhere to keep it.
  private func offerVault() async throws(ServiceError) {
    if refusals.withLock({ $0.creating }) { return }
    do throws(ServiceError) {
      try await opening.run { [self] () async throws(ServiceError) in
        if !vault.exists { try await create() }
      }
    } catch {
      let isUnanswered = error.code == .cancelled || error.cause is PINSource.Unasked
      guard isUnanswered, !Task.isCancelled else { throw error }
      refusals.withLock { $0.creating = true }
    }
  }

  private func create() async throws(ServiceError) {
    let pin = try await pins.newPIN(
      of: vault.name, title: "Create a vault",
      message: "What signing in obtains is kept encrypted behind a PIN. Without a vault it is forgotten at the end.",
      policy: VaultPolicy())
    try reading("create the vault") { () throws(VaultError) in try vault.create(pin: pin, cost: cost) }
  }
}

extension VaultKeeper {
  package func place(of connection: String) async throws(ServiceError) -> OfflinePlace {
    guard try await isReady() else { return try await NoOfflineStores().place(of: connection) }
    return try await place(of: connection, in: directory)
  }

  package func adopt(_ policy: VaultPolicy) async throws(ServiceError) {
    guard vault.exists, !vault.isLocked else { return }
    try reading("take over the server's rules for the PIN") { () throws(VaultError) in
      if try vault.policy() != policy { try vault.setPolicy(policy) }
    }
  }
}

/// Lets one question at a time stand about a vault, however many wait for it.
private final class Opening: Sendable {
  private struct State {
    var task: Task<Result<Void, ServiceError>, Never>?
    var waiters = 0
  }

  private let state = Mutex(State())

  func run(_ work: @escaping @Sendable () async throws(ServiceError) -> Void) async throws(ServiceError) {
    let task = state.withLock { state in
      state.waiters += 1
      if let task = state.task { return task }
      let task = Task { () -> Result<Void, ServiceError> in
        do throws(ServiceError) { return .success(try await work()) } catch { return .failure(error) }
      }
      state.task = task
      return task
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      // The question is withdrawn when nobody waits for its answer any more.
      let isLast = state.withLock { $0.waiters == 1 }
      if isLast { task.cancel() }
    }
    state.withLock { state in
      state.waiters -= 1
      if state.task == task { state.task = nil }
    }
    try result.get()
  }
}
