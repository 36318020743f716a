import JSON

/// One account, and what can be changed about it; reference obp.md, section 3.4.
extension OBPRoutes {
  private static let viewed = "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID"
  private static let mine = "/my/banks/BANK_ID/accounts/ACCOUNT_ID/account"

  mutating func addAccounts() {
    add(.v121, "GET", Self.viewed + "/account", .open, "accountById", "Get Account") { call throws(OBPError) in
      .ok(call.oldAccount(try call.theViewedAccount()))
    }
    add(.v200, "GET", Self.mine, .user, "getCoreAccountById", "Get My Account") { call throws(OBPError) in
      var node = call.oldAccount(try call.myAccount())
      node["views_available"] = nil
      return .ok(node)
    }
    for version in [OBPVersion.v300, .v310, .v400] {
      add(version, "GET", Self.viewed + "/account", .user, "getPrivateAccountById", "Get Account") {
        call throws(OBPError) in .ok(call.fullAccount(try call.theViewedAccount(), version))
      }
    }
    add(.v300, "GET", Self.mine, .user, "getCoreAccountById", "Get My Account") { call throws(OBPError) in
      .ok(call.oldCoreAccount(try call.myAccount()))
    }
    let open = "/banks/BANK_ID/public/accounts/ACCOUNT_ID/VIEW_ID/account"
    add(.v300, "GET", open, .open, "getPublicAccountById", "Get Public Account") { call throws(OBPError) in
      .ok(call.fullAccount(try call.thePublicAccount(), .v300))
    }
    for version in [OBPVersion.v400, .v600] {
      add(version, "GET", Self.mine, .user, "getCoreAccountById", "Get My Account") { call throws(OBPError) in
        .ok(call.coreAccount(try call.myAccount(), version))
      }
    }
    let through = "/banks/BANK_ID/accounts/ACCOUNT_ID/views/VIEW_ID"
    add(.v510, "GET", through, .user, "getCoreAccountByIdThroughView", "Get Account by View") { call throws(OBPError) in
      .ok(call.coreAccount(try call.theViewedAccount(), .v510))
    }
    addChanges()
  }

  private mutating func addChanges() {
    for version in [OBPVersion.v121, .v400] {
      let path = "/banks/BANK_ID/accounts/ACCOUNT_ID"
      add(version, "POST", path, .user, "updateAccountLabel", "Update Account Label") { call throws(OBPError) in
        let viewed = try call.myAccount()
        let label = try call.text("label", of: try call.object("UpdateAccountJSON"), "UpdateAccountJSON")
        call.state.write { $0.labels[viewed.account.key] = label }
        return .ok(["success": "Success"])
      }
    }
    let tags = Self.viewed + "/metadata/tags"
    add(.v400, "GET", tags, .user, "getAccountTags", "Get Account Tags") { call throws(OBPError) in
      let key = try call.theViewedAccount().account.key
      return .ok(["tags": .list(call.state.read { $0.accountTags[key] ?? [] }, call.note)])
    }
    add(.v400, "POST", tags, .user, "addAccountTag", "Add Account Tag") { call throws(OBPError) in
      let key = try call.theViewedAccount().account.key
      let value = try call.text("value", of: try call.object("PostAccountTagJSON"), "PostAccountTagJSON")
      let tag = BankNote(id: call.state.makeID(), value: value, date: call.now, user: try call.signedIn())
      call.state.write { $0.accountTags[key, default: []].append(tag) }
      return .created(call.note(tag))
    }
    add(.v400, "DELETE", tags + "/TAG_ID", .user, "deleteAccountTag", "Delete Account Tag") { call throws(OBPError) in
      let key = try call.theViewedAccount().account.key
      let id = call["TAG_ID"]
      call.state.write { $0.accountTags[key]?.removeAll { $0.id == id } }
      return .ok("")
    }
  }
}

extension OBPCall {
  /// An account with a view that is open to everybody.
  fileprivate func thePublicAccount() throws(OBPError) -> ViewedAccount {
    let account = try theAccount()
    guard profile.allowsPublicViews else { throw .publicViewsOff }
    let view = bank.allViews(on: account).first { $0.isPublic && $0.id == self["VIEW_ID"] }
    guard let view else { throw .noView(self["VIEW_ID"], isOld: isOld) }
    return ViewedAccount(account: account, view: view)
  }

  private func owners(_ viewed: ViewedAccount) -> JSONNode {
    guard viewed.view.grants("can_see_bank_account_owners") else { return nil }
    return data.holderUser(of: viewed.account).map { [person($0)] } ?? []
  }

  /// The leading fields that all shapes share; what the view hides is null.
  private func leading(_ viewed: ViewedAccount) -> JSONNode {
    let (account, view) = (viewed.account, viewed.view)
    func shown(_ field: String, _ value: String) -> JSONNode {
      view.grants("can_see_bank_account_\(field)") ? .string(value) : nil
    }
    return [
      "id": .string(account.id), "label": shown("label", bank.label(of: account)),
      "number": shown("number", account.number), "owners": owners(viewed), "type": shown("type", account.type),
      "balance": [
        "currency": shown("currency", account.currency.code), "amount": shown("balance", balanceText(account)),
      ],
    ]
  }

  private func routings(_ viewed: ViewedAccount) -> JSONNode {
    viewed.view.grants("can_see_bank_account_iban") ? viewed.account.routings : []
  }

  fileprivate func oldAccount(_ viewed: ViewedAccount) -> JSONNode {
    let (account, view) = (viewed.account, viewed.view)
    var node = leading(viewed)
    if case .string(let label) = node["label"] { node["label"] = .filled(label) }
    node["IBAN"] = .text(view.grants("can_see_bank_account_iban") ? account.iban : nil)
    node["swift_bic"] = .null
    node["views_available"] = .list(bank.views(of: user, on: account)) { $0.json(version) }
    node["bank_id"] = .string(account.bank.id)
    if version >= .v200 { node["account_routing"] = ["scheme": "OBP", "address": .string(account.id)] }
    return node
  }

  fileprivate func oldCoreAccount(_ viewed: ViewedAccount) -> JSONNode {
    var node = leading(viewed)
    node["bank_id"] = .string(viewed.account.bank.id)
    node["account_routings"] = routings(viewed)
    node["views_basic"] = .list(bank.views(of: user, on: viewed.account)) { $0.basic(withDescription: true) }
    return node
  }

  fileprivate func fullAccount(_ viewed: ViewedAccount, _ shape: OBPVersion) -> JSONNode {
    var node = leading(viewed)
    node["bank_id"] = .string(viewed.account.bank.id)
    node["account_routings"] = routings(viewed)
    if shape == .v300 {
      node["account_rules"] = [["scheme": "OVERDRAFT", "value": "10"]]
      return node
    }
    node["views_available"] = .list(bank.views(of: user, on: viewed.account)) { $0.json(version) }
    node["account_attributes"] = attributes(viewed.account)
    guard shape >= .v400 else { return node }
    node["type"] = nil
    node["product_code"] = .string(viewed.account.productCode)
    node["tags"] = .list(state.read { $0.accountTags[viewed.account.key] ?? [] }, note)
    return node
  }

  fileprivate func coreAccount(_ viewed: ViewedAccount, _ shape: OBPVersion) -> JSONNode {
    let lead = leading(viewed)
    var node: JSONNode = [shape >= .v600 ? "account_id" : "id": .string(viewed.account.id)]
    node["bank_id"] = .string(viewed.account.bank.id)
    node["label"] = lead["label"]
    node["number"] = lead["number"]
    node["product_code"] = .string(viewed.account.productCode)
    node["balance"] = lead["balance"]
    node["account_routings"] = routings(viewed)
    node["views_basic"] = .list(bank.views(of: user, on: viewed.account)) { .string($0.id) }
    return node
  }

  private func attributes(_ account: BankAccount) -> JSONNode {
    guard account.index % 2 == 0 else { return [] }
    var random = data.setting.random("bank/attribute", index: account.index)
    return [
      [
        "product_code": .string(account.productCode), "account_attribute_id": .string(random.uuid()),
        "name": "OVERDRAFT_START_DATE", "type": "DATE_WITH_DAY", "value": "2026-01-01",
      ]
    ]
  }

  /// A user as v1.2.1 shapes embed it.
  func person(_ user: BankUser) -> JSONNode {
    ["id": .string(user.id), "provider": .string(hostname), "display_name": .string(user.username)]
  }

  /// A comment or tag.
  func note(_ note: BankNote) -> JSONNode {
    ["id": .string(note.id), "value": .string(note.value), "date": .string(note.date.iso), "user": person(note.user)]
  }
}
