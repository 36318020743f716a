import Glibc
import Model
import Synchronization

/// The encrypted store of one connection, opened when it is first needed.
package final class OfflineAccess: Sendable {
  private let connection: String
  private let surroundings: Surroundings
  private let opened = Mutex<(key: Secret, store: OfflineStore)?>(nil)

  package init(connection: String, surroundings: Surroundings) {
    self.connection = connection
    self.surroundings = surroundings
  }

  /// - Throws: `.vaultLocked` while the vault is, also when the store has been open before.
  package func store(_ operation: String) async throws(ServiceError) -> OfflineStore {
    let place: OfflinePlace
    do throws(ServiceError) {
      place = try await surroundings.stores.place(of: connection)
    } catch {
      throw error.during(operation)
    }
    if let open = opened.withLock({ $0 }), open.key == place.key { return open.store }
    let store = try await open(place, operation)
    opened.withLock { $0 = (place.key, store) }
    return store
  }

  private func open(_ place: OfflinePlace, _ operation: String) async throws(ServiceError) -> OfflineStore {
    do throws(OfflineError) {
      return try OfflineStore(path: place.path, key: place.key)
    } catch {
      guard case .otherKey = error else { throw error.serviceError(operation) }
      try await agreeToLose(place, error.serviceError(operation))
    }
    for suffix in ["", "-wal", "-shm"] { unlink(place.path + suffix) }
    do throws(OfflineError) {
      return try OfflineStore(path: place.path, key: place.key)
    } catch {
      throw error.serviceError(operation)
    }
  }

  /// The key has gone with a vault that was deleted. Nothing can bring the data back, but only a person throws it away.
  private func agreeToLose(_ place: OfflinePlace, _ failure: ServiceError) async throws(ServiceError) {
    let question = Question(
      connection: connection, title: "Delete the old offline data of \(connection)",
      message: "Its key went with an earlier vault, so it cannot be read any more. Edits that were not sent are lost.",
      kind: .confirmation(accept: "Delete", isDestructive: true))
    do throws(ServiceError) {
      _ = try await surroundings.asker.ask(question)
    } catch {
      throw error.code == .signInNeeded ? failure : error
    }
  }
}

/// Runs something on a store, its errors in the words of what was being done.
package func keeping<Value>(_ operation: String, _ work: () throws(OfflineError) -> Value) throws(ServiceError) -> Value
{
  do throws(OfflineError) { return try work() } catch { throw error.serviceError(operation) }
}
