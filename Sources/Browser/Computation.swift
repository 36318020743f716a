import Screens

/// Work that would hold up keys, done on a thread of the pool; its result comes like the answer to a request.
@MainActor
final class Computation: PendingRequest {
  private let task: Task<Void, Never>

  init(_ work: @escaping @Sendable () -> Reply, reply: @escaping @MainActor (Reply) -> Void) {
    task = Task.detached(priority: .userInitiated) {
      let result = work()
      guard !Task.isCancelled else { return }
      await reply(result)
    }
  }

  func cancel() { task.cancel() }
}
