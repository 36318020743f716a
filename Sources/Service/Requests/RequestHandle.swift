import Model

/// A request under way. Its completion is called exactly once, on the main actor, whether it ends, fails or is cancelled.
@MainActor
package final class RequestHandle {
  private var task: Task<Void, Never>?
  /// Whether the completion has been called.
  package private(set) var isFinished = false
  package private(set) var isCancelled = false

  /// Ends the request: on the wire, unless somebody else waits for the same answer. The completion receives
  /// `.cancelled`, except from a write whose outcome was decided already: then it receives the truth.
  package func cancel() {
    isCancelled = true
    task?.cancel()
  }

  /// Starts the work and hands its end to the completion.
  ///
  /// - Parameter isRead: A read that was cancelled reports so even when its answer arrived in the same moment.
  init<Value: Sendable>(
    isRead: Bool, _ completion: @escaping @MainActor (Result<Value, ServiceError>) -> Void,
    _ work: @escaping @Sendable () async throws(ServiceError) -> Value
  ) {
    task = Task { @MainActor in
      var result: Result<Value, ServiceError>
      do throws(ServiceError) {
        result = .success(try await work())
      } catch {
        result = .failure(error)
      }
      if isRead, isCancelled, case .success = result { result = .failure(.cancelled("load this")) }
      isFinished = true
      task = nil
      completion(result)
    }
  }
}
