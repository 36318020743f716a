import FoundationEssentials
import Glibc
import Model
import Service
import Store

/// Puts questions on standard error and reads the answers from standard input, when both belong to a person.
struct TerminalAsker: Asker {
  /// What `login` permits beyond what other commands do.
  struct Pages: Sendable {
    /// Opens the system's browser instead of only printing the address.
    var opens = true
    /// A verifier is read from standard input even when that is no terminal.
    var readsVerifier = false
  }

  private let session: Session
  /// Nil for commands that must not wait for a page.
  private let pages: Pages?

  init(_ session: Session, pages: Pages? = nil) {
    self.session = session
    self.pages = pages
  }

  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    switch question.kind {
    case .browser(let url):
      guard mayShowPages else { throw nobody(question) }
      session.ask("open \(url)")
      if pages?.opens ?? true { await open(url) }
      return try await waitUntilWithdrawn(question)
    case .device(let code, let url, _):
      guard mayShowPages else { throw nobody(question) }
      session.ask("enter \(code) at \(url)")
      return try await waitUntilWithdrawn(question)
    case .form(let fields, _):
      guard Prompt.isPossible || pages?.readsVerifier == true else { throw nobody(question) }
      introduce(question)
      var answers: [String: Secret] = [:]
      for field in fields {
        do throws(ServiceError) {
          answers[field.id] = try await value(of: field)
        } catch {
          // A pipe that has ended is nobody, and not somebody who changed their mind.
          guard error.code == .cancelled, !Prompt.isPossible, !Task.isCancelled else { throw error }
          throw nobody(question)
        }
      }
      return .fields(answers)
    case .confirmation:
      guard Prompt.isPossible else { throw nobody(question) }
      introduce(question)
      guard try await Prompt.confirm("Go on?", to: session.errors) else {
        throw .cancelled(question.title.lowercasedFirst)
      }
      return .accepted
    case .choice(let choices):
      guard Prompt.isPossible else { throw nobody(question) }
      introduce(question)
      return .chosen(try await choice(of: choices))
    }
  }

  private var mayShowPages: Bool { pages != nil || Prompt.isPossible }

  private func nobody(_ question: Question) -> ServiceError {
    ServiceError(
      .signInNeeded, question.title.lowercasedFirst, detail: question.failure,
      remedy: "Run atrium login \(question.connection) at a terminal, or put the credentials into the configuration.")
  }

  private func introduce(_ question: Question) {
    session.ask(question.title)
    if !question.message.isEmpty { session.ask(question.message) }
    if let failure = question.failure { session.ask("Not yet: \(failure).") }
    if let left = question.attemptsLeft { session.ask("\(left) \(left == 1 ? "try" : "tries") left.") }
  }

  private func value(of field: FormField) async throws(ServiceError) -> Secret {
    let title = Visible.printed(field.title)
    if case .choice(let choices) = field.kind {
      session.ask("\(title):")
      return Secret(try await choice(of: choices))
    }
    let isSecret = field.kind == .secret
    let initial = isSecret ? "" : field.initial
    let hint = initial.isEmpty ? "" : " [\(Visible.printed(initial))]"
    while true {
      let line = try await Prompt.secret("\(title)\(hint): ", echo: !isSecret, to: session.errors)
      if !line.isEmpty { return line }
      if isSecret, let kept = field.initialSecret { return kept }
      if !initial.isEmpty || !field.isRequired { return Secret(initial) }
      session.ask("This is needed.")
    }
  }

  private func choice(of choices: [FormField.Choice]) async throws(ServiceError) -> String {
    for (index, choice) in choices.enumerated() { session.ask("  \(index + 1)  \(choice.title)") }
    while true {
      let line = try await Prompt.line("1–\(choices.count): ", to: session.errors)
      if let number = Int(line), choices.indices.contains(number - 1) { return choices[number - 1].value }
      if let choice = choices.first(where: { $0.value == line }) { return choice.value }
    }
  }

  /// The back end ends the question itself, once the page or the device has brought what it waits for.
  private func waitUntilWithdrawn(_ question: Question) async throws(ServiceError) -> Answer {
    let gate = AsyncStream<Never> { _ in }
    for await _ in gate {}
    throw .cancelled(question.title.lowercasedFirst)
  }

  private func open(_ url: String) async {
    let browser = session.environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 }
    _ = try? await CommandOutput.of([browser ?? "xdg-open", url], environment: session.environment, limit: nil)
  }
}
