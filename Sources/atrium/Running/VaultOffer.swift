import Model
import Synchronization

/// When a person is offered a new vault because something must be kept and there is none.
enum VaultOffer {
  case never, always
  /// Once the person has typed something that a vault would spare them the next time.
  case afterQuestions
}

/// Remembers whether anybody was asked anything.
final class NotedAsker: Asker {
  let inner: any Asker
  private let asked = Mutex(false)

  init(_ inner: any Asker) { self.inner = inner }

  var hasAsked: Bool { asked.withLock { $0 } }

  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    asked.withLock { $0 = true }
    return try await inner.ask(question)
  }
}
