import JSON

/// Payments, which OBP calls transaction requests; reference obp.md, section 3.11.
extension OBPRoutes {
  static let oldPaymentTypes = ["SANDBOX_TAN", "COUNTERPARTY", "SEPA", "FREE_FORM"]
  static let newPaymentTypes = oldPaymentTypes + ["ACCOUNT", "ACCOUNT_OTP", "SIMPLE", "REFUND"]

  mutating func addPayments() {
    let view = "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID"
    add(.v140, "GET", view + "/transaction-request-types", .user, "getTransactionRequestTypes", "Get Types for Account")
    {
      call throws(OBPError) in
      let account = try call.payingAccount().account
      let charge = JSONNode.money(account.currency.code, account.currency.text(0))
      return .ok([
        "transaction_request_types": .list(call.paymentTypes) {
          ["value": .string($0), "charge": ["summary": "No charges", "value": charge]]
        }
      ])
    }
    add(
      .v210, "GET", "/banks/BANK_ID/transaction-request-types", .user, "getTransactionRequestTypesSupported",
      "Get Types"
    ) {
      call throws(OBPError) in
      _ = try call.theBank()
      return .ok([
        "transaction_request_types": .list(call.paymentTypes) { ["transaction_request_type": .string($0)] }
      ])
    }
    let types = view + "/transaction-request-types/TYPE/transaction-requests"
    for version in [OBPVersion.v140, .v200, .v210, .v400] {
      add(version, "POST", types, .user, "createTransactionRequest", "Create Transaction Request") {
        call throws(OBPError) in
        let viewed = try call.payingAccount()
        return .created(call.json(try PaymentDesk(call: call, viewed: viewed).create(), viewed.account, version))
      }
      let answer = types + "/REQUEST_ID/challenge"
      add(version, "POST", answer, .user, "answerTransactionRequestChallenge", "Answer Challenge") {
        call throws(OBPError) in
        let viewed = try call.payingAccount()
        let done = try PaymentDesk(call: call, viewed: viewed).answer()
        return OBPReply(status: 202, body: .json(call.json(done, viewed.account, version)))
      }
    }
    for version in [OBPVersion.v200, .v210] {
      add(version, "GET", view + "/transaction-requests", .user, "getTransactionRequests", "Get Transaction Requests") {
        call throws(OBPError) in
        let account = try call.payingAccount().account
        let list = call.state.read { $0.payments[account.key] ?? [] }
        return .ok(["transaction_requests_with_charges": .list(list) { call.json($0, account, version) }])
      }
    }
    add(
      .v400, "GET", view + "/transaction-requests/REQUEST_ID", .user, "getTransactionRequest", "Get Transaction Request"
    ) {
      call throws(OBPError) in
      let viewed = try call.payingAccount()
      return .ok(call.json(try PaymentDesk(call: call, viewed: viewed).theRequest(), viewed.account, .v400))
    }
  }
}

extension OBPCall {
  fileprivate var paymentTypes: [String] {
    version >= .v400 ? OBPRoutes.newPaymentTypes : OBPRoutes.oldPaymentTypes
  }

  /// The account, where the server offers payments and the view may make them.
  fileprivate func payingAccount() throws(OBPError) -> ViewedAccount {
    guard profile.allowsPayments else {
      throw isOld
        ? OBPError(400, "OBP-00003: Transaction Requests is disabled in this API instance.") : .paymentsOff
    }
    let viewed = try theViewedAccount()
    guard viewed.view.grants("can_add_transaction_request_to_any_account") else {
      throw OBPError(400, "OBP-40002: Insufficient authorisation to create TransactionRequest.")
    }
    return viewed
  }

  fileprivate func json(_ payment: PaymentRequest, _ account: BankAccount, _ shape: OBPVersion) -> JSONNode {
    let transactions: JSONNode =
      shape >= .v210
      ? .array(payment.transactionID.map { [.string($0)] } ?? []) : .string(payment.transactionID ?? "")
    let details = shape >= .v210 ? newDetails(payment) : payment.details
    var node: JSONNode = [
      "id": .string(payment.id), "type": .string(payment.type),
      "from": ["bank_id": .string(account.bank.id), "account_id": .string(account.id)],
      "details": details,
      "transaction_ids": transactions,
      "status": .string(payment.status.rawValue), "start_date": .string(payment.start.iso),
      "end_date": .string((payment.end ?? payment.start).iso),
    ]
    let challenge = payment.challenge.map { json($0, of: payment, account, shape) }
    node[shape >= .v400 ? "challenges" : "challenge"] = challenge ?? .null
    node["charge"] = [
      "summary": "Total charges for completed transaction",
      "value": .money(account.currency.code, account.currency.text(0)),
    ]
    return node
  }

  /// From v2.1.0 on the details say by their key what kind of payment it is.
  private func newDetails(_ payment: PaymentRequest) -> JSONNode {
    var node: JSONNode = [:]
    if let to = payment.details["to"] { node["to_\(payment.type.lowercased())"] = to }
    node["value"] = payment.details["value"] ?? .null
    node["description"] = .string(payment.description)
    return node
  }

  private func json(
    _ challenge: PaymentRequest.Challenge, of payment: PaymentRequest, _ account: BankAccount, _ shape: OBPVersion
  ) -> JSONNode {
    let attempts = JSONNode.int(challenge.attemptsLeft)
    guard shape >= .v400 else {
      return [
        "id": .string(challenge.id), "allowed_attempts": attempts,
        "challenge_type": "OBP_TRANSACTION_REQUEST_CHALLENGE",
      ]
    }
    let link =
      "\(hostname)/obp/v4.0.0/banks/\(account.bank.id)/accounts/\(account.id)/\(payment.view)"
      + "/transaction-request-types/\(payment.type)/transaction-requests/\(payment.id)/challenge"
    return [
      [
        "id": .string(challenge.id), "user_id": .string(challenge.user), "allowed_attempts": attempts,
        "challenge_type": "OBP_TRANSACTION_REQUEST_CHALLENGE", "link": .string(link),
      ]
    ]
  }
}
