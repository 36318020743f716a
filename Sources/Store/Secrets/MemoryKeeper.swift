import Model
import Synchronization

/// Keeps secrets for as long as the process lives.
package final class MemoryKeeper: SecretKeeper {
  private let secrets = Mutex<[String: Secret]>([:])

  package init() {}

  package var isLasting: Bool { false }

  package func secret(named name: String) -> Secret? { secrets.withLock { $0[name] } }

  package func keep(_ secret: Secret, named name: String) { secrets.withLock { $0[name] = secret } }

  package func remove(named name: String) { secrets.withLock { $0[name] = nil } }
}
