import JSON

/// Standing orders and direct debits: taken, and listed nowhere; reference obp.md, section 3.14.
extension OBPRoutes {
  mutating func addOrders() {
    let view = "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID"
    add(.v400, "POST", view + "/standing-order", .user, "createStandingOrder", "Create Standing Order") {
      call throws(OBPError) in
      let viewed = try call.theViewedAccount()
      try viewed.require("can_create_standing_order")
      return .created(try call.standingOrder(viewed.account))
    }
    add(.v400, "POST", view + "/direct-debit", .user, "createDirectDebit", "Create Direct Debit") {
      call throws(OBPError) in
      let viewed = try call.theViewedAccount()
      try viewed.require("can_create_direct_debit")
      return .created(try call.order("direct_debit_id", viewed.account, try call.object("PostDirectDebitJsonV400")))
    }
  }
}

extension OBPCall {
  fileprivate func standingOrder(_ account: BankAccount) throws(OBPError) -> JSONNode {
    let type = "PostStandingOrderJsonV400"
    let body = try object(type)
    let amount = body["amount"]
    guard let code = amount["currency"].string, let text = amount["amount"].string else { throw .badJSON(type) }
    guard code == account.currency.code else {
      throw OBPError(400, "OBP-10003: Invalid Currency Value. Current input is \(code)")
    }
    guard let minor = account.currency.minor(text), minor > 0 else {
      throw OBPError(400, "OBP-10002: Invalid Number. Current amount is \(text)")
    }
    guard let often = body["when"]["frequency"].string, Self.frequencies.contains(often) else {
      throw OBPError(
        400, "OBP-10001: Incorrect json format. Unknown frequency: \(body["when"]["frequency"].string ?? "")")
    }
    var node = try order("standing_order_id", account, body)
    node["amount"] = .money(code, account.currency.text(minor))
    node["when"] = ["frequency": .string(often), "detail": .string(body["when"]["detail"].string ?? "")]
    return node
  }

  private static let frequencies = ["DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"]

  /// What both orders have in common, checked: the customer and the payee exist, and the days can be read.
  fileprivate func order(_ id: String, _ account: BankAccount, _ body: JSONValue) throws(OBPError) -> JSONNode {
    let user = try signedIn()
    let customer = body["customer_id"].string ?? ""
    guard isOwnCustomer(customer, of: user, at: account.bank) else {
      throw OBPError(404, "OBP-30046: Customer not found. Please specify a valid value for CUSTOMER_ID. \(customer)")
    }
    guard data.user(id: body["user_id"].string ?? "") != nil else {
      throw OBPError(404, "OBP-20057: User not found by userId. Current UserId is \(body["user_id"].string ?? "")")
    }
    let payee = body["counterparty_id"].string ?? ""
    guard bank.counterparties(of: account).contains(where: { $0.id == payee }) else {
      throw OBPError(
        400, "OBP-30017: Counterparty not found. Please specify a valid value for COUNTERPARTY_ID. \(payee)")
    }
    var node: JSONNode = [
      id: .string(state.makeID()), "bank_id": .string(account.bank.id), "account_id": .string(account.id),
      "customer_id": .string(customer), "user_id": .string(user.id), "counterparty_id": .string(payee),
    ]
    for key in ["date_signed", "date_starts", "date_expires"] {
      guard let text = body[key].string else {
        guard key == "date_starts" else {
          node[key] = .null
          continue
        }
        throw .badJSON("order with date_starts")
      }
      guard SandboxTime(iso: text) != nil else {
        throw OBPError(400, "OBP-10005: Invalid Date Format. Current \(key) is \(text)")
      }
      node[key] = .string(text)
    }
    node["date_cancelled"] = .null
    node["active"] = true
    return node
  }
}
