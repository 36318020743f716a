import Model
import Synchronization

/// Says to the server every few minutes that this client is still there, from `start` to `stop`.
///
/// The product's own clients do so while they are in the foreground; nothing in Atrium starts it by itself.
public final class Heartbeat: Sendable {
  private let manager: AuthorizationManager
  private let interval: Duration
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter interval: Seven minutes unless told otherwise; zero or less beats never.
  public init(_ manager: AuthorizationManager, every interval: Duration = .seconds(420)) {
    self.manager = manager
    self.interval = interval
  }

  deinit { stop() }

  /// - Parameter failed: Hears of each beat that did not reach the server, which does not end it.
  public func start(_ failed: @escaping @Sendable (ServiceError) -> Void = { _ in }) {
    guard interval > .zero else { return }
    task.withLock { task in
      guard task == nil else { return }
      task = Task { [manager, interval] in
        while (try? await Task.sleep(for: interval)) != nil {
          do throws(ServiceError) { try await manager.heartbeat() } catch { failed(error) }
        }
      }
    }
  }

  public func stop() {
    task.withLock { task in
      task?.cancel()
      task = nil
    }
  }
}
