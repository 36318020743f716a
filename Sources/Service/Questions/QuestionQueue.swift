import Model

/// Questions to the person at the screen, one at a time, in the order they came.
///
/// Each is answered, cancelled by the person, or withdrawn when the task that asks is cancelled; none is forgotten.
@MainActor
package final class QuestionQueue: Asker {
  package struct Pending: Sendable, Identifiable {
    package let id: Int
    package let question: Question
  }

  private struct Waiting {
    let pending: Pending
    let continuation: CheckedContinuation<Result<Answer, ServiceError>, Never>
  }

  private var waiting: [Waiting] = []
  private var withdrawn: Set<Int> = []
  private var lastID = 0

  /// Called when another question, or none, is the current one.
  package var onChange: (() -> Void)?

  package nonisolated init() {}

  /// The question to show; nil when there is none.
  package var current: Pending? { waiting.first?.pending }
  package var count: Int { waiting.count }

  package func answer(_ id: Int, _ answer: Answer) { end(id, .success(answer)) }

  /// The person does not want to answer.
  package func cancel(_ id: Int) {
    guard let question = waiting.first(where: { $0.pending.id == id })?.pending.question else { return }
    end(id, .failure(.cancelled(question.title.lowercasedFirst)))
  }

  package nonisolated func ask(_ question: Question) async throws(ServiceError) -> Answer {
    try await put(question).get()
  }

  private func put(_ question: Question) async -> Result<Answer, ServiceError> {
    lastID += 1
    let id = lastID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Answer, ServiceError>, Never>) in
        guard !Task.isCancelled else {
          continuation.resume(returning: .failure(.cancelled(question.title.lowercasedFirst)))
          return
        }
        waiting.append(Waiting(pending: Pending(id: id, question: question), continuation: continuation))
        if waiting.count == 1 { onChange?() }
      }
    } onCancel: {
      Task { @MainActor in cancel(id) }
    }
  }

  private func end(_ id: Int, _ result: Result<Answer, ServiceError>) {
    guard let index = waiting.firstIndex(where: { $0.pending.id == id }) else { return }
    let ended = waiting.remove(at: index)
    ended.continuation.resume(returning: result)
    if index == 0 { onChange?() }
  }
}

/// Answers nothing: for commands that run where nobody can be asked.
package struct NobodyToAsk: Asker {
  package init() {}

  package func ask(_ question: Question) async throws(ServiceError) -> Answer {
    throw ServiceError(
      .signInNeeded, question.title.lowercasedFirst, detail: question.failure,
      remedy: "Run atrium login \(question.connection) at a terminal, or put the credentials into the configuration.")
  }
}

extension String {
  /// As part of a sentence: "Sign in to bank" is "sign in to bank".
  package var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
