import JSON
import Model

extension OpenBankBackend {
  private static let requestColumns = [
    Column("id", "Id", rank: 5), Column("type", "Type", rank: 2), Column("status", "Status", rank: 0),
    Column("amount", "Amount", .amount, rank: 0, isPrivate: true), Column("currency", "Currency", .currency, rank: 1),
    Column("to", "To", rank: 1, isPrivate: true), Column("description", "Description", rank: 2),
    Column("started", "Started", .time, rank: 2),
  ]

  func requests(_ location: Location, _ query: ListQuery, _ account: AccountID) async throws(ServiceError) -> Listing {
    let operation = "load the payments of \(account.account)"
    let answer = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in try await client.send("\(lens.path)/transaction-requests", operation)
    }
    let elements = try answer.elements("transaction_requests_with_charges", "transaction_requests")
    return try .whole(
      location, "Payments", OpenBankBackend.requestColumns, Array(elements), query, raw: answer.raw
    ) { element in
      let request = PaymentRequest(element)
      return Row(
        location.below(request.id),
        [
          .text(request.id), .optional(request.type), .optional(request.status), .optional(request.amount),
          .optional(request.amount?.currency), .optional(request.recipient), .optional(request.description),
          request.started,
        ])
    }
  }

  func requestItem(_ location: Location, _ account: AccountID, _ id: String) async throws(ServiceError) -> Item {
    let operation = "open the payment \(id)"
    let (answer, request) = try await client.look(at: account, through: location.view, operation) {
      (lens) async throws(ServiceError) in try await client.payment(id, lens, operation)
    }
    guard let request else { throw .notFound(location) }
    let fields = [
      Field("id", "Id", .text(id)), Field("type", "Type", .optional(request.type)),
      Field("status", "Status", .optional(request.status)),
      Field("amount", "Amount", .optional(request.amount), .amount, isPrivate: true),
      Field("currency", "Currency", .optional(request.amount?.currency), .currency),
      Field("to", "To", .optional(request.recipient), isPrivate: true),
      Field("description", "Description", .optional(request.description)),
      Field("charge", "Charge", .optional(request.charge), .amount),
      Field("charge_summary", "Charge for", .optional(request.chargeSummary)),
      Field("started", "Started", request.started, .time), Field("ended", "Ended", request.ended, .time),
      Field("attempts", "Tries for the challenge", .optional(request.challenge?.attempts), .integer),
    ]
    let account = location.account(account)
    let bookings = request.transactions.map {
      Link("Transaction \($0)", account.below("transactions").below($0), opening: .item)
    }
    return Item(
      location, title: request.description ?? "Payment \(id)", sections: [.init("Payment", fields)],
      related: bookings + [Link("Account", account, opening: .item)],
      actions: [answerAction(request)] + [rejectAction(request)].compactMap { $0 },
      raw: answer.raw)
  }

  private func answerAction(_ request: PaymentRequest) -> Action {
    let isWaiting = request.challenge != nil && !request.isFinal
    return Action(
      "answer-challenge", "Answer the challenge",
      fields: [FormField("answer", "Answer", .secret, hint: "the code that the bank sent you")],
      disabled: noWriting ?? (isWaiting ? nil : "this payment does not wait for an answer"))
  }

  /// Whether a view is known to permit no payment.
  static func paysNothing(_ rights: ViewRights) -> Bool {
    let known = ["own", "any"].map { rights.permits("can_add_transaction_request_to_\($0)_account") }
    return known.contains(false) && !known.contains(true)
  }

  func accountActions(
    _ account: Account, _ lens: AccountLens, _ rights: ViewRights?, _ ways: PaymentWays
  ) -> [Action] {
    let off = noWriting
    let notOwner = lens.isOwner ? nil : "this needs the owner's view"
    let cannotPay = rights.map { OpenBankBackend.paysNothing($0) ? lens.lacks("pay") : nil } ?? notOwner
    let name = account.label ?? lens.account.account
    return [
      Action(
        "pay", "Pay", fields: payFields(account.currency ?? "", ways), disabled: off ?? cannotPay ?? ways.reason,
        warning: "Pay from “\(name)”: a payment cannot be called back"),
      Action(
        "rename", "Change the label", fields: [FormField("label", "Label", initial: account.label ?? "")],
        disabled: off ?? notOwner),
      Action(
        "standing-order", "Set up a standing order", fields: standingOrderFields(account.currency ?? ""),
        disabled: off ?? orderOff(rights, lens, "can_create_standing_order"),
        warning: "Set up a standing order from “\(name)”: this API cannot end one again"),
      Action(
        "direct-debit", "Permit a direct debit", fields: OpenBankBackend.mandateFields,
        disabled: off ?? orderOff(rights, lens, "can_create_direct_debit"),
        warning: "Permit a direct debit from “\(name)”: this API cannot end one again"),
      Action(
        "funds", "Is there enough?",
        fields: [FormField("amount", "Amount", .amount(currency: account.currency ?? ""))],
        disabled: client.version >= APIVersion(3, 1, 0)
          ? rights?.permits("can_query_available_funds") == false ? lens.lacks("ask that") : nil
          : "this version of the API cannot tell"),
    ]
  }

  private func orderOff(_ rights: ViewRights?, _ lens: AccountLens, _ right: String) -> String? {
    guard client.version >= APIVersion(4, 0, 0) else { return "this version of the API has no such orders" }
    return rights?.permits(right) == false ? lens.lacks("do that") : nil
  }

  func payFields(
    _ currency: String, _ ways: PaymentWays, type: PaymentType? = nil, counterparty: String = ""
  ) -> [FormField] {
    let types = ways.offered(by: client.version)
    let initial = type ?? types.first ?? .sandbox
    return [
      FormField(
        "type", "Way", .choice(types.map { .init($0.rawValue, ways.title($0)) }), initial: initial.rawValue),
      FormField("to_bank", "Bank of the payee", isRequired: false, hint: "id of a bank on this server"),
      FormField("to_account", "Account of the payee", isRequired: false, hint: "id of an account at that bank"),
      FormField("counterparty", "Counterparty", initial: counterparty, isRequired: false, hint: "id of a counterparty"),
      FormField("name", "Name of the payee", isRequired: false, hint: "for SIMPLE"),
      FormField("iban", "IBAN of the payee", isRequired: false),
      FormField("amount", "Amount", .amount(currency: currency)),
      FormField("description", "Description", isRequired: false),
      FormField("future_date", "On the day", .date, isRequired: false, hint: "a day to come, for COUNTERPARTY"),
      FormField(
        "charge_policy", "Who bears the charge",
        .choice([.init("SHARED", "both"), .init("SENDER", "sender"), .init("RECEIVER", "receiver")]),
        initial: "SHARED", isRequired: false),
    ]
  }

  func counterpartyActions(
    _ payee: Counterparty, _ lens: AccountLens, _ rights: ViewRights?, _ ways: PaymentWays
  ) -> [Action] {
    let off = noWriting
    let cannotPay = rights.map(OpenBankBackend.paysNothing) ?? false ? lens.lacks("pay") : nil
    let cannotBePaid = payee.isBeneficiary == false ? "it is no beneficiary" : nil
    let name = payee.name ?? payee.id
    return [
      Action(
        "pay", "Pay", fields: payFields(payee.currency ?? "", ways, type: .counterparty, counterparty: payee.id),
        disabled: off ?? cannotBePaid ?? cannotPay ?? ways.reason,
        warning: "Pay “\(name)”: a payment cannot be called back"),
      Action(
        "delete", "Delete",
        disabled: off ?? (client.version >= APIVersion(4, 0, 0) ? nil : "this version of the API cannot delete it")
          ?? (rights?.permits("can_delete_counterparty") == false ? lens.lacks("delete it") : nil),
        warning: "Delete the counterparty “\(name)” for good"),
    ]
  }

  func createCounterpartyAction(_ lens: AccountLens, _ rights: ViewRights?) -> Action {
    Action(
      "create", "New counterparty",
      fields: [
        FormField("name", "Name"), FormField("description", "Description", hint: "at most 36 characters"),
        FormField("currency", "Currency", initial: "EUR"),
        FormField("bank", "Bank", isRequired: false, hint: "id of a bank on this server"),
        FormField("account", "Account", isRequired: false, hint: "id of an account at that bank"),
        FormField("iban", "IBAN", isRequired: false),
        FormField("beneficiary", "May be paid", .flag, initial: "true", isRequired: false),
      ],
      disabled: noWriting ?? (rights?.permits("can_add_counterparty") == false ? lens.lacks("add one") : nil))
  }
}
