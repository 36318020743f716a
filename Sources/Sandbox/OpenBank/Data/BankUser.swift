/// Somebody who can sign in at the bank.
struct BankUser: Sendable, Hashable {
  let id: String
  let username: String
  let email: String
  let displayName: String
  let password: String
  /// Refused whatever the password.
  let isLocked: Bool
}

/// An app that is registered with the bank.
struct BankConsumer: Sendable {
  let id: String
  let key: String
  let secret: String
  let name: String
  /// The callback must equal it; several are known for the sandbox's own convenience.
  let redirectURL: String
  let isEnabled: Bool
}
