import Glibc
import Model

/// Gets secrets from where the configuration says they are.
package struct SecretSources: SecretResolver {
  /// Longest that a command may take; long enough to type a passphrase.
  private static let limit = Duration.seconds(60)

  private let environment: [String: String]
  /// Answers `{ vault: NAME }`.
  private let kept: @Sendable (String) async throws(ServiceError) -> Secret

  package init(environment: [String: String], lasting keeper: any LastingKeeper) {
    self.environment = environment
    kept = { name throws(ServiceError) in try await keeper.requiredSecret(named: name) }
  }

  /// - Parameter keeper: Answers `{ vault: NAME }` where there is no vault.
  package init(environment: [String: String], keeper: any SecretKeeper) {
    self.environment = environment
    kept = { name throws(ServiceError) in
      if let secret = try await keeper.secret(named: name) { return secret }
      throw ServiceError(
        .vaultLocked, "read the secret “\(name)”", detail: "there is no vault",
        remedy: "Keep it with atrium login, or give it as { env: NAME } or { command: [...] }.")
    }
  }

  package func resolve(_ source: SecretSource) async throws(ServiceError) -> Secret {
    switch source {
    case .literal(let secret): return secret
    case .environment(let name): return try variable(name)
    case .file(let path): return try file(path)
    case .command(let words): return try await command(words)
    case .vault(let name): return try await kept(name)
    }
  }

  private func variable(_ name: String) throws(ServiceError) -> Secret {
    guard let text = environment[name], !text.isEmpty else {
      throw ServiceError(
        .configuration, "read a secret from the environment", detail: "the variable \(name) is not set",
        remedy: "Set it: export \(name)=…")
    }
    return Secret(text)
  }

  private func file(_ path: String) throws(ServiceError) -> Secret {
    do {
      let resolved = FilePath.resolved(path, in: "", home: environment["HOME"])
      return try Files.secret(resolved)
    } catch {
      throw ServiceError(
        .configuration, "read a secret from a file", detail: "\(path): \(error.reason)",
        remedy: "Check the path and who may read the file.", cause: error)
    }
  }

  private func command(_ words: [String]) async throws(ServiceError) -> Secret {
    var output: CommandOutput
    do throws(FileError) {
      output = try await CommandOutput.of(words, environment: environment, limit: Self.limit)
    } catch {
      throw failed(words, error.reason, cause: error)
    }
    defer { output.bytes.wipe() }
    if output.isOverdue { throw failed(words, "it took longer than \(Self.limit.components.seconds) s and was ended") }
    guard output.status == 0 else { throw failed(words, "it ended with status \(output.status)") }
    let line = output.bytes.prefix { $0 != 10 }
    guard !line.isEmpty else { throw failed(words, "it printed nothing") }
    return Secret(utf8: line.last == 13 ? line.dropLast() : line)
  }

  private func failed(_ words: [String], _ reason: String, cause: (any Error)? = nil) -> ServiceError {
    ServiceError(
      .configuration, "read a secret from a command", detail: "\(words.first ?? ""): \(reason)",
      remedy: "Run it by hand: it must print the secret on its first line.", cause: cause)
  }
}
