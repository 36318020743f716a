import Model
import Synchronization

/// Makes many requests that need a sign-in lead to one.
///
/// Attempts are counted. A request remembers the count it began with; when it fails for want of a sign-in and an attempt
/// has ended meanwhile, that attempt's outcome is its answer too, so that a person who cancelled once is not asked again
/// for each of ten requests.
final class SignInGate: Sendable {
  private struct State {
    var attempts = 0
    var last: Result<SignInState, ServiceError>?
  }

  private let state = Mutex(State())
  private let flights = Coalescer<Int, SignInState>()

  /// How many attempts have ended.
  var attempts: Int { state.withLock { $0.attempts } }

  /// Runs a request, and once more after a sign-in when it asks for one. Never a third time.
  func passing<Value: Sendable>(
    _ request: () async throws(ServiceError) -> Value, beforeRepeat: () throws(ServiceError) -> Void,
    signIn: @escaping @Sendable () async throws(ServiceError) -> SignInState
  ) async throws(ServiceError) -> Value {
    let seen = attempts
    do {
      return try await request()
    } catch {
      guard error.code == .signInNeeded else { throw error }
      let refusal = error
      do throws(ServiceError) {
        try await self.signIn(after: seen, refusal.operation, signIn)
      } catch {
        // What the server said to the request is why anybody had to sign in.
        throw error.following(refusal)
      }
      try beforeRepeat()
      return try await request()
    }
  }

  private func signIn(
    after seen: Int, _ operation: String, _ work: @escaping @Sendable () async throws(ServiceError) -> SignInState
  ) async throws(ServiceError) {
    let (attempts, last) = state.withLock { ($0.attempts, $0.last) }
    if attempts > seen, let last {
      _ = try last.get()
      return
    }
    _ = try await flights.value(for: attempts, operation) { [self] () async throws(ServiceError) -> SignInState in
      do throws(ServiceError) {
        let state = try await work()
        record(.success(state))
        return state
      } catch {
        // Nobody waits any more: that says nothing about the sign-in.
        if !Task.isCancelled { record(.failure(error)) }
        throw error
      }
    }
  }

  /// Notes the end of a sign-in that somebody asked for by name.
  func record(_ outcome: Result<SignInState, ServiceError>) {
    state.withLock { state in
      state.attempts += 1
      state.last = outcome
    }
  }
}
