import Glibc
import LockedMemory
import Model

/// Keeps secrets with the desktop's Secret Service (GNOME Keyring, KWallet, KeePassXC) through the program `secret-tool`.
///
/// A secret goes to it on standard input and comes back on standard output; its arguments say names only. The service
/// unlocks itself by its own dialog and has its own rules for passwords.
///
/// - SeeAlso: secret-tool(1): `store` reads standard input to its end, `lookup` ends with 1 and without a word when there
///   is no such secret.
package final class SecretServiceKeeper: LastingKeeper {
  private let environment: [String: String]
  private let directory: String
  /// How long somebody may take to answer the service's own dialog.
  private let limit: Duration
  private static let program = "secret-tool"

  /// - Parameter directory: Where offline stores live.
  package init(environment: [String: String], directory: String, limit: Duration = .seconds(120)) {
    self.environment = environment
    self.directory = directory
    self.limit = limit
  }

  package let title = "the Secret Service"
  package var isLasting: Bool { true }

  package func open() async throws(ServiceError) { _ = try await secret(named: "atrium") }

  package func isReady() async throws(ServiceError) -> Bool {
    try await open()
    return true
  }

  package func secret(named name: String) async throws(ServiceError) -> Secret? {
    let operation = "read “\(name)” from the Secret Service"
    var output = try await run(["lookup"] + attributes(name), operation)
    defer { output.bytes.wipe() }
    if output.status == 1, output.errors.allSatisfy(\.isWhitespace) { return nil }
    try check(output, operation)
    return Secret(utf8: output.bytes)
  }

  package func requiredSecret(named name: String) async throws(ServiceError) -> Secret {
    guard let secret = try await secret(named: name) else { throw Self.noEntry(name, in: title) }
    return secret
  }

  package func keep(_ secret: Secret, named name: String) async throws(ServiceError) {
    let operation = "keep “\(name)” in the Secret Service"
    let words = ["store", "--label=Atrium: \(name)"] + attributes(name)
    try check(try await run(words, input: secret, operation), operation)
  }

  package func remove(named name: String) async throws(ServiceError) {
    let operation = "remove “\(name)” from the Secret Service"
    let output = try await run(["clear"] + attributes(name), operation)
    // Nothing of this name is what was wanted.
    if output.status == 1, output.errors.allSatisfy(\.isWhitespace) { return }
    try check(output, operation)
  }

  package func place(of connection: String) async throws(ServiceError) -> OfflinePlace {
    try await place(of: connection, in: directory)
  }

  /// A server's rules are for a PIN, and there is none here.
  package func adopt(_ policy: VaultPolicy) async throws(ServiceError) {}

  private func attributes(_ name: String) -> [String] { ["application", "atrium", "entry", name] }

  private func run(
    _ words: [String], input: Secret = Secret(""), _ operation: String
  ) async throws(ServiceError) -> CommandOutput {
    do throws(FileError) {
      return try await CommandOutput.of(
        [Self.program] + words, environment: environment, limit: limit, input: input)
    } catch {
      throw ServiceError(
        .vaultLocked, operation,
        detail: error.isMissing ? "the program secret-tool is not installed" : "secret-tool: \(error.reason)",
        remedy:
          "Install secret-tool (Debian: libsecret-tools), or take keeper: secret-service out of the configuration.",
        cause: error)
    }
  }

  private func check(_ output: CommandOutput, _ operation: String) throws(ServiceError) {
    if Task.isCancelled { throw .cancelled(operation) }
    if output.isOverdue {
      throw ServiceError(
        .vaultLocked, operation, detail: "secret-tool did not answer within \(limit.components.seconds) s",
        remedy: "Answer the dialog that unlocks the keyring, and try again.")
    }
    guard output.status != 0 else { return }
    let words = output.errors.split(separator: "\n").first.map(String.init) ?? "it ended with status \(output.status)"
    throw ServiceError(
      .vaultLocked, operation, detail: words.hasPrefix(Self.program) ? words : "secret-tool: \(words)",
      remedy: "Check that a Secret Service runs and is unlocked: secret-tool search application atrium.")
  }
}
