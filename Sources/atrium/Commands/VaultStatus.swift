import JSON
import Model
import Store

/// How a vault stands, as far as that can be told without its PIN.
struct VaultStatus {
  private let vault: Vault
  private let isLocked: Bool
  private let policy: VaultPolicy?
  private let triesLeft: Int?
  /// Nil while it is locked.
  private let entries: Int?
  private let hasNoPIN: Bool
  private let pinExpires: Timestamp?

  /// - Throws: `.failed` when its file is damaged.
  init(_ vault: Vault) throws(ServiceError) {
    self.vault = vault
    isLocked = vault.isLocked
    guard vault.exists else {
      (policy, triesLeft, entries, hasNoPIN, pinExpires) = (nil, nil, nil, false, nil)
      return
    }
    let operation = "read the vault “\(vault.name)”"
    policy = try VaultCommand.during(operation) { () throws(VaultError) in try vault.policy() }
    triesLeft = try VaultCommand.during(operation) { () throws(VaultError) in try vault.triesLeft() }
    hasNoPIN = try VaultCommand.during(operation) { () throws(VaultError) in try vault.hasNoPIN() }
    pinExpires = try VaultCommand.during(operation) { () throws(VaultError) in try vault.pinExpires() }
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
    for (key, flag) in [("exists", vault.exists), ("locked", isLocked), ("noPIN", hasNoPIN)] {
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
    writer.key("pinExpires")
    pinExpires.map { writer.string($0.rfc3339) } ?? writer.null()
    writer.endObject()
    writer.endLine()
    return writer.take()
  }

  private var text: String {
    guard let policy else { return "There is no vault “\(vault.name)”. Create it with atrium vault create.\n" }
    var lines = ["\(vault.name): \(state)", "file: \(Visible.line(vault.path))"]
    if let entries { lines.append("entries: \(entries)") }
    lines.append(policy.lockTimeout == 0 ? "locks itself: never" : "locks itself: after \(policy.lockTimeout) s unused")
    if hasNoPIN { lines.append("PIN: none; whoever may read the file can open it") }
    if let pinExpires { lines.append("PIN to be changed by: \(pinExpires.rfc3339)") }
    lines.append(triesLeft.map { "tries left: \($0) of \(policy.retryLimit)" } ?? "tries left: no limit")
    return lines.map { $0 + "\n" }.joined()
  }
}
