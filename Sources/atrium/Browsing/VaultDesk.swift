import Model
import Screens
import Store

/// Does what a person orders on the vault screen with the vault that the back ends' secrets are in.
struct VaultDesk {
  private let keeper: (any LastingKeeper)?

  init(_ keeper: (any LastingKeeper)?) { self.keeper = keeper }

  /// Blocks while a PIN is tried, so it runs on a task of its own.
  @concurrent
  func perform(_ order: VaultOrder) async throws(ServiceError) -> VaultInfo {
    guard let vault = (keeper as? VaultKeeper)?.vault else {
      guard let keeper, order == .look else { throw .notOffered("change the vault", "secrets are kept elsewhere") }
      return VaultInfo(name: keeper.title, state: .elsewhere(keeper.title))
    }
    do throws(VaultError) {
      try Self.perform(order, on: vault)
    } catch {
      throw error.serviceError(Self.words(order, vault.name))
    }
    return Self.info(vault)
  }

  private static func perform(_ order: VaultOrder, on vault: Vault) throws(VaultError) {
    switch order {
    case .look: break
    case .create(let pin): try vault.create(pin: pin)
    case .unlock(let pin): try vault.unlock(pin: pin)
    case .lock: vault.lock()
    case .changePIN(let old, let new): try vault.changePIN(from: old, to: new)
    case .forget(let entry): try vault.remove(named: entry)
    case .destroy: try vault.destroy()
    }
  }

  private static func words(_ order: VaultOrder, _ name: String) -> String {
    switch order {
    case .look: "look at the vault “\(name)”"
    case .create: "create the vault “\(name)”"
    case .unlock: "unlock the vault “\(name)”"
    case .lock: "lock the vault “\(name)”"
    case .changePIN: "change the PIN of the vault “\(name)”"
    case .forget(let entry): "remove “\(entry)” from the vault “\(name)”"
    case .destroy: "destroy the vault “\(name)”"
    }
  }

  /// Looking is no use of the vault: it does not keep it open.
  private static func info(_ vault: Vault) -> VaultInfo {
    var info = VaultInfo(name: vault.name, path: vault.path, state: .absent)
    guard vault.exists else { return info }
    do throws(VaultError) {
      info.policy = try vault.policy()
      info.triesLeft = try vault.triesLeft()
      info.hasNoPIN = try vault.hasNoPIN()
      info.pinExpires = try vault.pinExpires()
      info.state = vault.isLocked ? .locked : .unlocked
      if info.state == .unlocked {
        info.entries = try vault.contents().map { VaultInfo.Entry(name: $0.name, isText: $0.kind == .string) }
      }
    } catch {
      info.state = .damaged(error.serviceError("read the vault").reason)
    }
    return info
  }
}
