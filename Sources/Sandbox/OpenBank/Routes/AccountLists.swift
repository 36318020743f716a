import JSON

/// Lists of accounts in their many shapes; reference obp.md, section 3.3.
extension OBPRoutes {
  mutating func addAccountLists() {
    addFirstLists()
    addSecondLists()
    addThirdLists()
  }

  private mutating func addFirstLists() {
    for path in ["/accounts", "/accounts/private"] {
      add(.v121, "GET", path, .user, "allAccountsAllBanks", "Get Accounts at all Banks") { call throws(OBPError) in
        .ok(["accounts": call.list(try call.own(), call.viewed)])
      }
    }
    add(.v121, "GET", "/accounts/public", .open, "publicAccountsAllBanks", "Get Public Accounts at all Banks") { call in
      .ok(["accounts": call.list(call.open(at: nil), call.viewed)])
    }
    for path in ["/banks/BANK_ID/accounts", "/banks/BANK_ID/accounts/private"] {
      add(.v121, "GET", path, .user, "allAccountsAtOneBank", "Get Accounts at Bank") { call throws(OBPError) in
        .ok(["accounts": call.list(try call.ownAtBank(), call.viewed)])
      }
    }
    add(.v121, "GET", "/banks/BANK_ID/accounts/public", .open, "publicAccountsAtOneBank", "Get Public Accounts") {
      call throws(OBPError) in .ok(["accounts": call.list(call.open(at: try call.theBank()), call.viewed)])
    }
  }

  private mutating func addSecondLists() {
    add(.v200, "GET", "/accounts", .user, "allAccountsAllBanks", "Get Accounts at all Banks") { call throws(OBPError) in
      .ok(["accounts": call.list(try call.own(), call.basic)])
    }
    add(.v200, "GET", "/accounts/public", .open, "publicAccountsAllBanks", "Get Public Accounts at all Banks") { call in
      .ok(["accounts": call.list(call.open(at: nil), call.basic)])
    }
    add(.v200, "GET", "/banks/BANK_ID/accounts", .user, "getPrivateAccountsAtOneBank", "Get Accounts at Bank") {
      call throws(OBPError) in .ok(call.list(try call.ownAtBank(), call.basic))
    }
    add(.v200, "GET", "/banks/BANK_ID/accounts/private", .user, "privateAccountsAtOneBank", "Get Private Accounts") {
      call throws(OBPError) in .ok(["accounts": call.list(try call.ownAtBank(), call.basic)])
    }
    add(.v200, "GET", "/banks/BANK_ID/accounts/public", .open, "publicAccountsAtOneBank", "Get Public Accounts") {
      call throws(OBPError) in .ok(call.list(call.open(at: try call.theBank()), call.basic))
    }
    add(.v200, "GET", "/my/accounts", .user, "corePrivateAccountsAllBanks", "Get My Accounts") {
      call throws(OBPError) in
      .ok(call.list(try call.own(), call.linked))
    }
    for path in ["/my/banks/BANK_ID/accounts", "/my/banks/BANK_ID/accounts/private"] {
      add(.v200, "GET", path, .user, "corePrivateAccountsAtOneBank", "Get My Accounts at Bank") {
        call throws(OBPError) in
        .ok(call.list(try call.ownAtBank(), call.linked))
      }
    }
  }

  private mutating func addThirdLists() {
    add(.v300, "GET", "/my/accounts", .user, "corePrivateAccountsAllBanks", "Get My Accounts") {
      call throws(OBPError) in
      .ok(["accounts": call.list(call.filtered(try call.own()), call.core)])
    }
    add(.v300, "GET", "/banks/BANK_ID/accounts/private", .user, "getPrivateAccountsAtOneBank", "Get Private Accounts") {
      call throws(OBPError) in .ok(["accounts": call.list(call.filtered(try call.ownAtBank()), call.core)])
    }
    add(.v300, "GET", "/banks/BANK_ID/accounts/account_ids/private", .user, "getPrivateAccountIds", "Get Account Ids") {
      call throws(OBPError) in
      .ok(["accounts": call.list(try call.ownAtBank()) { account, _ in ["id": .string(account.id)] }])
    }
    add(.v300, "GET", "/banks/BANK_ID/accounts-held", .user, "getAccountsHeld", "Get Accounts Held") {
      call throws(OBPError) in
      let user = try call.signedIn()
      let held = try call.ownAtBank().filter { call.data.isHolder(user, of: $0.account) }
      return .ok(["accounts": call.list(held, call.held)])
    }
    add(.v400, "GET", "/banks/BANK_ID/accounts", .user, "getPrivateAccountsAtOneBank", "Get Accounts at Bank") {
      call throws(OBPError) in
      // Any other query parameter asks for an account attribute, and no account has one.
      let known = ["limit", "offset", "sort_direction", "locale"]
      let asksForAttribute = call.request.server.query.contains { !known.contains($0.name) }
      return .ok(call.list(asksForAttribute ? [] : try call.ownAtBank(), call.basic))
    }
    add(.v600, "GET", "/banks/BANK_ID/accounts", .user, "getPrivateAccountsAtOneBank", "Get Accounts at Bank") {
      call throws(OBPError) in .ok(["accounts": call.list(try call.ownAtBank(), call.renamed)])
    }
  }
}

private typealias AccountAndViews = (account: BankAccount, views: [BankView])

extension OBPCall {
  fileprivate func own() throws(OBPError) -> [AccountAndViews] { bank.accounts(of: try signedIn()) }

  fileprivate func ownAtBank() throws(OBPError) -> [AccountAndViews] {
    bank.accounts(of: try signedIn(), at: try theBank())
  }

  /// Accounts open to everybody; none where the server keeps public views off.
  fileprivate func open(at bank: Bank?) -> [AccountAndViews] {
    profile.allowsPublicViews ? self.bank.publicAccounts(at: bank) : []
  }

  fileprivate func list(_ accounts: [AccountAndViews], _ shape: (BankAccount, [BankView]) -> JSONNode) -> JSONNode {
    .array(accounts.map { shape($0.account, $0.views) })
  }

  /// `account_type_filter=A,B` with `account_type_filter_operation=INCLUDE|EXCLUDE`.
  fileprivate func filtered(_ accounts: [AccountAndViews]) -> [AccountAndViews] {
    guard let types = request.query("account_type_filter")?.split(separator: ","), !types.isEmpty else {
      return accounts
    }
    let excludes = request.query("account_type_filter_operation")?.uppercased() == "EXCLUDE"
    return accounts.filter { types.contains(Substring($0.account.type)) != excludes }
  }

  /// v1.2.1: with every permission of every view.
  fileprivate func viewed(_ account: BankAccount, _ views: [BankView]) -> JSONNode {
    [
      "id": .string(account.id), "label": .filled(bank.label(of: account)),
      "views_available": .list(views) { $0.json(version) }, "bank_id": .string(account.bank.id),
    ]
  }

  fileprivate func basic(_ account: BankAccount, _ views: [BankView]) -> JSONNode {
    [
      "id": .string(account.id), "label": .string(bank.label(of: account)), "bank_id": .string(account.bank.id),
      "views_available": .list(views) { $0.basic() },
    ]
  }

  fileprivate func linked(_ account: BankAccount, _ views: [BankView]) -> JSONNode {
    let path = "/obp/v2.0.0/my/banks/\(account.bank.id)/accounts/\(account.id)/account"
    return [
      "id": .string(account.id), "label": .string(bank.label(of: account)), "bank_id": .string(account.bank.id),
      "_links": ["detail": ["href": .string(path)]],
    ]
  }

  fileprivate func core(_ account: BankAccount, _ views: [BankView]) -> JSONNode {
    [
      "id": .string(account.id), "label": .string(bank.label(of: account)), "bank_id": .string(account.bank.id),
      "account_type": .string(account.type), "account_routings": account.routings,
      "views": .list(views) { $0.basic(withDescription: true) },
    ]
  }

  fileprivate func held(_ account: BankAccount, _ views: [BankView]) -> JSONNode {
    [
      "id": .string(account.id), "label": .string(bank.label(of: account)), "bank_id": .string(account.bank.id),
      "number": .string(account.number), "account_routings": account.routings,
    ]
  }

  fileprivate func renamed(_ account: BankAccount, _ views: [BankView]) -> JSONNode {
    [
      "account_id": .string(account.id), "bank_id": .string(account.bank.id),
      "label": .string(bank.label(of: account)), "views_available": .list(views) { $0.basic() },
    ]
  }
}

extension BankAccount {
  var routings: JSONNode {
    [["scheme": "IBAN", "address": .string(iban)], ["scheme": "OBP", "address": .string(id)]]
  }
}
