import JSON

/// Views that the bank made, for those whose role it is, and the firehose; reference obp.md, sections 3.5 and 4.4.
extension OBPRoutes {
  mutating func addSystemViews() {
    let roles = OBPRoute.Access.roles(["CanGetSystemView"])
    add(.v500, "GET", "/system-views-ids", roles, "getSystemViewsIds", "Get Ids of System Views") { _ in
      .ok(["views": .list(BankView.system) { ["id": .string($0.id)] }])
    }
    add(.v500, "GET", "/system-views/VIEW_ID", roles, "getSystemView", "Get System View") { call throws(OBPError) in
      guard let view = BankView.system.first(where: { $0.id == call["VIEW_ID"] }) else {
        throw OBPError(404, "OBP-30252: System view not found. Current ViewId is \(call["VIEW_ID"])")
      }
      return .ok(view.json(.v500))
    }
    addFirehose()
    addAccess()
  }

  /// Every account of a bank at once: off unless the server's operator wants it.
  private mutating func addFirehose() {
    let roles = OBPRoute.Access.roles(["CanUseAccountFirehoseAtAnyBank", "CanUseAccountFirehose"])
    let base = "/banks/BANK_ID/firehose/accounts"
    add(.v300, "GET", base + "/views/VIEW_ID", roles, "getFirehoseAccountsAtOneBank", "Get Firehose Accounts") {
      call throws(OBPError) in
      let bank = try call.firehose()
      let offset = max(0, Int(call.request.query("offset") ?? "") ?? 0)
      let limit = max(1, Int(call.request.query("limit") ?? "") ?? 50)
      let accounts = call.data.accounts.filter { $0.bank.id == bank.id }.dropFirst(offset).prefix(limit)
      return .ok([
        "accounts": .list(Array(accounts)) { account in
          [
            "id": .string(account.id), "label": .string(call.bank.label(of: account)),
            "number": .string(account.number),
            "owners": [["display_name": .string(account.holder)]], "product_code": .string(account.productCode),
            "balance": .money(account.currency.code, call.balanceText(account)),
            "account_routings": account.routings, "bank_id": .string(account.bank.id),
          ]
        }
      ])
    }
    let transactions = base + "/ACCOUNT_ID/views/VIEW_ID/transactions"
    add(.v300, "GET", transactions, roles, "getFirehoseTransactionsForBankAccount", "Get Firehose Transactions") {
      call throws(OBPError) in
      _ = try call.firehose()
      return try call.firehoseTransactions()
    }
  }

  private mutating func addAccess() {
    let access = "/banks/BANK_ID/accounts/ACCOUNT_ID/account-access"
    for word in ["grant", "revoke"] {
      add(.v400, "POST", "\(access)/\(word)", .user, "\(word)UserAccessToView", "\(word) access") {
        call throws(OBPError) in
        let type = "PostAccountAccessJsonV400"
        let account = try call.myAccount().account
        let body = try call.object(type)
        let id = try call.text("user_id", of: body, type)
        guard let user = call.data.user(id: id) else {
          throw OBPError(404, "OBP-20057: User not found by userId. Current UserId is \(id)")
        }
        guard let name = body["view"]["view_id"].string else { throw .badJSON(type) }
        guard let view = call.bank.allViews(on: account).first(where: { $0.id == name }) else {
          throw OBPError(404, "OBP-30005: View not found for Account. Current ViewId is \(name)")
        }
        call.state.write { contents in
          if word == "grant" {
            _ = contents.grants[account.key, default: [:]][user.id, default: []].insert(view.id)
          } else {
            _ = contents.grants[account.key]?[user.id]?.remove(view.id)
          }
        }
        return .created(word == "grant" ? view.json(.v300) : ["revoked": true])
      }
    }
  }
}

extension OBPCall {
  fileprivate func firehose() throws(OBPError) -> Bank {
    let bank = try theBank()
    guard profile.allowsFirehose else {
      throw OBPError(400, "OBP-00009: Account firehose is not allowed on this instance.")
    }
    guard BankView.system.contains(where: { $0.id == self["VIEW_ID"] }) else {
      throw .noView(self["VIEW_ID"], isOld: false)
    }
    return bank
  }
}

extension BankView {
  /// Those that exist on every account.
  static let system: [BankView] = [.owner, .auditor, .accountant]
}
