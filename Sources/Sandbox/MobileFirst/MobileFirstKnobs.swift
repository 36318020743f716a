/// What the control endpoint can change about this server (`POST /sandbox/settings?door=mfp&NAME=VALUE`):
///
/// - `conflicts=N`: the next N answers are 409 with `MFP-Conflict`.
/// - `calls=N`: a token is refused as invalid after N calls of resources; 0 for no bound.
/// - `authenticity=on|off`: registration wants a proof that only the vendor's own apps can give.
/// - `disabled=TEXT`: this version of the application is switched off, with these words and a link; empty ends it.
/// - `notice=TEXT`: words to every user of this version, shown once to each client; empty ends it.
/// - `enabled=on|off`: resources without a scope of their own want the default token (`enabled` of a Java adapter,
///   `secured` of a JavaScript one); off lets anybody in.
/// - `gateway=on|off`: a reverse proxy stands before everything and wants a sign-in by its own page first.
/// - `refresh=on|off`: refresh tokens are handed out to clients that ask for them.
/// - `mandatory=ELEMENTS`: scope elements that every application-wide request has to satisfy, too.
/// - `lifetime=SECONDS`: most that a token lives.
/// - `version=TEXT`: what registration says of the server.
struct MobileFirstKnobs: Sendable {
  var callsPerToken = 0
  var wantsAuthenticity = false
  var disabled = ""
  var notice = ""
  /// Tells one notice from the one before.
  private(set) var noticeNumber = 0
  var isEnabled = true
  var hasGateway = false
  var givesRefreshTokens = true
  var mandatory: [String] = []
  var tokenSeconds = 3_600
  var version = "8.0.2020031301"

  /// False where there is no such knob, or it has no such value.
  mutating func set(_ name: String, to value: String) -> Bool {
    switch name {
    case "calls": return set(\.callsPerToken, value, atLeast: 0)
    case "lifetime": return set(\.tokenSeconds, value, atLeast: 1)
    case "authenticity": return set(\.wantsAuthenticity, value)
    case "enabled": return set(\.isEnabled, value)
    case "gateway": return set(\.hasGateway, value)
    case "refresh": return set(\.givesRefreshTokens, value)
    case "disabled": disabled = value
    case "notice":
      notice = value
      noticeNumber += 1
    case "version": version = value
    case "mandatory":
      let elements = value.split(separator: " ").map(String.init)
      guard MobileFirstScope.checks(elements) != nil else { return false }
      mandatory = elements
    default: return false
    }
    return true
  }

  private mutating func set(_ knob: WritableKeyPath<Self, Int>, _ value: String, atLeast least: Int) -> Bool {
    guard let number = Int(value), number >= least else { return false }
    self[keyPath: knob] = number
    return true
  }

  private mutating func set(_ knob: WritableKeyPath<Self, Bool>, _ value: String) -> Bool {
    guard ["on", "off"].contains(value) else { return false }
    self[keyPath: knob] = value == "on"
    return true
  }
}
