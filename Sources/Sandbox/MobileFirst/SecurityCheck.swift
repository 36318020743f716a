import JSON

/// A security check: what it wants to hear, how often one may try, and how long success lasts.
struct SecurityCheck: Sendable {
  /// Where one client stands with one check.
  enum State: Sendable, Equatable {
    case attempting(remaining: Int, until: SandboxTime)
    case passed(user: String?, since: SandboxTime, until: SandboxTime)
    case blocked(until: SandboxTime)
  }

  /// What became of an answer.
  enum Verdict: Equatable {
    case passed
    case challenge(JSONNode)
    case refused(String)
  }

  let name: String
  let maxAttempts: Int
  let successSeconds: Int
  let rememberedSeconds: Int
  let blockedSeconds: Int
  /// Seconds after which half-used attempts are forgotten.
  static let attemptingSeconds = 120

  /// The figures of the vendor's samples (reference 5).
  static let all = [
    SecurityCheck(name: "UserLogin", maxAttempts: 3, successSeconds: 60, rememberedSeconds: 120, blockedSeconds: 10),
    SecurityCheck(name: "PinCode", maxAttempts: 3, successSeconds: 60, rememberedSeconds: 60, blockedSeconds: 60),
  ]

  static func named(_ name: String) -> SecurityCheck? { all.first { $0.name == name } }

  /// The state as it is at `now`: nil where nothing is going on.
  static func current(_ state: State?, at now: SandboxTime) -> State? {
    switch state {
    case .attempting(_, let until), .passed(_, _, let until), .blocked(let until): now < until ? state : nil
    case nil: nil
    }
  }

  /// Tries an answer, or asks for one where `answer` is absent.
  func consider(
    _ answer: JSONValue, _ state: inout State?, knowing secrets: MobileFirstSecrets, at now: SandboxTime
  ) -> Verdict {
    state = Self.current(state, at: now)
    switch state {
    case .passed: return .passed
    case .blocked: return .refused("Account blocked")
    case .attempting, nil: break
    }
    let remaining = if case .attempting(let left, _) = state { left } else { maxAttempts }
    guard answer.exists, !answer.isNull else { return .challenge(challenge(nil, remaining)) }
    if let user = secrets.accepts(answer, for: name) {
      let seconds = answer["rememberMe"].bool == true ? rememberedSeconds : successSeconds
      state = .passed(user: user.isEmpty ? nil : user, since: now, until: now.adding(seconds: seconds))
      return .passed
    }
    guard remaining > 1 else {
      state = .blocked(until: now.adding(seconds: blockedSeconds))
      return .refused("Account blocked")
    }
    state = .attempting(remaining: remaining - 1, until: now.adding(seconds: Self.attemptingSeconds))
    return .challenge(challenge(name == "PinCode" ? "Pin code is not valid." : "Wrong credentials", remaining - 1))
  }

  /// A login that nobody has tried yet challenges with null, which is a challenge like any other.
  private func challenge(_ error: String?, _ remaining: Int) -> JSONNode {
    guard error != nil || name != "UserLogin" || remaining < maxAttempts else { return .null }
    return ["errorMsg": error.map { .string($0) } ?? .null, "remainingAttempts": .int(remaining)]
  }
}

/// What the checks and the confidential clients accept; made from the seed.
struct MobileFirstSecrets: Sendable {
  let userPassword: String
  let pin: String
  let testSecret: String
  let readerSecret: String

  static let user = "susan"

  init(_ setting: DoorSetting) {
    var random = setting.random("mobilefirst.secrets")
    userPassword = random.secret()
    pin = random.text(12, from: "0123456789")
    testSecret = random.secret()
    readerSecret = random.secret()
  }

  /// The user that an answer proves, empty where it proves none; nil where it is wrong.
  func accepts(_ answer: JSONValue, for check: String) -> String? {
    switch check {
    case "UserLogin":
      answer["username"].string == Self.user && answer["password"].string == userPassword ? Self.user : nil
    case "PinCode": answer["pin"].text == pin ? "" : nil
    default: nil
    }
  }
}

/// Which checks stand behind a scope.
enum MobileFirstScope {
  static let registered = "RegisteredClient"
  /// Its PIN is asked for in a second round, once the login has passed.
  static let stepUp = "transferPrivilege"

  private static let mapping: [String: [String]] = [
    registered: [], "accessRestricted": ["UserLogin"], "transactions": ["UserLogin"],
    stepUp: ["UserLogin", "PinCode"], "UserLogin": ["UserLogin"], "PinCode": ["PinCode"],
    "clockSynchronization": [], "appAuthenticity": [],
  ]

  /// The elements of a scope, sorted, with the default one added.
  static func elements(_ scope: String?) -> [String] {
    Set((scope ?? "").split(whereSeparator: \.isWhitespace).map(String.init) + [registered]).sorted()
  }

  /// The checks behind the elements in the order in which they are asked; nil where an element is unknown.
  static func checks(_ elements: [String]) -> [SecurityCheck]? {
    var names: Set<String> = []
    for element in elements {
      guard let mapped = mapping[element] else { return nil }
      names.formUnion(mapped)
    }
    return SecurityCheck.all.filter { names.contains($0.name) }
  }

  static func text(_ elements: [String]) -> String { elements.joined(separator: " ") }
}
