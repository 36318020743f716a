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
      // As some gateways do: what the session has outlived is not looked at again with the credentials beside it.
      if withState({ $0.switches.isStrict }) { return nil }
    }
    guard let (user, sent) = request.basicCredentials, user == Self.user, sent == password else { return nil }
    return user
  }

  /// What the next request that names a connection is refused with, where that was ordered.
  func orderedRefusal() -> ServerResponse? {
    guard let status = withState({ $0.switches.connection.take() }) else { return nil }
    return status == 401 ? .unwiredSignIn : .unwired(status, "The application connection was refused as ordered")
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

/// What an administrator or a test can change while the server runs, by `POST /field-admin/switch?NAME=VALUE`.
///
/// | switch | effect |
/// |---|---|
/// | `latest=off` | the version `latest` of the Connections service is unknown |
/// | `json=off` | the Connections service takes and answers Atom only, as early servers did |
/// | `anonymous=on` | no credentials needed |
/// | `sessions=strict` | an outlived session cookie is 401, whatever credentials come with it; `expire` outlives all |
/// | `appcid=401\|403\|404` with `times=N` | the next N requests that name a connection are refused so |
/// | `templates=2` | two connection templates match, so that registering fails |
/// | `delta=off`, `delta=expire` | no delta links; all that were given have expired |
/// | `deleted=off` | JSON deltas do not name deleted rows |
/// | `tombstones=off` | neither do Atom deltas |
/// | `replay=401\|403\|409\|412\|500\|503` with `times=N` | the next N writes fail so |
/// | `drop=ID\|all` | removes registrations |
/// | `PasswordPolicy…=VALUE`, `ConnectionLogLevel=VALUE`, … | any property that the server owns, for every registration |
struct UnwiredSwitches: Sendable {
  /// A status that the next requests of some kind are refused with.
  struct Order: Sendable {
    var status = 0
    var times = 0

    /// The status of one refusal, which is used up by it.
    mutating func take() -> Int? {
      guard times > 0, status > 0 else { return nil }
      times -= 1
      return status
    }
  }

  var hasLatest = true
  var speaksJSON = true
  var isAnonymous = false
  var isStrict = false
  var hasTwoTemplates = false
  var hasDelta = true
  var namesDeleted = true
  var hasTombstones = true
  var replay = Order()
  var connection = Order()
  /// Which of the two orders `times` counts for.
  private var ordersConnection = false
  var properties: [String: ODataValue] = [:]

  /// False where no switch has that name or value.
  mutating func set(_ name: String, _ value: String) -> Bool {
    let isOn = value == "on"
    switch name {
    case "latest": hasLatest = isOn
    case "json": speaksJSON = isOn
    case "anonymous": isAnonymous = isOn
    case "sessions": isStrict = value == "strict"
    case "templates": hasTwoTemplates = value == "2"
    case "delta": hasDelta = isOn
    case "deleted": namesDeleted = isOn
    case "tombstones": hasTombstones = isOn
    case "replay": return order(value, [401, 403, 409, 412, 500, 503], isConnection: false)
    case "appcid": return order(value, [401, 403, 404], isConnection: true)
    case "times":
      let times = Int(value) ?? 1
      if ordersConnection { connection.times = times } else { replay.times = times }
    default: return own(name, value)
    }
    return true
  }

  private mutating func order(_ value: String, _ statuses: [Int], isConnection: Bool) -> Bool {
    guard let status = Int(value), statuses.contains(status) else { return false }
    ordersConnection = isConnection
    let order = Order(status: status, times: max(1, isConnection ? connection.times : replay.times))
    if isConnection { connection = order } else { replay = order }
    return true
  }

  private mutating func own(_ name: String, _ value: String) -> Bool {
    guard let property = DeviceConnection.properties.first(where: { $0.name == name }), property.isReadOnly else {
      return false
    }
    switch property.value {
    case .int:
      guard let number = Int(value) else { return false }
      properties[name] = .int(number)
    case .bool:
      guard let flag = Bool(value) else { return false }
      properties[name] = .bool(flag)
    default: properties[name] = .string(value)
    }
    return true
  }
}
