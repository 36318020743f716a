import JSON
import Model
import Synchronization

/// Answers challenges: from the configuration first, then by asking a person.
///
/// A configured answer that failed is never sent again; it could use up the last attempt.
final class CheckAnswers: ChallengeHandler {
  private let connection: String
  private let configured: [String: [(field: String, source: SecretSource)]]
  private let asks: Bool
  private let surroundings: Surroundings

  private struct State {
    /// Checks whose last answer was the configured one.
    var sent: Set<String> = []
    var failed: Set<String> = []
  }

  private let state = Mutex(State())

  init(connection: String, settings: MobileFirstSettings, surroundings: Surroundings) {
    self.connection = connection
    configured = settings.answers
    asks = settings.asks
    self.surroundings = surroundings
  }

  var configuredChecks: [String] { configured.keys.sorted() }

  func form(_ check: String) -> CheckForm { CheckForm(check, configured: (configured[check] ?? []).map(\.field)) }

  /// Where the answer that was just refused came from.
  private enum Refused: Sendable { case nothing, configured, person }

  func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode {
    let form = form(challenge.check)
    let refused = state.withLock { state -> Refused in
      if challenge.isRepeat {
        guard state.sent.remove(challenge.check) != nil else { return .person }
        state.failed.insert(challenge.check)
      }
      return state.failed.contains(challenge.check) ? .configured : .nothing
    }
    if refused == .nothing, !asks, form.isComplete((configured[challenge.check] ?? []).map(\.field)) {
      let values = try await resolved(challenge.check)
      state.withLock { _ = $0.sent.insert(challenge.check) }
      return form.answer(values)
    }
    return try await ask(challenge, form, refused)
  }

  func succeeded(_ success: CheckSuccess) async { state.withLock { _ = $0.sent.remove(success.check) } }

  func failed(_ check: String, _ reason: String) async {
    state.withLock { state in
      if state.sent.remove(check) != nil { state.failed.insert(check) }
    }
  }

  private func resolved(_ check: String) async throws(ServiceError) -> [String: Secret] {
    var values: [String: Secret] = [:]
    for (field, source) in configured[check] ?? [] { values[field] = try await surroundings.secrets.resolve(source) }
    return values
  }

  private func ask(
    _ challenge: Challenge, _ form: CheckForm, _ refused: Refused
  ) async throws(ServiceError) -> JSONNode {
    let operation = "pass the check “\(challenge.check)”"
    let initial = try await resolved(challenge.check)
    let failure = challenge.failure ?? (challenge.isRepeat ? "That was not right." : nil)
    let question = Question(
      connection: connection, title: "Pass the check “\(challenge.check)”",
      message: "“\(challenge.check)” protects what you asked for. It wants an answer before it lets you in.",
      kind: .form(form.formFields(initial, keepsSecrets: refused == .nothing), submit: "Answer"),
      attemptsLeft: challenge.attemptsLeft, failure: failure)
    do throws(ServiceError) {
      guard case .fields(let values) = try await surroundings.asker.ask(question) else {
        throw .cancelled(operation)
      }
      return form.answer(values)
    } catch {
      guard error.code == .signInNeeded else { throw error }
      throw unanswered(challenge, operation, refused)
    }
  }

  /// Nobody can be asked: say what to configure or to call.
  private func unanswered(_ challenge: Challenge, _ operation: String, _ refused: Refused) -> ServiceError {
    let left = challenge.attemptsLeft.map { ", \($0) \($0 == 1 ? "attempt" : "attempts") left" } ?? ""
    let check = challenge.check
    switch refused {
    case .configured:
      return ServiceError(
        .signInRefused, operation, detail: "the configured answer was wrong\(left)",
        remedy: "Correct “answers.\(check)” in the configuration.", status: 401)
    case .person:
      let reason = challenge.failure ?? "the answer was wrong"
      return ServiceError(
        .signInRefused, operation, detail: "\(reason)\(left)", remedy: "Answer it again, and rightly.", status: 401)
    case .nothing:
      return ServiceError(
        .signInNeeded, operation, detail: "it wants an answer\(left)",
        remedy: "Sign in with: atrium login \(connection) --check \(check), or put its answer under answers:.",
        status: 401)
    }
  }
}
