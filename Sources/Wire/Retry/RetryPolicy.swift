import Model

/// Which requests are sent again, how often, and after which wait.
public struct RetryPolicy: Sendable {
  /// Most repeats after the first attempt.
  public var maxRepeats = 2
  /// Wait before the first repeat; doubled for each further one, shortened by up to half at random.
  public var firstWait: Duration = .milliseconds(400)
  /// Longest wait that a server may ask for, in seconds.
  public var longestRequestedWait = 30

  public init() {}

  /// What to do about a failed attempt.
  enum Decision: Equatable {
    case giveUp
    case wait(Duration)
    /// The server wants more patience than we have, in seconds.
    case busy(Int)
  }

  /// Only GET, HEAD and OPTIONS are ever repeated, and only while the caller holds them harmless.
  func permits(_ request: HTTPRequest) -> Bool {
    HTTPRequest.changesNothing(request.method) && request.isIdempotent
  }

  /// - Parameters:
  ///   - attempt: Counts from 0.
  ///   - random: From 0 up to 1.
  func decide(_ response: HTTPResponse, attempt: Int, now: Timestamp, random: Double) -> Decision {
    guard [429, 502, 503, 504].contains(response.status) else { return .giveUp }
    guard let seconds = Self.retryAfter(response.headers["Retry-After"], now: now) else {
      let reset = Self.reset(response) ?? 0
      // A longer wait is for the back end to report, in its server's own words.
      guard attempt < maxRepeats, reset <= longestRequestedWait else { return .giveUp }
      return .wait(max(.seconds(reset), backOff(attempt, random)))
    }
    if seconds > longestRequestedWait { return .busy(seconds) }
    return attempt < maxRepeats ? .wait(max(.seconds(seconds), backOff(attempt, random))) : .giveUp
  }

  /// Seconds that an answer asks to wait before anything else is sent; nil when it asks for nothing.
  func requestedWait(_ response: HTTPResponse, now: Timestamp) -> Int? {
    guard response.status == 429 || response.status == 503 else { return nil }
    return Self.retryAfter(response.headers["Retry-After"], now: now)
  }

  /// Seconds until an allowance that is used up begins anew, as Open Bank Project writes them instead of `Retry-After`.
  private static func reset(_ response: HTTPResponse) -> Int? {
    guard response.status == 429, let text = response.headers["X-Rate-Limit-Reset"] else { return nil }
    return Int(text).flatMap { $0 >= 0 ? $0 : nil }
  }

  func decide(_ error: TransportError, attempt: Int, random: Double) -> Decision {
    guard error.code == .unreachable || error.code == .brokenOff, attempt < maxRepeats else { return .giveUp }
    return .wait(backOff(attempt, random))
  }

  private func backOff(_ attempt: Int, _ random: Double) -> Duration {
    firstWait * (1 << attempt) * (1 - random / 2)
  }

  /// Seconds that the header asks for: a number of them, or a date.
  static func retryAfter(_ header: String?, now: Timestamp) -> Int? {
    guard let header else { return nil }
    let text = header.filter { $0 != " " }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Int(text) ?? .max }
    guard let date = HTTPDate.parse(header) else { return nil }
    return Int(clamping: max(0, (date.milliseconds - now.milliseconds + 999) / 1000))
  }
}
