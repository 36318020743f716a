import Model

/// Takes the end of some work; called exactly once, on the main actor.
public typealias Completion<Value: Sendable> = @MainActor @Sendable (Result<Value, ServiceError>) -> Void

/// Runs asynchronous work for callers that want a completion: the second form of every call of the public kits.
///
/// - Returns: The running task; cancelling it ends the work with `.cancelled`, which the completion receives, too.
@discardableResult
package func complete<Value: Sendable>(
  _ completion: @escaping Completion<Value>, _ work: @escaping @Sendable () async throws(ServiceError) -> Value
) -> Task<Void, Never> {
  Task {
    let result: Result<Value, ServiceError>
    do throws(ServiceError) {
      result = .success(try await work())
    } catch {
      result = .failure(error)
    }
    await completion(result)
  }
}

/// A kit's client whose calls all have a second form, with a completion.
public protocol CompletionCaller: Sendable {}

extension CompletionCaller {
  /// Any call of this client with a completion on the main actor:
  /// `client.run({ try await $0.node("-root-") }) { result in … }`.
  ///
  /// - Returns: The running task; cancelling it ends the call with `.cancelled`, which the completion receives, too.
  @discardableResult
  public func run<Value: Sendable>(
    _ call: @escaping @Sendable (Self) async throws(ServiceError) -> Value, completion: @escaping Completion<Value>
  ) -> Task<Void, Never> {
    complete(completion) { () async throws(ServiceError) -> Value in try await call(self) }
  }
}
