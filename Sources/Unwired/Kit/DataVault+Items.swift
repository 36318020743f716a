import Model
import Store

// What a vault holds beside texts.
extension DataVault {
  /// - Throws: `.invalidArgument` for a name that is not there, `.dataType` for a text.
  public func data(named name: String) throws(DataVaultError) -> [UInt8] {
    guard let item = try checking({ () throws(VaultError) in try vault.item(named: name) }) else {
      throw DataVaultError(.invalidArgument, "the vault has no item “\(name)”")
    }
    guard item.kind == .bytes else { throw DataVaultError(.dataType, "the item “\(name)” is a text") }
    return item.value
  }

  /// Keeps bytes (`setValue:withValue:`), or removes them when they are nil.
  public func setData(_ value: [UInt8]?, named name: String) throws(DataVaultError) {
    guard let value else { return try deleteValue(named: name) }
    try checking { () throws(VaultError) in try vault.set(value, named: name) }
  }

  /// The vault's certificate in PEM, with its key where that was kept with it (`getCertificate`); nil for none.
  public func certificate() throws(DataVaultError) -> Secret? {
    try checking { () throws(VaultError) in try vault.string(named: Self.certificateName) }
  }

  /// - Parameter pem: An X.509 certificate, perhaps with its key; nil removes it.
  /// - Throws: `.dataType` for something else.
  public func setCertificate(_ pem: Secret?) throws(DataVaultError) {
    guard let pem else { return try deleteValue(named: Self.certificateName) }
    let text = pem.reveal()
    guard text.contains("-----BEGIN CERTIFICATE-----"), text.contains("-----END CERTIFICATE-----") else {
      throw DataVaultError(.dataType, "this is no certificate in PEM")
    }
    try checking { () throws(VaultError) in try vault.set(pem, named: Self.certificateName) }
  }

  private static let certificateName = "certificate"

  /// Whether it opens without a password (`isDefaultPasswordUsed`).
  public func isDefaultPasswordUsed() throws(DataVaultError) -> Bool {
    try checking { () throws(VaultError) in try vault.hasNoPIN() }
  }

  /// Wrong passwords that are left; nil without a limit.
  public func triesLeft() throws(DataVaultError) -> Int? {
    try checking { () throws(VaultError) in try vault.triesLeft() }
  }

  /// Begins the lock timeout anew (`resetLockTimeout`).
  public func resetLockTimeout() throws(DataVaultError) {
    try checking { () throws(VaultError) in try vault.restartTimeout() }
  }
}
