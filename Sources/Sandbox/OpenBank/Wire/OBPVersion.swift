/// The API versions that the bank's server speaks, oldest first.
enum OBPVersion: Int, Comparable, CaseIterable, Sendable {
  case v121, v130, v140, v200, v210, v220, v300, v310, v400, v500, v510, v600

  /// As URLs and answers write it, `v5.1.0`.
  var text: String {
    let digits = Array(String(describing: self).dropFirst())
    return "v\(digits[0]).\(digits[1]).\(digits[2])"
  }

  init?(text: String) {
    guard let version = Self.allCases.first(where: { $0.text == text }) else { return nil }
    self = version
  }

  var status: String { self >= .v510 ? "BLEEDING_EDGE" : "STABLE" }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How the bank's server behaves where servers of the field differ; reference obp.md, sections 0.3 and 9.
struct OBPProfile: Sendable, Equatable {
  enum Generation: String, Sendable {
    /// Lift on Jetty, v1.2.1 to v5.1.0: OAuth 1.0a, compact JSON, 400 for dead tokens.
    case low = "gen-l"
    /// http4s of 2026, up to v6.0.0: no OAuth 1.0a, pretty JSON, 401 for dead tokens.
    case high = "gen-h"
  }

  var generation = Generation.low
  /// The server's own idea of its address, for signatures; nil follows `Host` and `X-Forwarded-Proto`.
  var hostname: String?
  var allowsPublicViews = false
  var allowsPayments = true
  var allowsFirehose = false
  /// Calls a minute of one consumer; nil means no limits and no rate-limit headers.
  var callsPerMinute: Int?
  /// In euros; payments above it need a challenge answered.
  var challengeThreshold = 1_000
  /// Seconds that a token lives: four weeks.
  var tokenLifetime = 4 * 7 * 86_400
  /// Whether a callback must equal the registered one even on loopback.
  var wantsExactCallbacks = false
  /// Errors as servers before January 2019 wrote them, under the key `error`.
  var writesOldErrors = false

  /// Changes one setting from text; false where the name or the value is not understood.
  mutating func set(_ name: String, to value: String) -> Bool {
    switch name {
    case "profile":
      guard let known = Generation(rawValue: value) else { return false }
      generation = known
    case "hostname": hostname = value.isEmpty ? nil : value
    case "public-views": allowsPublicViews = value == "true"
    case "firehose": allowsFirehose = value == "true"
    case "payments": allowsPayments = value == "true"
    case "rate": callsPerMinute = Int(value)
    case "threshold": challengeThreshold = Int(value) ?? challengeThreshold
    case "token-lifetime": tokenLifetime = Int(value) ?? tokenLifetime
    case "exact-callbacks": wantsExactCallbacks = value == "true"
    case "old-errors": writesOldErrors = value == "true"
    default: return false
    }
    return true
  }
}
