import JSON
import Model
import Service
import Store

enum VaultCommand {
  static let command = Command(
    "vault",
    [
      "[status]", "create [--pin-file FILE]", "unlock [--pin-file FILE]", "lock",
      "change-pin [--pin-file FILE] [--new-pin-file FILE]", "destroy [--yes]",
    ],
    "the data vault: passwords, tokens and keys behind a PIN",
    details: [
      "The PIN is asked for at a terminal, or is the first line of FILE or of the file that ATRIUM_PIN_FILE names.",
      "unlock keeps the vault open for later commands of this login session, until it has not been used for its lock",
      "timeout. Each wrong PIN is counted; when no try is left, the vault and everything in it is deleted.",
    ],
    options: [
      Option("pin-file", value: "FILE", "read the PIN from the first line of this file; change-pin: the old one"),
      Option("new-pin-file", value: "FILE", "change-pin: read the new PIN from this file"),
      Option("yes", "do not ask"),
      ListingOptions.form,
    ],
    arguments: 0...1, subcommands: ["status", "create", "unlock", "lock", "change-pin", "destroy"], run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let vault = try session.vault()
    switch session.arguments.first {
    case nil, "status": try VaultStatus(vault).print(session)
    case "create": try await create(vault, session)
    case "unlock": try await unlock(vault, session)
    case "lock": lock(vault, session)
    case "change-pin": try await changePIN(vault, session)
    case "destroy": try await destroy(vault, session)
    case let word?:
      let hint = Spelling.nearest(to: word, among: command.subcommands).map { "; did you mean \($0)?" } ?? ""
      throw .usage("vault cannot “\(word)”\(hint)", command)
    }
    return ExitStatus.done
  }

  private static func create(_ vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "create the vault “\(vault.name)”"
    if vault.exists { throw VaultError.alreadyExists(vault.name).serviceError(operation) }
    let policy = VaultPolicy()
    let pin = try await session.pins().newPIN(
      of: vault.name, title: "Create the vault “\(vault.name)”",
      message: "It keeps passwords, tokens and keys encrypted. A forgotten PIN cannot be recovered.", policy: policy)
    try during(operation) { () throws(VaultError) in try vault.create(pin: pin, policy: policy) }
    session.tell("Created the vault “\(vault.name)”. atrium vault unlock opens it for later commands.")
  }

  private static func unlock(_ vault: Vault, _ session: Session) async throws(ServiceError) {
    let operation = "unlock the vault “\(vault.name)”"
    guard vault.exists else { throw VaultError.doesNotExist(vault.name).serviceError(operation) }
    let pin = try await session.pins().pin(of: vault.name)
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
    let old = try await session.pins().pin(of: vault.name, message: "The PIN as it is now.")
    let new = try await PINSource(
      file: session.invocation.value("new-pin-file"), environment: [:], asker: TerminalAsker(session)
    ).newPIN(of: vault.name, title: "Choose a new PIN", message: "", policy: policy)
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

  static func during<Value>(
    _ operation: String, _ work: () throws(VaultError) -> Value
  ) throws(ServiceError) -> Value {
    do throws(VaultError) { return try work() } catch { throw error.serviceError(operation) }
  }
}

/// How a vault stands, as far as that can be told without its PIN.
private struct VaultStatus {
  private let vault: Vault
  private let isLocked: Bool
  private let policy: VaultPolicy?
  private let triesLeft: Int?
  /// Nil while it is locked.
  private let entries: Int?

  /// - Throws: `.failed` when its file is damaged.
  init(_ vault: Vault) throws(ServiceError) {
    self.vault = vault
    isLocked = vault.isLocked
    guard vault.exists else {
      (policy, triesLeft, entries) = (nil, nil, nil)
      return
    }
    let operation = "read the vault “\(vault.name)”"
    policy = try VaultCommand.during(operation) { () throws(VaultError) in try vault.policy() }
    triesLeft = try VaultCommand.during(operation) { () throws(VaultError) in try vault.triesLeft() }
    entries = isLocked ? nil : try? vault.names().count
  }

  private var state: String { !vault.exists ? "absent" : isLocked ? "locked" : "unlocked" }

  func print(_ session: Session) throws(ServiceError) {
    switch ListingOptions.form(session) {
    case .json, .ndjson: try session.output.write(json(isForTerminal: session.output.isTerminal))
    case .csv:
      try session.output.write("name,state,triesLeft,retryLimit,lockTimeout,entries\r\n")
      let numbers = [triesLeft, policy?.retryLimit, policy?.lockTimeout, entries].map { $0.map(String.init) ?? "" }
      try session.output.write("\(vault.name),\(state),\(numbers.joined(separator: ","))\r\n")
    case .table: try session.output.write(text)
    }
  }

  private func json(isForTerminal: Bool) -> [UInt8] {
    var writer = JSONWriter(escapingTerminalControls: isForTerminal)
    writer.beginObject()
    for (key, text) in [("name", vault.name), ("state", state), ("path", vault.path)] {
      writer.key(key)
      writer.string(text)
    }
    for (key, flag) in [("exists", vault.exists), ("locked", isLocked)] {
      writer.key(key)
      writer.bool(flag)
    }
    for (key, number) in [
      ("triesLeft", triesLeft), ("retryLimit", policy?.retryLimit), ("lockTimeout", policy?.lockTimeout),
      ("entries", entries),
    ] {
      writer.key(key)
      number.map { writer.integer($0) } ?? writer.null()
    }
    writer.endObject()
    writer.endLine()
    return writer.take()
  }

  private var text: String {
    guard let policy else { return "There is no vault “\(vault.name)”. Create it with atrium vault create.\n" }
    var lines = ["\(vault.name): \(state)", "file: \(Visible.line(vault.path))"]
    if let entries { lines.append("entries: \(entries)") }
    lines.append(policy.lockTimeout == 0 ? "locks itself: never" : "locks itself: after \(policy.lockTimeout) s unused")
    lines.append(triesLeft.map { "tries left: \($0) of \(policy.retryLimit)" } ?? "tries left: no limit")
    return lines.map { $0 + "\n" }.joined()
  }
}
