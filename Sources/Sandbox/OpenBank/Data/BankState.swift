import Synchronization

/// Everything about the bank that changes at run time, under one lock.
final class BankState: Sendable {
  /// A role that a user holds; an empty bank means everywhere.
  struct Entitlement: Sendable {
    let id: String
    let role: String
    let bank: String
  }

  struct Consent: Sendable {
    let id: String
    let bank: String
    let method: String
    let user: String
    var status: String
    let token: String
  }

  /// Endpoints that a user keeps under a name.
  struct Collection: Sendable {
    struct Endpoint: Sendable {
      let id: String
      let operation: String
    }

    let id: String
    let user: String
    let name: String
    let isSharable: Bool
    let description: String
    var endpoints: [Endpoint] = []
  }

  struct TransactionKey: Hashable, Sendable {
    let account: BankAccountKey
    let transaction: String
  }

  struct Contents: Sendable {
    var sessions: [String: BankSession] = [:]
    var requestTokens: [String: OAuthRequestToken] = [:]
    var nonces: Set<String> = []
    var failedLogins: [String: Int] = [:]
    var calls: [String: (minute: Int64, count: Int)] = [:]
    var labels: [BankAccountKey: String] = [:]
    var accountTags: [BankAccountKey: [BankNote]] = [:]
    var created: [BankAccount] = []
    var customViews: [BankAccountKey: [BankView]] = [:]
    var grants: [BankAccountKey: [String: Set<String>]] = [:]
    var notes: [TransactionKey: TransactionNotes] = [:]
    var partyNotes: [TransactionKey: PartyNotes] = [:]
    var counterparties: [BankAccountKey: [Counterparty]] = [:]
    var added: [BankAccountKey: [BankTransaction]] = [:]
    var payments: [BankAccountKey: [PaymentRequest]] = [:]
    var entitlements: [String: [Entitlement]] = [:]
    var entitlementRequests: [String: [Entitlement]] = [:]
    var consents: [Consent] = []
    var collections: [Collection] = []
    var serial = 0
  }

  private let contents: Mutex<Contents>
  private let seed: UInt64
  private let beginning: Contents

  /// - Parameter consents: Those that were given before the server began.
  init(seed: UInt64, consents: [Consent] = []) {
    self.seed = seed
    var beginning = Contents()
    beginning.consents = consents
    self.beginning = beginning
    contents = Mutex(beginning)
  }

  func read<T: Sendable>(_ body: (Contents) -> T) -> T { contents.withLock { body($0) } }

  func write<T: Sendable>(_ body: (inout Contents) -> T) -> T { contents.withLock { body(&$0) } }

  /// A fresh id; the n-th one is the same in every run of the same seed.
  func makeID() -> String {
    var random = SeededRandom(seed: seed, "bank/runtime", index: nextSerial())
    return random.uuid()
  }

  /// Randomness for the next thing that is made.
  func makeRandom(_ name: String) -> SeededRandom {
    SeededRandom(seed: seed, "bank/runtime/\(name)", index: nextSerial())
  }

  func reset() { contents.withLock { $0 = beginning } }

  private func nextSerial() -> Int {
    contents.withLock { contents in
      contents.serial += 1
      return contents.serial
    }
  }
}

/// A token handed out and still good until it expires.
struct BankSession: Sendable {
  enum Kind: Sendable { case directLogin, bearer, oauth(secret: String) }

  let user: BankUser
  let consumer: BankConsumer
  let expires: SandboxTime
  let kind: Kind
}

/// Half of an OAuth 1.0a sign-in.
struct OAuthRequestToken: Sendable {
  let secret: String
  let consumer: BankConsumer
  let callback: String
  let expires: SandboxTime
  var verifier: String?
  var user: BankUser?
}
