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
      related: bookings + [Link("Account", account, opening: .item)], actions: [answerAction(request)],
      raw: answer.raw)
  }

  private func answerAction(_ request: PaymentRequest) -> Action {
    let isWaiting = request.challenge != nil && !request.isFinal
    return Action(
      "answer-challenge", "Answer the challenge",
      fields: [FormField("answer", "Answer", .secret, hint: "the code that the bank sent you")],
      disabled: noWriting ?? (isWaiting ? nil : "this payment does not wait for an answer"))
  }

  func accountActions(_ account: Account, _ lens: AccountLens) -> [Action] {
    let off = noWriting
    let notOwner = lens.isOwner ? nil : "this needs the owner's view"
    return [
      Action(
        "pay", "Pay", fields: payFields(account.currency ?? ""), disabled: off ?? notOwner,
        warning: "Pay from “\(account.label ?? lens.account.account)”: a payment cannot be called back"),
      Action(
        "rename", "Change the label", fields: [FormField("label", "Label", initial: account.label ?? "")],
        disabled: off ?? notOwner),
    ]
  }

  private func payFields(_ currency: String, type: PaymentType? = nil, counterparty: String = "") -> [FormField] {
    let types = PaymentType.allCases.filter { client.version >= $0.since }
    let initial = type ?? .sandbox
    return [
      FormField(
        "type", "Way", .choice(types.map { .init($0.rawValue, $0.title) }), initial: initial.rawValue),
      FormField("to_bank", "Bank of the payee", isRequired: false, hint: "id of a bank on this server"),
      FormField("to_account", "Account of the payee", isRequired: false, hint: "id of an account at that bank"),
      FormField("counterparty", "Counterparty", initial: counterparty, isRequired: false, hint: "id of a counterparty"),
      FormField("iban", "IBAN of the payee", isRequired: false),
      FormField("amount", "Amount", .amount(currency: currency)),
      FormField("description", "Description", isRequired: false),
      FormField(
        "charge_policy", "Who bears the charge",
        .choice([.init("SHARED", "both"), .init("SENDER", "sender"), .init("RECEIVER", "receiver")]),
        initial: "SHARED", isRequired: false),
    ]
  }

  func counterpartyActions(_ payee: Counterparty) -> [Action] {
    let off = noWriting
    let cannotBePaid = payee.isBeneficiary == false ? "it is no beneficiary" : nil
    let name = payee.name ?? payee.id
    return [
      Action(
        "pay", "Pay", fields: payFields(payee.currency ?? "", type: .counterparty, counterparty: payee.id),
        disabled: off ?? cannotBePaid, warning: "Pay “\(name)”: a payment cannot be called back"),
      Action(
        "delete", "Delete",
        disabled: off ?? (client.version >= APIVersion(4, 0, 0) ? nil : "this version of the API cannot delete it"),
        warning: "Delete the counterparty “\(name)” for good"),
    ]
  }

  var createCounterpartyAction: Action {
    Action(
      "create", "New counterparty",
      fields: [
        FormField("name", "Name"), FormField("description", "Description", hint: "at most 36 characters"),
        FormField("currency", "Currency", initial: "EUR"),
        FormField("bank", "Bank", isRequired: false, hint: "id of a bank on this server"),
        FormField("account", "Account", isRequired: false, hint: "id of an account at that bank"),
        FormField("iban", "IBAN", isRequired: false),
        FormField("beneficiary", "May be paid", .flag, initial: "true", isRequired: false),
      ], disabled: noWriting)
  }
}

/// The ways to pay that a form here can describe (reference, section 3.11).
enum PaymentType: String, Sendable, CaseIterable {
  case sandbox = "SANDBOX_TAN"
  case account = "ACCOUNT"
  case counterparty = "COUNTERPARTY"
  case sepa = "SEPA"
  case freeForm = "FREE_FORM"

  var title: String {
    switch self {
    case .sandbox: "to an account on this server"
    case .account: "to an account (version 4)"
    case .counterparty: "to a counterparty"
    case .sepa: "to an IBAN"
    case .freeForm: "free form"
    }
  }

  var since: APIVersion {
    switch self {
    case .sandbox, .freeForm: APIVersion(2, 0, 0)
    case .counterparty, .sepa: APIVersion(2, 1, 0)
    case .account: APIVersion(4, 0, 0)
    }
  }
}
