import Model

/// How long a request waits before it goes out again after a conflict, and how often it may.
struct ConflictPause: Sendable {
  /// Conflicts that one request may meet.
  static let most = 7

  /// Grows by itself from the second conflict on; the first is sent again at once.
  var step = Duration.milliseconds(20)

  /// - Throws: `.conflict` after the last.
  func wait(_ conflicts: Int, _ operation: String) async throws(ServiceError) {
    guard conflicts <= Self.most else {
      throw ServiceError(
        .conflict, operation, detail: "the server answered with a conflict \(conflicts) times", status: 409)
    }
    guard conflicts > 1, step > .zero else { return }
    do {
      try await Task.sleep(for: step * (conflicts - 1))
    } catch {
      throw .cancelled(operation)
    }
  }
}
