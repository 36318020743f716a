import Model
import Store

enum VaultCommand {
  static let command = Command(
    "vault",
    [
      "[status]", "create [--no-pin] [policy options]", "unlock", "lock", "change-pin [--new-pin-file FILE]",
      "policy [policy options]", "list", "entries", "set ENTRY", "remove ENTRY", "destroy [--yes]",
    ],
    "the data vault: passwords, tokens and keys behind a PIN",
    details: [
      "The PIN is asked for at a terminal, or is the first line of FILE or of the file that ATRIUM_PIN_FILE names.",
      "unlock keeps the vault open for later commands of this login session, until it has not been used for its lock",
      "timeout; lock locks it for every process. Each wrong PIN is counted; when no try is left, the vault and",
      "everything in it is deleted. policy shows the rules for the PIN, and sets those that are given; list names the",
      "vaults there are, entries what is kept in one. set keeps what { vault: ENTRY } in the configuration names.",
    ],
    options: [
      Option("name", value: "NAME", "another vault than the one that the configuration chooses"),
      Option("pin-file", value: "FILE", "read the PIN from the first line of this file; change-pin: the old one"),
      Option("new-pin-file", value: "FILE", "change-pin: read the new PIN from this file"),
      Option("no-pin", "create, change-pin: have no PIN at all, where the policy permits it"),
      Option("stdin", "set: the secret is the first line of standard input"),
    ] + VaultPolicyOptions.options + [Option("yes", "do not ask"), ListingOptions.form],
    arguments: 0...2,
    subcommands: [
      "status", "create", "unlock", "lock", "change-pin", "policy", "list", "entries", "set", "remove", "destroy",
    ],
    run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let vault = try session.vault()
    let word = session.arguments.first ?? "status"
    guard command.subcommands.contains(word) else {
      let hint = Spelling.nearest(to: word, among: command.subcommands).map { "; did you mean \($0)?" } ?? ""
      throw .usage("vault cannot “\(word)”\(hint)", command)
    }
    let takesEntry = ["set", "remove"].contains(word)
    guard session.arguments.count == (takesEntry ? 2 : 1) || session.arguments.isEmpty else {
      throw .usage(takesEntry ? "vault \(word) takes the name of an entry" : "vault \(word) takes no more", command)
    }
    switch word {
    case "create": try await create(vault, session)
    case "unlock": try await unlock(vault, session)
    case "lock": lock(vault, session)
    case "change-pin": try await changePIN(vault, session)
    case "policy": try await policy(of: vault, session)
    case "list": try list(session)
    case "entries": try await entries(of: vault, session)
    case "set": try await set(session.arguments[1], in: vault, session)
    case "remove": try await remove(session.arguments[1], from: vault, session)
    case "destroy": try await destroy(vault, session)
    default: try VaultStatus(vault).print(session)
    }
    return ExitStatus.done
  }

  private static func create(_ vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "create the vault “\(vault.name)”"
    if vault.exists { throw VaultError.alreadyExists(vault.name).serviceError(operation) }
    var policy = VaultPolicy()
    try VaultPolicyOptions.apply(to: &policy, session)
    let pin: Secret?
    if session.invocation.has("no-pin") {
      pin = nil
    } else {
      pin = try await session.pins().newPIN(
        of: vault.name, title: "Create the vault “\(vault.name)”",
        message: "It keeps passwords, tokens and keys encrypted. A forgotten PIN cannot be recovered.", policy: policy)
    }
    try during(operation) { () throws(VaultError) in try vault.create(pin: pin, policy: policy) }
    session.tell("Created the vault “\(vault.name)”. atrium vault unlock opens it for later commands.")
  }

  private static func unlock(_ vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "unlock the vault “\(vault.name)”"
    guard vault.exists else { throw VaultError.doesNotExist(vault.name).serviceError(operation) }
    let pin = try await pin(of: vault, session)
    try during(operation) { () throws(VaultError) in try vault.unlock(pin: pin) }
    let isKept = try during(operation) { () throws(VaultError) in try vault.keepUnlocked() }
    guard isKept else {
      return session.tell("The PIN is right. This system has no kernel keyring, so each command will ask for it.")
    }
    let timeout = try during(operation) { () throws(VaultError) in try vault.policy().lockTimeout }
    let until = timeout == 0 ? "until it is locked" : "until it has not been used for \(timeout) s"
    session.tell("Unlocked the vault “\(vault.name)” \(until).")
  }

  private static func lock(_ vault: Vault, _ session: Session) {
    vault.lock()
    session.tell(vault.exists ? "Locked the vault “\(vault.name)”." : "There is no vault “\(vault.name)”.")
  }

  private static func changePIN(_ vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "change the PIN of the vault “\(vault.name)”"
    guard vault.exists else { throw VaultError.doesNotExist(vault.name).serviceError(operation) }
    let policy = try during(operation) { () throws(VaultError) in try vault.policy() }
    let old = try await pin(of: vault, session, message: "The PIN as it is now.")
    let new: Secret?
    if session.invocation.has("no-pin") {
      new = nil
    } else {
      new = try await PINSource(
        file: session.invocation.value("new-pin-file"), environment: [:], asker: TerminalAsker(session)
      ).newPIN(of: vault.name, title: "Choose a new PIN", message: "", policy: policy)
    }
    try during(operation) { () throws(VaultError) in try vault.changePIN(from: old, to: new) }
    session.tell("Changed the PIN of the vault “\(vault.name)”.")
  }

  private static func destroy(_ vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "destroy the vault “\(vault.name)”"
    guard vault.exists else { throw VaultError.doesNotExist(vault.name).serviceError(operation) }
    let warning = "Destroy the vault “\(vault.name)”, everything in it, and with its keys all offline data and edits"
    try await DoCommand.confirm(warning, session, operation)
    try during(operation) { () throws(VaultError) in try vault.destroy() }
    session.tell("Destroyed the vault “\(vault.name)”.")
  }

  /// The PIN of a vault; nil, and nobody is asked, where it has none.
  static func pin(
    of vault: Vault, _ session: Session, message: String = ""
  ) async throws(ServiceError) -> Secret? {
    let hasNone = try during("read the vault “\(vault.name)”") { () throws(VaultError) in try vault.hasNoPIN() }
    return hasNone ? nil : try await session.pins().pin(of: vault.name, message: message)
  }

  static func during<Value>(
    _ operation: String, _ work: () throws(VaultError) -> Value
  ) throws(ServiceError) -> Value {
    do throws(VaultError) { return try work() } catch { throw error.serviceError(operation) }
  }
}
