import Model
import Synchronization

/// Lets equal work in flight be shared: the first who asks starts it, the others wait for the same end, and when nobody
/// waits any more it is cancelled.
final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Outcome = Result<Value, ServiceError>
  private typealias Waiter = CheckedContinuation<Outcome, Never>

  private struct Flight {
    let id: Int
    var task: Task<Void, Never>?
    var waiters: [Int: Waiter] = [:]
  }

  private struct State {
    var flights: [Key: Flight] = [:]
    /// Those who were cancelled before they began to wait.
    var withdrawn: Set<Int> = []
    var lastNumber = 0

    mutating func number() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state = Mutex(State())

  /// The result of the work for this key. Cancelling the calling task ends the wait at once, with `.cancelled`.
  func value(
    for key: Key, _ operation: String, _ work: @escaping @Sendable () async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    let number = state.withLock { $0.number() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { join(key, number, $0, operation, work) }
    } onCancel: {
      withdraw(key, number, operation)
    }
    _ = state.withLock { $0.withdrawn.remove(number) }
    return try outcome.get()
  }

  /// How many wait for a key; for tests.
  func waiters(for key: Key) -> Int { state.withLock { $0.flights[key]?.waiters.count ?? 0 } }

  private func join(
    _ key: Key, _ number: Int, _ waiter: Waiter, _ operation: String,
    _ work: @escaping @Sendable () async throws(ServiceError) -> Value
  ) {
    let isWithdrawn = state.withLock { state in
      if state.withdrawn.remove(number) != nil { return true }
      if state.flights[key] == nil {
        let id = state.number()
        var flight = Flight(id: id)
        flight.task = Task { [self] in
          do throws(ServiceError) {
            land(key, id, .success(try await work()))
          } catch {
            land(key, id, .failure(error))
          }
        }
        state.flights[key] = flight
      }
      state.flights[key]?.waiters[number] = waiter
      return false
    }
    if isWithdrawn { waiter.resume(returning: .failure(.cancelled(operation))) }
  }

  private func land(_ key: Key, _ id: Int, _ outcome: Outcome) {
    let waiters = state.withLock { state -> [Waiter] in
      // Another flight may have taken the place of one that nobody waited for.
      guard let flight = state.flights[key], flight.id == id else { return [] }
      state.flights[key] = nil
      return flight.waiters.sorted { $0.key < $1.key }.map(\.value)
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  private func withdraw(_ key: Key, _ number: Int, _ operation: String) {
    let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
      guard let waiter = state.flights[key]?.waiters.removeValue(forKey: number) else {
        state.withdrawn.insert(number)
        return (nil, nil)
      }
      guard state.flights[key]?.waiters.isEmpty == true else { return (waiter, nil) }
      return (waiter, state.flights.removeValue(forKey: key)?.task)
    }
    task?.cancel()
    waiter?.resume(returning: .failure(.cancelled(operation)))
  }
}
