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

  /// What a check wants to hear.
  enum Kind: Sendable {
    /// A name and a password.
    case login
    case pin
    /// The PIN that this client has enrolled with.
    case enrolledPIN
    /// Nothing: it passes whoever has enrolled and refuses everybody else.
    case enrolled
  }

  let name: String
  let kind: Kind
  var maxAttempts = 3
  var successSeconds = 60
  /// Where the answer asked to be remembered.
  var rememberedSeconds = 120
  var blockedSeconds = 60
  /// Seconds after which half-used attempts are forgotten.
  static let attemptingSeconds = 120

  /// The figures of the vendor's samples (reference 5).
  static let all = [
    SecurityCheck(name: "UserLogin", kind: .login, blockedSeconds: 10),
    SecurityCheck(name: "StepUpUserLogin", kind: .login, blockedSeconds: 10),
    SecurityCheck(name: "EnrollmentUserLogin", kind: .login, successSeconds: 20, blockedSeconds: 10),
    SecurityCheck(name: "PinCode", kind: .pin), SecurityCheck(name: "PinCodeAttempts", kind: .pin),
    SecurityCheck(name: "StepUpPinCode", kind: .pin), SecurityCheck(name: "IsEnrolled", kind: .enrolled),
    SecurityCheck(name: "EnrollmentPinCode", kind: .enrolledPIN, successSeconds: 30, blockedSeconds: 1),
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
    _ answer: JSONValue, _ state: inout State?, knowing secrets: MobileFirstSecrets, enrolledPIN: String?,
    at now: SandboxTime
  ) -> Verdict {
    if kind == .enrolled || kind == .enrolledPIN {
      guard enrolledPIN != nil else { return .refused("Enrollment is needed first") }
      if kind == .enrolled {
        state = .passed(user: nil, since: now, until: now.adding(seconds: successSeconds))
        return .passed
      }
    }
    state = Self.current(state, at: now)
    switch state {
    case .passed: return .passed
    case .blocked: return .refused("Account blocked")
    case .attempting, nil: break
    }
    let remaining = if case .attempting(let left, _) = state { left } else { maxAttempts }
    guard answer.exists, !answer.isNull else { return .challenge(challenge(nil, remaining)) }
    if let user = accepted(answer, secrets, enrolledPIN) {
      let seconds = answer["rememberMe"].bool == true ? rememberedSeconds : successSeconds
      state = .passed(user: user.isEmpty ? nil : user, since: now, until: now.adding(seconds: seconds))
      return .passed
    }
    guard remaining > 1 else {
      state = .blocked(until: now.adding(seconds: blockedSeconds))
      return .refused("Account blocked")
    }
    state = .attempting(remaining: remaining - 1, until: now.adding(seconds: Self.attemptingSeconds))
    return .challenge(challenge(kind == .login ? "Wrong credentials" : "Pin code is not valid.", remaining - 1))
  }

  /// The user that an answer proves, empty where it proves none; nil where it is wrong.
  private func accepted(_ answer: JSONValue, _ secrets: MobileFirstSecrets, _ enrolledPIN: String?) -> String? {
    switch kind {
    case .login:
      let isRight =
        answer["username"].string == MobileFirstSecrets.user && answer["password"].string == secrets.userPassword
      return isRight ? MobileFirstSecrets.user : nil
    case .pin: return answer["pin"].text == secrets.pin ? "" : nil
    case .enrolledPIN: return answer["pin"].text == enrolledPIN ? "" : nil
    case .enrolled: return nil
    }
  }

  /// A login that nobody has tried yet challenges with null, which is a challenge like any other.
  private func challenge(_ error: String?, _ remaining: Int) -> JSONNode {
    guard error != nil || kind != .login || remaining < maxAttempts else { return .null }
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
}

/// Which checks stand behind a scope.
enum MobileFirstScope {
  static let registered = "RegisteredClient"
  /// Their PINs are asked for in a second round, once the login has passed.
  static let stepUps = ["transferPrivilege", "stepUpTransfer"]

  private static let mapping: [String: [String]] = [
    registered: [], "accessRestricted": ["UserLogin"], "transactions": ["UserLogin"],
    "transferPrivilege": ["UserLogin", "PinCode"], "stepUpTransfer": ["StepUpUserLogin", "StepUpPinCode"],
    "setPinCode": ["EnrollmentUserLogin"], "accountBalance": ["IsEnrolled", "EnrollmentPinCode"],
    "clockSynchronization": [], "appAuthenticity": [],
  ]

  /// The names of the checks behind an element, which may be the name of one; nil where it is neither.
  private static func names(_ element: String) -> [String]? {
    mapping[element] ?? SecurityCheck.named(element).map { [$0.name] }
  }

  /// The elements of a scope, sorted, with the default one added.
  static func elements(_ scope: String?) -> [String] {
    Set((scope ?? "").split(whereSeparator: \.isWhitespace).map(String.init) + [registered]).sorted()
  }

  /// The checks behind the elements in the order in which they are asked; nil where an element is unknown.
  static func checks(_ elements: [String]) -> [SecurityCheck]? {
    var names: Set<String> = []
    for element in elements {
      guard let mapped = Self.names(element) else { return nil }
      names.formUnion(mapped)
    }
    return SecurityCheck.all.filter { names.contains($0.name) }
  }

  static func text(_ elements: [String]) -> String { elements.joined(separator: " ") }
}
