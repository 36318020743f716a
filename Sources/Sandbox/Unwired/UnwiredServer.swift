import Crypto
import HTTPServer
import JSON
import Synchronization

/// The mobile platform: registrations, sessions, tokens against forged writes, and the data behind the proxy.
final class UnwiredServer: Sendable {
  struct State: Sendable {
    var connections: [String: DeviceConnection] = [:]
    var sessions: [String: (user: String, used: SandboxTime)] = [:]
    /// Tokens against forged writes, by the back end's session.
    var forgeryTokens: [String: String] = [:]
    /// Answers to writes by their request id, so that a repeated one is not done twice.
    var answered: [String: ServerResponse] = [:]
    var data: SUP101Data
    var switches = UnwiredSwitches()
    /// Grows when all delta tokens are to be refused.
    var generation = 1
    var conflicts = 0
  }

  let setting: DoorSetting
  private let state: Mutex<State>

  /// The application's service in OData V2, and the same rows in V4.
  static let applications: [String: ODataVersion] = ["SUP101": .v2, "SUP101V4": .v4]
  static let user = "supuser"
  /// Seconds a session lives without use.
  static let sessionSeconds = 1_800
  /// Hours a delta link stays good.
  static let deltaHours = 24

  init(_ setting: DoorSetting) {
    self.setting = setting
    state = Mutex(State(data: SUP101Data(city: setting.city)))
  }

  var password: String {
    var random = setting.random("field.password")
    return random.secret()
  }

  func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0) }
  }

  func suffer(_ event: DoorEvent) {
    let fresh = SUP101Data(city: setting.city)
    withState { state in
      switch event {
      case .expireTokens:
        state.sessions = [:]
        state.forgeryTokens = [:]
        state.generation += 1
      case .conflict: state.conflicts += 1
      case .reset: state = State(data: fresh)
      }
    }
  }

  /// Whom the request's session or Basic credentials stand for.
  func user(of request: SandboxRequest) -> String? {
    let session = request.cookie("X-SMP-SESSID") ?? request.cookie("X-SUP-SESSID")
    if let session {
      let known = withState { state -> String? in
        guard let (user, used) = state.sessions[session],
          request.now < used.adding(seconds: Self.sessionSeconds)
        else { return nil }
        state.sessions[session]?.used = request.now
        return user
      }
      if let known { return known }
    }
    guard let (user, sent) = request.basicCredentials, user == Self.user, sent == password else { return nil }
    return user
  }

  func openSession(_ user: String, at now: SandboxTime) -> String {
    let id = Hex.encode(RandomBytes.make(16))
    withState { state in
      if state.sessions.count > 1_000 {
        state.sessions = state.sessions.filter { now < $0.value.used.adding(seconds: Self.sessionSeconds) }
      }
      state.sessions[id] = (user, now)
    }
    return id
  }

  // MARK: Delta tokens

  func deltaToken(_ sequence: Int, at now: SandboxTime) -> String {
    "\(withState { $0.generation })-\(sequence)-\(now.seconds)"
  }

  /// The change that a delta token names; 410 once it has expired.
  func sequence(of token: String, at now: SandboxTime) throws(ODataFault) -> Int {
    let parts = token.split(separator: "-").compactMap { Int64($0) }
    guard parts.count == 3 else { throw .badRequest("Invalid delta token") }
    let isCurrent = withState { Int64($0.generation) == parts[0] && parts[1] <= Int64($0.data.sequence) }
    guard isCurrent, now.seconds - parts[2] < Int64(Self.deltaHours) * 3_600 else {
      throw ODataFault(410, "SY/410", "The delta token has expired; read the whole set again")
    }
    return Int(parts[1])
  }
}

extension SandboxRequest {
  func cookie(_ name: String) -> String? {
    for header in server.headers where header.name.lowercased() == "cookie" {
      for part in header.value.split(separator: ";") {
        let sides = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if sides.count == 2, sides[0] == name { return String(sides[1]) }
      }
    }
    return nil
  }

  /// The connection id, by its new or old name, as header or cookie.
  var connectionID: String? {
    header("X-SMP-APPCID") ?? header("X-SUP-APPCID") ?? cookie("X-SMP-APPCID") ?? cookie("X-SUP-APPCID")
  }

  /// True where the answer shall be JSON rather than Atom.
  var wantsJSON: Bool {
    if let format = query("$format") { return format.contains("json") }
    return header("Accept")?.contains("json") ?? false
  }

  /// The method that is meant, where it is tunnelled through POST.
  var meantMethod: String {
    guard method == "POST" else { return method }
    return (header("X-HTTP-METHOD") ?? header("X-HTTP-Method-Override"))?.uppercased() ?? method
  }
}

/// What an administrator or a test can change while the server runs.
///
/// `POST /field-admin/switch?NAME=VALUE`: `latest=off` (the version `latest` is unknown), `anonymous=on` (no credentials
/// needed), `delta=off` (no delta links), `deleted=off` (JSON deltas do not name deleted rows), `replay=409|412|503`
/// with `times=N` (the next writes fail so), `drop=ID|all` (removes registrations), and any `PasswordPolicy…` property.
struct UnwiredSwitches: Sendable {
  var hasLatest = true
  var isAnonymous = false
  var hasDelta = true
  var namesDeleted = true
  var replay: (status: Int, times: Int) = (0, 0)
  var policies: [String: ODataValue] = [:]

  /// False where no switch has that name or value.
  mutating func set(_ name: String, _ value: String) -> Bool {
    let isOn = value == "on"
    switch name {
    case "latest": hasLatest = isOn
    case "anonymous": isAnonymous = isOn
    case "delta": hasDelta = isOn
    case "deleted": namesDeleted = isOn
    case "replay":
      guard let status = Int(value), [401, 403, 409, 412, 500, 503].contains(status) else { return false }
      replay = (status, max(1, replay.times))
    case "times": replay.times = Int(value) ?? 1
    case _ where name.hasPrefix("PasswordPolicy"):
      if let number = Int(value) {
        policies[name] = .int(number)
      } else if let flag = Bool(value) {
        policies[name] = .bool(flag)
      } else {
        return false
      }
    default: return false
    }
    return true
  }
}
