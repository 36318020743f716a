import Model

enum SyncCommand {
  static let command = Command(
    "sync", ["CONNECTION"], "synchronise the offline store",
    options: [Option("pending", "list what waits to be sent")],
    arguments: 1...1, listed: false
  ) { session throws(ServiceError) in
    let name = try session.connectionName(session.arguments[0])
    throw VaultCommand.missing("synchronise \(name)")
  }
}

enum VaultCommand {
  static let command = Command(
    "vault", ["status"], "the data vault",
    arguments: 0...1, subcommands: ["status"], listed: false
  ) { _ throws(ServiceError) in
    throw missing("open the vault")
  }

  static func missing(_ operation: String) -> ServiceError {
    ServiceError(
      .vaultLocked, operation, detail: "this version of Atrium has no vault",
      remedy: "Give secrets as { env: NAME }, { file: PATH } or { command: [...] }.")
  }
}
