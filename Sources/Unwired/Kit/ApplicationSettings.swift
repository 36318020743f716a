import JSON
import Model

/// What the server has set for this application on this device (`applicationSettings`); changes only on the server.
public struct ApplicationSettings: Sendable, Equatable {
  /// Every setting, in the server's order; unset ones are null.
  public let all: [JSONNode.Member]

  init(_ registration: Registration) { all = registration.settings }

  /// Settings as they were kept.
  init(kept: JSONNode) {
    guard case .object(let members) = kept else {
      all = []
      return
    }
    all = members
  }

  var kept: JSONNode { .object(all) }

  /// Nil for one that is unset.
  public subscript(_ name: String) -> JSONNode? { all.node(name).flatMap { $0 == .null ? nil : $0 } }

  /// The four texts that the application may use as it likes, `CustomCustom1` to `CustomCustom4`.
  public var custom: [String?] {
    (1...4).map { number in
      guard case .string(let text)? = self["CustomCustom\(number)"] else { return nil }
      return text
    }
  }

  /// The bundle of resources that the server has for this application; nil for none.
  public var customizationBundleID: String? {
    guard case .string(let id)? = self["CustomizationBundleId"], !id.isEmpty else { return nil }
    return id
  }

  /// What the server demands of the vault's PIN; nil while it has its policy switched off.
  public var passwordPolicy: VaultPolicy? {
    guard flag("Enabled") else { return nil }
    var policy = VaultPolicy()
    policy.allowsDefaultPIN = flag("DefaultPasswordAllowed")
    policy.minLength = number("MinLength", or: policy.minLength)
    policy.needsDigit = flag("DigitRequired")
    policy.needsUpper = flag("UpperRequired")
    policy.needsLower = flag("LowerRequired")
    policy.needsSpecial = flag("SpecialRequired")
    policy.expirationDays = number("ExpiresInNDays", or: 0)
    policy.minUniqueCharacters = number("MinUniqueChars", or: 0)
    policy.lockTimeout = number("LockTimeout", or: policy.lockTimeout)
    policy.retryLimit = number("RetryLimit", or: policy.retryLimit)
    return policy
  }

  /// The settings exchange document writes its values as texts, the connection as JSON's own.
  private func flag(_ name: String) -> Bool {
    let value = self["PasswordPolicy\(name)"]
    return value == .bool(true) || value == .string("true")
  }

  private func number(_ name: String, or fallback: Int) -> Int {
    switch self["PasswordPolicy\(name)"] {
    case .integer(let number)?: Int(clamping: max(0, min(number, 1 << 30)))
    case .string(let text)?: Int(text).map { max(0, min($0, 1 << 30)) } ?? fallback
    default: fallback
    }
  }

  /// Names of what differs from earlier settings (`onApplicationSettingsChanged`); the ETag differs with any of them and
  /// is left out.
  public func changes(since earlier: ApplicationSettings) -> [String] {
    let names = all.map(\.key) + earlier.all.map(\.key).filter { name in all.node(name) == nil }
    return names.filter { $0 != "ETag" && self[$0] != earlier[$0] }
  }
}
