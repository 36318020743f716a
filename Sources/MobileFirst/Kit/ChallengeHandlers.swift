public import JSON
public import Model
import Synchronization

/// One handler for each check, by its exact name. Mirrors `WLClient.registerChallengeHandler`.
///
/// Handlers are registered before the first call; a challenge of a check that has none ends it.
public final class ChallengeHandlers: ChallengeHandler {
  private let handlers = Mutex<[String: any ChallengeHandler]>([:])

  public init(_ handlers: [String: any ChallengeHandler] = [:]) { self.handlers.withLock { $0 = handlers } }

  /// Takes the place of an earlier handler of the same check.
  public func register(_ handler: any ChallengeHandler, for check: String) {
    handlers.withLock { $0[check] = handler }
  }

  /// - Throws: `.signInNeeded` with the code `MISSING_CHALLENGE_HANDLER` where the check has no handler.
  public func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode {
    guard let handler = handler(challenge.check) else {
      throw ServiceError(
        .signInNeeded, "pass the check “\(challenge.check)”", detail: "no handler is registered for it",
        remedy: "Register one under exactly this name before the first call.",
        serverCode: MobileFirstErrorCode.missingChallengeHandler.rawValue)
    }
    return try await handler.answer(challenge)
  }

  public func succeeded(_ success: CheckSuccess) async { await handler(success.check)?.succeeded(success) }
  public func failed(_ check: String, _ reason: String) async { await handler(check)?.failed(check, reason) }

  private func handler(_ check: String) -> (any ChallengeHandler)? { handlers.withLock { $0[check] } }
}
