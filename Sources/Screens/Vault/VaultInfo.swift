import Model

/// How the vault stands, as far as it can be told. It never holds a value.
package struct VaultInfo: Sendable, Hashable {
  package enum State: Sendable, Hashable {
    case absent, locked, unlocked
    /// Its file cannot be used, and why.
    case damaged(String)
    /// Something else keeps the secrets: the Secret Service.
    case elsewhere(String)
  }

  package struct Entry: Sendable, Hashable {
    package let name: String
    /// Else bytes.
    package let isText: Bool
    package init(name: String, isText: Bool) {
      self.name = name
      self.isText = isText
    }
  }

  package var name: String
  package var path: String
  package var state: State
  package var policy: VaultPolicy
  /// Nil without a limit.
  package var triesLeft: Int?
  package var hasNoPIN: Bool
  package var pinExpires: Timestamp?
  /// Nil while it is locked.
  package var entries: [Entry]?

  package init(
    name: String, path: String = "", state: State, policy: VaultPolicy = VaultPolicy(), triesLeft: Int? = nil,
    hasNoPIN: Bool = false, pinExpires: Timestamp? = nil, entries: [Entry]? = nil
  ) {
    self.name = name
    self.path = path
    self.state = state
    self.policy = policy
    self.triesLeft = triesLeft
    self.hasNoPIN = hasNoPIN
    self.pinExpires = pinExpires
    self.entries = entries
  }
}

/// What a person does with the vault; the answer to each is how it stands then.
package enum VaultOrder: Sendable, Hashable {
  case look
  /// Without a PIN when nil.
  case create(Secret?)
  case unlock(Secret)
  case lock
  case changePIN(old: Secret, new: Secret)
  /// Forgets one entry for good.
  case forget(String)
  case destroy
}
