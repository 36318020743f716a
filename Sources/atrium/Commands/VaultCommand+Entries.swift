import JSON
import Model
import Store

/// Rules and contents.
extension VaultCommand {
  static func policy(of vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "set the rules of the vault “\(vault.name)”"
    var policy = try during(operation) { () throws(VaultError) in try vault.policy() }
    if try VaultPolicyOptions.apply(to: &policy, session) {
      try await open(vault, session, operation)
      let wanted = policy
      try during(operation) { () throws(VaultError) in try vault.setPolicy(wanted) }
      session.tell("Set. A PIN that these rules would refuse is changed at the next unlocking.")
    }
    guard ListingOptions.form(session) == .table else {
      try session.output.write(json(policy, isForTerminal: session.output.isTerminal))
      return
    }
    for line in VaultPolicyOptions.lines(policy) { try session.output.write(line + "\n") }
  }

  private static func json(_ policy: VaultPolicy, isForTerminal: Bool) -> [UInt8] {
    var writer = JSONWriter(escapingTerminalControls: isForTerminal)
    writer.beginObject()
    for (key, number) in [
      ("minLength", policy.minLength), ("minUniqueCharacters", policy.minUniqueCharacters),
      ("expirationDays", policy.expirationDays), ("lockTimeout", policy.lockTimeout), ("retryLimit", policy.retryLimit),
    ] {
      writer.key(key)
      writer.integer(number)
    }
    for (key, flag) in [
      ("needsDigit", policy.needsDigit), ("needsUpper", policy.needsUpper), ("needsLower", policy.needsLower),
      ("needsSpecial", policy.needsSpecial), ("allowsNoPIN", policy.allowsDefaultPIN),
    ] {
      writer.key(key)
      writer.bool(flag)
    }
    writer.endObject()
    writer.endLine()
    return writer.take()
  }

  /// The vaults there are, and how each stands.
  static func list(_ session: Session) throws(ServiceError) {
    let chosen = try session.vault().name
    let columns = [
      Column("name", "Vault", rank: 0), Column("state", "State", rank: 0),
      Column("tries", "Tries left", .integer, rank: 1),
      Column("chosen", "Chosen", .flag, rank: 1),
    ]
    let rows = Vault.names(in: session.paths.data).map { name -> Row in
      let vault = session.vault(named: name, in: session.paths)
      let tries = try? vault.triesLeft()
      let state = (try? vault.policy()) == nil ? "damaged" : vault.isLocked ? "locked" : "unlocked"
      return Row(
        Location(connection: "atrium"), [.text(name), .text(state), .optional(tries ?? nil), .flag(name == chosen)])
    }
    try RecordPrinter.print(rows, columns, session)
  }

  /// What is kept, by name; never a value.
  static func entries(of vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "read the vault “\(vault.name)”"
    try await open(vault, session, operation)
    let contents = try during(operation) { () throws(VaultError) in try vault.contents() }
    let rows = contents.map { content in
      Row(Location(connection: "atrium"), [.text(content.name), .text(content.kind == .string ? "text" : "bytes")])
    }
    try RecordPrinter.print(rows, [Column("name", "Entry", rank: 0), Column("kind", "Kind", rank: 1)], session)
  }

  static func set(_ entry: String, in vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "keep “\(entry)” in the vault “\(vault.name)”"
    guard vault.exists else { throw VaultError.doesNotExist(vault.name).serviceError(operation) }
    let secret: Secret
    if session.invocation.has("stdin") {
      guard let line = await Prompt.firstLine(), !line.isEmpty else {
        throw .usage("standard input has no first line", command)
      }
      secret = line
    } else {
      guard Prompt.isPossible else { throw .usage("nobody can be asked here; give the secret with --stdin", command) }
      secret = try await Prompt.secret("\(Visible.printed(entry)): ", to: session.errors)
    }
    try await open(vault, session, operation)
    try during(operation) { () throws(VaultError) in try vault.set(secret, named: entry) }
    session.tell("Kept “\(entry)” in the vault “\(vault.name)”.")
  }

  static func remove(_ entry: String, from vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "remove “\(entry)” from the vault “\(vault.name)”"
    guard vault.exists else { throw VaultError.doesNotExist(vault.name).serviceError(operation) }
    try await open(vault, session, operation)
    guard try during(operation, { () throws(VaultError) in try vault.names() }).contains(entry) else {
      throw ServiceError(.notFound, operation, detail: "it has no such entry", remedy: "See: atrium vault entries.")
    }
    try await DoCommand.confirm("Remove “\(entry)” from the vault “\(vault.name)” for good", session, operation)
    try during(operation) { () throws(VaultError) in try vault.remove(named: entry) }
    session.tell("Removed “\(entry)” from the vault “\(vault.name)”.")
  }

  /// Unlocks it for this command, where an earlier one has not.
  private static func open(_ vault: Vault, _ session: Session, _ operation: String) async throws(ServiceError) {
    guard vault.exists else { throw VaultError.doesNotExist(vault.name).serviceError(operation) }
    guard vault.isLocked else { return }
    let pin = try await pin(of: vault, session)
    try during(operation) { () throws(VaultError) in try vault.unlock(pin: pin) }
  }
}
