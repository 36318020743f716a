import Model
import Synchronization
import Wire

/// How long one answer of the authorization server may take; shared by all copies of a server's value.
final class LoginTimeout: Sendable {
  /// The product's own clients take no less.
  static let least = Duration.seconds(5)

  private let state = Mutex<Duration?>(nil)

  /// Nil leaves it to the transport.
  var duration: Duration? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// Gives an exchange only so long, and cancels it then.
///
/// - Throws: `.timedOut` with the code `REQUEST_TIMEOUT`.
func within(
  _ timeout: Duration?, _ operation: String, _ work: @escaping @Sendable () async throws(ServiceError) -> HTTPResponse
) async throws(ServiceError) -> HTTPResponse {
  guard let timeout else { return try await work() }
  let result = await withTaskGroup(of: Result<HTTPResponse, ServiceError>?.self) { group in
    group.addTask {
      do throws(ServiceError) { return .success(try await work()) } catch { return .failure(error) }
    }
    group.addTask {
      try? await Task.sleep(for: timeout)
      return nil
    }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
  if Task.isCancelled { throw .cancelled(operation) }
  guard let result else {
    throw ServiceError(
      .timedOut, operation, detail: "it took longer than \(timeout)",
      serverCode: MobileFirstErrorCode.requestTimeout.rawValue)
  }
  return try result.get()
}
