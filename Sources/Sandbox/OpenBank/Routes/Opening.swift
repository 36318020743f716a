import JSON

/// New accounts; reference obp.md, section 3.4.
extension OBPRoutes {
  mutating func addOpening() {
    for version in [OBPVersion.v200, .v220, .v310, .v500] {
      let path = "/banks/BANK_ID/accounts/ACCOUNT_ID"
      add(version, "PUT", path, .user, isOld: false, "createAccount", "Create Account") { call throws(OBPError) in
        let made = try call.openAccount(id: call["ACCOUNT_ID"])
        return OBPReply(status: version >= .v310 ? 201 : 200, body: .json(call.opened(made, version)))
      }
    }
    add(.v400, "POST", "/banks/BANK_ID/accounts", .user, "addAccount", "Create Account") { call throws(OBPError) in
      .created(call.opened(try call.openAccount(id: call.state.makeID()), .v400))
    }
  }
}

extension OBPCall {
  fileprivate func openAccount(id: String) throws(OBPError) -> BankAccount {
    let (bank, user) = (try theBank(), try signedIn())
    let body = try object("CreateAccountRequestJson")
    let isID = id.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
      default: false
      }
    }
    guard isID, id.utf8.count < 256 else { throw OBPError(400, "OBP-30111: Invalid Account Id. Current is \(id)") }
    let owner = body["user_id"].string ?? ""
    guard owner.isEmpty || owner == user.id else { throw .lacksRole(["CanCreateAccount"]) }
    guard user == data.owner else { throw .lacksRole(["CanCreateAccount"]) }
    let balance = body["balance"]
    guard let currency = BankCurrency.named(balance["currency"].string ?? "") else {
      throw OBPError(400, "OBP-30105: Invalid Balance Currency.")
    }
    guard let amount = currency.minor(balance["amount"].text ?? "") else {
      throw OBPError(400, "OBP-30106: Invalid Balance Amount.")
    }
    guard amount == 0 else { throw OBPError(400, "OBP-30109: Initial Balance of Account must be Zero (0).") }
    let label = body["label"].string ?? ""
    let product = body["product_code"].string ?? body["type"].string ?? ""
    let made = self.bank.open { index in
      BankAccount(
        index: index, id: id, bank: bank, label: label, productCode: product, currency: currency,
        holder: user.displayName, setting: data.setting)
    }
    guard let made else { throw OBPError(400, "OBP-30208: Account_ID already exists at the Bank. Current is \(id)") }
    return made
  }

  fileprivate func opened(_ account: BankAccount, _ shape: OBPVersion) -> JSONNode {
    let zero = JSONNode.money(account.currency.code, account.currency.text(0))
    let userID = data.holderUser(of: account)?.id ?? ""
    guard shape >= .v310 else {
      return [
        "user_id": .string(userID), "label": .string(account.label), "type": .string(account.productCode),
        "balance": zero, "branch_id": "", "account_routing": ["scheme": "OBP", "address": .string(account.id)],
      ]
    }
    return [
      "account_id": .string(account.id), "user_id": .string(userID), "label": .string(account.label),
      "product_code": .string(account.productCode), "balance": zero, "branch_id": "",
      "account_routings": account.routings, "account_attributes": [],
    ]
  }
}
