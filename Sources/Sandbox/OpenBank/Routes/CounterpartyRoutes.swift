import JSON

/// Payees entered for an account; reference obp.md, section 3.10.
extension OBPRoutes {
  mutating func addCounterparties() {
    let base = "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID/counterparties"
    for version in [OBPVersion.v220, .v400] {
      add(version, "GET", base, .user, "getExplictCounterpartiesForAccount", "Get Counterparties") {
        call throws(OBPError) in
        let viewed = try call.viewed(with: "can_get_counterparty")
        let list = call.bank.counterparties(of: viewed.account)
        return .ok(["counterparties": .list(list) { call.json($0, viewed, version) }])
      }
      add(version, "GET", base + "/COUNTERPARTY_ID", .user, "getExplictCounterpartyById", "Get Counterparty") {
        call throws(OBPError) in
        let viewed = try call.viewed(with: "can_get_counterparty")
        return .ok(call.detail(try call.theCounterparty(viewed.account), viewed, version))
      }
      add(version, "POST", base, .user, "createCounterparty", "Create Counterparty") { call throws(OBPError) in
        let viewed = try call.viewed(with: "can_add_counterparty")
        return .created(call.detail(try call.createCounterparty(viewed.account), viewed, version))
      }
    }
    add(.v400, "DELETE", base + "/COUNTERPARTY_ID", .user, "deleteExplicitCounterparty", "Delete Counterparty") {
      call throws(OBPError) in
      let viewed = try call.viewed(with: "can_delete_counterparty")
      let gone = try call.theCounterparty(viewed.account)
      call.change(viewed.account) { $0.removeAll { $0.id == gone.id } }
      return .ok(["success": true])
    }
  }
}

extension OBPCall {
  fileprivate func viewed(with permission: String) throws(OBPError) -> ViewedAccount {
    let viewed = try theViewedAccount()
    try viewed.require(permission)
    return viewed
  }

  fileprivate func change(_ account: BankAccount, _ body: (inout [Counterparty]) -> Void) {
    state.write { contents in
      var list = contents.counterparties[account.key] ?? Counterparty.generated(for: account, data: data)
      body(&list)
      contents.counterparties[account.key] = list
    }
  }

  fileprivate func theCounterparty(_ account: BankAccount) throws(OBPError) -> Counterparty {
    let id = self["COUNTERPARTY_ID"]
    guard let found = bank.counterparties(of: account).first(where: { $0.id == id }) else {
      throw OBPError(400, "OBP-30017: Counterparty not found. Please specify a valid value for COUNTERPARTY_ID. \(id)")
    }
    return found
  }

  fileprivate func createCounterparty(_ account: BankAccount) throws(OBPError) -> Counterparty {
    let type = "PostCounterpartyJSON"
    let body = try object(type)
    let name = try text("name", of: body, type)
    let description = body["description"].string ?? ""
    guard description.count <= 36 else {
      throw OBPError(400, "OBP-10010: The input description is too long; 36 characters are allowed.")
    }
    guard let isBeneficiary = body["is_beneficiary"].bool else { throw .badJSON(type) }
    let currency = body["currency"].string ?? account.currency.code
    guard BankCurrency.isKnown(currency) else {
      throw OBPError(400, "OBP-10003: Invalid Currency Value. It should be three letters ISO Currency Code.")
    }
    let made = Counterparty(
      id: state.makeID(), name: name, description: description, currency: currency, createdBy: try signedIn().id,
      bankScheme: try text("other_bank_routing_scheme", of: body, type),
      bankAddress: try text("other_bank_routing_address", of: body, type),
      branchScheme: body["other_branch_routing_scheme"].string ?? "",
      branchAddress: body["other_branch_routing_address"].string ?? "",
      accountScheme: try text("other_account_routing_scheme", of: body, type),
      accountAddress: try text("other_account_routing_address", of: body, type),
      secondaryScheme: body["other_account_secondary_routing_scheme"].string ?? "",
      secondaryAddress: body["other_account_secondary_routing_address"].string ?? "", isBeneficiary: isBeneficiary,
      bespoke: body["bespoke"].elements.map { ($0["key"].string ?? "", $0["value"].string ?? "") })
    guard !bank.counterparties(of: account).contains(where: { $0.name == name }) else {
      throw OBPError(
        400,
        "OBP-30014: Counterparty already exists. Please specify a different value for BANK_ID or ACCOUNT_ID "
          + "or VIEW_ID or COUNTERPARTY_NAME.")
    }
    change(account) { $0.append(made) }
    return made
  }

  fileprivate func json(_ payee: Counterparty, _ viewed: ViewedAccount, _ shape: OBPVersion) -> JSONNode {
    var node: JSONNode = ["name": .string(payee.name), "description": .string(payee.description)]
    if shape >= .v400 { node["currency"] = .string(payee.currency) }
    let rest: KeyValuePairs<String, String> = [
      "created_by_user_id": payee.createdBy, "this_bank_id": viewed.account.bank.id,
      "this_account_id": viewed.account.id, "this_view_id": viewed.view.id, "counterparty_id": payee.id,
      "other_bank_routing_scheme": payee.bankScheme, "other_bank_routing_address": payee.bankAddress,
      "other_branch_routing_scheme": payee.branchScheme, "other_branch_routing_address": payee.branchAddress,
      "other_account_routing_scheme": payee.accountScheme, "other_account_routing_address": payee.accountAddress,
      "other_account_secondary_routing_scheme": payee.secondaryScheme,
      "other_account_secondary_routing_address": payee.secondaryAddress,
    ]
    for (key, value) in rest { node[key] = .string(value) }
    node["is_beneficiary"] = .bool(payee.isBeneficiary)
    node["bespoke"] = .list(payee.bespoke) { ["key": .string($0.key), "value": .string($0.value)] }
    return node
  }

  fileprivate func detail(_ payee: Counterparty, _ viewed: ViewedAccount, _ shape: OBPVersion) -> JSONNode {
    var node = json(payee, viewed, shape)
    node["metadata"] = [
      "public_alias": "", "more_info": "", "url": "", "image_url": "", "open_corporates_url": "",
      "corporate_location": nil, "physical_location": nil, "private_alias": "",
    ]
    return node
  }
}
