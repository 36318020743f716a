import JSON
import Model

/// A security check that wants an answer before it lets a request through.
public struct Challenge: Sendable {
  /// The check's name, exactly as the server spells it.
  public let check: String
  /// What the server says with it; null when it says nothing.
  public let data: JSONNode
  /// Why the last answer did not do.
  public let failure: String?
  public let attemptsLeft: Int?
  /// It was answered in this authorization already, and asks again: the answer was wrong.
  public let isRepeat: Bool

  init(_ check: String, _ value: JSONValue, isRepeat: Bool) {
    self.check = check
    self.isRepeat = isRepeat
    data = value.exists ? value.node() : .null
    failure = value["errorMsg"].string
    attemptsLeft = value["remainingAttempts"].int
  }
}

extension Challenge {
  /// The check that speaks to everybody who uses a version of the application; what it says wants no answer of a person.
  static let noticeCheck = "wl_remoteDisableRealm"

  /// The number by which a notice is answered; nil for any other challenge.
  var noticeID: JSONNode? { check == Self.noticeCheck ? data["messageId"] : nil }
  var notice: String? { if case .string(let text)? = data["message"] { text } else { nil } }
}

/// What a check said when it let the client through.
public struct CheckSuccess: Sendable, Hashable {
  public let check: String
  /// The signed-in user, for checks that have one.
  public let userID: String?
  public let userName: String?

  init(_ check: String, _ value: JSONValue) {
    self.check = check
    userID = value["user"]["id"].text
    userName = value["user"]["displayName"].text
  }
}

/// Answers challenges. An answer is a return value, so a challenge cannot be forgotten.
public protocol ChallengeHandler: Sendable {
  /// - Returns: The answer object, its members as the check expects them.
  /// - Throws: `.cancelled` to give up; `.signInNeeded` where nobody can be asked.
  func answer(_ challenge: Challenge) async throws(ServiceError) -> JSONNode
  func succeeded(_ success: CheckSuccess) async
  /// The check refused for good: attempts used up, account blocked.
  func failed(_ check: String, _ reason: String) async
}

extension ChallengeHandler {
  public func succeeded(_ success: CheckSuccess) async {}
  public func failed(_ check: String, _ reason: String) async {}
}
