import Model

/// The rules for a vault's PIN as options of `vault create` and `vault policy`.
enum VaultPolicyOptions {
  private static let classes: [(name: String, flag: WritableKeyPath<VaultPolicy, Bool> & Sendable)] = [
    ("digit", \.needsDigit), ("upper", \.needsUpper), ("lower", \.needsLower), ("special", \.needsSpecial),
  ]

  private static let numbers: [(option: String, field: WritableKeyPath<VaultPolicy, Int> & Sendable)] = [
    ("min-length", \.minLength), ("unique", \.minUniqueCharacters), ("expires", \.expirationDays),
    ("lock-timeout", \.lockTimeout), ("retry-limit", \.retryLimit),
  ]

  static let options: [Option] = [
    Option("min-length", value: "N", "policy: characters a PIN must have at least (8)"),
    Option("unique", value: "N", "policy: different characters among them (0)"),
    Option("require", value: "CLASS,…", "policy: digit, upper, lower, special; none for none of them"),
    Option("expires", value: "DAYS", "policy: days until a PIN must be changed; 0 for never"),
    Option("lock-timeout", value: "SECONDS", "policy: seconds without use until it locks itself (300); 0 for never"),
    Option("retry-limit", value: "N", "policy: wrong PINs until it is deleted (20); 0 for no limit"),
    Option("allow-no-pin", choices: ["yes", "no"], "policy: whether it may be without a PIN"),
  ]

  /// Sets what was given; false when nothing was.
  @discardableResult
  static func apply(to policy: inout VaultPolicy, _ session: Session) throws(ServiceError) -> Bool {
    let invocation = session.invocation
    let before = policy
    for (option, field) in numbers {
      guard let number = try invocation.integer(option) else { continue }
      guard number <= 1_000_000_000 else { throw .usage("--\(option) takes at most 1000000000", invocation.command) }
      policy[keyPath: field] = number
    }
    if let words = invocation.value("require") {
      let wanted = words == "none" ? [] : words.split(separator: ",").map(String.init)
      if let odd = wanted.first(where: { word in !classes.contains { $0.name == word } }) {
        throw .usage("--require takes digit, upper, lower, special or none, not “\(odd)”", invocation.command)
      }
      for (name, flag) in classes { policy[keyPath: flag] = wanted.contains(name) }
    }
    if let word = invocation.value("allow-no-pin") { policy.allowsDefaultPIN = word == "yes" }
    return policy != before || options.contains { invocation.has($0.name) }
  }

  /// A line for each rule.
  static func lines(_ policy: VaultPolicy) -> [String] {
    let needed = classes.filter { policy[keyPath: $0.flag] }.map(\.name)
    return [
      "length: at least \(policy.minLength) characters",
      "different characters: " + (policy.minUniqueCharacters == 0 ? "any" : "at least \(policy.minUniqueCharacters)"),
      "required: " + (needed.isEmpty ? "nothing" : needed.joined(separator: ", ")),
      "expires: " + (policy.expirationDays == 0 ? "never" : "after \(policy.expirationDays) days"),
      "locks itself: " + (policy.lockTimeout == 0 ? "never" : "after \(policy.lockTimeout) s unused"),
      "wrong PINs: " + (policy.retryLimit == 0 ? "no limit" : "deleted after \(policy.retryLimit)"),
      "no PIN at all: " + (policy.allowsDefaultPIN ? "permitted" : "not permitted"),
    ]
  }
}
