/// What the bank holds before anybody has changed anything.
struct BankData: Sendable {
  let setting: DoorSetting
  let users: [BankUser]
  let consumers: [BankConsumer]
  /// The signed-in person's own, then those of neighbours.
  let accounts: [BankAccount]
  private let indexByKey: [BankAccountKey: Int]
  private let indexByIBAN: [String: Int]
  private let ownCount: Int

  /// Owns all accounts of `options.accounts`.
  var owner: BankUser { users[0] }
  /// Holds only the view `auditor`, on the owner's first three accounts.
  var auditor: BankUser { users[1] }

  init(_ setting: DoorSetting) {
    self.setting = setting
    users = Self.makeUsers(setting)
    consumers = Self.makeConsumers(setting)
    ownCount = setting.options.accounts
    var accounts: [BankAccount] = []
    for index in 0..<max(ownCount + Self.neighbourCount, Self.leastAccounts) {
      let isOwn = index < ownCount
      let holder = isOwn ? setting.city.host.name : setting.city.person(100 + index - ownCount).name
      let isEmpty = index == ownCount + 1
      accounts.append(
        BankAccount(
          index: index, setting: setting, isOwn: isOwn, holder: holder,
          transactions: isEmpty ? 0 : setting.options.transactions))
    }
    self.accounts = accounts
    indexByKey = Dictionary(accounts.map { ($0.key, $0.index) }) { first, _ in first }
    indexByIBAN = Dictionary(accounts.map { ($0.iban, $0.index) }) { first, _ in first }
  }

  /// Accounts beyond the owner's: payees at this server. The first two open themselves to the owner as auditor, the second of
  /// them without any transaction; the third and fourth are public.
  static let neighbourCount = 14

  /// So many accounts the bank has at least: those beyond the neighbours' are nobody's who signs in. With the usual 400
  /// transactions each they make 200,000, of which none is held.
  static let leastAccounts = 500

  /// The neighbours' accounts.
  var neighbours: ArraySlice<BankAccount> { accounts[ownCount..<(ownCount + Self.neighbourCount)] }

  func account(_ key: BankAccountKey) -> BankAccount? { indexByKey[key].map { accounts[$0] } }

  func account(iban: String) -> BankAccount? { indexByIBAN[iban].map { accounts[$0] } }

  func user(id: String) -> BankUser? { users.first { $0.id == id } }

  func user(named name: String) -> BankUser? { users.first { $0.username == name } }

  func consumer(key: String) -> BankConsumer? { consumers.first { $0.key == key } }

  /// Ids of the system views that `user` holds on an account before any grant; nil asks for the public ones alone.
  func views(of user: BankUser?, on account: BankAccount) -> [BankView] {
    let open = account.index == ownCount + 2 || account.index == ownCount + 3 ? [BankView.everybody] : []
    guard let user else { return open }
    switch (user, account.index) {
    case (owner, ..<ownCount): return [.owner, .auditor, .accountant]
    case (owner, ..<(ownCount + 2)): return [.auditor]
    case (auditor, ..<min(3, ownCount)): return [.auditor]
    default: return open
    }
  }

  func isHolder(_ user: BankUser, of account: BankAccount) -> Bool { holderUser(of: account) == user }

  /// The user a holder's account belongs to, where that person can sign in; opened accounts are the owner's.
  func holderUser(of account: BankAccount) -> BankUser? {
    account.index < ownCount || account.index >= accounts.count ? owner : nil
  }
}

extension BankData {
  /// What the owner let others do at the first two banks: one that holds, one that is over.
  var consents: [BankState.Consent] {
    [("ACCEPTED", 0), ("REVOKED", 1)].map { status, index in
      var random = setting.random("bank/consent", index: index)
      return BankState.Consent(
        id: random.uuid(), bank: Bank.holding[index].id, method: "SMS", user: owner.id, status: status,
        token: "eyJhbGciOiJIUzI1NiJ9.\(random.hex(40)).\(random.hex(43))")
    }
  }

  /// A user whom only an identity server knows.
  func stranger(named name: String) -> BankUser {
    var random = setting.random("bank/stranger/\(name)")
    return BankUser(
      id: random.uuid(), username: name, email: "\(name)@city.example", displayName: name, password: random.secret(),
      isLocked: false)
  }

  private static func makeUsers(_ setting: DoorSetting) -> [BankUser] {
    let host = setting.city.host
    let people = [
      (host.login, host.name, false), ("audrey", "Audrey Tudor", false), ("newton", "Newton Neuhaus", false),
      ("locke", "Locke Schmidt", true),
    ]
    return people.map { login, name, isLocked in
      var random = setting.random("bank/user/\(login)")
      return BankUser(
        id: random.uuid(), username: login, email: "\(login)@city.example", displayName: name,
        password: random.secret(16), isLocked: isLocked)
    }
  }

  private static func makeConsumers(_ setting: DoorSetting) -> [BankConsumer] {
    [("Atrium", true), ("Retired app", false)].map { name, isEnabled in
      var random = setting.random("bank/consumer/\(name)")
      let alphabet: StaticString = "abcdefghijklmnopqrstuvwxyz0123456789"
      return BankConsumer(
        id: random.uuid(), key: random.text(40, from: alphabet), secret: random.text(40, from: alphabet), name: name,
        redirectURL: "http://127.0.0.1:8910/callback", isEnabled: isEnabled)
    }
  }
}
