import JSON
import Model

/// Giving back what came in, and asking back what went out: a payment of its own kind (reference, section 3.11).
extension OpenBankBackend {
  func refundAction(_ transaction: Transaction, _ lens: AccountLens, _ rights: ViewRights?) -> Action {
    let isMine = transaction.amount?.isNegative ?? false
    let amount = transaction.amount.map { Money(units: abs($0.units), decimals: $0.decimals, currency: $0.currency) }
    let other = OpenBankBackend.localAccount(transaction.otherSide)
    let name = transaction.otherSide.name ?? "the other side"
    let whom = [
      FormField("to_bank", "To the bank", initial: other?.bank ?? "", isRequired: false, hint: "id of a bank here"),
      FormField("to_account", "To the account", initial: other?.account ?? "", isRequired: false),
    ]
    let fields =
      [
        FormField("amount", "Amount", .amount(currency: amount?.currency ?? ""), initial: amount?.decimalText ?? ""),
        FormField("description", "Description", initial: "Refund: \(transaction.description ?? transaction.id)"),
        FormField("reason", "Reason", isRequired: false, hint: "the bank's code for it"),
      ] + (isMine ? [] : whom) + [
        FormField("counterparty", isMine ? "Asked of" : "Or to", isRequired: isMine, hint: "id of a counterparty")
      ]
    return Action(
      "refund", isMine ? "Ask for the money back" : "Give the money back", fields: fields,
      disabled: noWriting ?? refundOff(transaction, lens, rights),
      warning: isMine ? "Ask \(name) for the money back" : "Pay back to \(name): a payment cannot be called back")
  }

  private func refundOff(_ transaction: Transaction, _ lens: AccountLens, _ rights: ViewRights?) -> String? {
    guard client.version >= APIVersion(4, 0, 0) else { return "this version of the API has no refunds" }
    guard let amount = transaction.amount, amount.units != 0 else { return "there is no amount to give back" }
    return rights.map(OpenBankBackend.paysNothing) ?? false ? lens.lacks("pay") : nil
  }

  /// Where the other side is, when it is an account on this server.
  private static func localAccount(_ other: OtherAccount) -> AccountID? {
    let json = other.json
    let routing = json["bank_routing"]
    let bank = json["bank_id"].string ?? (routing["scheme"].string == "OBP" ? routing["address"].string : nil)
    let routed = json["account_routings"].elements.first { $0["scheme"].string == "OBP" }?["address"].string
    guard let bank, !bank.isEmpty, let account = json["account_id"].string ?? routed, !account.isEmpty else {
      return nil
    }
    return AccountID(bank: bank, account: account)
  }

  func refund(
    _ location: Location, _ account: AccountID, _ id: String, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let (answer, lens) = try await client.transactionAnswer(account, id, through: location.view, form.operation)
    let transaction = Transaction(answer.root)
    guard let booked = transaction.amount, booked.units != 0 else {
      throw ServiceError(.usage, form.operation, detail: "there is no amount to give back")
    }
    let amount = try form.amount("amount", in: booked.currency)
    let most = Money(units: abs(booked.units), decimals: booked.decimals, currency: booked.currency)
    guard !most.isLess(than: amount) else {
      throw ServiceError(.usage, form.operation, detail: "\(amount) is more than the \(most) that were paid")
    }
    let payment = Payment(
      type: "REFUND", to: try refunded(booked, form), amount: amount,
      description: form.optional("description") ?? "Refund",
      refund: .init(transaction: id, reason: form.optional("reason") ?? ""))
    return try await carryOut(payment, at: location, lens, form.operation)
  }

  private func refunded(_ booked: Money, _ form: ActionForm) throws(ServiceError) -> Payment.Recipient {
    guard !booked.isNegative else { return .payer(counterparty: try form.text("counterparty")) }
    if let id = form.optional("counterparty") { return .counterparty(id: id) }
    return .account(AccountID(bank: try form.text("to_bank"), account: try form.text("to_account")))
  }

  /// Whoever is asked for a refund answers the challenge, or rejects it with a word the server knows.
  func rejectAction(_ request: PaymentRequest) -> Action? {
    guard request.type == "REFUND" else { return nil }
    let isWaiting = request.challenge != nil && !request.isFinal
    return Action(
      "reject", "Reject the refund", fields: [FormField("reason", "Reason", isRequired: false)],
      disabled: noWriting ?? (isWaiting ? nil : "this refund does not wait for an answer"),
      warning: "Reject the refund of \(request.amount?.description ?? "this amount")")
  }

  func rejectRefund(
    _ location: Location, _ account: AccountID, _ id: String, _ form: ActionForm
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = form.operation
    return try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in
      guard let request = try await client.payment(id, lens, operation).request else { throw .notFound(location) }
      guard let challenge = request.challenge, let type = request.type, type == "REFUND", !request.isFinal else {
        throw ServiceError(.failed, operation, detail: "this is no refund that waits for an answer")
      }
      let done = try await client.answer(
        challenge, of: request, type: type, with: Secret("REJECT"), reason: form.optional("reason"), lens, operation)
      return ActionOutcome(OpenBankBackend.outcome(done, request.amount), location: location)
    }
  }
}
