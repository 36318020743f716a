import JSON

/// One request on its way to a handler: who asks, by which version, for what.
struct OBPCall: Sendable {
  let request: SandboxRequest
  let version: OBPVersion
  /// Whether the endpoint is one of the old, synchronous kind, whose errors differ.
  let isOld: Bool
  let bank: BankService
  let profile: OBPProfile
  let identity: BankIdentity?
  let session: BankSession?

  var user: BankUser? { session?.user }
  var now: SandboxTime { request.now }
  var data: BankData { bank.data }
  var state: BankState { bank.state }

  /// The server's idea of its own address.
  var hostname: String { profile.hostname ?? request.origin }

  subscript(name: String) -> String { request[name] }

  /// Whoever asks; routes for signed-in users check before the handler runs.
  func signedIn() throws(OBPError) -> BankUser {
    guard let user else { throw .notLoggedIn }
    return user
  }

  func theBank() throws(OBPError) -> Bank {
    let id = self["BANK_ID"]
    guard let bank = Bank.all.first(where: { $0.id == id }) else { throw .noBank(id, isOld: isOld) }
    return bank
  }

  func theAccount() throws(OBPError) -> BankAccount {
    _ = try theBank()
    let key = BankAccountKey(bank: self["BANK_ID"], account: self["ACCOUNT_ID"])
    guard let account = bank.account(key) else { throw .noAccount(key, isOld: isOld) }
    return account
  }

  /// The account seen through the view of the path (`VIEW_ID`), if the asker holds it.
  func theViewedAccount() throws(OBPError) -> ViewedAccount {
    let account = try theAccount()
    return ViewedAccount(account: account, view: try view(self["VIEW_ID"], on: account))
  }

  /// The account of a `/my/…` call, which always means the view `owner`.
  func myAccount() throws(OBPError) -> ViewedAccount {
    let user = try signedIn()
    let account = try theAccount()
    guard let view = bank.views(of: user, on: account).first(where: { $0.id == "owner" }) else {
      throw .needsOwner(user, account.key, isOld: isOld)
    }
    return ViewedAccount(account: account, view: view)
  }

  func view(_ id: String, on account: BankAccount) throws(OBPError) -> BankView {
    if let view = bank.views(of: user, on: account).first(where: { $0.id == id }), !view.isPublic { return view }
    guard let open = bank.allViews(on: account).first(where: { $0.id == id && $0.isPublic }) else {
      throw user == nil ? .notLoggedIn : .noView(id, isOld: isOld)
    }
    guard profile.allowsPublicViews else { throw .publicViewsOff }
    return open
  }

  /// The JSON body, which must be an object.
  func object(_ type: String) throws(OBPError) -> JSONValue {
    guard let value = request.json(), value.kind == .object else { throw .badJSON(type) }
    return value
  }

  /// A member that must be text.
  func text(_ key: String, of body: JSONValue, _ type: String) throws(OBPError) -> String {
    guard let text = body[key].string else { throw .badJSON(type) }
    return text
  }
}

/// An account and the eyes it is seen with.
struct ViewedAccount: Sendable {
  let account: BankAccount
  let view: BankView

  func require(_ permission: String) throws(OBPError) {
    guard view.grants(permission) else { throw .viewLacks(permission) }
  }
}
