import Model

/// Where a vault's PIN comes from: a file that somebody named, or a person.
package struct PINSource: Sendable {
  /// Nobody could be asked.
  package struct Unasked: Error {}

  /// Its first line is the PIN.
  private let file: String?
  private let asker: any Asker
  private let home: String?

  /// - Parameter environment: `ATRIUM_PIN_FILE` names the file where no option does.
  package init(file: String?, environment: [String: String], asker: any Asker) {
    self.file = file ?? environment["ATRIUM_PIN_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    self.asker = asker
    home = environment["HOME"]
  }

  package init(asker: any Asker) {
    self.init(file: nil, environment: [:], asker: asker)
  }

  /// Whether the PIN lies ready, so that asking again would give the same.
  package var isFile: Bool { file != nil }

  /// The PIN of a vault that exists.
  ///
  /// - Throws: `.vaultLocked` where nobody can be asked, `.cancelled` when the person does not want to say it.
  package func pin(
    of vault: String, message: String = "", triesLeft: Int? = nil, failure: String? = nil
  ) async throws(ServiceError) -> Secret {
    if let file { return try read(file) }
    let fields = [FormField("pin", "PIN", .secret)]
    let answers = try await ask(
      Question(
        connection: "vault", title: "Unlock the vault “\(vault)”", message: message,
        kind: .form(fields, submit: "Unlock"), attemptsLeft: failure == nil ? nil : triesLeft, failure: failure))
    return answers["pin"] ?? Secret("")
  }

  /// A new PIN, typed twice by a person; asked again until it will do.
  package func newPIN(
    of vault: String, title: String, message: String, policy: VaultPolicy
  ) async throws(ServiceError) -> Secret {
    if let file { return try read(file) }
    var failure: String?
    let rules = policy.demands.isEmpty ? "" : "It needs \(policy.demands.joined(separator: ", "))."
    let message = [message, rules].filter { !$0.isEmpty }.joined(separator: " ")
    while true {
      let fields = [
        FormField("pin", "New PIN", .secret, hint: policy.demands.first),
        FormField("again", "The same again", .secret),
      ]
      let answers = try await ask(
        Question(
          connection: "vault", title: title, message: message, kind: .form(fields, submit: "Set the PIN"),
          failure: failure))
      let pin = answers["pin"] ?? Secret("")
      if pin != answers["again"] {
        failure = "the two are not the same"
      } else {
        let objections = pin.isEmpty ? ["a PIN is required"] : policy.objections(to: pin)
        if objections.isEmpty { return pin }
        failure = objections.joined(separator: ", ")
      }
    }
  }

  private func ask(_ question: Question) async throws(ServiceError) -> [String: Secret] {
    do throws(ServiceError) {
      guard case .fields(let answers) = try await asker.ask(question) else {
        throw ServiceError.cancelled(question.title)
      }
      return answers
    } catch {
      guard error.code == .signInNeeded else { throw error }
      throw ServiceError(
        .vaultLocked, "open the vault", detail: "its PIN is needed, and nobody can be asked here",
        remedy: "Unlock it first with: atrium vault unlock, or name a file in ATRIUM_PIN_FILE.",
        cause: Unasked())
    }
  }

  private func read(_ file: String) throws(ServiceError) -> Secret {
    let line: Secret
    do throws(FileError) {
      line = try Files.secret(FilePath.resolved(file, in: "", home: home), isLine: true)
    } catch {
      throw ServiceError(
        .usage, "read the PIN", detail: "\(file): \(error.reason)", remedy: "Check the path and who may read the file.",
        cause: error)
    }
    guard !line.isEmpty else {
      throw ServiceError(
        .usage, "read the PIN", detail: "\(file): the first line is empty", remedy: "Put the PIN there.")
    }
    return line
  }
}
