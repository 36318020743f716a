import Model
import Store

/// Keeps databases in a directory and their keys in a vault that the app has unlocked (`generateEncryptionKey`,
/// `setEncryptionKey`).
public struct VaultStores: OfflineStores {
  private let vault: DataVault
  private let directory: String

  public init(_ vault: DataVault, directory: String) {
    self.vault = vault
    self.directory = directory
  }

  public func place(of connection: String) async throws(ServiceError) -> OfflinePlace {
    let operation = "open the database “\(connection)”"
    let name = "\(connection)/encryption-key"
    let path = FilePath.joined(directory, "\(connection).store")
    do throws(VaultError) {
      if let key = try vault.vault.string(named: name) { return OfflinePlace(path: path, key: key, isNew: false) }
      // 256 bits from the system, as digits.
      var random = SystemRandomNumberGenerator()
      let digits = (0..<4).map { _ in
        let hex = String(random.next() as UInt64, radix: 16)
        return String(repeating: "0", count: 16 - hex.utf8.count) + hex
      }
      let key = Secret(digits.joined())
      try vault.vault.set(key, named: name)
      return OfflinePlace(path: path, key: key, isNew: true)
    } catch {
      throw error.serviceError(operation)
    }
  }

  public func adopt(_ policy: VaultPolicy) async throws(ServiceError) {
    do throws(VaultError) {
      if try vault.vault.policy() != policy { try vault.vault.setPolicy(policy) }
    } catch {
      throw error.serviceError("take over the server's rules for the password")
    }
  }
}
